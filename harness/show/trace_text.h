// Traces of trials in the Trace Event Format, which Perfetto and chrome://tracing open ("Trace Event Format", N. Duca,
// D. Sinclair, Google, 2016; the form that is a JSON object).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/measure/trace.h"
#include "synthetic/clock.h"

namespace loadline {

// The metadata of one traced trial.
struct TraceFacts {
  std::string cell;
  std::size_t number = 0;
  double samples_per_second = 0;                // of this trial
  std::optional<double> of_counted_per_second;  // the mean of the counted trials of its cell; nullopt: it has none
  std::uint64_t slices = 0;                     // in the file
  std::uint64_t lost = 0;                       // that did not fit
};

// Writes a trace piece by piece: cells are processes; workers and the rest of a trial are their threads. Not for
// concurrent use.
class TraceText {
 public:
  // `write` takes the text from front to back. Times are relative to `start`.
  TraceText(std::function<void(std::string_view)> write, Time start);

  // Trials of a cell, identified by name, share a process. Returns the metadata that finish() will write.
  const TraceFacts& add(const TrialTrace& trace, std::optional<double> of_counted_per_second);
  // Writes the end of the document. The texts of `origin`, by name, come first in the metadata.
  void finish(const std::vector<std::pair<std::string, std::string>>& origin);

  const std::vector<TraceFacts>& facts() const { return facts_; }
  std::uint64_t events() const { return events_; }

 private:
  class Process;

  void put(std::string_view event);
  void flush(std::size_t least);

  std::function<void(std::string_view)> write_;
  const Time start_;
  std::string text_;                      // not written yet
  std::map<std::string, int> processes_;  // by name of the cell
  std::vector<TraceFacts> facts_;
  std::uint64_t events_ = 0;
  std::uint64_t flows_ = 0;
};

}  // namespace loadline
