#include "harness/show/monitor_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "harness/show/csv.h"
#include "harness/show/monitor_text.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// When a trial ran, in seconds after the start of the run.
struct Running {
  double from = 0;
  double to = 0;
  std::string name;
  std::size_t round = 0;
};

std::vector<Running> trials_over_time(const Result& result) {
  std::vector<Running> running;
  for (const auto* const cells : {&result.cells, &result.checks}) {
    for (const CellResult& cell : *cells) {
      for (const Trial& trial : cell.trials) {
        const double timed = trial.clock_started_seconds.value_or(trial.started_seconds + trial.first_batch_seconds);
        running.push_back({trial.started_seconds, timed + trial.wall_seconds, cell.cell.name(), trial.round});
      }
    }
  }
  for (const CeilingResult& ceiling : result.ceilings) {
    for (const CeilingTrial& trial : ceiling.trials) {
      running.push_back({trial.started_seconds, trial.started_seconds + trial.wall_seconds,
                         "ceiling " + ceiling.ceiling.id(), trial.round});
    }
  }
  std::ranges::sort(running, {}, &Running::from);
  return running;
}

std::string value_text_of(double value) {
  return csv_number(std::isnan(value) ? std::nullopt : std::optional(value));
}

}  // namespace

std::string monitor_csv(const Result& result) {
  if (!result.monitor)
    throw Error("--to csv: the result has no monitor series; run with --monitor, such as --monitor 200ms");
  const MonitorRecord& monitor = *result.monitor;
  std::vector<std::string> header{"time_seconds", "trial_of", "round"};
  for (const MonitorSeries& series : monitor.series) {
    const std::string unit = series.unit.empty() ? "" : fmt::format(" [{}]", series.unit);
    header.push_back(csv_field(fmt::format("{} of {}{}", series.name, thing_text(series), unit)));
  }
  std::string text = csv_line(header);
  const std::vector<Running> running = trials_over_time(result);
  for (std::size_t i = 0; i < monitor.times_seconds.size(); ++i) {
    const double time = monitor.times_seconds[i];
    const auto now =
        std::ranges::find_if(running, [&](const Running& one) { return one.from <= time && time < one.to; });
    const bool any = now != running.end();
    std::vector<std::string> fields{value_text_of(time), any ? csv_field(now->name) : "",
                                    any ? fmt::format("{}", now->round) : ""};
    for (const MonitorSeries& series : monitor.series) fields.push_back(value_text_of(series.values[i]));
    text += csv_line(fields);
  }
  return text;
}

}  // namespace loadline
