#include "harness/show/scaling_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/show/columns.h"

namespace loadline {
namespace {

constexpr std::size_t kFewestPoints = 3;
constexpr double kBarWidth = 32;  // characters, of the highest end of an interval

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

std::string curve_text(const Curve& curve, std::size_t width) {
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
                    one.cost ? plain_number(one.cost->cpu_seconds.mean, 3) : "-",
                    one.cost ? plain_number(one.cost->mebibytes.mean, 3) : "-",
                    bar(one.point.samples_per_second, full_scale)});
  }
  const TableShape shape{.left = {5}, .constant = {}, .expendable = {"MiB / 1,000", "CPU s / 1,000", "", "efficiency"}};
  return fmt::format("{}\n{}{}", curve.name, fitted(rows, shape, width), laws_text(curve));
}

}  // namespace

std::string laws_text(const Curve& curve) {
  const auto most = static_cast<double>(curve.points.back().point.workers);
  std::string text;
  if (const auto& law = curve.scalability) {
    text += fmt::format("Universal Scalability Law: {} samples/s per worker, contention {:.3f}, coherency {:.5f}",
                        rate(law->lambda), law->sigma, law->kappa);
    const auto peak = law->peak_workers();
    if (peak && *peak <= most) text += fmt::format(", peak at {}", plural(static_cast<std::size_t>(*peak), "worker"));
    text += curve.points.size() == kFewestPoints ? "; three counts determine it, so they cannot show how well it fits\n"
                                                 : fmt::format("; off by {:.1f} %\n", 100 * law->residual);
  }
  if (const auto& line = curve.capped_linear) {
    text += fmt::format("Linear up to a cap: {} samples/s per worker, {}; off by {:.1f} %\n", rate(line->per_worker),
                        line->cap ? fmt::format("at most {} samples/s", rate(*line->cap)) : "no cap reached",
                        100 * line->residual);
  }
  return text;
}

std::string curves_text(const Result& result, const Judgement& judgement, std::size_t width) {
  std::string text;
  for (const Headline& headline : judgement.headlines) {
    const Configuration& best = judgement.configurations[headline.configuration];
    for (const auto cell : {best.io, best.full}) {
      const Curve* const curve = cell ? curve_with(judgement.curves, *cell) : nullptr;
      if (curve == nullptr || curve->points.size() < kFewestPoints) continue;
      text += (text.empty() ? "over workers: " : "\n") + curve_text(*curve, width);
    }
  }
  if (text.empty()) return text;
  const bool limited = std::ranges::any_of(result.cells, [&](const CellResult& cell) {
    return cell.cell.workers > result.environment.machine.threads_in_force;
  });
  return fmt::format(
      "{}±: 95 % interval; bars: up to its low end, shaded up to its high end; efficiency: against one worker "
      "alone{}\n",
      text, limited ? "; counts above the CPUs in force do not carry over to machines with more CPUs" : "");
}

}  // namespace loadline
