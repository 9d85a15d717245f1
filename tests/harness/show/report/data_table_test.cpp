#include "harness/show/report/data_table.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(DataTable, WritesNumbersAsTheirColumnsSay) {
  EXPECT_EQ(text_of(1234.0, Figure::kCount), "1234");
  EXPECT_EQ(text_of(12.3456, Figure::kAmount), "12.35");
  EXPECT_EQ(text_of(1234567.0, Figure::kRate), "1.235 M");
  EXPECT_EQ(text_of(-5.0, Figure::kRate), "-5");
  EXPECT_EQ(text_of(67e-6, Figure::kSeconds), "67 µs");
  EXPECT_EQ(text_of(0.9312, Figure::kShare), "93.1 %");
  EXPECT_EQ(text_of(std::string("serial"), Figure::kText), "serial");
  EXPECT_EQ(text_of(Datum(), Figure::kRate), "-");
}

TEST(DataTable, WritesLargeAmountsWithoutAnExponent) {
  EXPECT_EQ(text_of(24110.4, Figure::kAmount), "24110");
  EXPECT_EQ(text_of(128000.0, Figure::kAmount), "128000");
  EXPECT_EQ(text_of(1.804e9, Figure::kAmount), "1.804 G");
  EXPECT_EQ(text_of(0.00005, Figure::kAmount), "0.00005");
  EXPECT_EQ(text_of(-12345.0, Figure::kRate), "-12345");
}

TEST(DataTable, NeverWritesANegativeZero) {
  EXPECT_EQ(text_of(-0.0002, Figure::kShare), "0.0 %");
  EXPECT_EQ(text_of(-0.013, Figure::kShare), "-1.3 %");
  EXPECT_EQ(text_of(-0.0, Figure::kCount), "0");
  EXPECT_EQ(text_of(-0.0, Figure::kAmount), "0");
  EXPECT_EQ(text_of(-0.0, Figure::kRate), "0");
  EXPECT_EQ(text_of(-0.0, Figure::kSeconds), "0 µs");
}

TEST(DataTable, DropsColumnsByKeyAndEmptyOnes) {
  const DataTable table{.columns = {{"run", "run"}, {"low", "from"}, {"mean", "mean"}},
                        .rows = {{"A", Datum(), 1.0}, {"B", Datum(), 2.0}}};
  const DataTable filled = without_empty_columns(table);
  ASSERT_EQ(filled.columns.size(), 2U);
  EXPECT_EQ(filled.columns[1].key, "mean");
  EXPECT_EQ(filled.rows[1], (std::vector<Datum>{"B", 2.0}));
  EXPECT_EQ(without(filled, "run").rows[0], (std::vector<Datum>{1.0}));
}

TEST(DataTable, WritesUpToTwentyNumbersOfARow) {
  EXPECT_EQ(text_of(Values{{1.0, std::nullopt, 2000.0}}, Figure::kAmount), "1, -, 2000");
  EXPECT_EQ(text_of(Values{std::vector<std::optional<double>>(21, 1.0)}, Figure::kAmount), "21 values");
  EXPECT_EQ(text_of(Values{}, Figure::kAmount), "-");
}

TEST(DataTable, DropsColumnsOfSeveralNumbers) {
  const DataTable table{.columns = {{"a", "a"}, {"b", "b"}}, .rows = {{1.0, Values{{1.0}}}, {2.0, Datum()}}};
  const DataTable kept = without_values(table);
  ASSERT_EQ(kept.columns.size(), 1U);
  EXPECT_EQ(kept.columns[0].key, "a");
}

}  // namespace
}  // namespace loadline
