#include "harness/file/result_json.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/file/json/cells.h"
#include "harness/file/json/run.h"
#include "harness/file/json/trials.h"
#include "harness/file/json/verdicts.h"
#include "harness/result/counted.h"

namespace loadline {
namespace {

// The parts of Google Benchmark's own files that its compare.py reads.
void context_fields(RecordWriter& json, const Result& result) {
  const Machine& machine = result.environment.machine;
  json("date", result.started);
  json("host_name", machine.hostname);
  json("executable", result.arguments.empty() ? "loadline" : result.arguments.front());
  json("num_cpus", machine.threads_in_force);
  json("library_build_type", result.environment.build.build_type);
}

// One row per counted trial; those of a cell share a name. The time is per batch, so lower is better.
struct BenchmarkRow {
  std::string name;
  std::size_t repetitions = 0;
  std::size_t repetition = 0;
  std::size_t threads = 1;
  std::uint64_t iterations = 0;
  double real_time_us = 0;
  double cpu_time_us = 0;
  double items_per_second = 0;
  double bytes_per_second = 0;
};

void benchmark_fields(RecordWriter& json, const BenchmarkRow& row) {
  json("name", row.name);
  json("run_name", row.name);
  json("run_type", "iteration");
  json("repetitions", row.repetitions);
  json("repetition_index", row.repetition);
  json("threads", row.threads);
  json("iterations", row.iterations);
  json("real_time", row.real_time_us);
  json("cpu_time", row.cpu_time_us);
  json("time_unit", "us");
  json("items_per_second", row.items_per_second);
  json("bytes_per_second", row.bytes_per_second);
}

std::vector<BenchmarkRow> benchmarks_of(const Result& result) {
  std::vector<BenchmarkRow> rows;
  for (const CellResult& cell : result.cells) {
    const std::size_t repetitions = count_of(cell.trials);
    std::size_t repetition = 0;
    for (const Trial& trial : counted(cell.trials)) {
      const auto batches = static_cast<double>(trial.batches);
      const double cpu_seconds = trial.usage.user_cpu_seconds + trial.usage.system_cpu_seconds;
      rows.push_back({.name = cell.cell.name(),
                      .repetitions = repetitions,
                      .repetition = repetition++,
                      .threads = std::max<std::size_t>(1, cell.cell.workers),
                      .iterations = trial.batches,
                      .real_time_us = trial.wall_seconds / batches * 1e6,
                      .cpu_time_us = cpu_seconds / batches * 1e6,
                      .items_per_second = trial.samples_per_second(),
                      .bytes_per_second = static_cast<double>(trial.bytes) / trial.wall_seconds});
    }
  }
  return rows;
}

void write_result(RecordWriter& json, const Result& result, const Judgement& judgement) {
  json("schema_version", kSchemaVersion);
  run_fields(json, result);
  const CeilingIds ceilings(result.ceilings);
  json.list("cells", result.cells, [&](RecordWriter& inner, const CellResult& cell, std::size_t i) {
    cell_fields(inner, cell, ceilings, judgement.cells[i]);
  });
  json.list("ceilings", result.ceilings, [&](RecordWriter& inner, const CeilingResult& ceiling, std::size_t i) {
    ceiling_fields(inner, ceiling, judgement.ceilings[i], result.cells);
  });
  json.list("checks", result.checks, [&](RecordWriter& inner, const CellResult& cell, std::size_t i) {
    cell_fields(inner, cell, ceilings, judgement.checks[i]);
  });
  json.list("configurations", judgement.configurations, [&](RecordWriter& inner, const Configuration& configuration) {
    configuration_fields(inner, configuration, result);
  });
  json.list("curves", judgement.curves,
            [&](RecordWriter& inner, const Curve& curve) { curve_fields(inner, curve, result); });
  json("headlines", judgement.headlines);
  json("predictions", judgement.predictions);
  json("search", result.search);
  best_fields(json, result);
  json("process", result.process);
  monitor_fields(json, result);
  json("warnings", judgement.warnings);
  json.object("context", [&](RecordWriter& inner) { context_fields(inner, result); });
  json.list("benchmarks", benchmarks_of(result), benchmark_fields);
}

}  // namespace

std::string config_hash(const Result& result) {
  Json hashed = json_of(result.options);
  for (const char* const key : {"output", "quiet", "monitor", "counters"}) hashed.erase(key);
  for (const CellResult& cell : result.cells) {
    RecordWriter settings;
    setting_fields(settings, cell.cell);
    hashed["cells"].push_back(settings.take());
  }
  const std::string text = text_of(hashed, -1);
  return hex(XXH3_64bits(text.data(), text.size()));
}

std::string result_json(const Result& result, const Judgement& judgement) {
  RecordWriter json;
  write_result(json, result, judgement);
  return text_of(json.take(), 1) + '\n';
}

std::string result_outline() {
  Judgement one_of_each;
  one_of_each.cells.emplace_back();
  one_of_each.checks.emplace_back();
  one_of_each.ceilings.emplace_back();
  RecordWriter json = RecordWriter::outlining();
  write_result(json, Result(), one_of_each);
  return text_of(json.take(), 1) + '\n';
}

std::string config_json(const RunOptions& options) {
  return text_of(json_of(options), 2) + '\n';
}

void apply_config(std::string_view text, const std::string& source, RunOptions& options) {
  const JsonDocument document(text, source, Error::Kind::kUsage);
  JsonReader object(document);
  if (object.kind() != JsonKind::kObject) throw object.error("want an object of options");
  const std::string own_output = options.output;
  if (auto config = object.find("config")) {
    RecordReader json(*config);
    fields(json, options);
    // A repetition must not replace the result that it repeats.
    options.output = own_output;
    return;
  }
  RecordReader json(object);
  fields(json, options);
}

}  // namespace loadline
