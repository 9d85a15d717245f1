#include "harness/show/predictions_text.h"

#include <fmt/format.h>

#include "harness/judge/phrase.h"

namespace loadline {
namespace {

std::string outcome_text(const Result& result, const Prediction& prediction) {
  if (!prediction.check) return "";
  if (!prediction.measured) {
    const auto& error = result.checks[*prediction.check].error;
    return fmt::format("; not measured{}", error ? fmt::format(": {}", *error) : "");
  }
  return fmt::format("; measured {}, {:+.1f} %: {}",
                     rate(Estimate{prediction.measured->mean, prediction.measured->ci95}), 100 * *prediction.error,
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
