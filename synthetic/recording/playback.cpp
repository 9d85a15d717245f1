#include "synthetic/recording/playback.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loaders/error.h"

namespace loadline {

Time Playback::Batch::scaled(Time time, std::size_t count) const {
  if (samples == 0) return time;
  return Time(static_cast<Time::rep>(static_cast<double>(time.count()) * static_cast<double>(count) / samples));
}

Playback::Playback(Recording recording, const std::string& source) : recording_(std::move(recording)) {
  if (recording_.batches == 0) throw Error(fmt::format("cannot play {}: no batch was recorded", source));
}

Playback::Batch Playback::next() {
  const RecordedSequence& sequence = recording_.sequence;
  const std::uint64_t before = entry_ * sequence.batches_per_entry;
  const std::uint64_t batches = std::min(sequence.batches_per_entry, recording_.batches - before);
  const auto share = static_cast<Time::rep>(batches);
  Batch batch{.wait = sequence.waits[entry_] / share, .step = sequence.steps[entry_] / share};
  if (!sequence.samples.empty()) {
    batch.samples = static_cast<double>(sequence.samples[entry_]) / static_cast<double>(batches);
  }
  if (++in_entry_ == batches) {
    in_entry_ = 0;
    entry_ = (entry_ + 1) % sequence.steps.size();
  }
  return batch;
}

Playback load_playback(const std::filesystem::path& path) {
  return {load_recording(path), path.string()};
}

}  // namespace loadline
