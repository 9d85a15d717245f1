// Chooses whether the workers of a feed write their batches through the caches or past them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "loaders/tensor.h"

namespace loadline {

// Which stores are faster depends on the machine, on where workers and consumer run, and on the sizes of slots and
// caches. The time of a fill cannot tell: streaming stores shorten it at the expense of the consumer, who then reads
// from memory, and cached stores make every worker fetch lines from the consumer's cache. So what counts is the rate
// of the whole feed, with all workers writing alike.
//
// Begins with cached stores. In a trial the feed runs with the kind in use and then with the other one. Streaming
// stores come into use once they were faster by 15 % twice in a row; cached ones return as soon as they are as fast,
// within 5 %. After a change the next trial follows soon, otherwise later: after a second with streaming stores, up to
// 10 s with cached ones. Thread-safe.
class StoreChoice {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // `fixed`: use these stores always; nullopt: find out. `start` is when the workers begin.
  StoreChoice(std::optional<Stores> fixed, std::size_t workers, TimePoint start);
  StoreChoice(const StoreChoice&) = delete;
  StoreChoice& operator=(const StoreChoice&) = delete;

  // For a worker's next batch.
  Stores next() const { return in_use_.load(std::memory_order_relaxed); }
  // A worker has filled a batch of so many samples by `now`.
  void learn(TimePoint now, std::size_t samples);
  // Whether no trial has confirmed the kind in use yet. False if it is fixed.
  bool settling() const { return settling_.load(std::memory_order_relaxed); }

 private:
  // The parts of a trial, and the time between two.
  enum class Phase : std::uint8_t {
    kResting,        // until the next trial
    kCounting,       // the rate of the settled kind
    kChanging,       // to the other kind, until queue and caches are as it leaves them
    kCountingOther,  // the rate of the other kind
    kChangingBack,   // before the second half of the trial
  };

  void advance(TimePoint now, std::uint64_t samples);
  void begin(Phase phase, TimePoint now, std::uint64_t samples);
  void end_trial(bool other_won);

  const std::uint64_t least_batches_;  // in a phase
  std::atomic<Stores> in_use_;
  std::atomic<bool> settling_;
  // Written for every batch by every worker; the others, by few.
  alignas(64) std::atomic<std::uint64_t> samples_{0};
  std::atomic<std::uint64_t> batches_{0};
  alignas(64) std::atomic<std::uint64_t> due_batches_;
  std::atomic<TimePoint::rep> due_;  // when the phase ends, once it has had `due_batches_`; the largest value: never

  std::mutex advancing_;  // guards what follows
  Stores settled_ = Stores::kCached;
  Phase phase_ = Phase::kResting;
  TimePoint phase_began_;
  std::uint64_t samples_at_begin_ = 0;
  std::chrono::nanoseconds patience_;  // before the next trial
  double settled_rate_ = 0;            // samples/s in this half of the trial
  bool won_before_ = false;            // whether streaming stores have won the first half
};

}  // namespace loadline
