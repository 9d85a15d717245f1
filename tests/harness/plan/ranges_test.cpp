#include "harness/plan/ranges.h"

#include <gtest/gtest.h>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using Sizes = std::vector<std::size_t>;

test::Thrown refused_range(const char* text) {
  return test::thrown_by([&] { expand_range("--workers", text); });
}

TEST(Range, IsOneNumberOrAllUpToAnother) {
  EXPECT_EQ(expand_range("--workers", "7"), (Sizes{7}));
  EXPECT_EQ(expand_range("--workers", "1:4"), (Sizes{1, 2, 3, 4}));
  EXPECT_EQ(expand_range("--workers", "4:4"), (Sizes{4}));
}

TEST(Range, StepsByAdditionOrMultiplication) {
  EXPECT_EQ(expand_range("--workers", "8:32:8"), (Sizes{8, 16, 24, 32}));
  EXPECT_EQ(expand_range("--workers", "8:32:+8"), (Sizes{8, 16, 24, 32}));
  EXPECT_EQ(expand_range("--workers", "1:64:*2"), (Sizes{1, 2, 4, 8, 16, 32, 64}));
  EXPECT_EQ(expand_range("--workers", "3:100:*3"), (Sizes{3, 9, 27, 81})) << "the end need not be met";
}

TEST(Range, EndsBeforeItWouldOverflow) {
  EXPECT_EQ(expand_range("--seed", "9223372036854775808:18446744073709551615:*2"), (Sizes{9223372036854775808ULL}));
}

TEST(Range, ThatNeverEndsIsRefused) {
  EXPECT_EQ(refused_range("1:64:*1"), test::usage("--workers: the range never ends, got '1:64:*1'"));
  EXPECT_EQ(refused_range("1:64:0"), test::usage("--workers: the range never ends, got '1:64:0'"));
  EXPECT_EQ(refused_range("0:64:*2"), test::usage("--workers: the range never ends, got '0:64:*2'"));
}

TEST(Range, ThatIsEmptyOrTooLongIsRefused) {
  EXPECT_EQ(refused_range("4:1"),
            test::usage("--workers: the range is empty: its end comes before its start, got '4:1'"));
  EXPECT_EQ(refused_range("1:1000000"), test::usage("--workers: the range has more than 4096 values, got '1:1000000'"));
}

TEST(Range, ThatDoesNotParseIsRefused) {
  for (const char* text : {"", ":", "1:", ":4", "1:2:", "1:2:*", "1:2:3:4", "a:b", "-1:4", "1.5:4"}) {
    EXPECT_EQ(refused_range(text),
              test::usage("--workers: want a whole number or a range such as 1:16, 8:64:8 or 1:64:*2, "
                          "got '" +
                          std::string(text) + "'"));
  }
}

}  // namespace
}  // namespace loadline
