// Trials that all ranks of a run make at once.
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

// What each rank of a run goes by where a process alone goes by itself. All ranks call the same functions in the same
// order, but within a trial, where one that has failed goes straight to its end. Borrows all. One thread at a time.
class Together {
 public:
  // `clock_offset`: add it to this rank's clock to get rank 0's.
  Together(Ranks& ranks, const Clock& clock, Time clock_offset = Time(0))
      : ranks_(ranks), sums_(ranks), clock_(clock), offset_(clock_offset) {}

  Ranks& ranks() { return ranks_; }
  GradientSum& sums() { return sums_; }

  struct Word {
    bool stop = false;        // of any rank
    bool time_is_up = false;  // of rank 0
  };
  // Before each trial, and wherever else ranks could diverge.
  Word agree(const Word& mine);

  // One trial of all from what each measures by `own`, which gives none when stopped. None when any was stopped. Throws
  // Error naming rank and host where any has failed. Each rank gets the same, but for what only rank 0 needs.
  //
  // `tallies` of what this rank reads are filled by own(); of all ranks, they tell of a dataset of so many samples
  // whether each came once an epoch.
  std::optional<Trial> trial(const std::function<std::optional<Trial>()>& own, const EpochTallies& tallies = {},
                             std::uint64_t dataset_samples = 0);
  std::optional<FirstEpoch> first_epoch(const std::function<std::optional<FirstEpoch>()>& own);
  std::optional<CeilingTrial> ceiling(const std::function<std::optional<CeilingTrial>()>& own);

  // Within a trial; each says no where another rank has left it.
  //
  // All go on from here together. The last one before the end of a trial is where its clock starts.
  bool start();
  // Whether any rank says so.
  std::optional<bool> any(bool mine);
  // The longest of all ranks.
  std::optional<Time> longest(Time mine);

 private:
  // At rank 0; nullopt where no rank has counted.
  std::optional<RankCoverage> covered(const EpochTallies& mine, std::uint64_t dataset_samples);
  template <typename AnyTrial>
  std::optional<AnyTrial> measured(const std::function<std::optional<AnyTrial>()>& own);

  Ranks& ranks_;
  RankSums sums_;
  const Clock& clock_;
  Time offset_;
  Time started_{};
};

// By how much rank 0's clock is ahead of this rank's, and how far that may be off, at the most; both 0 on rank 0 and on
// the same boot of the same host. All ranks call it together.
struct ClockOffset {
  Time offset{};
  Time error{};
};
ClockOffset measure_offset(Ranks& ranks, const Clock& clock, const std::string& host_key);

}  // namespace loadline
