// What a sink did with its batches, for a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "synthetic/clock.h"

namespace loadline {

// A stay of a batch in a stage. On a track one ends before the next begins.
struct StepSpan {
  // Where it happens: on the thread that calls consume(), on the engine of a device that copies, or on the one that
  // computes.
  enum class Place : std::uint8_t { kConsumer, kCopies, kSteps };

  std::string_view name;  // "copy", "forward", ...; lives as long as the program
  Place place = Place::kConsumer;
  std::uint16_t device = 0;  // of several
  Time begin{};
  Time end{};
  std::uint64_t sequence = 0;  // of the batch
};

// In bounded memory. One thread.
class StepLog {
 public:
  // Allocates and faults in room for `most` spans.
  explicit StepLog(std::size_t most) : spans_(most) { spans_.clear(); }

  void add(const StepSpan& span) {
    if (spans_.size() < spans_.capacity()) {
      spans_.push_back(span);
    } else {
      ++lost_;
    }
  }
  std::span<const StepSpan> spans() const { return spans_; }
  std::uint64_t lost() const { return lost_; }  // for which there was no room

 private:
  std::vector<StepSpan> spans_;
  std::uint64_t lost_ = 0;
};

}  // namespace loadline
