#include "harness/show/scaling_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/plan/command.h"
#include "harness/plan/settings.h"
#include "harness/show/columns.h"

namespace loadline {
namespace {

constexpr std::size_t kFewestPoints = 3;
constexpr double kBarWidth = 32;  // characters, of the highest end of an interval

std::string workers_text(const Configuration& configuration) {
  if (configuration.workers == 0) return "";
  return fmt::format(" with {}", plural(configuration.workers, "worker"));
}

// "thread-pool with 6 workers", and what else was chosen among.
std::string choice_text(const Judgement& judgement, const Configuration& configuration) {
  std::string text = configuration.loader + workers_text(configuration);
  const bool one_batch_size = std::ranges::all_of(judgement.configurations, [&](const Configuration& other) {
    return other.workload != configuration.workload || other.batch_size == configuration.batch_size;
  });
  if (!one_batch_size) text += fmt::format(", batches of {}", configuration.batch_size);
  if (!configuration.further.empty()) text += ", " + axes_words(configuration.further);
  return text;
}

std::string alternative_text(const Judgement& judgement, const Alternative& alternative) {
  const Estimate ratio{alternative.ratio.value, alternative.ratio.ci95};
  const Configuration& best = judgement.configurations[alternative.configuration];
  const std::string name = alternative.loader + workers_text(best);
  if (!ratio.ci95) return fmt::format("{} gave {} times that (too few trials for more)", name, factor(ratio));
  if (ratio.ci95->high < 1) return fmt::format("{} gives {} times that", name, factor(ratio));
  if (ratio.ci95->low > 1) return fmt::format("{} gives {} times that, within noise of the best", name, factor(ratio));
  return fmt::format("{} is no better ({} times that)", name, factor(ratio));
}

// Filled up to the low end of the interval, shaded up to its high end.
std::string bar(const Estimate& rate, double full_scale) {
  const Interval interval = rate.ci95.value_or(Interval{rate.value, rate.value});
  const auto length = [&](double value) {
    return static_cast<std::size_t>(std::lround(std::clamp(value / full_scale, 0.0, 1.0) * kBarWidth));
  };
  const std::size_t filled = length(interval.low);
  const std::size_t shaded = length(interval.high);
  std::string text;
  for (std::size_t i = 0; i < shaded; ++i) text += i < filled ? "█" : "░";
  return text;
}

std::string curve_text(const Curve& curve) {
  double full_scale = 0;
  for (const CurvePoint& one : curve.points) {
    const Estimate& rate = one.point.samples_per_second;
    full_scale = std::max(full_scale, rate.ci95 ? rate.ci95->high : rate.value);
  }
  std::vector<Row> rows{{"workers", "samples/s", "efficiency", "CPU s / 1,000", "MiB / 1,000", ""}};
  for (const CurvePoint& one : curve.points) {
    const auto& efficiency_of_one = one.point.efficiency;
    rows.push_back({fmt::format("{}", one.point.workers), rate(one.point.samples_per_second),
                    efficiency_of_one ? percent(*efficiency_of_one) : "-",
                    one.cost ? fmt::format("{:.3g}", one.cost->cpu_seconds.mean) : "-",
                    one.cost ? fmt::format("{:.3g}", one.cost->mebibytes.mean) : "-",
                    bar(one.point.samples_per_second, full_scale)});
  }
  return fmt::format("{}\n{}{}", curve.name, aligned(rows, {5}), laws_text(curve));
}

}  // namespace

std::string recommendation_text(const Result& result, const Judgement& judgement) {
  std::string text;
  for (const Headline& headline : judgement.headlines) {
    const Configuration& use = judgement.configurations[headline.recommended];
    const CellResult& cell = result.cells[use.full ? *use.full : *use.io];
    // What differs in its cache state alone is nobody's choice.
    const auto choices = std::ranges::count_if(judgement.configurations, [&](const Configuration& other) {
      const Cell& its = result.cells[other.full ? *other.full : *other.io].cell;
      return other.workload == use.workload && its.cache == cell.cell.cache;
    });
    if (choices < 2) continue;
    text += fmt::format("{}: use {}", headline.workload, choice_text(judgement, use));
    if (headline.recommended != headline.configuration) text += ", the fewest within noise of the best";
    for (const Alternative& alternative : headline.alternatives) {
      text += "; " + alternative_text(judgement, alternative);
    }
    text += fmt::format(".\n  loadline run {}\n", command_options(result.options, cell.cell));
  }
  return text;
}

std::string laws_text(const Curve& curve) {
  const auto most = static_cast<double>(curve.points.back().point.workers);
  std::string text;
  if (const auto& law = curve.scalability) {
    text += fmt::format("Universal Scalability Law: {} samples/s a worker, contention {:.3f}, coherency {:.5f}",
                        rate(law->lambda), law->sigma, law->kappa);
    const auto peak = law->peak_workers();
    if (peak && *peak <= most) text += fmt::format(", most at {} workers", *peak);
    text += curve.points.size() == kFewestPoints
                ? "; three counts determine it, so that it says nothing of how well it fits\n"
                : fmt::format("; off by {:.1f} %\n", 100 * law->residual);
  }
  if (const auto& line = curve.capped_linear) {
    text += fmt::format("Linear up to a cap: {} samples/s a worker, {}; off by {:.1f} %\n", rate(line->per_worker),
                        line->cap ? fmt::format("{} samples/s at the most", rate(*line->cap)) : "no cap reached",
                        100 * line->residual);
  }
  return text;
}

std::string curves_text(const Result& result, const Judgement& judgement) {
  std::string text;
  for (const Headline& headline : judgement.headlines) {
    const Configuration& best = judgement.configurations[headline.configuration];
    for (const auto cell : {best.io, best.full}) {
      const Curve* const curve = cell ? curve_with(judgement.curves, *cell) : nullptr;
      if (curve == nullptr || curve->points.size() < kFewestPoints) continue;
      text += (text.empty() ? "over workers: " : "\n") + curve_text(*curve);
    }
  }
  if (text.empty()) return text;
  const bool limited = std::ranges::any_of(result.cells, [&](const CellResult& cell) {
    return cell.cell.workers > result.environment.machine.threads_in_force;
  });
  return fmt::format(
      "{}bars: up to the low end of the 95 % interval, shaded up to its high end; efficiency: of what one worker does "
      "alone{}\n",
      text, limited ? "; counts beyond the CPUs in force are not to be extended to machines with more" : "");
}

}  // namespace loadline
