#include "harness/judge/meanwhile.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace loadline {
namespace {

// The sum over the series at one sample; NaN where one of them is not known.
double sum_at(const std::vector<const MonitorSeries*>& series, std::size_t sample) {
  double sum = 0;
  for (const MonitorSeries* const one : series) sum += one->values[sample];
  return sum;
}

}  // namespace

std::optional<double> mean_meanwhile(const MonitorRecord& monitor, std::string_view name, const Trial& trial) {
  if (!trial.clock_started_seconds) return std::nullopt;
  std::vector<const MonitorSeries*> series;
  for (const MonitorSeries& one : monitor.series) {
    if (one.name == name) series.push_back(&one);
  }
  if (series.empty()) return std::nullopt;
  const double from = *trial.clock_started_seconds;
  const double to = from + trial.wall_seconds;
  double sum = 0;
  double known = 0;
  for (std::size_t i = 1; i < monitor.times_seconds.size(); ++i) {
    const double begin = monitor.times_seconds[i - 1];
    const double end = monitor.times_seconds[i];
    const double inside = std::min(end, to) - std::max(begin, from);
    // An interval that is mostly outside the trial says little about it.
    if (inside < (end - begin) / 2 || inside <= 0) continue;
    const double value = sum_at(series, i);
    if (std::isnan(value)) continue;
    sum += inside * value;
    known += inside;
  }
  return known > 0 && known >= trial.wall_seconds / 2 ? std::optional(sum / known) : std::nullopt;
}

std::optional<double> others_read_bytes_per_second(const MonitorRecord& monitor, const Trial& trial) {
  if (trial.rank_count() > 1) return std::nullopt;
  const auto device = mean_meanwhile(monitor, "device read", trial);
  const auto own = mean_meanwhile(monitor, "read from storage", trial);
  return device && own ? std::optional(std::max(0.0, *device - *own)) : std::nullopt;
}

}  // namespace loadline
