#include "harness/judge/curves.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

test::CellRequest io_of(std::size_t workers, std::vector<double> rates, std::string loader = "thread-pool") {
  return {.mode = Mode::kIo, .rates = std::move(rates), .loader = std::move(loader), .workers = workers};
}

TEST(Curves, CoverOneLoaderInOneModeByAscendingWorkers) {
  const Result result = test::result_of({io_of(4, {300, 300}),
                                         io_of(1, {100, 100}),
                                         io_of(2, {200, 200}, "flow-graph"),
                                         {.mode = Mode::kFull, .rates = {90}, .loader = "thread-pool", .workers = 1},
                                         io_of(2, {190, 190})});
  const auto curves = curves_of(result);
  ASSERT_EQ(curves.size(), 1U) << "one point is no curve";
  EXPECT_EQ(curves[0].name, "mnist/IO/thread-pool/batch:100");
  ASSERT_EQ(curves[0].points.size(), 3U);
  EXPECT_EQ(curves[0].points[0].cell, 1U);
  EXPECT_EQ(curves[0].points[1].cell, 4U);
  EXPECT_EQ(curves[0].points[2].cell, 0U);
  EXPECT_EQ(curves[0].points[2].point.workers, 4U);
  EXPECT_DOUBLE_EQ(curves[0].points[2].point.samples_per_second.value, 300);
  EXPECT_DOUBLE_EQ(curves[0].points[2].point.efficiency->value, 0.75);
}

TEST(Curves, SkipCellsWithoutTrialsAndLoadersWithoutWorkers) {
  const Result result = test::result_of({io_of(1, {100}), io_of(2, {}), io_of(0, {50}, "serial")});
  EXPECT_TRUE(curves_of(result).empty());
}

TEST(Curves, SeparateCellsThatDifferInAnythingElse) {
  Result result = test::result_of({io_of(1, {100}), io_of(2, {200}), io_of(1, {100}), io_of(2, {150})});
  result.cells[2].cell.prefetch = 4;
  result.cells[3].cell.prefetch = 4;
  const auto curves = curves_of(result);
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curve_with(curves, 3), &curves[1]);
  EXPECT_EQ(curve_with(curves, 7), nullptr);
}

TEST(Curves, HaveFitsFromThreePointsOn) {
  const Result result = test::result_of({io_of(1, {100}), io_of(2, {200}), io_of(4, {300}), io_of(8, {300})});
  const auto curves = curves_of(result);
  ASSERT_EQ(curves.size(), 1U);
  ASSERT_TRUE(curves[0].capped_linear);
  EXPECT_DOUBLE_EQ(curves[0].capped_linear->per_worker, 100);
  EXPECT_DOUBLE_EQ(*curves[0].capped_linear->cap, 300);
  EXPECT_TRUE(curves[0].scalability);
  EXPECT_FALSE(curves_of(test::result_of({io_of(1, {100}), io_of(2, {200})}))[0].scalability);
}

}  // namespace
}  // namespace loadline
