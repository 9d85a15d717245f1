#include "harness/show/csv.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(Csv, QuotesTextWithCommasOrQuotes) {
  EXPECT_EQ(csv_field("mnist/IO"), "mnist/IO");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"c\""), "\"say \"\"c\"\"\"");
}

TEST(Csv, KeepsARowOnOneLine) {
  EXPECT_EQ(csv_field("two\nlines\033[2J"), R"(two\nlines\x1b[2J)");
}

TEST(Csv, GuardsTextThatASpreadsheetWouldTakeForAFormula) {
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("+1+1"), "'+1+1");
  EXPECT_EQ(csv_field("-2+3"), "'-2+3");
  EXPECT_EQ(csv_field("@SUM(A1:A9)"), "'@SUM(A1:A9)");
  EXPECT_EQ(csv_field(" =1+1"), "' =1+1");
  EXPECT_EQ(csv_field("=HYPERLINK(\"http://x\",\"y\")"), "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"");
  EXPECT_EQ(csv_field("\uff1d1+1"), "'\uff1d1+1");
}

TEST(Csv, LeavesNumbersAsTheyAre) {
  EXPECT_EQ(csv_field("-0.5"), "-0.5");
  EXPECT_EQ(csv_field("-1e-05"), "-1e-05");
  EXPECT_EQ(csv_field("3"), "3");
  EXPECT_EQ(csv_number(-0.25), "-0.25");
}

TEST(Csv, HasTenDigitsOfANumberOrAllOfItsWholeOnes) {
  EXPECT_EQ(csv_number(1.0 / 3), "0.3333333333");
  EXPECT_EQ(csv_number(2.366e10), "23660000000");
  EXPECT_EQ(csv_number(123456789012), "123456789012");
  EXPECT_EQ(csv_number(-2.366e10), "-23660000000");
  EXPECT_EQ(csv_number(std::nullopt), "");
}

}  // namespace
}  // namespace loadline
