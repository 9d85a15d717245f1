// A recorded job batch by batch, around and around, for what plays it again.
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
    Time wait{};         // of the loop, for this batch
    Time step{};         // that followed
    double samples = 0;  // 0: not counted

    // `time`, which was that of this batch's samples, for so many: in proportion, where they were counted.
    Time scaled(Time time, std::size_t count) const;
  };

  // Throws Error naming `source` where no batch was recorded.
  Playback(Recording recording, const std::string& source);

  // The next batch, after the last one the first again. Of batches that were added up, each has its even share.
  Batch next();

  const Recording& recording() const { return recording_; }

 private:
  Recording recording_;
  std::size_t entry_ = 0;
  std::uint64_t in_entry_ = 0;  // batches played from it
};

// Throws Error as load_recording() and Playback.
Playback load_playback(const std::filesystem::path& path);

}  // namespace loadline
