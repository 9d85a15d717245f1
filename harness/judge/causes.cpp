#include "harness/judge/causes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "harness/judge/cold.h"
#include "harness/judge/loader_time.h"
#include "harness/judge/meanwhile.h"
#include "harness/result/counted.h"
#include "loaders/error.h"
#include "loaders/loader.h"

namespace loadline {
namespace {

// From this share on a cause is worth a sentence: its effect is then noticeable in any figure, and larger than the
// housekeeping of a quiet machine, which takes 1 or 2 %.
constexpr double kNamed = 0.05;

// A rank that lost at least so many times what the others lost on average has a neighbour of its own.
constexpr double kTimesTheOthers = 2;

// Latency limits loading only where the threads are off the CPUs for most of the time, for no other known reason, and
// the consumer waits for most of it.
constexpr double kMostly = 0.5;

// Evidence that threads were blocked on storage: a device delivered at least this share of the bytes that the samples
// take in the files. Metadata and stray pages bring in less.
constexpr double kFromDevice = 0.01;
// A major fault cannot explain more than this: a disk seek or a network round trip, with some queue before it. So a
// few stray faults do not explain a second of waiting.
constexpr double kLongestFaultSeconds = 0.02;

// Per batch, a worker and the consumer give up their CPUs no more often than this to wait for slots and each other.
constexpr double kSwitchesOfWaitingForSlots = 8;

// What one trial shows, in seconds.
struct Times {
  double available = 0;   // of the threads that are counted, on the CPUs that there are for them
  double of_process = 0;  // the same of all its threads
  double wall = 0;
  double cpu = 0;
  double wait = 0;
  std::optional<double> contention;
  std::optional<double> throttling;
  std::optional<double> steal;
  std::optional<double> blocked;
};

// For several ranks, those of the mean rank, since its threads and CPUs are counted; the trial has what all used
// together.
Usage usage_of_one(const Trial& trial) {
  Usage usage = trial.usage;
  const auto ranks = static_cast<double>(trial.rank_count());
  usage.user_cpu_seconds /= ranks;
  usage.system_cpu_seconds /= ranks;
  if (usage.run_delay_seconds) *usage.run_delay_seconds /= ranks;
  if (usage.blocked_io_seconds) *usage.blocked_io_seconds /= ranks;
  return usage;
}

// Time in which threads were runnable and other processes had the CPUs. Threads held back by the quota of a control
// group also count as runnable. While threads wait for a CPU, all CPUs are taken: by this process alone for at most
// the time that it used divided by the CPUs, and then at most as many of its threads wait as exceed the CPUs. They
// cannot have lost more than the time in which they did not run. `cpus`: of a CPU that ranks share, each has its part,
// so ranks that take turns on it count as this process does.
double taken_by_others(double wall_seconds, const Usage& usage, const SharedCpus& threads, double cpus,
                       double of_process) {
  const double used = usage.user_cpu_seconds + usage.system_cpu_seconds;
  const double beyond = std::max(0.0, static_cast<double>(threads.of_process) - cpus);
  const double by_others =
      *usage.run_delay_seconds - usage.throttled_seconds.value_or(0) - beyond * std::min(wall_seconds, used / cpus);
  return std::max(0.0, std::min(by_others, of_process - used));
}

// Of what a host or a quota took from CPUs that ranks share.
std::optional<double> part_of_one(const std::optional<double>& seconds, double ranks) {
  return seconds ? std::optional(*seconds / ranks) : std::nullopt;
}

Times times_of(const Trial& trial, const SharedCpus& threads) {
  const Usage usage = usage_of_one(trial);
  const auto ranks = static_cast<double>(std::max<std::size_t>(1, threads.ranks));
  const auto cpus = static_cast<double>(std::max<std::size_t>(1, threads.cpus)) / ranks;
  const auto counted = static_cast<double>(std::max<std::size_t>(1, threads.counted));
  const auto all = std::max(counted, static_cast<double>(threads.of_process));
  Times times{.available = trial.wall_seconds * std::min(counted, cpus),
              .of_process = trial.wall_seconds * std::min(all, cpus),
              .wall = trial.wall_seconds,
              .cpu = usage.user_cpu_seconds + usage.system_cpu_seconds,
              .wait = trial.wait.total_seconds,
              .contention = std::nullopt,
              .throttling = part_of_one(usage.throttled_seconds, ranks),
              .steal = part_of_one(usage.steal_seconds, ranks),
              .blocked = usage.blocked_io_seconds};
  if (usage.run_delay_seconds) {
    times.contention = taken_by_others(trial.wall_seconds, usage, threads, cpus, times.of_process);
  }
  return times;
}

using Part = std::optional<double> (*)(const Times&);

// Absent unless all trials have it.
std::optional<TimeShare> share_of(const std::vector<Times>& trials, Part part, Part whole) {
  double sum = 0;
  double all = 0;
  if (trials.empty()) return std::nullopt;
  TimeShare share{.mean = 0, .least = 1, .most = 0};
  for (const Times& times : trials) {
    const auto seconds = part(times);
    if (!seconds) return std::nullopt;
    const double one = std::clamp(*seconds / *whole(times), 0.0, 1.0);
    share.least = std::min(share.least, one);
    share.most = std::max(share.most, one);
    sum += *seconds;
    all += *whole(times);
  }
  share.mean = std::clamp(sum / all, share.least, share.most);
  return share;
}

std::optional<double> contention(const Times& times) {
  return times.contention;
}
std::optional<double> available(const Times& times) {
  return times.available;
}
std::optional<double> of_process(const Times& times) {
  return times.of_process;
}

// What others took from one rank that has its CPUs to itself. A quota that held back any rank may have held back this
// one.
Times times_of_rank(const Trial& trial, const RankShare& share, const SharedCpus& threads) {
  const auto cpus = static_cast<double>(std::max<std::size_t>(1, threads.cpus));
  Times times;
  times.of_process = share.wall_seconds * std::min(static_cast<double>(threads.of_process), cpus);
  if (share.run_delay_seconds) {
    const Usage usage{.user_cpu_seconds = share.cpu_seconds,
                      .run_delay_seconds = share.run_delay_seconds,
                      .throttled_seconds = trial.usage.throttled_seconds};
    times.contention = taken_by_others(share.wall_seconds, usage, threads, cpus, times.of_process);
  }
  return times;
}

std::optional<RankShareOfTime> contended_rank_of(const CellResult& cell, const SharedCpus& threads) {
  if (threads.ranks > 1) return std::nullopt;
  std::vector<std::vector<Times>> of_ranks;
  for (const Trial& trial : counted(cell.trials)) {
    if (trial.rank_count() < 2) return std::nullopt;
    if (of_ranks.empty()) of_ranks.resize(trial.rank_count());
    if (of_ranks.size() != trial.rank_count()) return std::nullopt;
    for (const RankShare& share : trial.ranks->each) {
      if (share.rank >= of_ranks.size()) return std::nullopt;
      of_ranks[share.rank].push_back(times_of_rank(trial, share, threads));
    }
  }
  std::optional<RankShareOfTime> most;
  double sum = 0;
  double known = 0;
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    const auto share = share_of(of_ranks[rank], contention, of_process);
    if (!share) continue;
    sum += share->mean;
    ++known;
    if (!most || share->mean > most->share.mean) most = {.rank = rank, .share = *share};
  }
  if (known < 2) return std::nullopt;
  most->others = std::max(0.0, (sum - most->share.mean) / (known - 1));
  return most;
}

double mean_of(const std::optional<TimeShare>& share) {
  return share ? share->mean : 0;
}

double read_over_stored(const CellResult& cell, const DatasetInfo& info) {
  double read = 0;
  double stored = 0;
  for (const Trial& trial : counted(cell.trials)) {
    read += static_cast<double>(trial.usage.device_read_bytes.value_or(0));
    stored += stored_bytes_of(trial, cell.cell, info);
  }
  return stored > 0 ? read / stored : 0;
}

// Whether the threads were blocked on storage for long enough to explain the time in which they did not work, which is
// that of the mean rank.
bool blocked_on_storage(const CellResult& cell, const DatasetInfo& info, const Causes& causes, double idle_seconds) {
  if (causes.blocked && causes.blocked->mean >= kMostly * (1 - causes.cpu.mean)) return true;
  double faults = 0;
  double switches = 0;
  double batches = 0;
  for (const Trial& trial : counted(cell.trials)) {
    faults += static_cast<double>(trial.usage.major_faults) / static_cast<double>(trial.rank_count());
    switches += static_cast<double>(trial.usage.voluntary_switches);
    batches += static_cast<double>(trial.batches);
  }
  if (faults * kLongestFaultSeconds >= kMostly * idle_seconds) return true;
  if (causes.read_over_stored >= kFromDevice) return true;
  // Network and FUSE file systems may not count this, and most kernels do not count it at all. If every sample is
  // read by calls, unlike mapped ones, threads that neither run nor are runnable are in such a call, or wait for a
  // slot behind a slow batch. Waiting for slots takes few switches per batch, reading takes many.
  return info.access == Access::kFiles && causes.contention.has_value() && !causes.blocked &&
         switches > kSwitchesOfWaitingForSlots * batches;
}

bool waits_for_storage(const CellResult& cell, const DatasetInfo& info, const Causes& causes,
                       const std::vector<Times>& trials) {
  // Reads through a library with one lock wait for each other, which looks the same, so they are left out.
  if (info.access != Access::kFiles && info.access != Access::kMapped) return false;
  if (causes.wait.mean < kMostly) return false;
  const double elsewhere =
      mean_of(share_of(trials, contention, available)) + mean_of(causes.throttling) + mean_of(causes.steal);
  const double idle = 1 - causes.cpu.mean - elsewhere - slot_wait_share(cell);
  if (idle < kMostly) return false;
  const double seconds = std::accumulate(trials.begin(), trials.end(), 0.0,
                                         [](double sum, const Times& times) { return sum + times.available; });
  return blocked_on_storage(cell, info, causes, idle * seconds);
}

// The mean over the trials that the monitor covers; nullopt if it covers none.
std::optional<double> mean_over_trials(const CellResult& cell, const MonitorRecord& monitor,
                                       std::optional<double> (*figure)(const MonitorRecord&, const Trial&)) {
  double sum = 0;
  double trials = 0;
  for (const Trial& trial : counted(cell.trials)) {
    const auto value = figure(monitor, trial);
    if (!value) continue;
    sum += *value;
    ++trials;
  }
  return trials > 0 ? std::optional(sum / trials) : std::nullopt;
}

std::optional<double> own_reads(const MonitorRecord& monitor, const Trial& trial) {
  return mean_meanwhile(monitor, "read from storage", trial);
}
std::optional<double> reads_after_reclaim(const MonitorRecord& monitor, const Trial& trial) {
  return mean_meanwhile(monitor, "read again after reclaim", trial);
}

// Other readers matter only to trials that read from storage themselves.
void name_machine_causes(const CellResult& cell, const MonitorRecord& monitor, Causes& causes) {
  constexpr double kLeastOfOthers = 8 << 20;  // bytes/s
  constexpr double kLeastOwn = 1 << 20;
  constexpr double kOfAllReads = 0.2;
  const auto own = mean_over_trials(cell, monitor, own_reads);
  causes.others_read_bytes_per_second = mean_over_trials(cell, monitor, others_read_bytes_per_second);
  causes.read_again_bytes_per_second = mean_over_trials(cell, monitor, reads_after_reclaim);
  if (!own || *own < kLeastOwn) return;
  const double others = causes.others_read_bytes_per_second.value_or(0);
  if (others >= kLeastOfOthers && others >= kOfAllReads * (others + *own)) causes.named.push_back(Cause::kReaders);
  // Dropping files for a cold trial is not a shortage of memory.
  const double again = causes.read_again_bytes_per_second.value_or(0);
  if (cell.cell.cache != CacheState::kCold && again >= kOfAllReads * *own) causes.named.push_back(Cause::kReclaim);
}

}  // namespace

std::string_view name(Cause cause) {
  switch (cause) {
    case Cause::kLatency: return "latency";
    case Cause::kStorage: return "storage";
    case Cause::kContention: return "contention";
    case Cause::kThrottling: return "throttling";
    case Cause::kSteal: return "steal";
    case Cause::kReaders: return "readers";
    case Cause::kReclaim: return "reclaim";
  }
  throw Error("causes: unknown cause");
}

bool Causes::of_one_rank() const {
  const auto& rank = contended_rank;
  return rank && rank->share.mean >= kNamed && rank->share.mean >= kTimesTheOthers * rank->others;
}

std::optional<Causes> causes_of(const CellResult& cell, const DatasetInfo& info, const SharedCpus& threads,
                                const std::optional<DeviceShare>& device, const MonitorRecord* monitor) {
  std::vector<Times> trials;
  for (const Trial& trial : counted(cell.trials)) trials.push_back(times_of(trial, threads));
  if (trials.empty()) return std::nullopt;
  Causes causes{.threads = threads.of_process, .device = device, .read_over_stored = read_over_stored(cell, info)};
  causes.storage_remedy = storage_remedy(cell, info, device && device->busy() ? device->limit : std::nullopt);
  causes.cpu = *share_of(
      trials, [](const Times& times) { return std::optional(times.cpu); }, available);
  causes.wait = *share_of(
      trials, [](const Times& times) { return std::optional(times.wait); },
      [](const Times& times) { return std::optional(times.wall); });
  causes.contention = share_of(trials, contention, of_process);
  causes.contended_rank = contended_rank_of(cell, threads);
  causes.throttling = share_of(
      trials, [](const Times& times) { return times.throttling; }, available);
  causes.steal = share_of(
      trials, [](const Times& times) { return times.steal; }, available);
  causes.blocked = share_of(
      trials, [](const Times& times) { return times.blocked; }, available);

  std::vector<std::pair<double, Cause>> found;
  const auto consider = [&](const std::optional<TimeShare>& share, Cause cause) {
    if (mean_of(share) >= kNamed) found.emplace_back(share->mean, cause);
  };
  // All ranks wait for the one that lost most.
  consider(causes.of_one_rank() ? std::optional(causes.contended_rank->share) : causes.contention, Cause::kContention);
  consider(causes.throttling, Cause::kThrottling);
  consider(causes.steal, Cause::kSteal);
  if (waits_for_storage(cell, info, causes, trials)) {
    found.emplace_back(1 - causes.cpu.mean, device && device->busy() ? Cause::kStorage : Cause::kLatency);
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& one : found) causes.named.push_back(one.second);
  const LoaderKind* known = cell.cell.loader ? known_loader(*cell.cell.loader) : nullptr;
  // Reads by the processes of an external loader would be taken for those of others.
  if (monitor != nullptr && known != nullptr && !known->external) name_machine_causes(cell, *monitor, causes);
  return causes;
}

}  // namespace loadline
