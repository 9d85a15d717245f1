// What a recorded job alone shows: how much of its time it waited for data, and when. A pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/statistics.h"
#include "synthetic/recording/recording.h"

namespace loadline {

// A part of the recorded time, about as long as the others.
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
  // The share of the time in which the loop waited. Its interval is that of the mean over the parts (batch means), none
  // where there are fewer than 5: one job is one sample, so it says how steady this job was and not what another does.
  std::optional<Estimate> stall;    // nullopt if nothing was recorded
  std::vector<RecordedPart> parts;  // the course: up to 10, in their order
  RecordedBound bound = RecordedBound::kEmpty;
  std::string sentence;  // one to four sentences to act on
};

RecordedJudgement judge_recording(const Recording& job);

}  // namespace loadline
