#include "harness/show/scaling_text.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

Result pool_sweep() {
  const auto io = [](std::size_t workers, std::vector<double> rates, std::string loader) {
    return test::CellRequest{
        .mode = Mode::kIo, .rates = std::move(rates), .loader = std::move(loader), .workers = workers};
  };
  Result result = test::result_of({io(1, {1000, 1000}, "thread-pool"), io(2, {2000, 2000}, "thread-pool"),
                                   io(4, {3000, 3000}, "thread-pool"), io(8, {3000, 3000}, "thread-pool"),
                                   io(2, {1500, 1500}, "flow-graph"), test::overhead()});
  result.options.workloads = {"mnist"};
  result.options.modes = {"io"};
  result.options.loaders = {"thread-pool", "flow-graph"};
  result.options.workers = {1, 2, 4, 8};
  for (CellResult& cell : result.cells) {
    for (Trial& trial : cell.trials) {
      trial.usage.user_cpu_seconds = static_cast<double>(trial.samples) * 2e-3;
      trial.bytes = trial.samples << 10;
    }
  }
  return result;
}

TEST(CurvesText, IsATableWithBarsAndTheTwoLaws) {
  const Result result = pool_sweep();
  EXPECT_EQ(
      curves_text(result, judge_run(result)),
      "over workers: mnist/IO/thread-pool/batch:100\n"
      "workers        samples/s     efficiency  CPU s / 1,000  MiB / 1,000\n"
      "      1  1.000 ± 0.000 k  100.0 ± 0.0 %              2        0.977  ███████████\n"
      "      2  2.000 ± 0.000 k  100.0 ± 0.0 %              2        0.977  █████████████████████\n"
      "      4  3.000 ± 0.000 k   75.0 ± 0.0 %              2        0.977  ████████████████████████████████\n"
      "      8  3.000 ± 0.000 k   37.5 ± 0.0 %              2        0.977  ████████████████████████████████\n"
      "Universal Scalability Law: 1.0 k samples/s per worker, contention 0.000, coherency 0.03107, peak at 6 workers; "
      "off "
      "by 2.1 %\n"
      "Linear up to a cap: 1.0 k samples/s per worker, at most 3.0 k samples/s; off by 0.0 %\n"
      "±: 95 % interval; bars: up to its low end, shaded up to its high end; efficiency: against one worker alone; "
      "counts "
      "above the CPUs in force do not carry over to machines with more CPUs\n");
}

TEST(CurvesText, HasLargeCostsWithoutAnExponent) {
  Result result = pool_sweep();
  for (CellResult& cell : result.cells) {
    for (Trial& trial : cell.trials) {
      trial.usage.user_cpu_seconds = static_cast<double>(trial.samples) * 1.5;
      trial.bytes = trial.samples << 21;
    }
  }
  EXPECT_NE(curves_text(result, judge_run(result)).find("  100.0 ± 0.0 %           1500         2000  ███████████\n"),
            std::string::npos);
}

TEST(CurvesText, IsEmptyWithTwoNumbersOfWorkers) {
  Result result = pool_sweep();
  result.cells.erase(result.cells.begin() + 2, result.cells.begin() + 4);
  EXPECT_EQ(curves_text(result, judge_run(result)), "");
}

}  // namespace
}  // namespace loadline
