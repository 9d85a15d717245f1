#include "harness/measure/check.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

TEST(AddChecks, AddsTheCellsOfPredictionsThatCanFail) {
  Result result = test::result_of({
      {.mode = Mode::kIo, .rates = {300, 300}, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kSynthetic, .rates = {1000, 1000}},
      {.mode = Mode::kFull, .rates = {290, 290}, .loader = "thread-pool", .workers = 2},
  });
  for (Trial& trial : result.cells[0].trials) trial.fill = Fill{.wall_seconds = 1, .batches = 3, .samples = 300};
  add_checks(result);
  ASSERT_EQ(result.checks.size(), 2U) << "a perfect loader is SYNTHETIC by definition";
  EXPECT_EQ(result.checks[0].cell.name(), "mnist/FULL/thread-pool/workers:4/batch:100");
  EXPECT_EQ(result.checks[1].cell.compute, "device:samples_per_second=2000");
  EXPECT_TRUE(result.checks[0].trials.empty());
}

TEST(AddChecks, AddsNothingWhereNothingIsPredicted) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {400, 400}}});
  add_checks(result);
  EXPECT_TRUE(result.checks.empty());
}

}  // namespace
}  // namespace loadline
