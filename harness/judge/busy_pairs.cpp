#include "harness/judge/busy_pairs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/result/counted.h"

namespace loadline {
namespace {

// Shares of the time of the CPUs.
struct CpuShares {
  double used = 0;    // by the process
  double idle = 0;    // had nothing to run; 0 if not known
  double waited = 0;  // by threads that had work and no CPU, or a CPU that the hypervisor had taken
};

CpuShares cpu_shares_of(const Trial& trial, double cpus) {
  const Usage& usage = trial.usage;
  const double available = trial.wall_seconds * cpus;
  CpuShares shares{.used = (usage.user_cpu_seconds + usage.system_cpu_seconds) / available,
                   .idle = usage.idle_seconds.value_or(0) / available,
                   .waited = usage.steal_seconds.value_or(0) / available};
  if (usage.run_delay_seconds) {
    // The quota of a control group holds back threads that count as runnable, and is nobody's doing.
    shares.waited += std::max(0.0, *usage.run_delay_seconds - usage.throttled_seconds.value_or(0)) / available;
  }
  return shares;
}

double slowed_by(double taken, double used, double cpus) {
  if (taken <= 0) return 0;
  const double of_work = std::log1p(taken / used);
  const double of_time = -std::log(std::max(0.0, 1 - taken * cpus));
  return std::min(of_work, of_time);
}

// Of one side.
std::vector<OtherLoad> loads_of(std::span<const TrialPair> pairs, const Trial* TrialPair::*side, double cpus) {
  std::vector<CpuShares> trials;
  for (const TrialPair& pair : pairs) trials.push_back(cpu_shares_of(*(pair.*side), cpus));
  const auto quietest = std::ranges::min_element(trials, {}, &CpuShares::waited);
  std::vector<OtherLoad> loads;
  for (const CpuShares& shares : trials) {
    const double taken = std::min(shares.waited - quietest->waited, std::max(0.0, 1 - shares.used - shares.idle));
    loads.push_back({.taken = taken, .slowed = slowed_by(taken, shares.used, cpus)});
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

OtherLoad other_load(const CellResult& cell, double cpus) {
  OtherLoad sum;
  double count = 0;
  for (const Trial& trial : counted(cell.trials)) {
    if (!trial.usage.idle_seconds || !trial.usage.run_delay_seconds) return {};
    const CpuShares shares = cpu_shares_of(trial, cpus);
    const double taken = std::min(shares.waited, std::max(0.0, 1 - shares.used - shares.idle));
    sum.taken += taken;
    sum.slowed += slowed_by(taken, shares.used, cpus);
    ++count;
  }
  return count == 0 ? OtherLoad{} : OtherLoad{.taken = sum.taken / count, .slowed = sum.slowed / count};
}

std::vector<PairLoad> other_loads(std::span<const TrialPair> pairs, double cpus) {
  const std::vector<OtherLoad> base = loads_of(pairs, &TrialPair::base, cpus);
  const std::vector<OtherLoad> changed = loads_of(pairs, &TrialPair::changed, cpus);
  std::vector<PairLoad> loads;
  for (std::size_t i = 0; i < pairs.size(); ++i) loads.push_back({.base = base[i], .changed = changed[i]});
  return loads;
}

}  // namespace loadline
