// JSON of a whole run, except its cells, its ceilings and their judgements.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "harness/file/json/config.h"
#include "harness/file/json/facts.h"
#include "harness/file/json/record.h"
#include "harness/file/json/word_fields.h"
#include "harness/result/result.h"

namespace loadline {

// Numbers that are not known are NaN in memory and null in the file.
inline std::vector<std::optional<double>> known_or_null(const std::vector<double>& values) {
  std::vector<std::optional<double>> stored;
  stored.reserve(values.size());
  for (const double value : values) stored.push_back(std::isnan(value) ? std::nullopt : std::optional(value));
  return stored;
}
inline std::vector<double> known_or_nan(const std::vector<std::optional<double>>& stored) {
  std::vector<double> values;
  values.reserve(stored.size());
  for (const auto& value : stored) values.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
  return values;
}

void fields(auto& json, Record<LoopFacts> auto& loop) {
  json("loader", loop.loader);
  json.object("versions", [&](auto& inner) { versions_fields(inner, loop.versions); });
  json("restarts", loop.restarts);
  json("resident_batches", loop.resident_batches);
  json("samples_by", loop.samples_by);
  json("accelerator", loop.accelerator);
  json("starts_together", loop.starts_together);
  json("busy_starts", loop.busy_starts);
}

void fields(auto& json, Record<RankPlace> auto& place) {
  json("host", place.host);
  json("cpus", place.cpus);
  json("dealt", place.dealt);
}

void fields(auto& json, Record<RunRanks> auto& ranks) {
  json("launcher", ranks.launcher);
  json("library", ranks.library);
  json("clock_error_seconds", ranks.clock_error_seconds);
  json("places", ranks.places);
}

// XXH3 of what the run was requested to measure.
std::string config_hash(const Result& result);

void fields(auto& json, Record<CounterFacts> auto& counters) {
  json("user_mode_only", counters.user_mode_only);
  json("refusal", counters.refusal);
}

void fields(auto& json, Record<MonitorSeries> auto& series) {
  json("name", series.name);
  json("of", series.of);
  json("unit", series.unit);
  json("source", series.source);
  json.converted(
      "values", series.values, [](const std::vector<double>& values) { return known_or_null(values); },
      [](const std::vector<std::optional<double>>& values) { return known_or_nan(values); });
}

void fields(auto& json, Record<MonitorRecord> auto& monitor) {
  json.positive("period_seconds", monitor.period_seconds);
  json("halvings", monitor.halvings);
  json("cpu_seconds", monitor.cpu_seconds);
  json("times_seconds", monitor.times_seconds);
  json("series", monitor.series);
}

// Comes last, because it may be longer than everything else.
void monitor_fields(auto& json, Record<Result> auto& result) {
  json.late("counters", result.counters);
  json.late("monitor", result.monitor);
}

void run_fields(auto& json, Record<Result> auto& result) {
  json("run_id", result.run_id);
  word(json, "status", result.status, std::array{Status::kPartial, Status::kComplete});
  json("started", result.started);
  json("finished", result.finished);
  json("resumed", result.resumed);
  json("argv", result.arguments);
  json("merged_from", result.merged_from);
  json("config", result.options);
  json.derived("config_hash", [&] { return config_hash(result); });
  json.late("divided_configurations", result.divided_configurations);
  json("build", result.environment.build);
  json.since(4, "other_builds", result.other_builds);
  json("machine", result.environment.machine);
  json("job", result.environment.job);
  json("kernels", result.kernels);
  json.late("memory", result.memory);
  json.late("loop", result.loop);
  json.late("ranks", result.ranks);
  json("datasets", result.datasets);
  json.late("loaders", result.loaders);
  json.late("named_files", result.named_files);
}

}  // namespace loadline
