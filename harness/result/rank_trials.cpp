#include "harness/result/rank_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace loadline {
namespace {

template <typename T>
void add_known(std::optional<T>& sum, const std::optional<T>& more) {
  if (!more) sum.reset();
  if (sum) *sum += *more;
}

// What a host did meanwhile is the same for all processes on it.
void add_usage(Usage& sum, const Usage& more) {
  sum.user_cpu_seconds += more.user_cpu_seconds;
  sum.system_cpu_seconds += more.system_cpu_seconds;
  sum.minor_faults += more.minor_faults;
  sum.major_faults += more.major_faults;
  sum.voluntary_switches += more.voluntary_switches;
  sum.involuntary_switches += more.involuntary_switches;
  add_known(sum.run_delay_seconds, more.run_delay_seconds);
  add_known(sum.blocked_io_seconds, more.blocked_io_seconds);
  add_known(sum.device_read_bytes, more.device_read_bytes);
  add_known(sum.rss_bytes, more.rss_bytes);
  add_known(sum.peak_rss_bytes, more.peak_rss_bytes);
  sum.idle_seconds = std::max(sum.idle_seconds, more.idle_seconds);
  sum.steal_seconds = std::max(sum.steal_seconds, more.steal_seconds);
  sum.throttled_seconds = std::max(sum.throttled_seconds, more.throttled_seconds);
}

// For the workers from the first-th on.
void add_idle(std::optional<LoaderStages>& all, std::size_t first, double seconds) {
  if (!all) return;
  for (LoaderStage& stage : all->stages) {
    if (stage.stage != WorkerStage::kIdle) continue;
    for (std::size_t i = first; i < stage.seconds.size(); ++i) stage.seconds[i] += seconds;
  }
}

// A worker of a rank that ended earlier is idle until the slowest has ended, if its stages are known.
void append_workers(std::optional<LoaderStages>& all, const std::optional<LoaderStages>& more, double idle_seconds) {
  if (!more || (all && all->foreign() != more->foreign())) return all.reset();
  if (!all) return;
  const std::size_t before = all->workers();
  for (const LoaderStage& stage : more->stages) {
    const auto known = std::ranges::find(all->stages, stage.stage, &LoaderStage::stage);
    LoaderStage& into = known != all->stages.end()
                            ? *known
                            : all->stages.emplace_back(LoaderStage{stage.stage, std::vector<double>(before)});
    into.seconds.insert(into.seconds.end(), stage.seconds.begin(), stage.seconds.end());
  }
  for (LoaderStage& stage : all->stages) stage.seconds.resize(before + more->workers());
  add_idle(all, before, idle_seconds);
}

void add_wait(WaitSummary& sum, const WaitSummary& more) {
  sum.total_seconds += more.total_seconds;
  sum.p50_seconds = std::max(sum.p50_seconds, more.p50_seconds);
  sum.p95_seconds = std::max(sum.p95_seconds, more.p95_seconds);
  sum.p99_seconds = std::max(sum.p99_seconds, more.p99_seconds);
  sum.max_seconds = std::max(sum.max_seconds, more.max_seconds);
}

// Means, so that they add up to the time of the slowest.
std::vector<StageSummary> mean_stages(const std::vector<Trial>& of_ranks, double wall_seconds) {
  std::vector<StageSummary> stages = of_ranks.front().stages;
  if (stages.empty()) return stages;
  const auto ranks = static_cast<double>(of_ranks.size());
  double left = wall_seconds;
  for (StageSummary& stage : stages) {
    stage.hits = 0;
    stage.total_seconds = 0;
    for (const Trial& trial : of_ranks) {
      const auto found = std::ranges::find(trial.stages, stage.name, &StageSummary::name);
      if (found == trial.stages.end()) continue;
      stage.hits += found->hits;
      stage.total_seconds += found->total_seconds / ranks;
    }
    left -= stage.total_seconds;
  }
  stages.push_back({std::string(kSlowestRank), of_ranks.size(), std::max(0.0, left)});
  return stages;
}

// On one clock, relative to the first start.
TrialRanks shares_of(const std::vector<Trial>& of_ranks) {
  TrialRanks ranks;
  ranks.gradients = of_ranks.front().ranks->gradients;
  for (const Trial& trial : of_ranks) ranks.each.push_back(trial.ranks->each.front());
  const auto [first, last] = std::ranges::minmax(ranks.each, {}, &RankShare::started_seconds);
  ranks.skew_seconds = last.started_seconds - first.started_seconds;
  const double start = first.started_seconds;
  for (RankShare& share : ranks.each) share.started_seconds -= start;
  return ranks;
}

// Ranks fill for times of their own, so their rates add up, not their samples.
std::optional<Fill> fill_of_all(const std::vector<Trial>& of_ranks) {
  Fill all;
  double samples_per_second = 0;
  for (const Trial& trial : of_ranks) {
    if (!trial.fill) return std::nullopt;
    samples_per_second += trial.fill->samples_per_second();
    all.wall_seconds = std::max(all.wall_seconds, trial.fill->wall_seconds);
    all.batches += trial.fill->batches;
  }
  all.samples = static_cast<std::uint64_t>(std::llround(samples_per_second * all.wall_seconds));
  return all;
}

}  // namespace

std::size_t TrialRanks::slowest() const {
  if (each.empty()) return 0;
  return std::ranges::max(each, {}, &RankShare::ended_seconds).rank;
}

double TrialRanks::held_share() const {
  if (each.size() < 2) return 0;
  const double end = std::ranges::max(each, {}, &RankShare::ended_seconds).ended_seconds();
  double held = 0;
  for (const RankShare& share : each) held += end - share.ended_seconds();
  return held / (end * static_cast<double>(each.size() - 1));
}

namespace {

// The share of its time that each rank waits for summed gradients.
std::vector<double> gradient_shares(const TrialRanks& ranks) {
  std::vector<double> shares;
  if (!ranks.gradients) return shares;
  for (const RankShare& share : ranks.each) {
    const auto found = std::ranges::find(share.stages, kGradientStage, &StageSummary::name);
    if (found == share.stages.end()) return {};
    shares.push_back(found->total_seconds / share.wall_seconds);
  }
  return shares;
}

}  // namespace

std::optional<double> TrialRanks::gradient_share() const {
  const std::vector<double> shares = gradient_shares(*this);
  if (shares.empty()) return std::nullopt;
  return std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
}

std::optional<double> TrialRanks::least_gradient_share() const {
  const std::vector<double> shares = gradient_shares(*this);
  return shares.empty() ? std::nullopt : std::optional(*std::ranges::min_element(shares));
}

std::optional<bool> TrialRanks::same_weights() const {
  if (!gradients || each.empty() || !each.front().weights_hash) return std::nullopt;
  return std::ranges::all_of(each,
                             [&](const RankShare& share) { return share.weights_hash == each.front().weights_hash; });
}

void note_share(Trial& trial, std::size_t rank, double started_seconds) {
  RankShare share{.rank = rank,
                  .started_seconds = started_seconds,
                  .wall_seconds = trial.wall_seconds,
                  .batches = trial.batches,
                  .samples = trial.samples,
                  .wait_seconds = trial.wait.total_seconds,
                  .cpu_seconds = trial.usage.user_cpu_seconds + trial.usage.system_cpu_seconds,
                  .run_delay_seconds = trial.usage.run_delay_seconds,
                  .stages = trial.stages};
  if (trial.summed && trial.summed->weights_hash) {
    share.weights_hash = fmt::format("{:016x}", *trial.summed->weights_hash);
  }
  trial.ranks = TrialRanks{.skew_seconds = 0, .each = {std::move(share)}};
  if (trial.summed) {
    trial.ranks->gradients = {.step_bytes = trial.summed->step_bytes, .buckets = trial.summed->buckets};
  }
}

Trial together(std::vector<Trial> of_ranks) {
  Trial all = of_ranks.front();
  for (const Trial& trial : of_ranks) all.wall_seconds = std::max(all.wall_seconds, trial.wall_seconds);
  add_idle(all.loader_stages, 0, all.wall_seconds - of_ranks.front().wall_seconds);
  for (std::size_t i = 1; i < of_ranks.size(); ++i) {
    const Trial& more = of_ranks[i];
    all.setup_seconds = std::max(all.setup_seconds, more.setup_seconds);
    all.compute_setup_seconds = std::max(all.compute_setup_seconds, more.compute_setup_seconds);
    all.first_batch_seconds = std::max(all.first_batch_seconds, more.first_batch_seconds);
    all.batches += more.batches;
    all.samples += more.samples;
    all.bytes += more.bytes;
    add_known(all.tokens, more.tokens);
    add_known(all.padding, more.padding);
    add_known(all.cut_tokens, more.cut_tokens);
    add_wait(all.wait, more.wait);
    add_usage(all.usage, more.usage);
    append_workers(all.loader_stages, more.loader_stages, all.wall_seconds - more.wall_seconds);
    all.suspended = all.suspended || more.suspended;
    if (!all.changed_cpus) all.changed_cpus = more.changed_cpus;
    if (!more.queue) all.queue.reset();
    if (all.queue) {
      all.queue->ready_at_start += more.queue->ready_at_start;
      all.queue->ready_at_end += more.queue->ready_at_end;
    }
  }
  all.fill = fill_of_all(of_ranks);
  all.wait.total_seconds /= static_cast<double>(of_ranks.size());
  all.stages = mean_stages(of_ranks, all.wall_seconds);
  all.ranks = shares_of(of_ranks);
  return all;
}

FirstEpoch together(const std::vector<FirstEpoch>& of_ranks) {
  FirstEpoch all = of_ranks.front();
  for (std::size_t i = 1; i < of_ranks.size(); ++i) {
    const FirstEpoch& more = of_ranks[i];
    all.open_seconds = std::max(all.open_seconds, more.open_seconds);
    all.first_batch_seconds = std::max(all.first_batch_seconds, more.first_batch_seconds);
    all.wall_seconds = std::max(all.wall_seconds, more.wall_seconds);
    all.samples += more.samples;
    all.batches += more.batches;
    all.complete = all.complete && more.complete;
    add_usage(all.usage, more.usage);
  }
  all.loader_stages.reset();  // of workers of different times
  return all;
}

CeilingTrial together(const std::vector<CeilingTrial>& of_ranks) {
  CeilingTrial all = of_ranks.front();
  double per_second = 0;
  double cpus = 0;  // in use
  for (const CeilingTrial& trial : of_ranks) {
    per_second += trial.per_second();
    if (trial.cpu_seconds) cpus += *trial.cpu_seconds / trial.wall_seconds;
    all.wall_seconds = std::max(all.wall_seconds, trial.wall_seconds);
  }
  all.amount = per_second * all.wall_seconds;
  const bool known =
      std::ranges::all_of(of_ranks, [](const CeilingTrial& trial) { return trial.cpu_seconds.has_value(); });
  all.cpu_seconds = known ? std::optional(cpus * all.wall_seconds) : std::nullopt;
  return all;
}

}  // namespace loadline
