#include "loaders/store_choice.h"

#include <algorithm>

namespace loadline {
namespace {

// After streaming stores the consumer reads from memory, a cost that the worker's own time does not show.
constexpr double kClearly = 1.5;
// A streaming batch costs a third more if cached stores suit; a cached batch costs six times as much if they do not.
constexpr std::size_t kMostPatienceCached = 64;
constexpr std::size_t kPatienceStreaming = 512;
constexpr double kWeight = 0.25;  // weight of the newest value

void smooth(double& average, double value) {
  average = average == 0 ? value : average + kWeight * (value - average);
}

}  // namespace

Stores StoreChoice::next() const {
  if (fixed_) return *fixed_;
  const bool try_other = batches_ >= patience_;
  return (settled_ == Stores::kCached) != try_other ? Stores::kCached : Stores::kStreaming;
}

void StoreChoice::learn(std::chrono::nanoseconds time, std::size_t samples) {
  if (fixed_ || samples == 0) return;
  const Stores used = next();
  const double value = static_cast<double>(time.count()) / static_cast<double>(samples);
  if (used == settled_) {
    smooth(used == Stores::kCached ? cached_ : streaming_, value);
    ++batches_;
    return;
  }
  // What was last learned about the kind not in use may be long out of date.
  (used == Stores::kCached ? cached_ : streaming_) = value;
  settled_ = cached_ > kClearly * streaming_ ? Stores::kStreaming : Stores::kCached;
  batches_ = 0;
  patience_ = settled_ == Stores::kStreaming ? kPatienceStreaming : std::min(2 * patience_, kMostPatienceCached);
}

}  // namespace loadline
