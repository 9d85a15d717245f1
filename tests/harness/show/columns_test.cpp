#include "harness/show/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace loadline {
namespace {

TEST(PlainNumber, HasSoManyDigitsAndIsWholeBeyondThem) {
  EXPECT_EQ(plain_number(0.0123456, 4), "0.01235");
  EXPECT_EQ(plain_number(0.25, 4), "0.25");
  EXPECT_EQ(plain_number(12.3456, 4), "12.35");
  EXPECT_EQ(plain_number(999.96, 4), "1000");
  EXPECT_EQ(plain_number(1024, 3), "1024");
  EXPECT_EQ(plain_number(24110.4, 4), "24110");
  EXPECT_EQ(plain_number(-12345.6, 3), "-12346");
}

TEST(PlainNumber, HasNoExponentAndNoNegativeZero) {
  EXPECT_EQ(plain_number(1.804e9, 4), "1804000000");
  EXPECT_EQ(plain_number(0.00001628, 4), "0.00001628");
  EXPECT_EQ(plain_number(0, 4), "0");
  EXPECT_EQ(plain_number(-0.0, 4), "0");
  EXPECT_EQ(plain_number(-std::numeric_limits<double>::infinity(), 4), "-inf");
}

TEST(FixedNumber, IsNeverANegativeZero) {
  EXPECT_EQ(fixed_number(-1.25, 1), "-1.2");
  EXPECT_EQ(fixed_number(-0.049, 1), "0.0");
  EXPECT_EQ(fixed_number(-0.4, 0), "0");
  EXPECT_EQ(fixed_number(-0.0, 2), "0.00");
  EXPECT_EQ(fixed_number(-10, 0), "-10");
}

TEST(Aligned, AlignsTheListedColumnsLeftAndTheOthersRight) {
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

const std::vector<Row> kTable{{"workload", "loader", "batch", "IO", "FULL"},
                              {"mnist", "serial", "512", "1 ± 0 k", "2 ± 0 k"},
                              {"mnist", "thread-pool x 2", "512", "3 ± 0 k", "4 ± 0 k"}};
const TableShape kShape{.left = {0, 1}, .constant = {"batch", "loader"}, .expendable = {"IO", "FULL"}};

TEST(Fitted, IsTheWholeTableWhereItFits) {
  EXPECT_EQ(fitted(kTable, kShape, 50), aligned(kTable, {0, 1}));
}

TEST(Fitted, FirstLeavesOutWhatIsTheSameInEveryRow) {
  EXPECT_EQ(fitted(kTable, kShape, 45),
            "workload  loader                IO     FULL\n"
            "mnist     serial           1 ± 0 k  2 ± 0 k\n"
            "mnist     thread-pool x 2  3 ± 0 k  4 ± 0 k\n"
            "not shown in 45 columns: batch 512\n");
}

TEST(Fitted, ThenLeavesOutExpendableColumnsInOrder) {
  EXPECT_EQ(fitted(kTable, kShape, 40),
            "workload  loader              FULL\n"
            "mnist     serial           2 ± 0 k\n"
            "mnist     thread-pool x 2  4 ± 0 k\n"
            "not shown in 40 columns: batch 512, IO\n");
}

TEST(Fitted, MovesWholeColumnsToFurtherLinesWhereThatIsNotEnough) {
  EXPECT_EQ(fitted({{"cell", "new", "verdict"}, {"a-long-name", "1 ± 2 k", "regression"}}, {.left = {0, 2}}, 22),
            "cell             new\n"
            "    verdict\n"
            "a-long-name  1 ± 2 k\n"
            "    regression\n");
}

TEST(Fitted, LeavesOutNoMoreThanTwoLinesNeed) {
  EXPECT_EQ(fitted({{"cell", "base", "new", "verdict"}, {"a-very-long-name", "1 ± 2 k", "2 ± 2 k", "regression"}},
                   {.left = {0, 3}, .constant = {}, .expendable = {"base", "new"}}, 24),
            "cell\n"
            "        new  verdict\n"
            "a-very-long-name\n"
            "    2 ± 2 k  regression\n"
            "not shown in 24 columns:\n"
            "  base\n");
}

const std::vector<Row> kLongNames{{"loader", "IO", "stall"},
                                  {"train.py:make_loader x 1", "1 ± 0 k", "1 %"},
                                  {"train.py:make_loader x 2", "3 ± 0 k", "2 %"}};

TEST(Fitted, ShortensNamesInTheMiddleBeforeItLeavesOutWhatIsExpendable) {
  const TableShape shape{.left = {0}, .constant = {}, .expendable = {"stall"}, .names = {"loader"}};
  EXPECT_EQ(fitted(kLongNames, shape, 40), aligned(kLongNames, {0}));
  EXPECT_EQ(fitted(kLongNames, shape, 36),
            "loader                     IO  stall\n"
            "train.…ke_loader x 1  1 ± 0 k    1 %\n"
            "train.…ke_loader x 2  3 ± 0 k    2 %\n"
            "shortened to fit 36 columns: loader\n");
  EXPECT_EQ(fitted(kLongNames, shape, 27),
            "loader                   IO\n"
            "train…e_loader x 1  1 ± 0 k\n"
            "train…e_loader x 2  3 ± 0 k\n"
            "shortened to fit\n"
            "  27 columns: loader\n"
            "not shown in 27 columns:\n"
            "  stall\n");
}

TEST(Fitted, DoesNotShortenNamesSoThatTwoBecomeEqual) {
  const std::vector<Row> rows{{"loader", "stall"},
                              {"one/of/two-folders/with/the/same.py:make_loader x 2", "1 %"},
                              {"one/of/ten-folders/with/the/same.py:make_loader x 2", "2 %"}};
  const TableShape shape{.left = {0}, .constant = {}, .expendable = {"stall"}, .names = {"loader"}};
  EXPECT_EQ(fitted(rows, shape, 52),
            "loader                                         stall\n"
            "one/of/two-fol…th/the/same.py:make_loader x 2    1 %\n"
            "one/of/ten-fol…th/the/same.py:make_loader x 2    2 %\n"
            "shortened to fit 52 columns: loader\n");
  EXPECT_THAT(fitted(rows, shape, 20), testing::StartsWith("loader\n"
                                                           "one/of/tw…py:make_loader x 2\n"
                                                           "one/of/te…py:make_loader x 2\n"));
}

TEST(Fitted, KeepsTheSignOfAFactorWithItsInterval) {
  const std::vector<Row> rows{{"cell", "change"}, {"a", "x 1.00 (0.71 to 1.41)"}};
  const TableShape shape{.left = {0}, .constant = {}, .expendable = {}, .names = {}, .intervals = {"change"}};
  EXPECT_EQ(fitted(rows, shape, 24),
            "cell          change\n"
            "a     x 0.71 to 1.41\n"
            "shortened to fit\n"
            "  24 columns: change\n");
}

TEST(Fitted, KeepsOnlyTheIntervalOfAFigureBeforeItLeavesOutWhatIsExpendable) {
  const std::vector<Row> rows{{"IO", "SYNTHETIC", "stall"}, {"1 k", "2 k", "20 % (5 to 60 %)"}, {"2 k", "2 k", "1 %"}};
  const TableShape shape{.left = {}, .constant = {}, .expendable = {"SYNTHETIC", "stall"}, .intervals = {"stall"}};
  EXPECT_EQ(fitted(rows, shape, 32), aligned(rows, {}));
  EXPECT_EQ(fitted(rows, shape, 29),
            " IO  SYNTHETIC      stall\n"
            "1 k        2 k  5 to 60 %\n"
            "2 k        2 k        1 %\n"
            "shortened to fit 29 columns:\n"
            "  stall\n");
  EXPECT_EQ(fitted(rows, shape, 24),
            " IO      stall\n"
            "1 k  5 to 60 %\n"
            "2 k        1 %\n"
            "shortened to fit\n"
            "  24 columns: stall\n"
            "not shown in 24 columns:\n"
            "  SYNTHETIC\n");
  EXPECT_THAT(fitted(rows, shape, 12), testing::Not(testing::HasSubstr("shortened")));
}

TEST(LoaderText, NamesTheWorkersWhereThereAreAny) {
  EXPECT_EQ(loader_text("serial", 0), "serial");
  EXPECT_EQ(loader_text("thread-pool", 2), "thread-pool x 2");
}

TEST(AxesWords, SeparateTheAxesOfANameBySpaces) {
  EXPECT_EQ(axes_words("/prefetch:4/dtype:u8"), "prefetch:4 dtype:u8");
  EXPECT_EQ(axes_words(""), "");
}

// They used to lose their slashes.
TEST(AxesWords, KeepTheSlashesOfValues) {
  EXPECT_EQ(axes_words("/compute:./sub/c.py:make_step"), "compute:./sub/c.py:make_step");
  EXPECT_EQ(axes_words("/data:/mn//sub//cache:cold"), "data:/mn//sub/ cache:cold");
  EXPECT_EQ(axes_words("/data:./mn/"), "data:./mn/");
  EXPECT_EQ(axes_words("/data:/"), "data:/");
  EXPECT_EQ(subject_words("mnist", "/cache:warm/compute:/scripts/c.py:make_slow"),
            "mnist cache:warm compute:/scripts/c.py:make_slow");
}

}  // namespace
}  // namespace loadline
