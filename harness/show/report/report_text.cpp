#include <fmt/format.h>

#include <string>

#include "harness/show/figures_text.h"
#include "harness/show/report/report.h"
#include "harness/show/report/verdicts.h"
#include "harness/show/table.h"

namespace loadline {

std::string report_text(std::span<const Result> results, std::span<const Judgement> judgements, std::size_t width) {
  std::string text;
  for (const Run& run : runs_of(results, judgements)) {
    if (!text.empty()) text += '\n';
    if (results.size() > 1) text += fmt::format("{}\n\n", verdict_of(run).title);
    text += fmt::format("{}\n{}", setting_text(run.result), figures_text(run.result, run.judgement, width));
    const std::string warnings = warning_text(run.judgement);
    if (!warnings.empty()) text += '\n' + warnings;
  }
  return text;
}

}  // namespace loadline
