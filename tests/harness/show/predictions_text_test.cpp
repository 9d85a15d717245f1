#include "harness/show/predictions_text.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

Result loader_bound() {
  return test::result_of({
      {.mode = Mode::kIo, .rates = {400, 400}, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kSynthetic, .rates = {1000, 1000}},
      {.mode = Mode::kFull, .rates = {390, 390}, .loader = "thread-pool", .workers = 2},
  });
}

TEST(PredictionsText, HasALineAPrediction) {
  const Result result = loader_bound();
  EXPECT_EQ(predictions_text(result, judge_run(result)),
            "predicted, for --check-verdict to measure\n"
            "  mnist: with 4 workers FULL would reach 780.0 ± 0.0 samples/s\n"
            "  mnist: a perfect loader would give 156.4 ± 0.0 % more throughput, 1.000 ± 0.000 k samples/s\n");
}

TEST(PredictionsText, SaysWhatCameOfThem) {
  Result result = loader_bound();
  result.checks = {
      test::cell_result({.mode = Mode::kFull, .rates = {690, 700, 710}, .loader = "thread-pool", .workers = 4}),
      test::cell_result({.mode = Mode::kSynthetic, .rates = {990, 1000, 1010}})};
  EXPECT_EQ(predictions_text(result, judge_run(result)),
            "predicted and measured\n"
            "  mnist: with 4 workers FULL would reach 780.0 ± 0.0 samples/s; measured 700 ± 25, -10.3 %: not as "
            "predicted\n"
            "  mnist: a perfect loader would give 156.4 ± 0.0 % more throughput, 1.000 ± 0.000 k samples/s; measured "
            "1.00 ± 0.02 k, +0.0 %: as predicted within noise\n");
}

TEST(PredictionsText, SaysWhatCouldNotBeMeasured) {
  Result result = loader_bound();
  result.checks = {test::cell_result({.mode = Mode::kFull, .rates = {}, .loader = "thread-pool", .workers = 4}),
                   test::cell_result({.mode = Mode::kSynthetic, .rates = {}})};
  result.checks[0].error = "no memory";
  EXPECT_EQ(predictions_text(result, judge_run(result)),
            "predicted and measured\n"
            "  mnist: with 4 workers FULL would reach 780.0 ± 0.0 samples/s; not measured: no memory\n"
            "  mnist: a perfect loader would give 156.4 ± 0.0 % more throughput, 1.000 ± 0.000 k samples/s; not "
            "measured\n");
}

TEST(PredictionsText, IsEmptyWithoutAny) {
  const Result result = test::result_of({{.mode = Mode::kIo, .rates = {400, 400}}});
  EXPECT_EQ(predictions_text(result, judge_run(result)), "");
}

}  // namespace
}  // namespace loadline
