#include "loaders/datasets/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "loaders/datasets/datasets.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/token_index.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/loaders/support/token_files.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::counting_tokens;
using test::index_bytes;

class Tokens : public testing::Test {
 protected:
  std::unique_ptr<TokenDataset> open(const fs::path& path, const DatasetOptions& options) const {
    auto dataset = open_dataset(path, options);
    return std::unique_ptr<TokenDataset>(dynamic_cast<TokenDataset*>(dataset.release()));
  }
  // Returns the refusal without the path of the test's directory.
  std::string refused(const fs::path& path, const DatasetOptions& options = {}) const {
    std::string message = test::thrown_by([&] { open_dataset(path, options); }).message;
    const std::string home = home_.path().string() + "/";
    for (auto at = message.find(home); at != std::string::npos; at = message.find(home)) message.erase(at, home.size());
    return message;
  }
  // Writes a file of these bytes and its index. Returns the file's path.
  fs::path put(const std::string& tokens, const std::string& index) const {
    test::write(home_ / "data.bin", tokens);
    test::write(home_ / "data.idx", index);
    return home_ / "data.bin";
  }

  const test::TemporaryDirectory home_;
};

TEST_F(Tokens, AreReadAsNanoGptWritesThem) {
  test::write(home_ / "train.bin", counting_tokens<std::uint16_t>(100));
  test::write(home_ / "val.bin", counting_tokens<std::uint16_t>(30));
  const auto train = open(home_.path(), {.sequence_length = 8});
  const DatasetInfo& info = train->info();
  EXPECT_EQ(info.format, "tokens");
  EXPECT_EQ(info.tokens, (TokenShape{.tokens = 100, .token_bytes = 2, .documents = {}, .sequence_length = 8}));
  EXPECT_EQ(info.samples, 12U);
  EXPECT_EQ(info.files, std::vector{home_ / "train.bin"});
  EXPECT_EQ(info.stored_bytes, 200U);
  EXPECT_EQ(info.all_bytes(), 200U);
  EXPECT_EQ(info.access, Access::kMapped);
  EXPECT_TRUE(train->labels().empty());
  EXPECT_FALSE(info.labelled());
  EXPECT_EQ(stored_type(info), "u16");
  EXPECT_EQ(open(home_.path(), {.split = Split::kTest})->info().tokens->tokens, 30U);
  EXPECT_EQ(open(home_ / "val.bin", {})->info().tokens->tokens, 30U);
}

TEST_F(Tokens, AreReadAsMegatronWritesThem) {
  const auto path = put(counting_tokens<std::uint32_t>(30), index_bytes({.code = 4, .lengths = {10, 5, 15}}));
  const auto dataset = open(path, {.sequence_length = 4});
  EXPECT_EQ(dataset->info().tokens, (TokenShape{.tokens = 30, .token_bytes = 4, .documents = 3, .sequence_length = 4}));
  EXPECT_EQ(dataset->info().files, (std::vector{path, home_ / "data.idx"}));
  EXPECT_EQ(stored_type(dataset->info()), "u32");
}

TEST_F(Tokens, HaveOneFingerprintInTwoOrFourBytesHoweverTheyAreCut) {
  test::write(home_ / "two.bin", counting_tokens<std::uint16_t>(60'000));
  test::write(home_ / "four.bin", counting_tokens<std::uint32_t>(60'000));
  const auto two = content_fingerprint(*open(home_ / "two.bin", {.format = "tokens"}));
  EXPECT_EQ(content_fingerprint(*open(home_ / "four.bin", {.format = "tokens", .token_bytes = 4})), two);
  EXPECT_EQ(content_fingerprint(*open(home_ / "two.bin", {.format = "tokens", .sequence_length = 7})), two);
  EXPECT_EQ(content_fingerprint(*open(home_ / "two.bin", {.format = "tokens", .in_memory = true})), two);
  EXPECT_NE(content_fingerprint(*open(home_ / "four.bin", {.format = "tokens"})), two);
}

TEST_F(Tokens, AreCutAtRandomOrConsecutively) {
  test::write(home_ / "a.bin", counting_tokens<std::uint16_t>(100));
  const auto random = open(home_ / "a.bin", {.format = "tokens", .sequence_length = 9});
  ASSERT_EQ(random->info().samples, 11U);
  std::set<std::size_t> first;
  for (std::uint64_t epoch = 0; epoch < 200; ++epoch) {
    for (SampleIndex i = 0; i < 11; ++i) {
      const TokenRun run = random->place(i, 3, epoch);
      EXPECT_EQ(run.count, 10U);
      ASSERT_LE(run.first + run.count, 100U);
      first.insert(run.first);
    }
  }
  EXPECT_EQ(first.size(), 91U) << "every place comes up";
  EXPECT_EQ(random->place(4, 3, 7), random->place(4, 3, 7));
  EXPECT_NE(random->place(4, 3, 7), random->place(4, 4, 7));

  const auto in_turn =
      open(home_ / "a.bin", {.format = "tokens", .sequence_length = 9, .sequences = Sequences::kConsecutive});
  ASSERT_EQ(in_turn->info().samples, 11U);
  EXPECT_EQ(in_turn->place(0, 3, 7), (TokenRun{0, 10}));
  EXPECT_EQ(in_turn->place(10, 3, 7), (TokenRun{90, 10}));
}

TEST_F(Tokens, AreCutWithinDocuments) {
  // The documents have 10, 1, 5, 0 and 4 tokens; the last consists of two sequences.
  const auto path = put(counting_tokens<std::uint16_t>(20),
                        index_bytes({.lengths = {10, 1, 5, 0, 2, 2}, .documents = {0, 1, 2, 3, 4, 6}}));
  const auto dataset = open(path, {.sequence_length = 4, .sequences = Sequences::kDocuments});
  EXPECT_EQ(dataset->info().tokens->documents, 5U);
  std::vector<TokenRun> runs;
  for (SampleIndex i = 0; i < dataset->info().samples; ++i) runs.push_back(dataset->place(i, 1, 1));
  EXPECT_EQ(runs, (std::vector<TokenRun>{{0, 5}, {4, 5}, {8, 2}, {11, 5}, {16, 4}}))
      << "each token but the first of a document is predicted once";
}

TEST_F(Tokens, RefuseUnusableFilesAndOptions) {
  test::write(home_ / "a.bin", counting_tokens<std::uint16_t>(10));
  test::write(home_ / "odd.bin", "abc");
  test::write(home_ / "one.bin", "ab");
  test::write(home_ / "empty.bin", "");
  const auto as_tokens = [](DatasetOptions options) {
    options.format = "tokens";
    return options;
  };
  EXPECT_EQ(refused(home_ / "a.bin", as_tokens({.sequence_length = 10})),
            "--sequence-length 10: a.bin has only 10 tokens; use a shorter length");
  EXPECT_EQ(refused(home_ / "a.bin", as_tokens({.sequence_length = 3, .sequences = Sequences::kDocuments})),
            "--sequences documents: a.bin lacks the index a.idx that lists the documents");
  EXPECT_EQ(refused(home_ / "a.bin", as_tokens({.split = Split::kTest})),
            "split test: a.bin is one file, so it has one split only");
  EXPECT_EQ(refused(home_ / "a.bin", as_tokens({.labels = LabelKind::kCoarse})),
            "coarse labels: a.bin has none, only cifar100 does");
  EXPECT_EQ(refused(home_ / "odd.bin", as_tokens({})),
            "cannot open odd.bin: 3 bytes are not a whole number of tokens of 2 bytes");
  EXPECT_EQ(refused(home_ / "one.bin", as_tokens({})), "cannot open one.bin: it has fewer than two tokens");
  EXPECT_EQ(refused(home_ / "empty.bin", as_tokens({})), "cannot open empty.bin: it has fewer than two tokens");
}

TEST_F(Tokens, RefuseAnIndexThatDoesNotFit) {
  const std::string tokens = counting_tokens<std::uint16_t>(10);
  EXPECT_EQ(refused(put(tokens, index_bytes({.lengths = {4, 5}}))),
            "cannot open data.bin: it has 20 bytes, but data.idx lists 9 tokens of 2 bytes");
  EXPECT_EQ(refused(put(tokens, index_bytes({.lengths = {4, 6}})), {.token_bytes = 4}),
            "--token-type: data.idx says that tokens have 2 bytes");
  EXPECT_THAT(refused(put(tokens, "MMIDIDX")), testing::StartsWith("cannot open data.idx: its head"));
  EXPECT_EQ(refused(put(tokens, index_bytes({.magic = "NOTANIDX!", .lengths = {4, 6}}))),
            "cannot open data.idx: it does not begin like a Megatron-LM index");
  EXPECT_EQ(refused(put(tokens, index_bytes({.version = 2, .lengths = {4, 6}}))),
            "cannot open data.idx: its version is 2, want 1");
  EXPECT_EQ(refused(put(tokens, index_bytes({.code = 5, .lengths = {4, 6}}))),
            "cannot open data.idx: its tokens are int64, want uint16 or int32");
  EXPECT_EQ(refused(put(tokens, index_bytes({.code = 77, .lengths = {4, 6}}))),
            "cannot open data.idx: its tokens have type 77, which the format does not define");
  EXPECT_EQ(refused(put(tokens, index_bytes({}))), "cannot open data.idx: it has no sequences");
  EXPECT_EQ(refused(put(tokens, index_bytes({.lengths = {4, 6}, .documents = {0}}))),
            "cannot open data.idx: it has no documents");
  EXPECT_EQ(refused(put(tokens, index_bytes({.lengths = {4, -6}}))), "cannot open data.idx: sequence 1 has -6 tokens");
  EXPECT_EQ(refused(put(tokens, index_bytes({.lengths = {4, 6}, .begins = {0, 7}}))),
            "cannot open data.idx: sequence 1 begins at byte 7");
  std::string claims_all = index_bytes({.lengths = {4, 6}});
  claims_all.replace(18, 8, "\xff\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_THAT(refused(put(tokens, claims_all)), testing::StartsWith("cannot open data.idx: its list of lengths"));
}

TEST_F(Tokens, RefuseAnIndexThatIsALinkToNothing) {
  const fs::path path = test::write(home_ / "data.bin", counting_tokens<std::uint32_t>(10));
  fs::create_symlink("moved.idx", home_ / "data.idx");
  EXPECT_EQ(refused(path), "cannot open data.idx: No such file or directory");
}

TEST_F(Tokens, RefuseInvalidDocuments) {
  const DatasetOptions by_documents{.sequence_length = 2, .sequences = Sequences::kDocuments};
  const std::string tokens = counting_tokens<std::uint16_t>(10);
  EXPECT_EQ(refused(put(tokens, index_bytes({.lengths = {4, 6}, .documents = {0, 2, 1, 2}})), by_documents),
            "cannot open data.idx: document 2 begins with sequence 1, want at least 2");
  EXPECT_EQ(refused(put(tokens, index_bytes({.lengths = {4, 6}, .documents = {1, 2}})), by_documents),
            "cannot open data.idx: document 0 begins with sequence 1, want 0");
  EXPECT_EQ(refused(put(tokens, index_bytes({.lengths = {4, 6}, .documents = {0, 1, 9}})), by_documents),
            "cannot open data.idx: document 2 begins with sequence 9, of which there are 2");
  EXPECT_EQ(refused(put(tokens, index_bytes({.lengths = {4, 6}, .documents = {0, 1}})), by_documents),
            "cannot open data.idx: its documents have 1 of 2 sequences");
  EXPECT_EQ(refused(put(tokens, index_bytes({.lengths = {4, 6}, .begins = {2, 8}})), by_documents),
            "cannot open data.idx: sequence 0 begins at token 1, want 0, where the one before it ends");
  EXPECT_EQ(refused(put(counting_tokens<std::uint16_t>(2), index_bytes({.lengths = {1, 1}})),
                    {.sequence_length = 1, .sequences = Sequences::kDocuments}),
            "cannot open data.bin: none of its documents has two tokens or more");
}

TEST_F(Tokens, NeedAFileOfTheirSplit) {
  test::write(home_ / "one/train.bin", counting_tokens<std::uint16_t>(100));
  EXPECT_EQ(refused(home_ / "one", {.format = "tokens", .split = Split::kTest}),
            "cannot open one: the split test is missing, want val.bin or test.bin");
  test::write(home_ / "one/test.bin", counting_tokens<std::uint16_t>(30));
  EXPECT_EQ(open(home_ / "one", {.format = "tokens", .split = Split::kTest})->info().tokens->tokens, 30U);
}

TEST_F(Tokens, AreGuessedFromOneFileOnlyIfSequencesAreWanted) {
  test::write(home_ / "mine.bin", counting_tokens<std::uint32_t>(100));
  EXPECT_THAT(
      refused(home_ / "mine.bin"),
      testing::StartsWith("cannot open mine.bin: no known dataset in it; if it holds tokens, add --format tokens "
                          "(`data convert`: --from-format tokens), otherwise name its format (idx, "));
  const auto dataset = open(home_ / "mine.bin", {.sequence_length = 9, .token_bytes = 4});
  EXPECT_EQ(dataset->info().tokens->tokens, 100U);
  EXPECT_THAT(refused(home_ / "mine.bin", {.sequence_length = 9, .sequences = Sequences::kPadded}),
              testing::StartsWith("cannot open mine.bin: no known dataset in it"));
}

TEST_F(Tokens, AreNoImagesOfCifarIfTheirSizeFitsButAnIndexIsBesideThem) {
  put(counting_tokens<std::uint16_t>(3073), index_bytes({.lengths = {3073}}));
  EXPECT_EQ(open_dataset(home_ / "data.bin", {})->info().format, "tokens");
  test::write(home_ / "train.bin", counting_tokens<std::uint16_t>(3073));
  test::write(home_ / "val.bin", counting_tokens<std::uint16_t>(3073));
  EXPECT_EQ(open_dataset(home_ / "val.bin", {})->info().format, "tokens");
}

TEST_F(Tokens, CannotBeReadBySample) {
  test::write(home_ / "a.bin", counting_tokens<std::uint16_t>(10));
  const auto dataset = open(home_ / "a.bin", {.format = "tokens"});
  EXPECT_THAT(test::thrown_by([&] { dataset->make_reader(1); }).message,
              testing::EndsWith("a.bin: they are sequences of tokens"));
}

}  // namespace
}  // namespace loadline
