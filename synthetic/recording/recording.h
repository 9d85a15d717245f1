// The recording of a job, batch by batch: how long each step waited for data, and how long it took. The Python
// package (loadline.record) writes it; reports and the `replay` compute read it. Plain data.
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

// Summary over all batches: percentiles are exact to 0.8 %, total and largest to the nanosecond.
struct RecordedTimes {
  double total_seconds = 0;
  double p50_seconds = 0;
  double p95_seconds = 0;
  double p99_seconds = 0;
  double max_seconds = 0;
};

// The batches in order. An entry is the sum over `batches_per_entry` consecutive batches; the last entry may have
// fewer.
struct RecordedSequence {
  std::uint64_t batches_per_entry = 1;
  std::vector<Time> waits;             // of the loop, for the batch
  std::vector<Time> steps;             // from getting a batch to requesting the next; as many as waits
  std::vector<std::uint64_t> samples;  // as many, or empty if samples were not counted
};

// Another loader that the same job iterated over, such as its validation loader.
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
  bool complete = false;                // it finished without an exception
  std::vector<std::string> arguments;
  std::string hostname;
  std::optional<std::string> cpu_model;
  std::size_t threads_in_force = 1;
  std::map<std::string, std::string> versions;  // of the interpreter and of libraries, by name

  std::string loader;                   // type of the object iterated over
  std::size_t workers = 0;              // processes or threads that it reports; 0: none, or not reported
  std::optional<std::size_t> prefetch;  // batches per worker
  // An accelerator was in use: steps may have continued after they returned, while the loop waited.
  bool asynchronous = false;
  std::uint64_t epochs = 0;              // passes begun
  std::uint64_t batches = 0;             // 0: nothing was recorded
  std::optional<std::uint64_t> samples;  // absent: not counted
  double wall_seconds = 0;               // duration of the passes: waits, steps and the recording itself
  double epoch_start_seconds = 0;        // waits for the first batch of each pass, including the creation of its
                                         // iterator
  RecordedTimes wait;
  RecordedTimes step;
  RecordedSequence sequence;
  std::vector<RecordedNeighbour> neighbours;
};

// Throws Error naming `source` and the place in it if the text is not a recording, or contradicts itself.
Recording parse_recording(std::string_view text, const std::string& source);

// parse_recording() for a file. Throws the same Error, and one naming the file if it cannot be read.
Recording load_recording(const std::filesystem::path& path);

// Whether the text is such a document, valid or not, of any version.
bool is_recording(std::string_view text);

}  // namespace loadline
