// How far two runs of the same thing lie apart on one host: no smaller change between two runs there can be told from
// nothing. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/comparison.h"
#include "harness/judge/matching.h"
#include "harness/machine/environment.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// With fewer pairs of runs the quantile alone makes the floor 1.4 times as high as many would, and the standard error
// of the spread that it rests on is more than a third of it.
inline constexpr std::size_t kFewestNoisePairs = 5;

// A floor above this says nothing: of two runs of the same one may be half as fast again as the other.
inline constexpr double kWidestNoise = 0.5;

// How old a floor may be, against the results that it is held against, before a note says so.
inline constexpr double kFreshNoiseDays = 30;

struct NoiseFloor {
  // One cell, in pairs of runs that were each made in a process of its own: memory lies elsewhere in every process and
  // at one place within it, so that trials of one process are more alike than those of two.
  struct Part {
    std::string cell;  // its name
    std::string workload;
    Mode mode = Mode::kFull;
    CacheState cache = CacheState::kWarm;
    double trial_seconds = 0;    // mean wall time of a trial
    std::vector<double> ratios;  // of the geometric mean rates of the two runs of each pair

    // Root mean square of the logarithms of the ratios, which is their standard deviation about 0. Which run of a pair
    // counts as the first is arbitrary, so their mean is 0 by construction and need not be estimated.
    double spread() const;

    // The 95 % prediction interval for the ratio of one further pair, as the relative change at its upper end:
    // exp(t spread) - 1, with the two-sided 95 % quantile t of as many degrees of freedom as there are pairs (Hahn and
    // Meeker, Statistical Intervals, 1991, chapter 4, of a normal distribution whose mean is known; with a mean
    // estimated from the same pairs it would be t of one degree fewer, times sqrt(1 + 1 / pairs)). It assumes that
    // logarithms of rates are about normal from run to run, and that the runs to come are made as close to each other
    // in time as these were: what changes from day to day is not in it.
    double floor() const;
  };

  std::string measured;       // when; ISO 8601, UTC
  std::size_t pairs = 0;      // of runs
  std::size_t trials = 0;     // of each cell in each run
  Machine machine;            // as it was before the first run; of a file that was read back only what the file has
  std::optional<bool> boost;  // whether the CPUs may go beyond their base frequency
  Build build;                // the same of the program
  std::vector<Part> parts;

  // The largest of a mode's cells; nullopt where none of them was measured.
  std::optional<double> of(Mode mode) const;
};

// Of runs of the same configuration, each in a process of its own: the first two are a pair, and so on. OVERHEAD, which
// shows no change of the user's, is left out. Throws Error where their number is odd, their cells differ, or a cell has
// not as many trials as in the first run.
NoiseFloor noise_floor(std::span<const Result> runs, const Environment& environment);

// Why a floor is too poor for use, as a sentence; empty where it is not: it has fewer than kFewestNoisePairs pairs, or
// one of its cells a floor above kWidestNoise.
std::string poor_noise(const NoiseFloor& noise);

// What the floors of the hosts of a result say of one of its cells.
struct CellFloor {
  double floor = 0;  // that holds for these results
  bool widened = false;
  const NoiseFloor* noise = nullptr;
  const NoiseFloor::Part* part = nullptr;  // that it was taken from
};

// Of each host the cell of the same name; else the noisiest of the same workload, mode and cache state; else the
// noisiest of the same mode and cache state; and the noisiest of these hosts. std::nullopt where there is none of that
// mode.
//
// More or longer trials bring two runs closer together by no known factor: what sets the processes apart stays. So for
// as many as were measured, or more, the floor holds as it is, as an upper limit. With fewer or shorter ones, it is
// widened as if all of the spread were that of single trials: the logarithm by
// sqrt(max(n (1 / n_a + 1 / n_b), T (1 / T_a + 1 / T_b)) / 2), n being trials and T their seconds.
std::optional<CellFloor> floor_for(std::span<const NoiseFloor> noise, const CellResult& base,
                                   const CellResult& changed);

// What a floor leaves of what was found between two runs whose rates have this ratio. It only weakens: a regression or
// an improvement within the floor is inconclusive, and so is an equivalence within a margin that is below the floor.
// `why` says so, and also where what is inconclusive anyway cannot be decided by more trials; empty otherwise.
struct Weakened {
  Change change = Change::kInconclusive;
  std::string why;
};
Weakened weakened(Change change, double ratio, double margin, const CellFloor& floor);

// What stands between the floors and the results that they are held against: a floor more than kFreshNoiseDays from
// one of them; another kernel, number of CPUs, governor or build than the base's; a host without a floor.
// A sentence for each floor and each host.
std::vector<std::string> noise_notes(std::span<const NoiseFloor> noise, const Named& base, const Named& changed);

}  // namespace loadline
