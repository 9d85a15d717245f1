// A machine of which everything is known: how long a worker takes for a batch, a step for its own, and what they cost
// each other. Times are in seconds.
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
  kStalls,  // constant, but for one batch in a hundred, which takes twenty times as long
};

// "constant", "exponential", "log-normal", "rare stalls".
std::string_view name(Law law);

struct Times {
  Law law = Law::kConstant;
  double mean_seconds = 0;
  double variation = 0;  // coefficient of variation, of kLogNormal alone

  double draw(Draws& draws) const;
};

// How trials of the same thing differ: by a factor on all times of a trial.
enum class NoiseKind : std::uint8_t {
  kNormal,      // log-normal with the coefficient of variation `size`
  kSkewed,      // 1 plus a gamma variate of shape 4 and deviation `size`: rates have a skewness of about -1
  kVerySkewed,  // 1 plus an exponential of mean `size`: a skewness of about -2
  kOneInTen,    // one trial in ten has a rate lower by 20 %; the others are log-normal with `size`
  kDrift,       // over the run all gets slower by 4 %, linearly, and log-normal with `size` besides
};

inline constexpr std::size_t kNoiseKinds = 5;

// "normal", "skewed", "very skewed", "one in ten 20 % slower", "drift".
std::string_view name(NoiseKind kind);

struct Noise {
  NoiseKind kind = NoiseKind::kNormal;
  double size = 0.01;
  bool on_step = true;  // the step has the factor of its trial too, as where both compute on the same CPUs

  // `progress` of the run is from 0 to 1.
  double draw(Draws& draws, double progress) const;
};

// What keeps a worker from working while it serves a batch.
enum class Obstacle : std::uint8_t { kNone, kStorage, kProcesses, kQuota, kHypervisor };

struct System {
  Times service;                 // of a worker alone, for a batch
  double contention = 0;         // n workers take 1 + contention (n - 1) times as long
  double loader_factor = 1;      // on `service`, of the loaders other than thread-pool
  std::size_t prefetch = 4;      // batches
  double hand_over_seconds = 0;  // of the consumer, a batch that comes from a loader
  double drain_seconds = 0;      // of the host, to touch a batch
  Times step;                    // its mean is in the cell's compute
  bool device = true;            // a step runs beside the host, `depth` ahead; otherwise the host does it
  std::size_t depth = 2;
  double slowed_service = 0;  // in FULL a service takes 1 + this times as long, and a step 1 + that
  double slowed_step = 0;
  std::size_t slow_batches = 0;  // the first of a feed, which take three times as long
  double cold_factor = 1;        // on `service`, where the page cache is cold

  double harness_seconds = 0;  // of the loop itself, a batch
  double on_cpu = 1;           // of a service; the rest goes to the obstacle
  Obstacle obstacle = Obstacle::kNone;
  bool counts_blocking = true;  // whether the kernel tells of time that threads wait for storage

  // Names it in the cache of truths.
  std::string key() const;
};

}  // namespace loadline::truth
