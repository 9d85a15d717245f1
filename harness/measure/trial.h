// The four kinds of trials, each a wiring of the one loop.
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
class JointTrials;

struct TrialOptions {
  Length length;
  // nullopt: every slot once, the compute until it runs steadily, and a loader that the sink waits for until it has
  // settled (Feed::settling()), but no longer than twice the trial. Cold cells have no warm-up.
  std::optional<std::size_t> warm_up_batches;
  std::uint64_t first_epoch = 0;  // where the loader starts
  bool fill = true;               // whether an IO trial is followed by measuring what the loader fills without a drain
  const EnergyMeter* energy = nullptr;      // read when the clock starts and stops; null: not read
  const EventCounters* counters = nullptr;  // the same
  JointTrials* joint = nullptr;     // ranks start their clocks together and take equally many batches; null: alone
  EpochTallies* tallies = nullptr;  // of what the loader delivers; null: not counted
};

// One trial: makes the sink, then the feed, warms them up, then times the loop. Its clock_started_seconds counts from
// the call. nullopt when stopped before its end. Construction, start and warm-up are outside the clock in every mode.
// Throws what the loader throws, and Error if every sample was left out.
//
// The clock starts and stops in the steady state. If the queue gave or took so many batches that the rate could be
// off by more than 1 %, the trial is lengthened or timed again (steady.h), unless options.warm_up_batches is set.
//
// A trial of a cold cell, whose files the caller has dropped from the page cache, is timed from its very first batch
// to the end of its last step: reading ahead before the clock starts would flatter it. It ends with the epoch at the
// latest, and its usage counts from before the feed was made.
std::optional<Trial> run_trial(const Rig& rig, const TrialOptions& options, Clock& clock, const std::stop_token& stop);

// Runs the loop over epoch 0, timed from before the feed is made to the end of the last step, for at most `limit`.
// Leaves open_seconds to the caller. nullopt when stopped. Throws as run_trial() does.
std::optional<FirstEpoch> run_first_epoch(const Rig& rig, Time limit, Clock& clock, const std::stop_token& stop,
                                          JointTrials* joint = nullptr);

}  // namespace loadline
