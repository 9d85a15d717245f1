#include "harness/judge/machine_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "harness/judge/meanwhile.h"
#include "harness/judge/phrase.h"
#include "harness/result/counted.h"
#include "harness/result/memory_words.h"

namespace loadline {
namespace {

constexpr double kStolenShare = 0.05;  // of the CPUs in force: as much as is named as a cause
constexpr double kMebibyteBytes = 1 << 20;
constexpr double kSwapping = kMebibyteBytes;        // bytes/s; less is the end of something that is over
constexpr double kReadAgainBytes = kMebibyteBytes;  // bytes/s
constexpr double kOthersRead = 8 * kMebibyteBytes;  // bytes/s
constexpr double kOthersShare = 0.1;                // of what the devices read
constexpr double kAwayShare = 0.25;                 // of slots
constexpr double kFullShare = 0.95;                 // of a limit
constexpr double kPlentyShare = 0.1;                // of the machine's memory

// In how many trials a figure reaches a limit, and its maximum.
struct Reached {
  std::ptrdiff_t trials = 0;
  double most = 0;
};

template <typename Figure>
Reached reached_in(const CellResult& cell, double limit, Figure figure) {
  Reached reached;
  for (const Trial& trial : counted(cell.trials)) {
    const std::optional<double> value = figure(trial);
    if (!value || *value < limit) continue;
    ++reached.trials;
    reached.most = std::max(reached.most, *value);
  }
  return reached;
}

std::string rate_words(double bytes_per_second) {
  return size_words(static_cast<std::uint64_t>(bytes_per_second)) + "/s";
}

std::string of_trials(const Reached& reached, const CellResult& cell) {
  const auto trials = static_cast<std::size_t>(std::ranges::distance(counted(cell.trials)));
  return fmt::format("{} of {} of {}", reached.trials, plural(trials, "trial"), cell.cell.name());
}

void warn_of_stealing(const Result& result, const CellResult& cell, std::vector<Warning>& warnings) {
  const auto cpus = static_cast<double>(std::max<std::size_t>(1, result.environment.machine.threads_in_force));
  double sum = 0;
  double trials = 0;
  double most = 0;
  for (const Trial& trial : counted(cell.trials)) {
    if (!trial.usage.steal_seconds) continue;
    const double share = *trial.usage.steal_seconds / (trial.wall_seconds * cpus);
    most = std::max(most, share);
    sum += share;
    ++trials;
  }
  if (trials == 0 || sum / trials < kStolenShare) return;
  warnings.push_back(
      {"stolen",
       fmt::format("the hypervisor gave the CPUs to other guests for {:.0f} % of the time of the trials of "
                   "{}, and for up to {:.0f} % of one",
                   100 * sum / trials, cell.cell.name(), 100 * most),
       sum / trials});
}

// Reads by others do no harm to a process that hardly reads from the device itself.
void warn_of_readers(const MonitorRecord& monitor, const CellResult& cell, std::vector<Warning>& warnings) {
  const Reached others = reached_in(cell, kOthersRead, [&](const Trial& trial) -> std::optional<double> {
    const auto read = others_read_bytes_per_second(monitor, trial);
    const auto own = mean_meanwhile(monitor, "read from storage", trial);
    if (!read || *own < kMebibyteBytes || *read < kOthersShare * (*read + *own)) return std::nullopt;
    return read;
  });
  if (others.trials == 0) return;
  warnings.push_back({"other-readers",
                      fmt::format("other processes read from the device of the data during {}, up to {}",
                                  of_trials(others, cell), rate_words(others.most)),
                      others.most});
}

// The minimum or maximum of the first series of this name.
std::optional<double> extreme_of(const MonitorRecord& monitor, std::string_view name, bool most) {
  std::optional<double> found;
  for (const MonitorSeries& series : monitor.series) {
    if (series.name != name) continue;
    for (const double value : series.values) {
      if (std::isnan(value)) continue;
      found = !found ? value : most ? std::max(*found, value) : std::min(*found, value);
    }
    break;
  }
  return found;
}

// What is short of memory, as far as the system reports it.
std::string who_is_short(const Result& result, const MonitorRecord& monitor) {
  const auto& limit = result.environment.machine.cgroup_memory_limit_bytes;
  // The process's own group comes first; enclosing groups contain other processes too.
  const auto used = extreme_of(monitor, "memory of the group", true);
  if (limit && used && *used >= kFullShare * static_cast<double>(*limit)) {
    return fmt::format("the control group had reached its limit of {}", size_words(*limit));
  }
  const auto available = extreme_of(monitor, "memory available", false);
  if (!available) return "memory was short";
  const std::string least = size_words(static_cast<std::uint64_t>(*available));
  const auto& all = result.environment.machine.memory_total_bytes;
  if (all && *available >= kPlentyShare * static_cast<double>(*all)) {
    return fmt::format("the machine always had at least {} available, so a control group may have reached its limit",
                       least);
  }
  return fmt::format("the machine had as little as {} available", least);
}

void warn_of_shortage(const Result& result, const CellResult& cell, std::vector<Warning>& warnings) {
  const MonitorRecord& monitor = *result.monitor;
  const Reached swapped = reached_in(cell, kSwapping, [&](const Trial& trial) -> std::optional<double> {
    const auto in = mean_meanwhile(monitor, "swapped in", trial);
    const auto out = mean_meanwhile(monitor, "swapped out", trial);
    return in && out ? std::optional(*in + *out) : std::nullopt;
  });
  if (swapped.trials > 0) {
    warnings.push_back({"swapping",
                        fmt::format("the system swapped up to {} during {}: {}", rate_words(swapped.most),
                                    of_trials(swapped, cell), who_is_short(result, monitor)),
                        swapped.most});
  }
  // A cold trial's data was dropped on purpose.
  if (!uses_loader(cell.cell.mode) || cell.cell.cache == CacheState::kCold) return;
  // The system counts the files of all processes, so this process had at most what it read itself.
  const Reached again = reached_in(cell, kReadAgainBytes, [&](const Trial& trial) {
    const auto all = mean_meanwhile(monitor, "read again after reclaim", trial);
    const auto own = mean_meanwhile(monitor, "read from storage", trial);
    return all && own ? std::optional(std::min(*all, *own)) : std::nullopt;
  });
  if (again.trials == 0) return;
  warnings.push_back({"cache-reclaimed",
                      fmt::format("up to {} of cached file data was read again during {}, because the system had "
                                  "dropped it from the page cache: {}",
                                  rate_words(again.most), of_trials(again, cell), who_is_short(result, monitor)),
                      again.most});
}

// How many slots of a trial were on another node than the one that took the batches.
struct SlotsAway {
  std::size_t away = 0;
  std::size_t all = 0;

  double share() const { return all == 0 ? 0 : static_cast<double>(away) / static_cast<double>(all); }
};

SlotsAway slots_away(const Trial& trial) {
  SlotsAway slots;
  if (!trial.consumer_node) return slots;
  for (const OnNode& part : trial.slot_nodes) {
    slots.all += part.count;
    if (part.node != *trial.consumer_node) slots.away += part.count;
  }
  return slots;
}

void warn_of_nodes(const CellResult& cell, std::vector<Warning>& warnings) {
  const Reached away = reached_in(
      cell, kAwayShare, [](const Trial& trial) -> std::optional<double> { return slots_away(trial).share(); });
  if (away.trials == 0) return;
  const auto worst = std::ranges::max_element(cell.trials, {}, [](const Trial& t) { return slots_away(t).share(); });
  const SlotsAway slots = slots_away(*worst);
  const bool placed = cell.cell.placement.slot_node == worst->consumer_node;
  const std::string what =
      fmt::format("a CPU of NUMA node {} took the batches of {}, and up to {} of {} slots were on other nodes",
                  *worst->consumer_node, of_trials(away, cell), slots.away, slots.all);
  if (placed) {
    warnings.push_back({"slots-not-placed", what + ", although they were requested on this one", away.most});
  } else {
    warnings.push_back({"slots-on-other-node", what + ": it waits longer for their memory", away.most});
  }
}

}  // namespace

void warn_of_machine_meanwhile(const Result& result, const CellResult& cell, std::vector<Warning>& warnings) {
  warn_of_stealing(result, cell, warnings);
  warn_of_nodes(cell, warnings);
  if (!result.monitor) return;
  // What processes of another loader read is not counted as ours.
  const bool external =
      std::ranges::find(result.loaders, cell.cell.loader.value_or(""), &ExternalLoader::loader) != result.loaders.end();
  if (!external) warn_of_readers(*result.monitor, cell, warnings);
  warn_of_shortage(result, cell, warnings);
}

}  // namespace loadline
