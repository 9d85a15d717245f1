// What was noted of a job while it ran, batch by batch: how long its step waited for data, and how long it took.
// Written by the Python package (loadline.record), read by reports and by what plays a job again. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synthetic/clock.h"

namespace loadline {

inline constexpr int kJobSchemaVersion = 1;

// Of all batches, however many there were: percentiles are exact to 0.8 %, total and largest to the nanosecond.
struct RecordedTimes {
  double total_seconds = 0;
  double p50_seconds = 0;
  double p95_seconds = 0;
  double p99_seconds = 0;
  double max_seconds = 0;
};

// The batches in their order. An entry is the sum over `batches_per_entry` batches that followed each other; the last
// one may have fewer.
struct RecordedSequence {
  std::uint64_t batches_per_entry = 1;
  std::vector<Time> waits;             // of the loop, for the batch
  std::vector<Time> steps;             // from the batch in hand to the asking for the next one; as many as waits
  std::vector<std::uint64_t> samples;  // as many, or empty if they were not counted
};

// A further loader that the same job iterated over, such as that of its validation.
struct RecordedNeighbour {
  std::string loader;
  std::uint64_t batches = 0;
  double wait_seconds = 0;
  double step_seconds = 0;
};

struct Recording {
  std::string run_id;
  std::string started;                  // ISO 8601, UTC
  std::optional<std::string> finished;  // nullopt: it was still running, or was killed
  bool complete = false;                // it came to its end, rather than to an exception
  std::vector<std::string> arguments;
  std::string hostname;
  std::optional<std::string> cpu_model;
  std::size_t threads_in_force = 1;
  std::map<std::string, std::string> versions;  // of the interpreter and of libraries, by name

  std::string loader;                   // what was iterated over, by its type
  std::size_t workers = 0;              // processes or threads that it says to have; 0: none, or it does not say
  std::optional<std::size_t> prefetch;  // batches a worker
  // An accelerator was in use: steps may have gone on after they returned, and while the loop waited.
  bool asynchronous = false;
  std::uint64_t epochs = 0;              // passes that were begun
  std::uint64_t batches = 0;             // 0: nothing was recorded
  std::optional<std::uint64_t> samples;  // absent: not counted
  double wall_seconds = 0;               // of the passes: waits, steps, and the recording itself
  double epoch_start_seconds = 0;        // waits for the first batch of each pass, with the making of its iterator
  RecordedTimes wait;
  RecordedTimes step;
  RecordedSequence sequence;
  std::vector<RecordedNeighbour> neighbours;
};

// Throws Error naming `source` and the place in it where the text is no recording, or contradicts itself.
Recording parse_recording(std::string_view text, const std::string& source);

// parse_recording() of a file. Throws Error as that, and naming the file where it cannot be read.
Recording load_recording(const std::filesystem::path& path);

// Whether the text is such a document, sound or not, of whatever version.
bool is_recording(std::string_view text);

}  // namespace loadline
