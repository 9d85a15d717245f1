// Trials that all ranks of a run make together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "harness/measure/coverage.h"
#include "harness/measure/loop.h"
#include "harness/ranks/ranks.h"
#include "harness/ranks/sums.h"
#include "harness/result/result.h"
#include "synthetic/clock.h"

namespace loadline {

// Joint decisions and trials of the ranks of a run. All ranks call the same functions in the same order, except
// within a trial, where a rank that has failed goes straight to its end. Borrows everything. One thread at a time.
class JointTrials {
 public:
  // `clock_offset`: add it to this rank's clock to get rank 0's.
  JointTrials(Ranks& ranks, const Clock& clock, Time clock_offset = Time(0))
      : ranks_(ranks), sums_(ranks), clock_(clock), offset_(clock_offset) {}

  Ranks& ranks() { return ranks_; }
  GradientSum& sums() { return sums_; }

  struct Word {
    bool stop = false;        // on any rank
    bool time_is_up = false;  // on rank 0
  };
  // Before each trial, and wherever else ranks could diverge.
  Word agree(const Word& mine);

  // Combines what each rank measures by `own` into one trial. `own` returns nullopt when stopped, and so does this if
  // any rank was. Throws Error naming rank and host if any rank has failed. All ranks get the same trial, except for
  // facts that only rank 0 needs.
  //
  // own() fills `tallies` with what this rank reads. Those of all ranks tell whether each of the `dataset_samples`
  // samples came once per epoch.
  std::optional<Trial> trial(const std::function<std::optional<Trial>()>& own, const EpochTallies& tallies = {},
                             std::uint64_t dataset_samples = 0);
  std::optional<FirstEpoch> first_epoch(const std::function<std::optional<FirstEpoch>()>& own);
  std::optional<CeilingTrial> ceiling(const std::function<std::optional<CeilingTrial>()>& own);

  // For use within a trial. Each returns false or nullopt if another rank has left the trial.
  //
  // Waits until all ranks are here. The last call in a trial is where its clock starts, unless clock_starts() follows.
  bool start();
  // For a clock that starts later than start() returns, after work that each rank does alone.
  void clock_starts() { started_ = clock_.now(); }
  // Whether `mine` is true on any rank.
  std::optional<bool> any(bool mine);
  // The longest time of all ranks.
  std::optional<Time> longest(Time mine);

 private:
  // On rank 0; nullopt if no rank has counted.
  std::optional<RankCoverage> covered(const EpochTallies& mine, std::uint64_t dataset_samples);
  template <typename AnyTrial>
  std::optional<AnyTrial> measured(const std::function<std::optional<AnyTrial>()>& own);

  Ranks& ranks_;
  RankSums sums_;
  const Clock& clock_;
  Time offset_;
  Time started_{};
};

// How far rank 0's clock is ahead of this rank's, and the largest possible error; both 0 on rank 0 and on the same
// boot of the same host. All ranks call it together.
struct ClockOffset {
  Time offset{};
  Time error{};
};
ClockOffset measure_offset(Ranks& ranks, const Clock& clock, const std::string& host_key);

}  // namespace loadline
