#include "harness/show/predictions_text.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

std::vector<double> around_rate(double rate) {
  return {rate / 1.01, rate, rate * 1.01};
}

Result bound_by_its_loader() {
  Result result = test::result_of({
      {.mode = Mode::kIo, .rates = around_rate(290), .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kSynthetic, .rates = around_rate(1000)},
      {.mode = Mode::kFull, .rates = around_rate(294), .loader = "thread-pool", .workers = 2},
  });
  const auto filled = around_rate(300);
  for (std::size_t i = 0; i < 3; ++i) {
    result.cells[0].trials[i].fill = Fill{.wall_seconds = 1e4 / filled[i], .batches = 100, .samples = 10000};
  }
  return result;
}

TEST(PredictionsText, HasALinePerPredictionAndSaysWhichHoldsByDefinition) {
  const Result result = bound_by_its_loader();
  EXPECT_EQ(predictions_text(result, judge_run(result)),
            "predictions that --check-verdict will measure\n"
            "  mnist: with 4 workers FULL would reach 588 ± 15 samples/s, if loading scales with the workers\n"
            "  mnist: a compute twice as fast would gain nothing and stay at 294 ± 7 samples/s\n"
            "  mnist: a perfect loader would give 240 ± 8 % more throughput, 1.00 ± 0.03 k samples/s (SYNTHETIC by "
            "definition, so nothing to check)\n");
}

TEST(PredictionsText, NamesTheTaskOfEach) {
  const Result result = bound_by_its_loader();
  Judgement judgement = judge_run(result);
  judgement.configurations[0].task = "/sequence_length:64";
  const std::string text = predictions_text(result, judgement);
  EXPECT_NE(text.find("\n  mnist sequence_length:64: with 4 workers FULL would reach"), std::string::npos) << text;
}

std::string first_line_of_check(const std::vector<double>& rates, std::optional<std::string> error = std::nullopt) {
  Result result = bound_by_its_loader();
  result.checks = {test::cell_result({.mode = Mode::kFull, .rates = rates, .loader = "thread-pool", .workers = 4})};
  result.checks[0].error = std::move(error);
  const std::string text = predictions_text(result, judge_run(result));
  const auto begin = text.find('\n') + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(PredictionsText, SaysHowTheyTurnedOut) {
  const std::string claim =
      "  mnist: with 4 workers FULL would reach 588 ± 15 samples/s, if loading scales with the workers";
  EXPECT_EQ(first_line_of_check(around_rate(588)),
            claim + "; measured 588 ± 15, 1.00 ± 0.02 times that: as predicted within 10 %");
  EXPECT_EQ(first_line_of_check(around_rate(500)),
            claim + "; measured 500 ± 12, 0.85 ± 0.02 times that: not as predicted within 10 %");
  EXPECT_EQ(
      first_line_of_check({500, 600, 700}),
      claim + "; measured 600 ± 248, 1.01 (0.67 to 1.53) times that: unclear whether within 10 %; use more --trials");
  EXPECT_EQ(first_line_of_check({588}),
            claim + "; measured by one trial: unclear whether within 10 %; use more --trials");
}

TEST(PredictionsText, SaysWhatCouldNotBeMeasured) {
  const std::string claim =
      "  mnist: with 4 workers FULL would reach 588 ± 15 samples/s, if loading scales with the workers";
  EXPECT_EQ(first_line_of_check({}, "no memory"), claim + "; not measured: no memory");
  EXPECT_EQ(first_line_of_check({}), claim + "; not measured");
}

TEST(PredictionsText, IsEmptyWithoutAny) {
  const Result result = test::result_of({{.mode = Mode::kIo, .rates = {400, 400}}});
  EXPECT_EQ(predictions_text(result, judge_run(result)), "");
}

}  // namespace
}  // namespace loadline
