#include "harness/show/monitor_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/result/counted.h"
#include "harness/show/columns.h"
#include "harness/show/table.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

// "/proc/pressure" for "/proc/pressure/io": listing every file would be longer than what they say.
std::string place_of(const std::string& source) {
  for (const std::string_view place : {"/proc/pressure", "/sys/class/net", "/sys/class/infiniband"}) {
    if (source.starts_with(place)) return std::string(place);
  }
  if (source.starts_with("/sys/devices/system/cpu")) return "cpufreq";
  if (source.starts_with("NVML")) return "NVML";
  if (source.starts_with("memory.") || source == "cpu.stat") return "cgroup";
  return source;
}

std::string period_text(double seconds) {
  return seconds < 1 ? fmt::format("{} ms", plain_number(1e3 * seconds, 4))
                     : fmt::format("{} s", plain_number(seconds, 4));
}

struct EventColumn {
  std::string_view header;
  std::optional<std::uint64_t> EventCounts::*count;
};
constexpr std::array kEventColumns{
    EventColumn{"instructions", &EventCounts::instructions}, EventColumn{"cycles", &EventCounts::cycles},
    EventColumn{"LLC misses", &EventCounts::llc_misses},     EventColumn{"dTLB misses", &EventCounts::dtlb_misses},
    EventColumn{"faults", &EventCounts::page_faults},        EventColumn{"switches", &EventCounts::context_switches},
};

// Mean over the trials that have it; "-" if none has.
std::string a_sample(const CellResult& cell, const EventColumn& column,
                     const EventCounts* (*of)(const TrialCounters& counters)) {
  double events = 0;
  double samples = 0;
  for (const Trial& trial : counted(cell.trials)) {
    const EventCounts* const counts = trial.counters ? of(*trial.counters) : nullptr;
    if (counts == nullptr || !(counts->*column.count)) continue;
    events += static_cast<double>(*(counts->*column.count));
    samples += static_cast<double>(trial.samples);
  }
  return samples > 0 ? amount_text(events / samples) : "-";
}

const EventCounts* workers_counts(const TrialCounters& counters) {
  return counters.workers ? &*counters.workers : nullptr;
}
const EventCounts* consumers_counts(const TrialCounters& counters) {
  return &counters.consumer;
}

struct ThreadsRow {
  std::string_view name;
  const EventCounts* (*counts)(const TrialCounters& counters);
};
constexpr std::array kThreadsRows{ThreadsRow{"workers", workers_counts}, ThreadsRow{"consumer", consumers_counts}};

// For each headline, loading alone and with the step.
std::vector<std::size_t> cells_with_events(const Result& result, const Judgement& judgement) {
  std::vector<std::size_t> cells;
  const auto add = [&](std::optional<std::size_t> cell) {
    if (cell &&
        std::ranges::any_of(result.cells[*cell].trials, [](const Trial& t) { return t.counters.has_value(); })) {
      cells.push_back(*cell);
    }
  };
  for (const Headline& headline : judgement.headlines) {
    const Configuration& configuration = judgement.configurations[headline.configuration];
    add(configuration.io);
    add(configuration.full);
  }
  return cells;
}

}  // namespace

std::string thing_text(const MonitorSeries& series) {
  return series.of == "memory" || series.of == "system" ? "the machine" : series.of;
}

std::string monitor_text(const Result& result) {
  if (!result.monitor || result.monitor->times_seconds.empty()) return "";
  const MonitorRecord& monitor = *result.monitor;
  std::vector<std::string> places;
  for (const MonitorSeries& series : monitor.series) {
    const std::string place = printable(place_of(series.source));
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  }
  const double period = std::ldexp(monitor.period_seconds, static_cast<int>(monitor.halvings));
  const double watched = monitor.times_seconds.back() - monitor.times_seconds.front();
  std::string text = fmt::format("monitor: {} of {}, one every {}", plural(monitor.times_seconds.size(), "sample"),
                                 fmt::format("{} series", monitor.series.size()), period_text(period));
  if (monitor.halvings > 0) text += fmt::format(" (not {}, to bound them)", period_text(monitor.period_seconds));
  if (watched > 0) text += fmt::format(", for {:.2f} % of a CPU", 100 * monitor.cpu_seconds / watched);
  return text + fmt::format("; from {}\n", fmt::join(places, ", "));
}

std::string counters_text(const Result& result, const Judgement& judgement, std::size_t width) {
  if (!result.counters) return "";
  std::vector<Row> rows{{"events per sample", "threads"}};
  for (const EventColumn& column : kEventColumns) rows.front().emplace_back(column.header);
  for (const std::size_t i : cells_with_events(result, judgement)) {
    const CellResult& cell = result.cells[i];
    for (const ThreadsRow& threads : kThreadsRows) {
      Row row{cell.cell.name(), std::string(threads.name)};
      for (const EventColumn& column : kEventColumns) row.push_back(a_sample(cell, column, threads.counts));
      const bool known = std::ranges::any_of(row.begin() + 2, row.end(), [](const auto& text) { return text != "-"; });
      if (known) rows.push_back(std::move(row));
    }
  }
  for (std::size_t column = rows.front().size(); column-- > 2;) {
    if (!std::ranges::all_of(rows.begin() + 1, rows.end(), [&](const Row& row) { return row[column] == "-"; }))
      continue;
    for (Row& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
  std::string text;
  if (rows.size() > 1) {
    text += fitted(rows, {.left = {0, 1}, .constant = {}, .expendable = {"switches", "faults"}}, width);
  }
  if (result.counters->user_mode_only) {
    text += "instructions, cycles and misses are for user mode only: the system does not show the kernel's own\n";
  }
  if (result.counters->refusal) text += printable(*result.counters->refusal) + '\n';
  return text;
}

}  // namespace loadline
