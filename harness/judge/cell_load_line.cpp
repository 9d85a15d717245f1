#include "harness/judge/cell_load_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "harness/ceilings/requests.h"
#include "harness/judge/cold.h"
#include "harness/judge/phrase.h"
#include "harness/judge/random_epoch.h"
#include "harness/machine/machine.h"
#include "harness/result/counted.h"
#include "loaders/loader.h"

namespace loadline {
namespace {

// Whether a device was given no more requests at a time than the loader makes.
bool has_requests_of_loader(const Ceiling& ceiling) {
  return ceiling.kind->unit == CeilingUnit::kReads && ceiling.threads < kMostRequestsAtATime;
}

// "2 threads", "many requests at a time".
std::string hands_of(const Ceiling& ceiling) {
  if (has_requests_of_loader(ceiling)) {
    return ceiling.threads == 1 ? "one request at a time" : fmt::format("up to {} requests at a time", ceiling.threads);
  }
  if (is_device(ceiling)) return "many requests at a time";
  if (ceiling.kind->role == CeilingRole::kTaking && ceiling.threads > 1) {
    const std::size_t writers = ceiling.threads - 1;
    return writers == 1 ? "one thread that reads what another wrote"
                        : fmt::format("one thread that reads what {} others wrote", writers);
  }
  return fmt::format("{} thread{}", ceiling.threads, ceiling.threads == 1 ? "" : "s");
}

double samples_per_unit(const Result& result, const CellResult& cell, const Ceiling& ceiling) {
  return ceiling.samples_per_unit(cell.cell, result.datasets[cell.dataset].info,
                                  memory_in_force(result.environment.machine));
}

// One of a cell's ceilings with trials, and its rate for this cell.
struct RatedCeiling {
  const CeilingResult* ceiling = nullptr;
  double samples_per_second = 0;

  const CeilingKind& kind() const { return *ceiling->ceiling.kind; }
};

// The lowest of those that count; nullopt if none does.
template <typename Counts>
std::optional<RatedCeiling> lowest_ceiling(const Result& result, const CellResult& cell, const Counts& counts) {
  std::optional<RatedCeiling> found;
  for (const std::size_t i : cell.bounds) {
    const CeilingResult& one = result.ceilings[i];
    if (one.trials.empty() || !counts(one)) continue;
    const double rate = summarize(rates_of(one, samples_per_unit(result, cell, one.ceiling))).mean;
    if (!found || rate < found->samples_per_second) found = {&one, rate};
  }
  return found;
}

// What both parts of the work of a cold cell allow together: reading, and filling or taking batches.
struct JointLimit {
  double samples_per_second;
  std::string why;  // up to "allow"
};

// In random order, one after the other.
std::optional<JointLimit> random_epoch_limit(const Result& result, const CellResult& cell) {
  const DatasetInfo& info = result.datasets[cell.dataset].info;
  const auto whole = [&](const Trial& trial) { return ends_with_epoch(cell.cell, trial, info); };
  if (cell.cell.mode != Mode::kIo || cell.cell.sampler.order != Order::kShuffled) return std::nullopt;
  if (!std::ranges::all_of(cell.trials, whole)) return std::nullopt;
  const auto read = lowest_ceiling(result, cell, [](const CeilingResult& one) {
    return one.ceiling.kind->unit == CeilingUnit::kBytes && one.ceiling.request_order == RequestOrder::kRandom;
  });
  // Filling slots and taking them overlap, so the slower of them follows the reading.
  const auto filled = lowest_ceiling(
      result, cell, [](const CeilingResult& one) { return one.ceiling.kind->scope == CeilingScope::kBatch; });
  if (!read || !filled) return std::nullopt;
  const std::size_t block_bytes = *read->ceiling->ceiling.request_bytes;
  return JointLimit{
      .samples_per_second =
          samples_per_second_of({.samples = static_cast<double>(info.samples),
                                 .blocks = static_cast<double>(info.stored_bytes) / static_cast<double>(block_bytes),
                                 .blocks_per_sample = blocks_per_sample(cell.cell, info, block_bytes),
                                 .samples_per_second_read = read->samples_per_second,
                                 .samples_per_second_filled = filled->samples_per_second}),
      .why = fmt::format(
          "In random order the first samples need nearly all of the files: reading ({}) and then {} ({}) allow",
          read->kind().name, filled->kind().role == CeilingRole::kTaking ? "taking" : "filling", filled->kind().name)};
}

bool has_cpu_time(const CeilingResult& ceiling) {
  return std::ranges::all_of(ceiling.trials, [](const CeilingTrial& trial) { return trial.cpu_seconds.has_value(); });
}

double cpu_seconds_per_sample(const RatedCeiling& bound, double samples_per_unit) {
  double seconds = 0;
  double units = 0;
  for (const CeilingTrial& trial : bound.ceiling->trials) {
    seconds += *trial.cpu_seconds;
    units += trial.amount;
  }
  return seconds / (units * samples_per_unit);
}

// How many threads can do this work at a time: the loader's, but no more than there are CPUs for them.
struct Hands {
  double count;
  std::string_view name;
};

Hands hands_for(const Result& result, const Cell& cell) {
  double cpus = cpus_in_force(result.environment.machine);
  const std::set<std::size_t> bound(cell.placement.worker_cpus.begin(), cell.placement.worker_cpus.end());
  if (!bound.empty()) cpus = std::min(cpus, static_cast<double>(bound.size()));
  const auto threads = static_cast<double>(std::max<std::size_t>(cell.workers, 1));
  if (threads < cpus) return {.count = threads, .name = cell.workers == 0 ? "thread" : "worker"};
  return {.count = cpus, .name = "CPU"};
}

// With the CPU time that both take, where the loader's threads read by themselves and as a ceiling does.
std::optional<JointLimit> cpu_limit(const Result& result, const CellResult& cell) {
  if (cell.cell.mode != Mode::kIo || !starts(cell.cell, CacheState::kCold)) return std::nullopt;
  const LoaderKind* const loader = known_loader(*cell.cell.loader);
  const Access access = result.datasets[cell.dataset].info.access;
  const bool by_kernel = access == Access::kFiles && cell.cell.dataset.read == FileRead::kUring;
  // Ranks may be on several nodes.
  if (loader == nullptr || loader->external || by_kernel || cell.trials.front().rank_count() > 1) return std::nullopt;
  const std::string_view reads = access == Access::kFiles ? "device-iops" : "mapped-read";
  const auto read = lowest_ceiling(
      result, cell, [&](const CeilingResult& one) { return one.ceiling.kind->name == reads && has_cpu_time(one); });
  const auto filled = lowest_ceiling(result, cell, [](const CeilingResult& one) {
    return one.ceiling.kind->scope == CeilingScope::kBatch && has_cpu_time(one);
  });
  if (!read || !filled) return std::nullopt;
  const double of_read = cpu_seconds_per_sample(*read, samples_per_unit(result, cell, read->ceiling->ceiling));
  const double of_filled = cpu_seconds_per_sample(*filled, samples_per_unit(result, cell, filled->ceiling->ceiling));
  const Hands hands = hands_for(result, cell.cell);
  return JointLimit{
      .samples_per_second = hands.count / (of_read + of_filled),
      .why = fmt::format("Reading ({}) takes {} of CPU time per sample and filling ({}) {}, so {:.4g} {}{}",
                         read->kind().name, duration(of_read), filled->kind().name, duration(of_filled), hands.count,
                         hands.name, hands.count == 1 ? " allows" : "s allow")};
}

// The lower of both limits. The sentence has a leading space; it is empty where that is about what the binding ceiling
// alone allows, and where IO exceeds it, so that it is none.
std::string joint_limit_sentence(const Result& result, const CellResult& cell, const LoadLine& line) {
  constexpr double kAsGood = 0.95;
  constexpr double kMostShare = 1.05;
  auto limit = random_epoch_limit(result, cell);
  const auto of_cpus = cpu_limit(result, cell);
  if (of_cpus && (!limit || of_cpus->samples_per_second < limit->samples_per_second)) limit = of_cpus;
  if (!limit || limit->samples_per_second >= kAsGood * line.samples_per_second) return "";
  const double share = summarize(rates_of(cell)).mean / limit->samples_per_second;
  if (share > kMostShare) return "";
  return fmt::format(" {} {} samples/s, of which IO reaches {:.0f} %.", limit->why, rate(limit->samples_per_second),
                     100 * share);
}

}  // namespace

std::vector<double> rates_of(const CeilingResult& ceiling, double samples_per_unit) {
  std::vector<double> rates;
  for (const CeilingTrial& trial : ceiling.trials) rates.push_back(samples_per_unit * trial.per_second());
  return rates;
}

std::optional<CellLoadLine> load_line_of(const Result& result, const CellResult& cell, const CellResult* synthetic) {
  std::vector<std::vector<double>> bounds;
  for (const std::size_t i : cell.bounds) {
    const CeilingResult& ceiling = result.ceilings[i];
    bounds.push_back(rates_of(ceiling, samples_per_unit(result, cell, ceiling.ceiling)));
  }
  // The compute alone, without ceilings, is not a load line.
  if (!bounds.empty() && cell.cell.mode == Mode::kFull) {
    bounds.push_back(synthetic ? rates_of(*synthetic) : std::vector<double>());
  }
  const auto line = load_line(rates_of(cell), bounds);
  if (!line) return std::nullopt;
  if (line->binding == cell.bounds.size()) {
    return CellLoadLine{.line = *line, .ceiling = std::nullopt, .name = synthetic->cell.name()};
  }
  const std::size_t ceiling = cell.bounds[line->binding];
  return CellLoadLine{.line = *line, .ceiling = ceiling, .name = result.ceilings[ceiling].ceiling.id()};
}

bool is_drain(const Ceiling& ceiling) {
  return ceiling.kind->name == "drain";
}

bool is_device(const Ceiling& ceiling) {
  return ceiling.kind->of_device;
}

std::string load_line_sentence(const Result& result, const CellResult& cell, const std::optional<CellLoadLine>& found,
                               bool beside_full) {
  if (!found || !found->ceiling) return "";
  const CeilingResult& measured = result.ceilings[*found->ceiling];
  const Ceiling& ceiling = measured.ceiling;
  if (!telling_share(found->line.efficiency)) return "";
  const Estimate limit{found->line.samples_per_second, found->line.ci95};
  const auto& reached = found->line.efficiency.ci95;
  const bool at_limit = reached && reached->low >= kNearCeiling;
  const bool drained = beside_full && is_drain(ceiling) && at_limit;
  return fmt::format(" {} reaches {} of the {} ceiling ({}{}){}.{}", name(cell.cell.mode),
                     percent(found->line.efficiency), ceiling.kind->name,
                     telling_factor(limit) ? rate(limit) + " samples/s with " : "", hands_of(ceiling),
                     drained                            ? ": its single consumer is the limit, which FULL does not have"
                     : !is_device(ceiling) || !at_limit ? ""
                     : is_of_few_reads(measured)        ? ": storage is the limit for so few"
                                                        : ": storage is the limit",
                     joint_limit_sentence(result, cell, found->line));
}

bool is_of_latency(const Ceiling& ceiling) {
  constexpr std::size_t kFewest = 4;
  return ceiling.kind->unit == CeilingUnit::kReads && ceiling.threads < kFewest;
}

bool is_of_few_reads(const CeilingResult& ceiling) {
  if (!has_requests_of_loader(ceiling.ceiling)) return false;
  // "4 at a time": each step of the ladder has four times the requests of the one before.
  return std::ranges::none_of(ceiling.trials, [&](const CeilingTrial& trial) {
    std::size_t requests = 0;
    const auto [end, error] = std::from_chars(trial.way.data(), trial.way.data() + trial.way.size(), requests);
    return error == std::errc() && 4 * requests <= ceiling.ceiling.threads;
  });
}

namespace {

// The samples per second that a device's rates allow, the lowest in each unit.
class DeviceRates {
 public:
  void add(CeilingUnit unit, double samples_per_second) {
    double& lowest = unit == CeilingUnit::kBytes ? of_bytes_ : of_reads_;
    lowest = std::min(lowest, samples_per_second);
  }

  // Whether those in bytes and in reads are so close that either may limit what reads.
  bool alike() const {
    constexpr double kClearlyMore = 1.5;
    const auto [low, high] = std::minmax(of_bytes_, of_reads_);
    return high < kClearlyMore * low;
  }

 private:
  double of_bytes_ = std::numeric_limits<double>::infinity();
  double of_reads_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::optional<DeviceShare> device_share_of(const Result& result, const CellResult& cell) {
  std::optional<DeviceShare> most;
  double of_many = 0;
  double read = 0;
  double seconds = 0;
  for (const Trial& trial : counted(cell.trials)) {
    read += static_cast<double>(trial.usage.device_read_bytes.value_or(0));
    seconds += trial.wall_seconds;
  }
  if (seconds == 0) return std::nullopt;
  const double achieved = summarize(rates_of(cell)).mean;
  DeviceRates rates;
  for (const std::size_t i : cell.bounds) {
    const CeilingResult& ceiling = result.ceilings[i];
    if (!is_device(ceiling.ceiling) || is_of_latency(ceiling.ceiling) || ceiling.trials.empty()) continue;
    const double samples = summarize(rates_of(ceiling, samples_per_unit(result, cell, ceiling.ceiling))).mean;
    const CeilingUnit unit = ceiling.ceiling.kind->unit;
    rates.add(unit, samples);
    double used = achieved / samples;
    if (unit == CeilingUnit::kBytes) used = std::max(used, read / seconds / summarize(rates_of(ceiling)).mean);
    if (!most || used > most->used) most = DeviceShare{.used = used, .limit = unit};
    if (!is_of_few_reads(ceiling)) of_many = std::max(of_many, used);
  }
  if (!most) return std::nullopt;
  DeviceShare share = *most;
  if (rates.alike()) share.limit.reset();
  if (const auto limit = random_epoch_limit(result, cell)) {
    of_many = std::max(of_many, achieved / limit->samples_per_second);
    share.with_filling = of_many > share.used;
    if (share.with_filling) share = {.used = of_many, .limit = CeilingUnit::kBytes, .with_filling = true};
  }
  share.of_few_reads = share.used >= kBusyDevice && of_many < kBusyDevice;
  return share;
}

}  // namespace loadline
