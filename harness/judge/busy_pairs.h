// Which trials other processes disturbed by taking CPU time, in pairs of trials that were measured side by side or in a
// cell. Pure functions, safe from any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

// Two trials of one round. Borrows them.
struct TrialPair {
  const Trial* base;
  const Trial* changed;
};

// One pair for each round that both cells have, in the order of the base. Pilots make no pairs.
std::vector<TrialPair> pairs_by_round(const CellResult& base, const CellResult& changed);

// Share of the CPU time in force; a pair is busy from this share on. Verdicts name other load as a cause from the same
// share on.
inline constexpr double kBusyPairShare = 0.05;

// The CPUs in force during a run.
struct RunCpus {
  double of_one = 1;                            // for one process
  std::optional<double> of_all = std::nullopt;  // for all ranks, each CPU once; nullopt: each rank has of_one alone
};
RunCpus run_cpus(const Result& result);

// What other processes did during a trial; of ranks, to each of them on average.
struct OtherLoad {
  double taken = 0;  // share of the CPU time in force
  // How far this can have lowered the logarithm of the trial's rate. A trial lost no more work than it lost CPU time,
  // and was delayed no longer than its threads waited.
  double slowed = 0;
};

struct PairLoad {
  OtherLoad base;
  OtherLoad changed;

  bool busy() const { return std::max(base.taken, changed.taken) >= kBusyPairShare; }
};

// One for each pair. Other processes took the time during which threads of this process were runnable but had no CPU
// (run_delay_seconds), plus the time that a hypervisor took; at most the time that the CPUs were neither idle nor used
// by this process. Each trial counts only what exceeds the quietest trial of its side. So a load that all trials share
// does not count, nor do threads of this process that wait for each other. All zeros if the system does not report run
// delays.
std::vector<PairLoad> other_loads(std::span<const TrialPair> pairs, const RunCpus& cpus);

// What other processes did during the trials of a cell, on average over those that count; also what all trials share.
// All zeros if the system does not report run delays or idle time.
OtherLoad other_load(const CellResult& cell, const RunCpus& cpus);

struct BusyCount {
  std::size_t busy = 0;
  std::size_t pairs = 0;

  // Whether enough quiet pairs remain to judge without the busy ones.
  bool may_be_set_aside() const { return 2 * (pairs - busy) >= pairs; }
};

}  // namespace loadline
