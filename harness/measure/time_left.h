// How long the rest of a run takes, judging by what it has done so far.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "harness/judge/statistics.h"
#include "harness/measure/schedule.h"
#include "harness/plan/options.h"
#include "harness/result/result.h"

namespace loadline {

// Is told how long each part of a run took, with everything around it. A part that was done before takes as long as
// it took on average. A part that was not takes as long as the schedule says, times the factor by which the schedule
// was wrong about parts of its kind. One thread.
class TimeLeft {
 public:
  // `tried`: as for the schedule.
  TimeLeft(RunOptions options, bool with_cells, TriedCells tried)
      : options_(std::move(options)), with_cells_(with_cells), tried_(std::move(tried)) {}

  // The last first epoch of a cell, or the last trial of a cell or ceiling, took this long.
  void first_epoch_took(const Result& result, const CellResult& cell, double seconds);
  void trial_took(const Result& result, const CellResult& cell, double seconds);
  void trial_took(const Result& result, const CeilingResult& ceiling, double seconds);

  struct Rest {
    double seconds = 0;
    bool at_most = false;  // cells may need fewer trials
  };
  // What a run with this result still has to do, without regard to a time limit.
  Rest rest(const Result& result);

 private:
  enum class Kind : std::uint8_t { kFirstEpoch, kTrial, kCeiling };
  struct Part {
    double expected_seconds = 0;  // each time, by the schedule
    Moments took_seconds;
  };
  struct Sums {
    double expected_seconds = 0;
    double took_seconds = 0;
  };

  Part& first_epoch(const Result& result, const CellResult& cell);
  Part& trial(const Result& result, const CellResult& cell);
  Part& trial(const Result& result, const CeilingResult& ceiling);
  Part& part(Kind kind, const std::string& name, const std::function<double()>& expected_seconds);
  void took(Kind kind, Part& part, double seconds);
  double seconds_each(Kind kind, const Part& part) const;

  RunOptions options_;
  bool with_cells_;
  TriedCells tried_;
  std::map<std::pair<Kind, std::string>, Part> parts_;  // by name
  std::array<Sums, 3> sums_{};                          // of what was done, by kind
};

}  // namespace loadline
