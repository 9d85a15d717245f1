#include "harness/show/paint.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(Painted, ColoursTheVerdictThatBeginsALine) {
  EXPECT_EQ(painted("regression: a is slower\nimprovement: b\ninconclusive: c\n"),
            "\033[31mregression\033[0m: a is slower\n\033[32mimprovement\033[0m: b\n\033[33minconclusive\033[0m: c\n");
}

TEST(Painted, ColoursTheVerdictInTheLastColumn) {
  EXPECT_EQ(painted("*  cell  -3 %  regression\n"), "*  cell  -3 %  \033[31mregression\033[0m\n");
  EXPECT_EQ(painted("   cell  -3 %  inconclusive [12]\n"), "   cell  -3 %  \033[33minconclusive\033[0m [12]\n");
}

TEST(Painted, LeavesEverythingElsePlain) {
  const char* const text = "equivalent: a is the same\nwarning: busy\n1 improvement, 1 regression\nverdict\n";
  EXPECT_EQ(painted(text), text);
}

}  // namespace
}  // namespace loadline
