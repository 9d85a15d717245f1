#include "synthetic/recording/recording.h"

#include <fmt/format.h>

#include <cmath>

#include "loaders/error.h"
#include "loaders/json/document.h"
#include "loaders/printable.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

constexpr std::uint64_t kMostNanoseconds = std::uint64_t{1} << 53;  // 104 days, and exact as a double

// It is for people, and may come from anybody.
std::string text_of(const JsonReader& value) {
  return printable(value.as_text());
}

bool is_null(const JsonReader& value) {
  return value.kind() == JsonKind::kNull;
}

double seconds_of(const JsonReader& value) {
  const double seconds = value.as_number();
  if (!(seconds >= 0)) throw value.refusal("seconds of at least 0");
  return seconds;
}

RecordedTimes times_of(JsonReader object) {
  RecordedTimes times;
  times.total_seconds = seconds_of(object.member("total_seconds"));
  times.p50_seconds = seconds_of(object.member("p50_seconds"));
  times.p95_seconds = seconds_of(object.member("p95_seconds"));
  times.p99_seconds = seconds_of(object.member("p99_seconds"));
  times.max_seconds = seconds_of(object.member("max_seconds"));
  return times;
}

std::vector<std::uint64_t> wholes_of(const JsonReader& list, std::uint64_t most) {
  std::vector<std::uint64_t> values;
  values.reserve(list.items());
  list.each_item([&](const JsonReader& item, std::size_t /*index*/) { values.push_back(item.as_whole(most)); });
  return values;
}

std::vector<Time> times_in(const JsonReader& list) {
  std::vector<Time> times;
  for (const std::uint64_t nanoseconds : wholes_of(list, kMostNanoseconds)) {
    times.emplace_back(static_cast<Time::rep>(nanoseconds));
  }
  return times;
}

RecordedSequence sequence_of(JsonReader object, std::uint64_t batches) {
  RecordedSequence sequence;
  const JsonReader each = object.member("batches_per_entry");
  sequence.batches_per_entry = each.as_whole();
  if (sequence.batches_per_entry == 0) throw each.refusal("a number above 0");
  const std::uint64_t entries = batches / sequence.batches_per_entry + (batches % sequence.batches_per_entry != 0);
  const auto check = [&](const JsonReader& list) {
    if (list.items() == entries) return;
    throw list.error(fmt::format("want {} entries for {} batches, got {}", entries, batches, list.items()));
  };
  const JsonReader waits = object.member("wait_nanoseconds");
  sequence.waits = times_in(waits);
  check(waits);
  const JsonReader steps = object.member("step_nanoseconds");
  sequence.steps = times_in(steps);
  check(steps);
  const JsonReader samples = object.member("samples");
  if (is_null(samples)) return sequence;
  sequence.samples = wholes_of(samples, kMostNanoseconds);
  check(samples);
  return sequence;
}

RecordedNeighbour neighbour_of(JsonReader object) {
  RecordedNeighbour neighbour;
  neighbour.loader = text_of(object.member("loader"));
  neighbour.batches = object.member("batches").as_whole();
  neighbour.wait_seconds = seconds_of(object.member("wait_seconds"));
  neighbour.step_seconds = seconds_of(object.member("step_seconds"));
  return neighbour;
}

void check_version(JsonReader& top) {
  auto version = top.kind() == JsonKind::kObject ? top.find("job_schema_version") : std::nullopt;
  if (!version) throw top.error("not a job recorded by loadline.record");
  if (version->as_whole() == kJobSchemaVersion) return;
  throw top.error(fmt::format("written by another loadline, job schema version {}; this one reads {}",
                              version->as_whole(), kJobSchemaVersion));
}

bool is_complete(const JsonReader& status) {
  const std::string_view word = status.as_text();
  if (word != "complete" && word != "partial") throw status.refusal("complete or partial");
  return word == "complete";
}

}  // namespace

Recording parse_recording(std::string_view text, const std::string& source) {
  const JsonDocument document(text, source);
  JsonReader top(document);
  check_version(top);
  Recording job;
  job.run_id = text_of(top.member("run_id"));
  job.complete = is_complete(top.member("status"));
  job.started = text_of(top.member("started"));
  if (const JsonReader finished = top.member("finished"); !is_null(finished)) job.finished = text_of(finished);
  top.member("argv").each_item(
      [&](const JsonReader& item, std::size_t /*index*/) { job.arguments.push_back(text_of(item)); });
  job.hostname = text_of(top.member("hostname"));
  if (const JsonReader model = top.member("cpu_model"); !is_null(model)) job.cpu_model = text_of(model);
  job.threads_in_force = top.member("threads_in_force").as_whole();
  top.member("versions").each_member([&](std::string_view name, const JsonReader& version) {
    job.versions[printable(name)] = text_of(version);
  });
  job.loader = text_of(top.member("loader"));
  job.workers = top.member("workers").as_whole();
  if (const JsonReader prefetch = top.member("prefetch"); !is_null(prefetch)) job.prefetch = prefetch.as_whole();
  job.asynchronous = top.member("asynchronous").as_bool();
  job.epochs = top.member("epochs").as_whole();
  job.batches = top.member("batches").as_whole();
  if (const JsonReader samples = top.member("samples"); !is_null(samples)) job.samples = samples.as_whole();
  job.wall_seconds = seconds_of(top.member("wall_seconds"));
  job.epoch_start_seconds = seconds_of(top.member("epoch_start_seconds"));
  job.wait = times_of(top.member("wait"));
  job.step = times_of(top.member("step"));
  top.member("neighbours").each_item([&](const JsonReader& item, std::size_t /*index*/) {
    job.neighbours.push_back(neighbour_of(item));
  });
  job.sequence = sequence_of(top.member("sequence"), job.batches);
  return job;
}

Recording load_recording(const std::filesystem::path& path) {
  return parse_recording(read_text(path), path.string());
}

bool is_recording(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return false;
  if (text.find("\"job_schema_version\"") == std::string_view::npos) return false;  // most are results
  try {
    const JsonDocument document(text, "");
    JsonReader top(document);
    return top.kind() == JsonKind::kObject && top.find("job_schema_version").has_value();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace loadline
