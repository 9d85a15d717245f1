#include "harness/show/predictions_text.h"

#include <fmt/format.h>

#include "harness/judge/phrase.h"

namespace loadline {
namespace {

// "+2.8 %"; never "-0.0 %".
std::string error_text(double share) {
  const std::string text = fmt::format("{:+.1f} %", 100 * share);
  return text == "-0.0 %" ? "+0.0 %" : text;
}

std::string outcome_text(const Result& result, const Prediction& prediction) {
  if (!prediction.check) return "";
  if (!prediction.measured) {
    const auto& error = result.checks[*prediction.check].error;
    return fmt::format("; not measured{}", error ? fmt::format(": {}", *error) : "");
  }
  return fmt::format("; measured {}, {}: {}", rate(Estimate{prediction.measured->mean, prediction.measured->ci95}),
                     error_text(*prediction.error),
                     *prediction.within ? "as predicted within noise" : "not as predicted");
}

}  // namespace

std::string predictions_text(const Result& result, const Judgement& judgement) {
  if (judgement.predictions.empty()) return "";
  std::string text = result.checks.empty() ? "predicted, for --check-verdict to measure\n" : "predicted and measured\n";
  for (const Prediction& prediction : judgement.predictions) {
    text += fmt::format("  {}: {}{}\n", judgement.configurations[prediction.configuration].workload,
                        prediction.statement, outcome_text(result, prediction));
  }
  return text;
}

}  // namespace loadline
