#include "loaders/loader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

TEST(Loaders, HaveUniqueNamesAndASummary) {
  std::set<std::string_view> names;
  for (const LoaderKind& row : loaders()) {
    names.insert(row.name);
    EXPECT_FALSE(row.summary.empty()) << row.name;
  }
  EXPECT_EQ(names.size(), loaders().size());
  EXPECT_TRUE(names.contains("serial"));
}

TEST(Loaders, AreFoundByName) {
  for (const LoaderKind& row : loaders()) EXPECT_EQ(&loader_named(row.name), &row);
}

TEST(Loaders, RefuseAnUnknownName) {
  const test::Thrown thrown = test::thrown_by([] { loader_named("cereal"); });
  EXPECT_EQ(thrown.kind, Error::Kind::kUsage);
  EXPECT_EQ(thrown.message.substr(0, 33), "loader 'cereal': want one of seri");
  EXPECT_EQ(thrown.message.substr(thrown.message.size() - 22), "(did you mean serial?)");
}

TEST(Loaders, ShareRequestsIfTheirRowSaysSo) {
  EXPECT_TRUE(shares_requests("flow-graph"));
  EXPECT_FALSE(shares_requests("thread-pool"));
  EXPECT_FALSE(shares_requests("unknown.so")) << "nobody knows";
  add_loader({.name = "train:sharing", .summary = "mine", .shares_requests = true});
  EXPECT_TRUE(shares_requests("train:sharing"));
}

std::unique_ptr<Feed> no_feed(const LoaderKind&, const Assembler&, const Sampler&, const LoaderOptions&) {
  return nullptr;
}

TEST(AddedLoaders, AreFoundByNameAndExternal) {
  EXPECT_EQ(known_loader("train:one"), nullptr);

  const LoaderKind& added =
      add_loader({.name = "train:one", .summary = "mine", .has_workers = true, .engine = no_feed});

  EXPECT_EQ(&loader_named("train:one"), &added);
  EXPECT_EQ(known_loader("train:one"), &added);
  EXPECT_TRUE(added.external);
  for (const LoaderKind& row : loaders()) EXPECT_FALSE(row.external) << row.name;
}

TEST(AddedLoaders, AreReplacedByALaterOneOfTheSameName) {
  const LoaderKind& first = add_loader({.name = "train:twice", .summary = "first"});
  const LoaderKind& second = add_loader({.name = "train:twice", .summary = "second"});

  EXPECT_EQ(&loader_named("train:twice"), &second);
  EXPECT_EQ(first.summary, "first");
}

TEST(LoaderOpeners, AreCalledOnceForAnUnknownWord) {
  int opened = 0;
  add_loader_opener({.recognises = [](std::string_view word) { return word.starts_with("opened:"); },
                     .open =
                         [&](std::string_view word) {
                           ++opened;
                           return LoaderKind{.name = std::string(word), .summary = "opened"};
                         }});

  EXPECT_EQ(known_loader("opened:x"), nullptr);
  EXPECT_EQ(loader_named("opened:x").summary, "opened");
  EXPECT_EQ(&loader_named("opened:x"), known_loader("opened:x"));
  EXPECT_EQ(opened, 1);
}

TEST(ExternalLoaders, MayBeNamedByPathsAndWordsWithParameters) {
  for (const char* word :
       {"train.py", "./libmine.so", "libmine.so", "/a/b", "train.py:make_loader", "./libmine.so:rows=4"}) {
    EXPECT_TRUE(may_name_external_loader(word)) << word;
  }
  for (const char* word : {"thread-pool", "cereal", "", "so"}) EXPECT_FALSE(may_name_external_loader(word)) << word;
}

class Needs : public testing::Test {
 protected:
  std::string refusal(const DeliveredFormat& delivered) const {
    return test::thrown_by([&] { check_needs("./mine.so", delivered, needs_); }).message;
  }

  BatchNeeds needs_{.consumer = "compute cnn",
                    .sample = {.dtype = DType::kF32, .layout = Layout::kNCHW, .input = {3, 32, 16}, .target = {}},
                    .classes = 10};
};

TEST_F(Needs, AreMetByTheSameFormatWithLabels) {
  EXPECT_EQ(refusal({.dtype = "f32", .shape = {3, 32, 16}, .labels = true}), "");
  needs_.sample.layout = Layout::kNHWC;
  EXPECT_EQ(refusal({.dtype = "f32", .shape = {32, 16, 3}, .labels = true}), "");
}

TEST_F(Needs, AreNotMetByAnotherFormat) {
  EXPECT_EQ(refusal({.dtype = "u8", .shape = {3, 32, 16}, .labels = true}),
            "loader ./mine.so: it delivers samples of u8[3x32x16], and compute cnn needs f32[3x32x16]");
  EXPECT_EQ(refusal({.dtype = "f32", .shape = {1536}, .labels = true}),
            "loader ./mine.so: it delivers samples of f32[1536], and compute cnn needs f32[3x32x16]");
  EXPECT_EQ(refusal({.dtype = "f32", .shape = {3, 32, 16}}),
            "loader ./mine.so: it delivers no labels, and compute cnn needs them");
  needs_.sample.target = {3, 32, 16};
  EXPECT_EQ(refusal({.dtype = "f32", .shape = {3, 32, 16}, .labels = true}),
            "loader ./mine.so: compute cnn needs pairs of f32[3x32x16] and a target, which only the loaders in "
            "`loadline list` deliver");
}

TEST_F(Needs, IncludeLabelsInRange) {
  const auto refusal_of = [&](std::vector<std::int32_t> labels) {
    return test::thrown_by([&] { check_labels("./mine.so", labels, needs_); }).message;
  };

  EXPECT_EQ(refusal_of({0, 9}), "");
  EXPECT_EQ(refusal_of({0, 10}), "loader ./mine.so: label 10 is out of range, compute cnn needs 0 to 9");
  EXPECT_EQ(refusal_of({-1}), "loader ./mine.so: label -1 is out of range, compute cnn needs 0 to 9");
}

TEST(SlotsOf, CountsOnlyTheConsumersWithoutWorkers) {
  const LoaderKind row{.name = "alone", .has_workers = false};
  EXPECT_EQ(slots_of(row, {.workers = 4, .prefetch = 8}), 1U);
  EXPECT_EQ(slots_of(row, {.workers = 4, .prefetch = 8, .held_batches = 3}), 4U);
}

TEST(SlotsOf, CountsOnePerWorkerThePrefetchedAndTheConsumers) {
  const LoaderKind row{.name = "many", .has_workers = true};
  EXPECT_EQ(slots_of(row, {.workers = 4, .prefetch = 8}), 13U);
  EXPECT_EQ(slots_of(row, {.workers = 4, .prefetch = 8, .held_batches = 3}), 16U);
}

}  // namespace
}  // namespace loadline
