#include "harness/judge/busy_pairs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/judge/rank_points.h"
#include "harness/machine/machine.h"
#include "harness/result/counted.h"

namespace loadline {
namespace {

// Shares of the time of the CPUs.
struct CpuShares {
  double used = 0;    // by the process, or by all ranks
  double idle = 0;    // had nothing to run; 0 if not known
  double waited = 0;  // by threads that had work and no CPU, or a CPU that the hypervisor had taken
};

// Of all ranks together, or of one process.
double cpus_of_all(const Trial& trial, const RunCpus& cpus) {
  return cpus.of_all.value_or(cpus.of_one * static_cast<double>(trial.rank_count()));
}

// What all ranks used, and how long their threads waited, is summed up. What a host did to their CPUs, and for how long
// a quota held one back, is not: it is that of the rank that had most of it.
CpuShares cpu_shares_of(const Trial& trial, const RunCpus& cpus) {
  const Usage& usage = trial.usage;
  const double of_one = trial.wall_seconds * cpus.of_one;
  const double of_all = trial.wall_seconds * cpus_of_all(trial, cpus);
  CpuShares shares{.used = (usage.user_cpu_seconds + usage.system_cpu_seconds) / of_all,
                   .idle = usage.idle_seconds.value_or(0) / of_one,
                   .waited = usage.steal_seconds.value_or(0) / of_one};
  if (usage.run_delay_seconds) {
    // The quota of a control group holds back threads that count as runnable, and is nobody's doing.
    shares.waited += std::max(0.0, *usage.run_delay_seconds / of_all - usage.throttled_seconds.value_or(0) / of_one);
  }
  return shares;
}

// By how much the time that was taken delayed the trial. `cpus`: of the mean rank.
double slowed_by(double taken, double used, double cpus) {
  if (taken <= 0) return 0;
  const double of_work = std::log1p(taken / used);
  const double of_time = -std::log(std::max(0.0, 1 - taken * cpus));
  return std::min(of_work, of_time);
}

// `waited`: what counts of the trial's waiting.
OtherLoad load_of(const Trial& trial, const CpuShares& shares, double waited, const RunCpus& cpus) {
  const double taken = std::min(waited, std::max(0.0, 1 - shares.used - shares.idle));
  const double of_mean_rank = cpus_of_all(trial, cpus) / static_cast<double>(trial.rank_count());
  return {.taken = taken, .slowed = slowed_by(taken, shares.used, of_mean_rank)};
}

// Of one side.
std::vector<OtherLoad> loads_of(std::span<const TrialPair> pairs, const Trial* TrialPair::*side, const RunCpus& cpus) {
  std::vector<CpuShares> trials;
  for (const TrialPair& pair : pairs) trials.push_back(cpu_shares_of(*(pair.*side), cpus));
  const auto quietest = std::ranges::min_element(trials, {}, &CpuShares::waited);
  std::vector<OtherLoad> loads;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    loads.push_back(load_of(*(pairs[i].*side), trials[i], trials[i].waited - quietest->waited, cpus));
  }
  return loads;
}

}  // namespace

std::vector<TrialPair> pairs_by_round(const CellResult& base, const CellResult& changed) {
  std::map<std::size_t, const Trial*> rounds;
  for (const Trial& trial : changed.trials) rounds[trial.round] = &trial;
  std::vector<TrialPair> pairs;
  for (const Trial& trial : base.trials) {
    const auto found = rounds.find(trial.round);
    if (found != rounds.end() && !trial.pilot) pairs.push_back({&trial, found->second});
  }
  return pairs;
}

RunCpus run_cpus(const Result& result) {
  const Machine& machine = result.environment.machine;
  RunCpus cpus{.of_one = cpus_in_force(machine)};
  // A quota leaves each rank the same part of its CPUs.
  if (result.ranks && !result.ranks->places.empty() && machine.threads_in_force > 0) {
    const double left = cpus.of_one / static_cast<double>(machine.threads_in_force);
    cpus.of_all = left * static_cast<double>(cpus_in_all(result));
  }
  return cpus;
}

OtherLoad other_load(const CellResult& cell, const RunCpus& cpus) {
  OtherLoad sum;
  double count = 0;
  for (const Trial& trial : counted(cell.trials)) {
    if (!trial.usage.idle_seconds || !trial.usage.run_delay_seconds) return {};
    const CpuShares shares = cpu_shares_of(trial, cpus);
    const OtherLoad load = load_of(trial, shares, shares.waited, cpus);
    sum.taken += load.taken;
    sum.slowed += load.slowed;
    ++count;
  }
  return count == 0 ? OtherLoad{} : OtherLoad{.taken = sum.taken / count, .slowed = sum.slowed / count};
}

std::vector<PairLoad> other_loads(std::span<const TrialPair> pairs, const RunCpus& cpus) {
  const std::vector<OtherLoad> base = loads_of(pairs, &TrialPair::base, cpus);
  const std::vector<OtherLoad> changed = loads_of(pairs, &TrialPair::changed, cpus);
  std::vector<PairLoad> loads;
  for (std::size_t i = 0; i < pairs.size(); ++i) loads.push_back({.base = base[i], .changed = changed[i]});
  return loads;
}

}  // namespace loadline
