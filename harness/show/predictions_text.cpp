#include "harness/show/predictions_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/judge/phrase.h"
#include "harness/judge/python_words.h"
#include "harness/plan/find.h"
#include "harness/show/columns.h"

namespace loadline {
namespace {

std::string agreement_text(Agreement agreement) {
  const std::string margin = plain_percent(kAgreementMargin);
  switch (agreement) {
    case Agreement::kAgrees: return fmt::format("as predicted within {}", margin);
    case Agreement::kDisagrees: return fmt::format("not as predicted within {}", margin);
    case Agreement::kUnclear: break;
  }
  return fmt::format("unclear whether within {}; use more --trials", margin);
}

std::string outcome_text(const Result& result, const Prediction& prediction) {
  if (prediction.identity) return " (SYNTHETIC by definition, so nothing to check)";
  if (!prediction.check) return "";
  if (!prediction.measured) {
    const auto& error = result.checks[*prediction.check].error;
    return fmt::format("; not measured{}", error ? fmt::format(": {}", *error) : "");
  }
  const std::string measured = rate(Estimate{prediction.measured->mean, prediction.measured->ci95});
  if (prediction.ratio->ci95 && !telling_factor(*prediction.ratio)) {
    return fmt::format("; measured {}: {}", measured, agreement_text(*prediction.agreement));
  }
  if (!prediction.ratio->ci95) return "; measured by one trial: " + agreement_text(*prediction.agreement);
  return fmt::format("; measured {}, {} times that: {}", measured, factor(*prediction.ratio),
                     agreement_text(*prediction.agreement));
}

constexpr std::string_view kNothingToCheck =
    "nothing to check: these verdicts predict no throughput that another cell could show\n";

// With --find best, the search has tried the alternatives itself.
bool checked_in_vain(const Result& result) {
  return result.options.check_verdict && result.options.find != kFindBest && result.checks.empty() &&
         result.status == Status::kComplete;
}

}  // namespace

std::string predictions_text(const Result& result, const Judgement& judgement) {
  std::string in_vain = checked_in_vain(result) ? std::string(kNothingToCheck) : "";
  if (judgement.predictions.empty()) return in_vain;
  const bool any_to_check =
      std::ranges::any_of(judgement.predictions, [](const Prediction& one) { return !one.identity; });
  std::string text = !result.checks.empty() ? "predicted and measured\n"
                     : any_to_check         ? "predictions that --check-verdict will measure\n"
                                            : "predicted\n";
  for (const Prediction& prediction : judgement.predictions) {
    const Configuration& of = judgement.configurations[prediction.configuration];
    const std::string outcome = outcome_text(result, prediction);
    text += fmt::format("  {}: {}{}\n", subject_words(of.workload, of.task), prediction.statement,
                        result.options.until_ci ? with_until_ci(outcome) : outcome);
  }
  return text + in_vain;
}

}  // namespace loadline
