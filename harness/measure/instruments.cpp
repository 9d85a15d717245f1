#include "harness/measure/instruments.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/judge/meanwhile.h"
#include "harness/monitor/sources.h"
#include "loaders/system/affinity.h"

namespace loadline {

void add_energy_by_power(Result& result, std::size_t gpus) {
  constexpr std::string_view kPower = "gpu power";
  if (!result.monitor || gpus == 0) return;
  const auto seen = static_cast<std::size_t>(
      std::ranges::count(result.monitor->series, kPower, [](const MonitorSeries& series) { return series.name; }));
  if (seen != gpus) return;
  for (auto* const cells : {&result.cells, &result.checks}) {
    for (CellResult& cell : *cells) {
      for (Trial& trial : cell.trials) {
        if (trial.energy && trial.energy->gpu_joules) continue;
        const auto watts = mean_meanwhile(*result.monitor, kPower, trial);
        if (!watts) continue;
        if (!trial.energy) trial.energy.emplace();
        trial.energy->gpu_joules = *watts * trial.wall_seconds;
      }
    }
  }
}

Instruments::Instruments(const RunOptions& options)
    : period_seconds_(options.monitor),
      gpus_(gpu_libraries()),
      energy_(SystemFiles(), gpus_),
      has_energy_(energy_.has_counters()) {
  if (options.counters) counters_.emplace();
}

void Instruments::attach(RunContext& context) const {
  if (has_energy_) context.energy = &energy_;
  if (counters_) context.counters = &*counters_;
}

void Instruments::start(const std::vector<Cell>& cells, std::optional<MonitorRecord> earlier,
                        const RunContext& context) {
  if (!period_seconds_) return;
  std::vector<std::filesystem::path> data;
  for (const Cell& cell : cells) data.push_back(cell.data);
  std::vector<MonitorSource> sources = kernel_sources(SystemFiles(), targets_of(affinity_cpus(), data));
  for (const auto& library : gpus_) {
    for (MonitorSource& source : library->sources(*period_seconds_)) sources.push_back(std::move(source));
  }
  monitor_ = std::make_unique<Monitor>(
      SeriesLog(*period_seconds_, std::move(sources), earlier ? std::move(*earlier) : MonitorRecord()),
      [&clock = context.clock, start = context.start, earlier_seconds = context.earlier_seconds] {
        return earlier_seconds + seconds(clock.now() - start);
      });
}

void Instruments::note(Result& result) const {
  if (monitor_) result.monitor = monitor_->record();
  if (counters_) result.counters = counters_->facts();
  std::size_t gpus = 0;
  for (const auto& library : gpus_) gpus += library->devices();
  add_energy_by_power(result, gpus);
}

}  // namespace loadline
