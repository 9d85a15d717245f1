#include "loaders/loader.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

TEST(Loaders, HaveNamesOfTheirOwnAndASummary) {
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

TEST(Loaders, RefuseANameThatNoneHas) {
  const test::Thrown thrown = test::thrown_by([] { loader_named("cereal"); });
  EXPECT_EQ(thrown.kind, Error::Kind::kUsage);
  EXPECT_EQ(thrown.message.substr(0, 33), "loader 'cereal': want one of seri");
  EXPECT_EQ(thrown.message.substr(thrown.message.size() - 22), "(did you mean serial?)");
}

TEST(SlotsOf, CountsOnlyTheConsumersWhereThereAreNoWorkers) {
  const LoaderKind row{.name = "alone", .has_workers = false};
  EXPECT_EQ(slots_of(row, {.workers = 4, .prefetch = 8}), 1U);
  EXPECT_EQ(slots_of(row, {.workers = 4, .prefetch = 8, .held_batches = 3}), 4U);
}

TEST(SlotsOf, CountsOneAWorkerThePrefetchedAndTheConsumers) {
  const LoaderKind row{.name = "many", .has_workers = true};
  EXPECT_EQ(slots_of(row, {.workers = 4, .prefetch = 8}), 13U);
  EXPECT_EQ(slots_of(row, {.workers = 4, .prefetch = 8, .held_batches = 3}), 16U);
}

}  // namespace
}  // namespace loadline
