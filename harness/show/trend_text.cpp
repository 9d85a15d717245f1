#include "harness/show/trend_text.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/judge/trend.h"
#include "harness/show/change_words.h"
#include "harness/show/columns.h"

namespace loadline {
namespace {

const std::optional<Summary>& figure_of(const WalkStep& step, Mode mode) {
  return mode == Mode::kIo ? step.io : mode == Mode::kSynthetic ? step.synthetic : step.full;
}

std::string trend_of(const WorkloadWalk& followed, const Walk& walk) {
  std::vector<double> rates;
  for (const WalkStep& step : followed.steps) {
    if (const auto& figure = figure_of(step, followed.mode)) rates.push_back(figure->mean);
  }
  const std::string results = plural(rates.size(), "result");
  const auto trend = loadline::trend_of(rates);
  if (!trend) return fmt::format("unknown from {}; a trend takes three", results);
  const Ratio& step = trend->per_step;
  const bool clear = step.p && *step.p < walk.alpha;
  const std::string change = change_text(estimate_of(step), *walk.metric);
  return clear ? fmt::format("{} per result over {} ({})", change, results, p_sentence(*step.p))
               : fmt::format("no more than noise explains over {} ({} per result)", results, change);
}

}  // namespace

std::string trend_text(const Walk& walk) {
  std::string text;
  for (const WorkloadWalk& followed : walk.workloads) {
    text += fmt::format("trend of {} {}: {}\n", followed.workload, name(followed.mode), trend_of(followed, walk));
  }
  return text;
}

}  // namespace loadline
