#include "loaders/store_choice.h"

#include <algorithm>
#include <limits>

namespace loadline {
namespace {

// Long enough for thousands of small batches, and for a descheduled thread to count little.
constexpr std::chrono::nanoseconds kCounted = std::chrono::milliseconds(20);
// After a change the rate drifts for some 40 ms: full queues and slots in the caches are from before.
constexpr std::chrono::nanoseconds kDrift = std::chrono::milliseconds(50);
constexpr std::chrono::nanoseconds kFirstPatience = std::chrono::milliseconds(100);
// A lost trial has spent 70 ms with the slower kind. Where a hypervisor moves CPUs between caches, cached stores can
// become twice as fast within a second, and streaming ones half as fast again at most.
constexpr std::chrono::nanoseconds kPatienceStreaming = std::chrono::seconds(1);
constexpr std::chrono::nanoseconds kMostPatienceCached = std::chrono::seconds(10);
constexpr int kPatienceGrows = 32;
// In between, what is in use stays.
constexpr double kLeavesCached = 1.15;
constexpr double kReturnsToCached = 0.95;
constexpr std::uint64_t kLeastBatches = 8;  // and one per worker, which may have begun it before the phase did

constexpr auto kNever = std::numeric_limits<StoreChoice::TimePoint::rep>::max();

Stores other(Stores stores) {
  return stores == Stores::kCached ? Stores::kStreaming : Stores::kCached;
}

}  // namespace

StoreChoice::StoreChoice(std::optional<Stores> fixed, std::size_t workers, TimePoint start)
    : least_batches_(kLeastBatches + workers),
      in_use_(fixed.value_or(Stores::kCached)),
      settling_(!fixed),
      due_batches_(least_batches_),
      due_(fixed ? kNever : (start + kFirstPatience).time_since_epoch().count()),
      phase_began_(start),
      patience_(kFirstPatience) {}

void StoreChoice::learn(TimePoint now, std::size_t samples) {
  if (due_.load(std::memory_order_relaxed) == kNever) return;
  const std::uint64_t all_samples = samples_.fetch_add(samples, std::memory_order_relaxed) + samples;
  const std::uint64_t batches = batches_.fetch_add(1, std::memory_order_relaxed) + 1;
  const auto due = [&] {
    return now.time_since_epoch().count() >= due_.load(std::memory_order_relaxed) &&
           batches >= due_batches_.load(std::memory_order_relaxed);
  };
  if (!due()) return;
  // Whoever comes first advances; the others need not wait for that.
  const std::unique_lock lock(advancing_, std::try_to_lock);
  if (lock && due()) advance(now, all_samples);
}

void StoreChoice::begin(Phase phase, TimePoint now, std::uint64_t samples) {
  phase_ = phase;
  phase_began_ = now;
  samples_at_begin_ = samples;
  const bool tries_other = phase == Phase::kChanging || phase == Phase::kCountingOther;
  in_use_.store(tries_other ? other(settled_) : settled_, std::memory_order_relaxed);
  const bool counts = phase == Phase::kCounting || phase == Phase::kCountingOther;
  const std::chrono::nanoseconds length = phase == Phase::kResting ? patience_ : counts ? kCounted : kDrift;
  due_batches_.store(batches_.load(std::memory_order_relaxed) + least_batches_, std::memory_order_relaxed);
  due_.store((now + length).time_since_epoch().count(), std::memory_order_relaxed);
}

void StoreChoice::advance(TimePoint now, std::uint64_t samples) {
  const double rate =
      static_cast<double>(samples - samples_at_begin_) / std::chrono::duration<double>(now - phase_began_).count();
  switch (phase_) {
    case Phase::kResting:
    case Phase::kChangingBack: return begin(Phase::kCounting, now, samples);
    case Phase::kCounting: settled_rate_ = rate; return begin(Phase::kChanging, now, samples);
    case Phase::kChanging: return begin(Phase::kCountingOther, now, samples);
    case Phase::kCountingOther: break;
  }
  const bool leaves_cached = settled_ == Stores::kCached;
  const bool won = rate > (leaves_cached ? kLeavesCached : kReturnsToCached) * settled_rate_;
  if (won && leaves_cached && !won_before_) {
    won_before_ = true;
    return begin(Phase::kChangingBack, now, samples);
  }
  end_trial(won);
  begin(Phase::kResting, now, samples);
}

void StoreChoice::end_trial(bool other_won) {
  won_before_ = false;
  if (other_won) settled_ = other(settled_);
  patience_ = other_won                        ? kFirstPatience
              : settled_ == Stores::kStreaming ? kPatienceStreaming
                                               : std::min(kPatienceGrows * patience_, kMostPatienceCached);
  settling_.store(other_won, std::memory_order_relaxed);
}

}  // namespace loadline
