// Pairs of trials that were measured side by side, and those of them beside which others had the CPUs. Pure functions,
// safe from any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

// Two trials of one round. Borrows them.
struct TrialPair {
  const Trial* base;
  const Trial* changed;
};

// Those of rounds that both cells have, in the order of the base; without pilots.
std::vector<TrialPair> pairs_by_round(const CellResult& base, const CellResult& changed);

// Of the time of the CPUs in force: from this share on a pair is busy. As much is named as a cause elsewhere.
inline constexpr double kBusyPairShare = 0.05;

// What others did beside a trial.
struct Beside {
  double taken = 0;  // share of the time of the CPUs
  // By how much that can have lowered the logarithm of its rate: a trial got no less done than the CPU time that it
  // had, and was held up for no longer than its threads waited.
  double slowed = 0;
};

struct BesidePair {
  Beside base;
  Beside changed;

  bool busy() const { return std::max(base.taken, changed.taken) >= kBusyPairShare; }
};

// Of the time of `cpus` CPUs in force, what others took beyond what they took in the quietest trial of that side: time
// in which threads of the process had work and no CPU (run_delay_seconds), and time that a hypervisor took, but no more
// than the process left of the CPUs. So neither what is taken from all trials alike counts, nor threads that wait for
// each other while the process has all the CPUs. Nothing where the system does not tell.
std::vector<BesidePair> beside_of(std::span<const TrialPair> pairs, double cpus);

struct BusyCount {
  std::size_t busy = 0;
  std::size_t pairs = 0;

  // Whether the quiet ones can stand for all.
  bool may_be_set_aside() const { return 2 * (pairs - busy) >= pairs; }
};

}  // namespace loadline
