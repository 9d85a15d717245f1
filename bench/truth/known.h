// The truth about a system: from a run of a million batches, on the same feeds and sinks as its trials.
//
// Where a theory exists, tests check the runs against it: constant times give min(1/step, workers/service); one
// worker with exponential times before an exponential step is an M/M/1 queue of finite capacity (J. F. C. Kingman and
// others; see L. Kleinrock, Queueing Systems, volume 1, 1975, section 3.6), one slot the sum of the two times; and n
// workers with enough slots fill n over the mean service time, whatever its distribution (renewal theory).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "bench/truth/rigs.h"
#include "bench/truth/system.h"
#include "harness/plan/plan.h"

namespace loadline::truth {

// The trials of a cell, over all factors that the noise may give them. Rates are in samples per second.
struct Level {
  double mean = 0;       // of the rates
  double log_mean = 0;   // of their logarithms
  double time_mean = 0;  // of their reciprocals
  double variation = 0;  // of the rates: coefficient of variation
  double skewness = 0;   // of the rates
  double error = 0;      // relative standard error of the mean

  double typical() const;  // the geometric mean
};

struct Truth {
  Level io;    // with the drain
  Level fill;  // without it
  Level synthetic;
  Level full;

  // From geometric means, as in intervals of ratios.
  double utilisation() const;
  double stall() const { return 1 - utilisation(); }
  double supply() const;    // fill over synthetic
  double of_bound() const;  // FULL over the slower of the two
  double overlap() const;   // from mean times: (fill + synthetic - full) / shorter of fill and synthetic
};

enum class Sunk : std::uint8_t { kAsPlanned, kUnread };

struct LongRun {
  double rate = 0;
  double variation = 0;  // of stretches as long as a trial
  double error = 0;      // relative standard error of the rate
  double third = 0;      // third central moment of these over the cube of the mean
};

// A long run of a cell whose trials have these factors on feed and sink. Starts with enough batches to reach a steady
// state.
LongRun long_run(const System& system, const CellResult& cell, Sunk sunk, double feed_factor, double sink_factor,
                 std::uint64_t batches, std::uint64_t trial_batches, std::uint64_t seed, Bed& bed);

// Caches what it has found. Safe to call concurrently, with one bed per thread.
class Truths {
 public:
  explicit Truths(std::uint64_t batches) : batches_(batches) {}

  // The truth about the configuration of this FULL cell.
  Truth of(const System& system, const Noise& noise, const Cell& full, std::uint64_t trial_batches, Bed& bed);

 private:
  Truth find(const System& system, const Noise& noise, const Cell& full, std::uint64_t trial_batches, Bed& bed) const;

  const std::uint64_t batches_;
  std::mutex mutex_;
  std::map<std::string, Truth> known_;
};

}  // namespace loadline::truth
