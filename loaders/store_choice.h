// Chooses whether a worker writes its batches through the caches or past them.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "loaders/tensor.h"

namespace loadline {

// Each worker learns from its own batches, since the answer depends on where the worker and the consumer run, and
// that may change. Cached stores are faster while the two share a cache; otherwise each line has to be fetched from
// the consumer's cache before it can be written. The time of a fill shows this without knowledge of the machine.
// Starts with cached stores and tries the other kind now and then: streaming more often than cached, because that
// trial costs less.
class StoreChoice {
 public:
  // `fixed`: use these stores always; nullopt: learn.
  explicit StoreChoice(std::optional<Stores> fixed) : fixed_(fixed) {}

  // For the next batch.
  Stores next() const;
  // Reports how long filling the batch took with the stores that next() chose.
  void learn(std::chrono::nanoseconds time, std::size_t samples);

 private:
  std::optional<Stores> fixed_;
  Stores settled_ = Stores::kCached;
  std::size_t batches_ = 0;   // since the last trial of the other kind
  std::size_t patience_ = 8;  // batches before the next trial
  double cached_ = 0;         // nanoseconds per sample, smoothed; 0: not known
  double streaming_ = 0;
};

}  // namespace loadline
