#include "harness/file/result_reader.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "harness/file/json/cells.h"
#include "harness/file/json/run.h"
#include "harness/file/json/trials.h"
#include "harness/file/json/upgrade.h"
#include "harness/file/json/verdicts.h"
#include "harness/file/result_json.h"
#include "harness/machine/build_facts.h"
#include "harness/plan/settings.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

// "loadline 0.1.0", if the file has it.
std::string writer_of(JsonReader& top) {
  auto build = top.find("build");
  const auto version = build && build->kind() == JsonKind::kObject ? build->find("version") : std::nullopt;
  const bool known = version && version->kind() == JsonKind::kText;
  return known ? fmt::format("loadline {}", version->as_text()) : "another loadline";
}

// What else loadline writes, by the field that says so.
constexpr std::pair<std::string_view, std::string_view> kOtherFiles[] = {
    {"training_version", "a training run"},    {"scaling_schema_version", "a scaling study"},
    {"noise_schema_version", "a noise floor"}, {"job_schema_version", "a recorded job"},
    {"diff_schema_version", "a comparison"},   {"forecast_schema_version", "a forecast"}};

int version_of(JsonReader& top) {
  if (top.kind() != JsonKind::kObject) throw top.refusal("a result of loadline");
  auto found = top.find("schema_version");
  if (!found) {
    for (const auto& [field, what] : kOtherFiles) {
      if (top.find(field)) throw top.error(fmt::format("{}, not a result of `loadline run`", what));
    }
    throw top.error("not a result of loadline: it has no schema_version");
  }
  const auto version = found->as_whole();
  if (version >= kOldestSchemaVersion && version <= kSchemaVersion) return static_cast<int>(version);
  throw top.error(fmt::format("written by {} as schema version {}, but this is loadline {}, which reads {} to {}: {}",
                              writer_of(top), version, this_build().version, kOldestSchemaVersion, kSchemaVersion,
                              version > kSchemaVersion ? "use that version or a later one" : "no such version exists"));
}

// The document of `text`, with the fields of this version.
JsonDocument document_of(std::string_view text, const std::string& source) {
  JsonDocument document(text, source);
  JsonReader top(document);
  const int version = version_of(top);
  if (version < kSchemaVersion) document = JsonDocument(upgraded(text, version), source);
  document.set_schema_version(version);
  return document;
}

// Checks the parts of a result against each other.
class Checker {
 public:
  Checker(const Result& result, const std::string& source) : result_(result), source_(source) {}

  void check() const {
    if (result_.cells.empty()) refuse("cells: want at least one");
    check_datasets("cells", result_.cells);
    check_datasets("checks", result_.checks);
    check_settings();
    check_ceilings();
    check_monitor();
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw Error(fmt::format("{}: {}", source_, what)); }

  void check_index(const std::string& place, std::size_t index, std::size_t count) const {
    if (index >= count) refuse(fmt::format("{}: want an index below {}, got {}", place, count, index));
  }

  void check_datasets(std::string_view list, const std::vector<CellResult>& cells) const {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      check_index(fmt::format("{}[{}].dataset", list, i), cells[i].dataset, result_.datasets.size());
    }
  }

  void check_settings() const {
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < result_.cells.size(); ++i) {
      const auto [first, is_new] = known.emplace(key_of(result_.cells[i].cell), i);
      if (!is_new) refuse(fmt::format("cells[{}] has the settings of cells[{}]", i, first->second));
    }
  }

  void check_ceilings() const {
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < result_.ceilings.size(); ++i) {
      const CeilingResult& ceiling = result_.ceilings[i];
      const std::string place = fmt::format("ceilings[{}]", i);
      check_index(place + ".cell", ceiling.cell, result_.cells.size());
      if (ceiling.ceiling.dataset) check_index(place + ".dataset", *ceiling.ceiling.dataset, result_.datasets.size());
      const auto [first, is_new] = known.emplace(ceiling.ceiling.id(), i);
      if (!is_new) refuse(fmt::format("{} repeats ceilings[{}]", place, first->second));
    }
  }

  void check_monitor() const {
    if (!result_.monitor) return;
    const std::size_t samples = result_.monitor->times_seconds.size();
    for (std::size_t i = 0; i < result_.monitor->series.size(); ++i) {
      const std::size_t values = result_.monitor->series[i].values.size();
      if (values == samples) continue;
      refuse(fmt::format("monitor.series[{}].values: want {}, one for each time, got {}", i, samples, values));
    }
    // Each halving doubles the period; more would make it longer than any run.
    if (result_.monitor->halvings > 30) refuse("monitor.halvings: want at most 30");
  }

  const Result& result_;
  const std::string& source_;
};

// Earlier versions counted ceilings among a cell's bounds that a loader can exceed, such as gather-exchange.
void drop_what_does_not_bind(std::vector<CellResult>& cells, const std::vector<CeilingResult>& ceilings) {
  for (CellResult& cell : cells) {
    std::erase_if(cell.bounds, [&](std::size_t bound) { return !ceilings[bound].ceiling.kind->upper_bound; });
  }
}

}  // namespace

Result parse_result(std::string_view text, const std::string& source) {
  const JsonDocument document = document_of(text, source);
  JsonReader top(document);
  RecordReader json(top);
  Result result;
  run_fields(json, result);
  json.list("ceilings", result.ceilings, [](auto& inner, auto& ceiling) { ceiling_fields(inner, ceiling); });
  const CeilingIds ceilings(result.ceilings);
  json.list("cells", result.cells, [&](auto& inner, auto& cell) { cell_fields(inner, cell, ceilings); });
  json.list("checks", result.checks, [&](auto& inner, auto& cell) { cell_fields(inner, cell, ceilings); });
  drop_what_does_not_bind(result.cells, result.ceilings);
  drop_what_does_not_bind(result.checks, result.ceilings);
  json("search", result.search);
  best_fields(json, result);
  json("process", result.process);
  monitor_fields(json, result);
  // A program's own loop has no such options, and null would stand for what the tool runs by default.
  if (result.loop) {
    result.options.workloads.clear();
    result.options.loaders.clear();
  }
  Checker(result, source).check();
  return result;
}

Result load_result(const std::filesystem::path& path) {
  return parse_result(read_text(path), path.string());
}

}  // namespace loadline
