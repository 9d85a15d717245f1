#include "loaders/datasets/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "loaders/datasets/datasets.h"
#include "loaders/datasets/token_index.h"
#include "synthetic/generate/generate.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

std::vector<std::uint16_t> tokens_in(const TokenDataset& dataset) {
  std::vector<std::uint16_t> tokens(dataset.info().tokens->tokens);
  std::memcpy(tokens.data(), dataset.bytes().data(), dataset.bytes().size());
  return tokens;
}

TEST(TokensGenerator, WritesTwoSplitsWithDocumentsThatEndWithZero) {
  const test::TemporaryDirectory home;
  EXPECT_EQ(generate_tokens(home / "tokens", {.tokens = 40'000, .seed = 3}), Generated::kMade);
  EXPECT_EQ(generate_tokens(home / "tokens", {.tokens = 40'000, .seed = 3}), Generated::kAlreadyThere);
  EXPECT_THAT(test::thrown_by([&] { generate_tokens(home / "tokens", {.tokens = 40'000, .seed = 4}); }).message,
              testing::HasSubstr("something else is there"));
  const auto train = open_dataset(home / "tokens", {.sequence_length = 64, .sequences = Sequences::kDocuments});
  EXPECT_EQ(train->info().tokens->tokens, 10U * 4096) << "whole pages";
  EXPECT_EQ(open_dataset(home / "tokens", {.split = Split::kTest})->info().tokens->tokens, 4096U);
  const auto tokens = tokens_in(*train->as_tokens());
  EXPECT_LT(*std::ranges::max_element(tokens), 256);
  const auto starts = read_document_starts(home / "tokens" / "train.idx");
  ASSERT_EQ(starts.size(), *train->info().tokens->documents + 1);
  EXPECT_EQ(std::ranges::count(tokens, 0), static_cast<std::ptrdiff_t>(starts.size() - 1));
  for (std::size_t i = 1; i < starts.size(); ++i) EXPECT_EQ(tokens[starts[i] - 1], 0);
}

TEST(TokensGenerator, WritesALanguageInWhichATokenPredictsTheNextWell) {
  const test::TemporaryDirectory home;
  generate_tokens(home / "tokens", {.tokens = 200'000});
  const auto train = open_dataset(home / "tokens", {});
  const auto tokens = tokens_in(*train->as_tokens());
  std::map<std::uint16_t, std::map<std::uint16_t, double>> followers;
  std::map<std::uint16_t, double> counts;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    ++followers[tokens[i]][tokens[i + 1]];
    ++counts[tokens[i]];
  }
  double bits = 0;
  for (const auto& [token, next] : followers) {
    for (const auto& [follower, times] : next) bits -= times * std::log2(times / counts[token]);
  }
  bits /= static_cast<double>(tokens.size());
  EXPECT_GT(bits, 1.5);
  EXPECT_LT(bits, 3) << "of the 8 that tokens drawn evenly would have";
  EXPECT_GT(counts.size(), 150U);
}

TEST(TokensGenerator, RefusesToMakeNone) {
  const test::TemporaryDirectory home;
  EXPECT_THAT(test::thrown_by([&] { generate_tokens(home / "tokens", {.tokens = 0}); }).message,
              testing::StartsWith("cannot make tokens of size 0: want from 1 to "));
}

}  // namespace
}  // namespace loadline
