#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "loaders/assemble.h"
#include "loaders/batch_pool.h"
#include "loaders/loader.h"
#include "tests/loaders/support/allocations.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/loaders/support/token_files.h"

namespace loadline {
namespace {

constexpr std::size_t kTokens = 333;
constexpr std::size_t kLength = 16;

class TokenSequences : public testing::Test {
 protected:
  TokenSequences() {
    test::write(home_ / "two.bin", test::counting_tokens<std::uint16_t>(kTokens));
    test::write(home_ / "four.bin", test::counting_tokens<std::uint32_t>(kTokens));
    const std::vector<std::int32_t> lengths{100, 1, 40, 17, 175};
    test::write(home_ / "two.idx", test::index_bytes({.lengths = lengths}));
    test::write(home_ / "four.idx", test::index_bytes({.code = 4, .lengths = lengths}));
  }

  std::unique_ptr<Dataset> open(const char* name, Sequences sequences, bool in_memory = false) const {
    return open_dataset(home_ / name, {.in_memory = in_memory, .sequence_length = kLength, .sequences = sequences});
  }

  struct Delivered {
    std::vector<SampleIndex> indices;
    std::vector<std::int32_t> tokens;
    std::size_t predicted;
    std::size_t places;

    bool operator==(const Delivered&) const = default;
  };

  static std::vector<Delivered> load(const Dataset& dataset, const LoaderKind& kind, LoaderOptions options) {
    const TokenAssembler assembler(*dataset.as_tokens(), 7);
    const Sampler sampler({.samples = dataset.info().samples, .batch_size = 4});
    options.stream.epochs = 2;
    const auto source = kind.make(assembler, sampler, options);
    std::vector<Delivered> all;
    while (const Batch batch = source->next()) {
      const auto* first = reinterpret_cast<const std::int32_t*>(batch->bytes().data());
      const auto indices = batch->indices.first(batch->count);
      all.push_back({{indices.begin(), indices.end()},
                     {first, first + batch->bytes().size() / sizeof(std::int32_t)},
                     batch->tokens,
                     batch->token_places});
    }
    return all;
  }

  const test::TemporaryDirectory home_;
};

TEST_F(TokenSequences, AreTheSameFromEveryLoaderHoweverTheyAreStored) {
  for (const Sequences sequences : {Sequences::kRandom, Sequences::kConsecutive, Sequences::kDocuments}) {
    const auto mapped = open("two.bin", sequences);
    const auto reference = load(*mapped, loader_named("serial"), {});
    const std::size_t batches = (mapped->info().samples + 3) / 4;
    ASSERT_EQ(reference.size(), 2 * batches);
    for (const LoaderKind& kind : loaders()) {
      if (kind.access) continue;  // reads HDF5 only
      for (const std::size_t workers : {1U, 2U, 5U}) {
        EXPECT_EQ(load(*mapped, kind, {.workers = workers}), reference) << kind.name << " x " << workers;
      }
    }
    EXPECT_EQ(load(*open("two.bin", sequences, true), loader_named("serial"), {}), reference);
    EXPECT_EQ(load(*open("four.bin", sequences), loader_named("serial"), {}), reference);
  }
}

TEST_F(TokenSequences, PredictEachTokenOncePerEpoch) {
  for (const Sequences sequences : {Sequences::kConsecutive, Sequences::kDocuments}) {
    const auto dataset = open("two.bin", sequences);
    std::map<std::int32_t, int> predicted;
    std::size_t tokens = 0;
    std::size_t places = 0;
    for (const Delivered& batch : load(*dataset, loader_named("thread-pool"), {.workers = 3})) {
      for (std::size_t i = 0; i < batch.tokens.size(); ++i) {
        if (i % (kLength + 1) == 0 || batch.tokens[i] == kNoToken) continue;
        EXPECT_EQ(batch.tokens[i], batch.tokens[i - 1] + 1) << "neighbours stay neighbours";
        ++predicted[batch.tokens[i]];
      }
      tokens += batch.predicted;
      places += batch.places;
    }
    for (const auto& [token, times] : predicted) EXPECT_EQ(times, 2) << "in two epochs, token " << token;
    // The first token of each document is never predicted. Without documents, tokens that do not fill a sequence are
    // left out.
    const std::size_t expected = sequences == Sequences::kDocuments ? kTokens - 5 : 20 * kLength;
    EXPECT_EQ(predicted.size(), expected);
    EXPECT_EQ(tokens, 2 * expected);
    EXPECT_EQ(places, 2 * dataset->info().samples * kLength);
  }
}

TEST_F(TokenSequences, ArePaddedWithNoTokenAfterTheEndOfTheirDocument) {
  const auto dataset = open("two.bin", Sequences::kDocuments);
  const TokenAssembler assembler(*dataset->as_tokens(), 7);
  EXPECT_EQ(assembler.sample_format().dtype, DType::kI32);
  EXPECT_EQ(assembler.sample_format().input, std::vector<std::size_t>{kLength + 1});
  EXPECT_EQ(assembler.effective(Stores::kStreaming), Stores::kCached);
  BatchPool pool(1, 2, assembler.sample_bytes());
  const Batch batch = pool.acquire();
  batch->count = 2;
  batch->indices[0] = 6;  // the last 4 tokens of the first document, after 96
  batch->indices[1] = 7;  // the first sequence of the third document
  batch->labels[0] = 9;
  assembler.make_filler(2)->fill(*batch, Stores::kCached);
  const auto* tokens = reinterpret_cast<const std::int32_t*>(batch->data.data());
  EXPECT_EQ(std::vector(tokens, tokens + 6), (std::vector<std::int32_t>{1096, 1097, 1098, 1099, kNoToken, kNoToken}));
  EXPECT_EQ(tokens[kLength], kNoToken);
  EXPECT_EQ(tokens[kLength + 1], 1101);
  EXPECT_EQ(batch->labels[0], 0);
  EXPECT_EQ(batch->tokens, 3U + kLength);
  EXPECT_EQ(batch->token_places, 2 * kLength);
}

TEST_F(TokenSequences, RefuseATokenThatWouldBecomeNegative) {
  std::string bytes = test::counting_tokens<std::uint32_t>(kTokens);
  for (std::size_t at = 4 * 100; at < 4 * 101; ++at) bytes[at] = '\xff';  // -1 as i32, like padding
  test::write(home_ / "four.bin", bytes);
  const auto dataset = open("four.bin", Sequences::kConsecutive);
  const TokenAssembler assembler(*dataset->as_tokens(), 7);
  BatchPool pool(1, 2, assembler.sample_bytes());
  const Batch batch = pool.acquire();
  batch->count = 2;
  batch->indices[0] = 5;  // tokens 80 to 96
  batch->indices[1] = 6;  // tokens 96 to 112
  const auto filler = assembler.make_filler(2);
  EXPECT_EQ(test::thrown_by([&] { filler->fill(*batch, Stores::kCached); }),
            test::failed("cannot read sample 6 of " + (home_ / "four.bin").string() +
                         ": token 100 of the file is 4294967295, want 0 to 2147483647"));
}

TEST_F(TokenSequences, AllocateNothingWhileTheyArePulled) {
  const auto dataset = open("two.bin", Sequences::kDocuments);
  const TokenAssembler assembler(*dataset->as_tokens(), 7);
  const Sampler sampler({.samples = dataset->info().samples, .batch_size = 4});
  const auto source = loader_named("thread-pool").make(assembler, sampler, {.workers = 2});
  for (int i = 0; i < 12; ++i) source->next();
  const std::size_t before = test::allocations_so_far();
  for (int i = 0; i < 12; ++i) source->next();
  EXPECT_EQ(test::allocations_so_far() - before, 0U);
}

}  // namespace
}  // namespace loadline
