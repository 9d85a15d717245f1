// How much two runs of the same thing differ on one host: no smaller change between two runs there can be told from
// noise. Pure functions, safe from any thread.
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

// With fewer pairs of runs, the t quantile makes the floor 1.4 times that of many pairs, and the spread that the floor
// rests on is uncertain by more than a third.
inline constexpr std::size_t kFewestNoisePairs = 5;

// A floor above this says nothing: one of two equal runs may be half as fast again as the other.
inline constexpr double kWidestNoise = 0.5;

// Age of a floor, relative to the results that it is applied to, beyond which a note mentions it.
inline constexpr double kFreshNoiseDays = 30;

struct NoiseFloor {
  // One cell, in pairs of runs, each made in its own process. Memory is laid out differently in every process and
  // stays put within one, so trials of one process are more alike than trials of two.
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

    // The 95 % prediction interval for the ratio of one further pair, as the relative change at its upper end: exp(t
    // spread) - 1, with the two-sided 95 % quantile t of as many degrees of freedom as there are pairs (Hahn and
    // Meeker, Statistical Intervals, 1991, chapter 4, of a normal distribution whose mean is known; with a mean
    // estimated from the same pairs it would be t of one degree fewer, times sqrt(1 + 1 / pairs)). It assumes that
    // logarithms of rates are about normal from run to run, and that later runs are made as close together in time as
    // these were: it does not cover changes from day to day.
    double floor() const;
  };

  std::string measured;       // when; ISO 8601, UTC
  std::size_t pairs = 0;      // of runs
  std::size_t trials = 0;     // of each cell in each run
  Machine machine;            // as it was before the first run; read back from a file, only what the file has
  std::optional<bool> boost;  // whether the CPUs may go beyond their base frequency
  Build build;                // how the program was built
  std::vector<Part> parts;

  // The largest floor of a mode's cells; nullopt where none was measured.
  std::optional<double> of(Mode mode) const;
};

// The floor of runs of the same configuration, each in its own process: the first two are a pair, and so on.
// OVERHEAD, which no change of the user's affects, is left out. Throws Error where the number of runs is odd, their
// cells differ, or a cell does not have as many trials as in the first run.
NoiseFloor noise_floor(std::span<const Result> runs, const Environment& environment);

// Why a floor is too poor to use, as a sentence: it has fewer than kFewestNoisePairs pairs, or one of its cells has a
// floor above kWidestNoise. Empty for a usable floor.
std::string poor_noise(const NoiseFloor& noise);

// What the floors of a result's hosts say about one of its cells.
struct CellFloor {
  double floor = 0;  // that applies to these results
  bool widened = false;
  const NoiseFloor* noise = nullptr;
  const NoiseFloor::Part* part = nullptr;  // the part that it was taken from
};

// Takes, for each host, the cell of the same name; else the noisiest of the same workload, mode and cache state; else
// the noisiest of the same mode and cache state. Of the hosts, the noisiest counts. std::nullopt where there is no
// such cell.
//
// More or longer trials bring two runs closer together by no known factor, because differences between processes
// stay. So for as many trials as were measured, or more, the floor applies unchanged, as an upper limit. For fewer or
// shorter ones it is widened as if all of the spread came from single trials: the logarithm is multiplied by
// sqrt(max(n (1 / n_a + 1 / n_b), T (1 / T_a + 1 / T_b)) / 2), n being trials and T their seconds.
std::optional<CellFloor> floor_for(std::span<const NoiseFloor> noise, const CellResult& base,
                                   const CellResult& changed);

// What remains of a finding, between two runs whose rates have this ratio, under a floor. A floor only weakens: a
// regression or an improvement within the floor is inconclusive, and so is an equivalence within a margin below the
// floor. `why` says so. It also says where more trials cannot settle an inconclusive finding; otherwise it is empty.
struct Weakened {
  Change change = Change::kInconclusive;
  std::string why;
};
Weakened weakened(Change change, double ratio, double margin, const CellFloor& floor);

// Doubts about applying the floors to these results: a floor is more than kFreshNoiseDays older or newer than one of
// them; it has another kernel, number of CPUs, governor or build than the base; a host has no floor. One sentence per
// floor and per host.
std::vector<std::string> noise_notes(std::span<const NoiseFloor> noise, const Named& base, const Named& changed);

}  // namespace loadline
