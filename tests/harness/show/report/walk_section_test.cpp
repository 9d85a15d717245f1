#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/show/report/runs.h"

namespace loadline {
namespace {

using test::Reported;
using test::result_of;

// A run whose step is as fast as `synthetic` allows.
Result run_with(const std::vector<double>& synthetic, const std::string& compute) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {990, 1000, 1010}, .loader = "thread-pool", .workers = 1},
                             {.mode = Mode::kSynthetic, .rates = synthetic},
                             {.mode = Mode::kFull, .rates = {790, 800, 810}, .loader = "thread-pool", .workers = 1}});
  result.cells[1].cell.compute = result.cells[2].cell.compute = compute;
  result.status = Status::kComplete;
  return result;
}

std::string share_of_compute(const Reported& reported) {
  const Section section = walk_section(reported.data());
  const auto column = std::ranges::find(section.table.columns, "compute", &Column::key);
  return std::get<std::string>(
      section.table.rows.at(1).at(static_cast<std::size_t>(column - section.table.columns.begin())));
}

TEST(WalkSection, HasTheComputesShareAsAFactorUnlessItIsTooNoisyToSay) {
  const Result first = run_with({990, 1000, 1010}, "device:samples_per_second=1e3");
  EXPECT_EQ(share_of_compute(Reported({first, run_with({1980, 2000, 2020}, "device:samples_per_second=2e3")})),
            "x 2.00 ± 0.05");
  EXPECT_EQ(share_of_compute(Reported({first, run_with({200, 2000, 9000}, "device:samples_per_second=2e3")})),
            "too noisy to say");
}

}  // namespace
}  // namespace loadline
