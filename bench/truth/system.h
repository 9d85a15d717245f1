// A machine of which everything is known: how long a worker takes per batch, how long a step takes, and what they
// cost each other. Times are in seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/truth/draws.h"

namespace loadline::truth {

// How the time of one batch is distributed.
enum class Law : std::uint8_t {
  kConstant,
  kExponential,
  kLogNormal,
  kStalls,  // constant, except that one batch in a hundred takes twenty times as long
};

// "constant", "exponential", "log-normal", "rare stalls".
std::string_view name(Law law);

struct Times {
  Law law = Law::kConstant;
  double mean_seconds = 0;
  double variation = 0;  // coefficient of variation, for kLogNormal only

  double draw(Draws& draws) const;
};

// How trials of the same thing differ: by a factor on all times of a trial.
enum class NoiseKind : std::uint8_t {
  kNormal,      // log-normal with the coefficient of variation `size`
  kSkewed,      // 1 plus a gamma variate of shape 4 and deviation `size`: rates have a skewness of about -1
  kVerySkewed,  // 1 plus an exponential of mean `size`: a skewness of about -2
  kOneInTen,    // one trial in ten has a rate lower by 20 %; the others are log-normal with `size`
  kDrift,       // everything slows by 4 % linearly over the run, and is also log-normal with `size`
};

inline constexpr std::size_t kNoiseKinds = 5;

// "normal", "skewed", "very skewed", "one in ten 20 % slower", "drift".
std::string_view name(NoiseKind kind);

struct Noise {
  NoiseKind kind = NoiseKind::kNormal;
  double size = 0.01;
  bool on_step = true;  // the trial's factor also applies to the step, as when both use the same CPUs

  // `progress` of the run, from 0 to 1.
  double draw(Draws& draws, double progress) const;
};

// What keeps a worker from working while it serves a batch.
enum class Obstacle : std::uint8_t { kNone, kStorage, kProcesses, kQuota, kHypervisor };

struct System {
  Times service;                 // of a single worker, per batch
  double contention = 0;         // n workers take 1 + contention (n - 1) times as long
  double loader_factor = 1;      // on `service`, for loaders other than thread-pool
  std::size_t prefetch = 4;      // batches
  double hand_over_seconds = 0;  // of the consumer, per batch from a loader
  double drain_seconds = 0;      // of the host, for touching a batch
  Times step;                    // its mean is in the cell's compute
  bool device = true;            // the step runs concurrently with the host, `depth` ahead; otherwise on the host
  std::size_t depth = 2;
  double slowed_service = 0;  // in FULL a service takes 1 + this times as long, and a step 1 + slowed_step
  double slowed_step = 0;
  std::size_t slow_batches = 0;  // first batches of a feed, which take three times as long
  double cold_factor = 1;        // on `service`, with a cold page cache

  double harness_seconds = 0;  // of the loop itself, per batch
  double on_cpu = 1;           // share of a service; the rest goes to the obstacle
  Obstacle obstacle = Obstacle::kNone;
  bool counts_blocking = true;  // whether the kernel counts the time that threads wait for storage

  // Its key in the cache of truths.
  std::string key() const;
};

}  // namespace loadline::truth
