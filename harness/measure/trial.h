// The four wirings of the one loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "harness/measure/coverage.h"
#include "harness/measure/loop.h"
#include "harness/measure/rig.h"
#include "harness/result/result.h"
#include "synthetic/clock.h"

namespace loadline {

class EnergyMeter;
class EventCounters;
class Together;

struct TrialOptions {
  Length length;
  // None: all slots once, and the compute until it is in its stride. Cold cells have no warm-up.
  std::optional<std::size_t> warm_up_batches;
  std::uint64_t first_epoch = 0;        // where a loader starts
  bool fill = true;                     // whether what the loader fills without a drain is measured, after an IO trial
  const EnergyMeter* energy = nullptr;  // read where the clock starts and where it stops; null: not at all
  const EventCounters* counters = nullptr;  // the same
  Together* together = nullptr;     // clocks of all ranks start together, and all take as many batches; null: alone
  EpochTallies* tallies = nullptr;  // of what the loader delivers; null: nobody counts
};

// One trial: makes the sink, then the feed, runs them warm, then times the loop. Its clock_started_seconds counts from
// the call. None when stopped before its end.
// Making, starting and warming up stand outside the clock in every mode. Throws what the loader throws, and Error where
// every sample was left out.
//
// The clock starts and stops in the steady state: a trial whose queue gave or took so many batches that its rate could
// be off by more than 1 % is lengthened or timed again (steady.h), unless its warm-up was asked for.
//
// That of a cold cell, whose files the caller has dropped from the page cache, is timed from its very first batch on,
// as what is read ahead while the clock stands would flatter it, to the end of its last step. It ends with the epoch at
// the latest, and its usage counts from before the feed was made.
std::optional<Trial> run_trial(const Rig& rig, const TrialOptions& options, Clock& clock, const std::stop_token& stop);

// Runs the loop over epoch 0 from the making of the feed to the end of the last step, for `limit` at the most. Leaves
// open_seconds to the caller. None when stopped. Throws as run_trial().
std::optional<FirstEpoch> run_first_epoch(const Rig& rig, Time limit, Clock& clock, const std::stop_token& stop,
                                          Together* together = nullptr);

}  // namespace loadline
