#include "harness/show/columns.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(Aligned, SetsTheColumnsOfLeftFlushLeftAndTheOthersRight) {
  EXPECT_EQ(aligned({{"a", "b", "c"}, {"long", "10", "x"}, {"l", "9", "yy"}}, {0, 2}),
            "a      b  c\n"
            "long  10  x\n"
            "l      9  yy\n");
}

TEST(Aligned, CountsCharactersNotBytes) {
  EXPECT_EQ(aligned({{"1 ± 2", "x"}, {"10", "y"}}, {}), "1 ± 2  x\n   10  y\n");
}

TEST(Aligned, LeavesNoBlanksAtTheEndOfALine) {
  EXPECT_EQ(aligned({{"a", "long"}, {"b", ""}}, {0, 1}), "a  long\nb\n");
}

TEST(Plural, KnowsTheSingular) {
  EXPECT_EQ(plural(0, "cell"), "0 cells");
  EXPECT_EQ(plural(1, "cell"), "1 cell");
}

TEST(LoaderText, NamesTheWorkersWhereThereAreAny) {
  EXPECT_EQ(loader_text("serial", 0), "serial");
  EXPECT_EQ(loader_text("thread-pool", 2), "thread-pool x 2");
}

TEST(AxesWords, PartsTheAxesOfANameByBlanks) {
  EXPECT_EQ(axes_words("/prefetch:4/dtype:u8"), "prefetch:4 dtype:u8");
  EXPECT_EQ(axes_words(""), "");
}

}  // namespace
}  // namespace loadline
