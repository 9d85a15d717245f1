// What a recorded job shows by itself: how much of its time it waited for data, and when. A pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/statistics.h"
#include "synthetic/recording/recording.h"

namespace loadline {

// One of several about equally long parts of the recorded time.
struct RecordedPart {
  std::uint64_t batches = 0;
  double wait_seconds = 0;
  double step_seconds = 0;

  double stall() const { return wait_seconds / (wait_seconds + step_seconds); }
};

enum class RecordedBound : std::uint8_t { kWaits, kBusy, kUnclear, kEmpty };

// "waits", "busy", "unclear", "empty".
std::string_view name(RecordedBound bound);

struct RecordedJudgement {
  // The share of the time in which the loop waited. Its interval is that of the mean over the parts (batch means),
  // absent where there are fewer than 5. One job is one sample, so the interval says how steady this job was, not
  // what another would do.
  std::optional<Estimate> stall;    // nullopt if nothing was recorded
  std::vector<RecordedPart> parts;  // up to 10, in the order of time
  RecordedBound bound = RecordedBound::kEmpty;
  std::string sentence;  // one to four sentences to act on
};

RecordedJudgement judge_recording(const Recording& job);

}  // namespace loadline
