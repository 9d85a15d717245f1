// Plays a recorded job batch by batch, in an endless loop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "synthetic/recording/recording.h"

namespace loadline {

// One thread.
class Playback {
 public:
  struct Batch {
    Time wait{};         // how long the loop waited for this batch
    Time step{};         // the step that followed
    double samples = 0;  // 0: not counted

    // Scales `time`, the time of this batch, to `count` samples, if samples were counted.
    Time scaled(Time time, std::size_t count) const;
  };

  // Throws Error naming `source` if no batch was recorded.
  Playback(Recording recording, const std::string& source);

  // The next batch; the first follows the last. Batches that were added up get equal shares.
  Batch next();

  const Recording& recording() const { return recording_; }

 private:
  Recording recording_;
  std::size_t entry_ = 0;
  std::uint64_t in_entry_ = 0;  // batches played from the current entry
};

// Throws Error like load_recording() and Playback().
Playback load_playback(const std::filesystem::path& path);

}  // namespace loadline
