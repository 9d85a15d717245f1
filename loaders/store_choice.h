// Whether a worker should write its batches through the caches or past them.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "loaders/tensor.h"

namespace loadline {

// Learned by one worker from its own batches, since it depends on where the worker and the consumer run, and that may
// change: cached stores are the faster ones as long as the two share a cache; where they do not, each line has to be
// fetched from the consumer's cache before it can be written. The time of a fill shows it, and nothing else needs to be
// known of the machine. Starts with cached stores and tries the other kind now and then, the costlier one seldom.
class StoreChoice {
 public:
  // `fixed`: what to use, whatever is learned.
  explicit StoreChoice(std::optional<Stores> fixed) : fixed_(fixed) {}

  // For the next batch.
  Stores next() const;
  // How long filling the batch took, with what next() said.
  void learn(std::chrono::nanoseconds time, std::size_t samples);

 private:
  std::optional<Stores> fixed_;
  Stores settled_ = Stores::kCached;
  std::size_t batches_ = 0;   // since the last trial of the other kind
  std::size_t patience_ = 8;  // batches before the next
  double cached_ = 0;         // nanoseconds a sample, smoothed; 0: not known
  double streaming_ = 0;
};

}  // namespace loadline
