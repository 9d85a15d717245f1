#include "loaders/store_choice.h"

#include <algorithm>

namespace loadline {
namespace {

// Streaming stores leave the consumer to read from memory, which costs it what the worker's own time does not show.
constexpr double kClearly = 1.5;
// A streaming batch where cached ones suit costs a third more, a cached one where they do not six times as much.
constexpr std::size_t kMostPatienceCached = 64;
constexpr std::size_t kPatienceStreaming = 512;
constexpr double kWeight = 0.25;  // of the newest value

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
  // What was last learned of the kind not in use may be long out of date.
  (used == Stores::kCached ? cached_ : streaming_) = value;
  settled_ = cached_ > kClearly * streaming_ ? Stores::kStreaming : Stores::kCached;
  batches_ = 0;
  patience_ = settled_ == Stores::kStreaming ? kPatienceStreaming : std::min(2 * patience_, kMostPatienceCached);
}

}  // namespace loadline
