#include "harness/cli/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using testing::ElementsAre;

TEST(SplitWords, SplitsAtWhiteSpaceOutsideQuotes) {
  EXPECT_THAT(split_words("--base", "  --workers 4\t--data 'a b'\n"), ElementsAre("--workers", "4", "--data", "a b"));
  EXPECT_THAT(split_words("--base", R"("a 'b' \"c" d\ e 'f\' g""h)"), ElementsAre("a 'b' \"c", "d e", "f\\", "gh"));
  EXPECT_THAT(split_words("--base", "'' x"), ElementsAre("", "x"));
  EXPECT_THAT(split_words("--base", " "), ElementsAre());
}

TEST(SplitWords, RefusesAnUnclosedQuote) {
  EXPECT_EQ(test::thrown_by([] { split_words("--new", "a 'b"); }).message, "--new: a quote is not closed, got [a 'b]");
}

TEST(ApplyWords, SetsOptions) {
  RunOptions options;
  apply_words("--base", {"--workers", "4", "--prefetch=8", "--in-memory"}, options);
  EXPECT_THAT(options.workers, ElementsAre(4));
  EXPECT_EQ(options.prefetch, 8U);
  EXPECT_TRUE(options.in_memory);
}

TEST(ApplyWords, AddsUpExclusions) {
  RunOptions options;
  apply_words("--base", {"--exclude", "workers=1", "--exclude=workers=4", "--workers", "1", "--workers", "4"}, options);
  EXPECT_THAT(options.exclude, ElementsAre("workers=1", "workers=4"));
  EXPECT_THAT(options.workers, ElementsAre(4));
}

TEST(ApplyWords, RefusesWordsThatAreNotOptionsOfASide) {
  const auto refusal = [](const std::vector<std::string>& words) {
    return test::thrown_by([&] {
             RunOptions options;
             apply_words("--base", words, options);
           })
        .message;
  };
  EXPECT_EQ(refusal({"4"}), "--base: want options of `loadline run`, such as '--workers 4', got '4'");
  EXPECT_EQ(refusal({"--wrokers", "4"}), "--base: unknown option '--wrokers' (did you mean --workers?)");
  EXPECT_EQ(refusal({"--output", "x"}), "--base: unknown option '--output', see `loadline ab --help`");
  EXPECT_EQ(refusal({"--trials", "3"}), "--base: unknown option '--trials', see `loadline ab --help`");
  EXPECT_EQ(refusal({"--workers"}), "--base: --workers: want a value");
  EXPECT_EQ(refusal({"--in-memory=yes"}), "--in-memory: want on or off, got 'yes'");
  EXPECT_EQ(refusal({"--workers", "x"}), "--workers: want a whole number from 0 to 4096, got 'x'");
}

}  // namespace
}  // namespace loadline
