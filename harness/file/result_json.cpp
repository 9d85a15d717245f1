#include "harness/file/result_json.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "harness/file/json/cells.h"
#include "harness/file/json/run.h"
#include "harness/file/json/trials.h"
#include "harness/file/json/verdicts.h"
#include "harness/result/counted.h"

namespace loadline {
namespace {

// Records of one list, each with what is judged of it.
template <typename Records, typename Fields>
Json records_of(const Records& records, Fields its_fields) {
  Json list = Json::array();
  for (std::size_t i = 0; i < records.size(); ++i) {
    RecordWriter json;
    its_fields(json, records[i], i);
    list.push_back(json.take());
  }
  return list;
}

// What Google Benchmark's own files have, as far as its compare.py looks at it.
void context_fields(RecordWriter& json, const Result& result) {
  const Machine& machine = result.environment.machine;
  json("date", result.started);
  json("host_name", machine.hostname);
  json("executable", result.arguments.empty() ? "loadline" : result.arguments.front());
  json("num_cpus", machine.threads_in_force);
  json("library_build_type", result.environment.build.build_type);
}

// One row a trial that counts, all of a cell under one name. Time is that of a batch, so lower is better.
void append_benchmark_rows(const CellResult& cell, Json& rows) {
  const std::string cell_name = cell.cell.name();
  const auto repetitions = static_cast<std::size_t>(std::ranges::distance(counted(cell.trials)));
  for (std::size_t i = 0; i < cell.trials.size(); ++i) {
    const Trial& trial = cell.trials[i];
    if (trial.pilot) continue;
    const auto batches = static_cast<double>(trial.batches);
    const double cpu_seconds = trial.usage.user_cpu_seconds + trial.usage.system_cpu_seconds;
    RecordWriter row;
    row("name", cell_name);
    row("run_name", cell_name);
    row("run_type", "iteration");
    row("repetitions", repetitions);
    row("repetition_index", i);
    row("threads", std::max<std::size_t>(1, cell.cell.workers));
    row("iterations", trial.batches);
    row("real_time", trial.wall_seconds / batches * 1e6);
    row("cpu_time", cpu_seconds / batches * 1e6);
    row("time_unit", "us");
    row("items_per_second", trial.samples_per_second());
    row("bytes_per_second", static_cast<double>(trial.bytes) / trial.wall_seconds);
    rows.push_back(row.take());
  }
}

Json benchmarks_of(const Result& result) {
  Json rows = Json::array();
  for (const CellResult& cell : result.cells) append_benchmark_rows(cell, rows);
  return rows;
}

}  // namespace

std::string config_hash(const Result& result) {
  Json hashed = json_of(result.options);
  for (const char* const key : {"output", "quiet", "monitor", "counters"}) hashed.erase(key);
  for (const CellResult& cell : result.cells) hashed["cells"].push_back(settings_json(cell.cell));
  const std::string text = text_of(hashed, -1);
  return hex(XXH3_64bits(text.data(), text.size()));
}

std::string result_json(const Result& result, const Judgement& judgement) {
  RecordWriter json;
  json("schema_version", kSchemaVersion);
  run_fields(json, result);
  const CeilingIds ceilings(result.ceilings);
  json("cells", records_of(result.cells, [&](RecordWriter& inner, const CellResult& cell, std::size_t i) {
         cell_fields(inner, cell, ceilings, judgement.cells[i]);
       }));
  json("ceilings", records_of(result.ceilings, [&](RecordWriter& inner, const CeilingResult& ceiling, std::size_t i) {
         ceiling_fields(inner, ceiling, judgement.ceilings[i], result.cells);
       }));
  json("checks", records_of(result.checks, [&](RecordWriter& inner, const CellResult& cell, std::size_t i) {
         cell_fields(inner, cell, ceilings, judgement.checks[i]);
       }));
  json("configurations", records_of(judgement.configurations,
                                    [&](RecordWriter& inner, const Configuration& configuration, std::size_t /*i*/) {
                                      configuration_fields(inner, configuration, result);
                                    }));
  json("curves", records_of(judgement.curves, [&](RecordWriter& inner, const Curve& curve, std::size_t /*i*/) {
         curve_fields(inner, curve, result);
       }));
  json("headlines", judgement.headlines);
  json("predictions", judgement.predictions);
  json("search", result.search);
  best_fields(json, result);
  json("process", result.process);
  monitor_fields(json, result);
  json("warnings", judgement.warnings);
  json.object("context", [&](RecordWriter& inner) { context_fields(inner, result); });
  json("benchmarks", benchmarks_of(result));
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
    // The same again must not replace the result it is the same as.
    options.output = own_output;
    return;
  }
  RecordReader json(object);
  fields(json, options);
}

}  // namespace loadline
