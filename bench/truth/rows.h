// The rows of the table: each draws configurations, measures and judges them with the code that users run, and
// compares the outcome with the truth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/truth/known.h"
#include "bench/truth/tally.h"

namespace loadline::truth {

// All targets, in the order of the table.
std::span<const Target> targets();

// Where a row's draws go and what they need.
struct Session {
  Bed& bed;
  Truths& truths;
  Tally& tally;
};

// A kind of experiment. `draw` is its number: the same seed and number give the same draw.
struct Experiment {
  std::string_view name;
  double share;  // of the requested draws
  void (*run)(std::uint64_t seed, std::size_t draw, Session& session);
};

std::span<const Experiment> experiments();

// One configuration, 1 to 20 trials: its verdict and all intervals.
void judge_one(std::uint64_t seed, std::size_t draw, Session& session);
// Five quiet trials of a configuration that is clearly on one side.
void judge_clear(std::uint64_t seed, std::size_t draw, Session& session);
// Steps so short that the harness may hide them.
void judge_harness(std::uint64_t seed, std::size_t draw, Session& session);
// IO only, where the one consumer may be the limit.
void judge_drain(std::uint64_t seed, std::size_t draw, Session& session);
// Workers that wait for storage, or are kept from the CPUs.
void judge_causes(std::uint64_t seed, std::size_t draw, Session& session);
// Two results of several workloads: equal, or with a loss in one of them.
void gate_equal(std::uint64_t seed, std::size_t draw, Session& session);
void gate_loss(std::uint64_t seed, std::size_t draw, Session& session);
void gate_equivalent(std::uint64_t seed, std::size_t draw, Session& session);
// Sweeps of workers and loaders.
void recommend(std::uint64_t seed, std::size_t draw, Session& session);
void find_value(std::uint64_t seed, std::size_t draw, Session& session);
// --until-ci.
void until_narrow(std::uint64_t seed, std::size_t draw, Session& session);

}  // namespace loadline::truth
