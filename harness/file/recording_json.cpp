#include "harness/file/recording_json.h"

#include "harness/file/json/record.h"

namespace loadline {

void fields(RecordWriter& json, const RecordedTimes& times) {
  json("total_seconds", times.total_seconds);
  json("p50_seconds", times.p50_seconds);
  json("p95_seconds", times.p95_seconds);
  json("p99_seconds", times.p99_seconds);
  json("max_seconds", times.max_seconds);
}

void fields(RecordWriter& json, const RecordedNeighbour& neighbour) {
  json("loader", neighbour.loader);
  json("batches", neighbour.batches);
  json("wait_seconds", neighbour.wait_seconds);
  json("step_seconds", neighbour.step_seconds);
}

void fields(RecordWriter& json, const Recording& job) {
  json("job_schema_version", kJobSchemaVersion);
  json("run_id", job.run_id);
  json("status", job.complete ? "complete" : "partial");
  json("started", job.started);
  json("finished", job.finished);
  json("argv", job.arguments);
  json("hostname", job.hostname);
  json("cpu_model", job.cpu_model);
  json("threads_in_force", job.threads_in_force);
  json.object("versions", [&](RecordWriter& versions) {
    for (const auto& [name, version] : job.versions) versions(name, version);
  });
  json("loader", job.loader);
  json("workers", job.workers);
  json("prefetch", job.prefetch);
  json("asynchronous", job.asynchronous);
  json("epochs", job.epochs);
  json("batches", job.batches);
  json("samples", job.samples);
  json("wall_seconds", job.wall_seconds);
  json("epoch_start_seconds", job.epoch_start_seconds);
  json("wait", job.wait);
  json("step", job.step);
  json("neighbours", job.neighbours);
}

namespace {

Json nanoseconds_of(const std::vector<Time>& times) {
  Json list = Json::array();
  for (const Time time : times) list.push_back(time.count());
  return list;
}

}  // namespace

std::string recording_json(const Recording& job) {
  RecordWriter json;
  fields(json, job);
  std::string text = text_of(json.take(), 2);
  text.erase(text.rfind('\n'));  // and the brace behind it
  const RecordedSequence& sequence = job.sequence;
  const Json samples = sequence.samples.empty() ? Json(nullptr) : Json(sequence.samples);
  text += ",\n  \"sequence\": {\n    \"batches_per_entry\": " + text_of(sequence.batches_per_entry, -1);
  text += ",\n    \"wait_nanoseconds\": " + text_of(nanoseconds_of(sequence.waits), -1);
  text += ",\n    \"step_nanoseconds\": " + text_of(nanoseconds_of(sequence.steps), -1);
  text += ",\n    \"samples\": " + text_of(samples, -1);
  return text + "\n  }\n}\n";
}

}  // namespace loadline
