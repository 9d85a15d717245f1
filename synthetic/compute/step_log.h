// Records what a sink does with its batches, for a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "synthetic/clock.h"
#include "synthetic/compute/compute.h"

namespace loadline {

// The time of a batch in a stage. On one track, each span ends before the next begins.
struct StepSpan {
  // Where it happens: on the thread that calls consume(), on a device's copy engine, or on its compute engine.
  enum class Place : std::uint8_t { kConsumer, kCopies, kSteps };

  std::string_view name;  // "copy", "forward", ...; lives as long as the program
  Place place = Place::kConsumer;
  std::uint16_t device = 0;  // its number, if there are several
  Time begin{};
  Time end{};
  std::uint64_t sequence = 0;  // of its batch
};

// The spans, in bounded memory. One thread.
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
  std::uint64_t lost() const { return lost_; }  // spans that did not fit

 private:
  std::vector<StepSpan> spans_;
  std::uint64_t lost_ = 0;
};

// Adds the time of `work` to the stage and, if there is a log, a span of the batch with this number to it.
template <typename Work>
void time_stage(const Clock& clock, StageTime& stage, std::uint64_t sequence, StepLog* log, const Work& work) {
  const Time begin = clock.now();
  work();
  const Time end = clock.now();
  stage.total += end - begin;
  ++stage.hits;
  if (log != nullptr) log->add({.name = stage.name, .begin = begin, .end = end, .sequence = sequence});
}

}  // namespace loadline
