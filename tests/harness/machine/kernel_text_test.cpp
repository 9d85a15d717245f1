#include "harness/machine/kernel_text.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

using Cpus = std::vector<std::size_t>;

TEST(KernelText, TrimsBlanksAndLineEnds) {
  EXPECT_EQ(trimmed(" \tperformance \n"), "performance");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(KernelText, SplitsAndLeavesOutEmptyParts) {
  EXPECT_EQ(split(",rw,,relatime,", ','), (std::vector<std::string_view>{"rw", "relatime"}));
  EXPECT_TRUE(split("", ',').empty());
}

TEST(KernelText, ParsesWholeNumbersOnlyIfTheyStandAlone) {
  EXPECT_EQ(parse_whole("42\n"), 42U);
  EXPECT_EQ(parse_whole("0"), 0U);
  EXPECT_EQ(parse_whole("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(parse_whole("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_whole("-1"), std::nullopt);
  EXPECT_EQ(parse_whole("42 kB"), std::nullopt);
  EXPECT_EQ(parse_whole("max"), std::nullopt);
  EXPECT_EQ(parse_whole(""), std::nullopt);
}

TEST(KernelText, ParsesDecimalNumbersWithAPointWhateverTheLocale) {
  EXPECT_EQ(parse_decimal("0.25"), 0.25);
  EXPECT_EQ(parse_decimal("0,25"), std::nullopt);
}

TEST(KernelText, ParsesSizesInPowersOf1024) {
  EXPECT_EQ(parse_size_bytes("32K\n"), 32'768U);
  EXPECT_EQ(parse_size_bytes("1M"), 1'048'576U);
  EXPECT_EQ(parse_size_bytes("16305012 kB"), 16'696'332'288U);
  EXPECT_EQ(parse_size_bytes("512"), 512U);
  EXPECT_EQ(parse_size_bytes("32Q"), std::nullopt);
  EXPECT_EQ(parse_size_bytes("K"), std::nullopt);
  EXPECT_EQ(parse_size_bytes("18446744073709551615K"), std::nullopt);
}

TEST(KernelText, FindsTheFirstValueOfTheExactKey) {
  constexpr std::string_view kText = "MemTotalish: 1\nMemTotal:   2 kB\nMemTotal: 3\nempty:\nno separator\n";
  EXPECT_EQ(value_of(kText, "MemTotal"), "2 kB");
  EXPECT_EQ(value_of(kText, "empty"), std::nullopt);
  EXPECT_EQ(value_of(kText, "absent"), std::nullopt);
  EXPECT_EQ(value_of("ID=debian\n", "ID", '='), "debian");
  EXPECT_EQ(value_of("model name\t: Some CPU @ 2.60GHz: fast\n", "model name"), "Some CPU @ 2.60GHz: fast");
}

TEST(KernelText, FindsTheSelectedChoice) {
  EXPECT_EQ(parse_selected("always [madvise] never\n"), "madvise");
  EXPECT_EQ(parse_selected("always madvise never\n"), std::nullopt);
  EXPECT_EQ(parse_selected("]["), std::nullopt);
}

TEST(KernelText, ParsesCpuListsOfRangesAndSingles) {
  EXPECT_EQ(parse_cpu_list("0-3,8\n"), (Cpus{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("5"), (Cpus{5}));
  EXPECT_EQ(parse_cpu_list("4,0-1,1"), (Cpus{0, 1, 4}));
}

TEST(KernelText, RefusesInvalidCpuLists) {
  EXPECT_EQ(parse_cpu_list(""), std::nullopt);
  EXPECT_EQ(parse_cpu_list("3-1"), std::nullopt);
  EXPECT_EQ(parse_cpu_list("0-"), std::nullopt);
  EXPECT_EQ(parse_cpu_list("0-18446744073709551615"), std::nullopt);
}

TEST(KernelText, FormatsCpuListsAsTheKernelDoes) {
  EXPECT_EQ(format_cpu_list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(format_cpu_list({0, 1, 4, 6, 7}), "0-1,4,6-7");
  EXPECT_EQ(format_cpu_list({2}), "2");
  EXPECT_EQ(format_cpu_list({}), "");
}

}  // namespace
}  // namespace loadline
