#include "harness/file/json/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "harness/file/json/config.h"
#include "harness/file/json/facts.h"
#include "harness/file/json/trials.h"
#include "harness/file/json/verdicts.h"
#include "harness/file/json/word_fields.h"
#include "harness/plan/settings.h"

namespace loadline {
namespace {

// A sample that was left out.
struct Skipped {
  SampleIndex index = 0;
  std::string reason;
};

}  // namespace

void fields(auto& json, Record<Skipped> auto& skipped) {
  json("index", skipped.index);
  json("reason", skipped.reason);
}

namespace {

// A million reasons would bury the figures.
constexpr std::size_t kMostReasons = 64;

// A setting without an option of its name has no known type.
Json setting_form(const SettingRow& row) {
  const auto options = run_options();
  const auto option = std::ranges::find_if(options, [&](const OptionRow& one) { return key_of(one) == row.name; });
  Json form = option == options.end() ? Json::object() : option_form(*option);
  for (const char* const key : {"null", "axis", "help"}) form.erase(key);
  // Settings of loaders, of kinds of data and of some computes do not apply to a cell without any of these.
  const Cell without{.mode = Mode::kSynthetic, .compute = "drain"};
  if (row.read(without) == SettingValue()) form["null"] = true;
  if (row.late) form["late"] = true;
  form["setting"] = true;
  return form;
}

template <typename T>
SettingValue list_value(const JsonReader& from) {
  std::vector<T> values;
  read_value(from, values);
  return values;
}

// A path stays as it is, so that it can be opened; all other text is for people, and may come from anybody.
SettingValue setting_value(std::string_view name, const JsonReader& from) {
  switch (from.kind()) {
    case JsonKind::kNull: return {};
    case JsonKind::kBool: return from.as_bool();
    case JsonKind::kWhole: return std::size_t{from.as_whole()};
    case JsonKind::kNumber: return from.as_number();
    case JsonKind::kText: return name == "data" ? std::string(from.as_text()) : printable(from.as_text());
    case JsonKind::kList: break;
    case JsonKind::kObject: throw from.refusal("a setting");
  }
  bool whole = true;
  bool texts = from.items() > 0;
  from.each_item([&](const JsonReader& item, std::size_t /*index*/) {
    whole = whole && item.kind() == JsonKind::kWhole;
    texts = texts && item.kind() == JsonKind::kText;
  });
  return texts ? list_value<std::string>(from) : whole ? list_value<std::size_t>(from) : list_value<double>(from);
}

std::vector<Skipped> first_of(const std::map<SampleIndex, std::string>& skipped) {
  std::vector<Skipped> first;
  for (const auto& [index, reason] : skipped) {
    if (first.size() == kMostReasons) break;
    first.push_back({.index = index, .reason = reason});
  }
  return first;
}

constexpr std::array kStopped{Stopped::kTrials, Stopped::kInterval, Stopped::kMaxTrials, Stopped::kTimeLimit,
                              Stopped::kError};

std::map<SampleIndex, std::string> by_index(const std::vector<Skipped>& samples) {
  std::map<SampleIndex, std::string> skipped;
  for (const Skipped& sample : samples) skipped.emplace(sample.index, sample.reason);
  return skipped;
}

void skipped_fields(auto& json, auto& cell) {
  json.converted("samples", cell.skipped, first_of, by_index);
  json.converted(
      "count", cell.skipped_unnamed, [&](std::size_t unnamed) { return cell.skipped.size() + unnamed; },
      [&](std::size_t count) {
        if (count >= cell.skipped.size()) return count - cell.skipped.size();
        throw Error(fmt::format("want at least the {} samples that are listed, got {}", cell.skipped.size(), count));
      });
}

// The compute's description of itself, which is the same in all trials of one run. Trials of several runs may have
// several: all are kept, and trials that are read back have all of them.
std::optional<std::string> description_of(const CellResult& cell) {
  std::string all;
  for (const Trial& trial : cell.trials) {
    const std::string& one = trial.compute_description;
    if (all.find(one) != std::string::npos) continue;
    all = one.find(all) != std::string::npos ? one : fmt::format("{}; in other trials: {}", all, one);
  }
  return all.empty() ? std::nullopt : std::optional(std::move(all));
}

void describe(const std::vector<Trial>& /*trials*/, const std::optional<std::string>& /*description*/) {}
void describe(std::vector<Trial>& trials, const std::optional<std::string>& description) {
  for (Trial& trial : trials) trial.compute_description = description.value_or("");
}

std::vector<std::size_t> throttled_trials(const CellResult& cell) {
  std::vector<std::size_t> throttled;
  for (std::size_t i = 0; i < cell.trials.size(); ++i) {
    if (cell.trials[i].throttled()) throttled.push_back(i);
  }
  return throttled;
}

std::vector<std::string> names_of_bounds(const std::vector<std::size_t>& bounds, const CeilingIds& ceilings) {
  std::vector<std::string> names;
  for (const std::size_t i : bounds) names.push_back(ceilings.ids[i]);
  return names;
}

std::vector<std::size_t> bounds_named(const std::vector<std::string>& names, const CeilingIds& ceilings) {
  std::vector<std::size_t> bounds;
  for (const std::string& name : names) {
    const auto found = ceilings.indices.find(name);
    if (found == ceilings.indices.end()) throw Error(fmt::format("want ids of ceilings, got '{}'", name));
    bounds.push_back(found->second);
  }
  return bounds;
}

// `summary` is its judgement; empty when reading.
void cell_fields_of(auto& json, auto& cell, const CeilingIds& ceilings, const CellSummary& summary) {
  setting_fields(json, cell.cell);
  json("dataset", cell.dataset);
  none_as_null(json, "prefetch_in_force", cell.prefetch);
  json("slots", cell.slots);
  json("slot_bytes", cell.slot_bytes);
  json("compute_bytes", cell.compute_bytes);
  json.late("shuffle", cell.shuffle);
  auto description = description_of(cell);
  json("compute_description", description);
  json.object("skipped", [&](auto& inner) { skipped_fields(inner, cell); });
  json("error", cell.error);
  word_or_null(json, "stopped", cell.stopped, kStopped);
  json.derived("samples_per_second", [&] { return summary.samples_per_second; });
  json.late_derived("tokens_per_second", summary.tokens_per_second);
  json.late_derived("padding_share", summary.padding_share);
  json.late_derived("cut_share", summary.cut_share);
  json.converted(
      "bounds", cell.bounds, [&](const auto& bounds) { return names_of_bounds(bounds, ceilings); },
      [&](const auto& names) { return bounds_named(names, ceilings); });
  json.derived("ceiling", [&] { return summary.load_line; });
  json.derived("outlier_trials", [&] { return summary.outliers; });
  json.late_list("throttled_trials", [&] { return throttled_trials(cell); });
  json("first_epoch", cell.first_epoch);
  json("trials", cell.trials);
  describe(cell.trials, description);
}

// `cells`: null when reading, where they are not known yet.
void ceiling_fields_of(auto& json, auto& result, const std::optional<Summary>& summary,
                       const std::vector<CellResult>* cells) {
  auto& ceiling = result.ceiling;
  json.derived("id", [&] { return ceiling.id(); });
  json.converted(
      "kind", ceiling.kind, [](const CeilingKind* kind) { return std::string(kind->name); },
      [](const std::string& kind) { return &ceiling_kind_named(kind); });
  json.derived("unit", [&] { return name(ceiling.kind->unit); });
  json.derived("upper_bound", [&] { return ceiling.kind->upper_bound; });
  json.positive("threads", ceiling.threads);
  json.since(4, "cpus", ceiling.cpus);
  json.since(4, "giver_cpus", ceiling.giver_cpus);
  none_as_null(json, "workload", ceiling.workload);
  json("dataset", ceiling.dataset);
  json("further", ceiling.further);
  json.derived("dtype", [&] {
    const bool of_batches = ceiling.batch_size > 0;
    return of_batches ? std::optional(name((*cells)[result.cell].cell.transform.dtype)) : std::nullopt;
  });
  none_as_null(json, "batch_size", ceiling.batch_size);
  json.late("request_bytes", ceiling.request_bytes);
  late_word(json, "request_order", ceiling.request_order, std::array{RequestOrder::kStored, RequestOrder::kRandom});
  json("cell", result.cell);
  json("error", result.error);
  json.derived("per_second", [&] { return summary; });
  json("trials", result.trials);
}

}  // namespace

void setting_fields(RecordWriter& json, const Cell& cell) {
  json.derived("name", [&] { return cell.name(); });
  json("axes", cell.axes);
  for (const SettingRow& row : settings()) {
    json.of_table(
        row.name, [&] { return setting_form(row); },
        [&] { return std::visit([](const auto& value) { return json_of(value); }, row.read(cell)); });
  }
}

void setting_fields(RecordReader& json, Cell& cell) {
  json("axes", cell.axes);
  for (const SettingRow& row : settings()) {
    // The first files of version 4 lack what was added to it later.
    const auto member = row.late ? json.object().find(row.name) : json.object().member(row.name);
    if (!member) continue;
    const auto value = setting_value(row.name, *member);  // its refusals name the place already
    try {
      row.write(cell, value);
    } catch (const Error& error) {
      throw member->error(error.what());
    }
  }
  const auto check = [&](std::string_view key, std::size_t value) {
    if (value == 0) throw json.object().member(key).refusal("a number above 0");
  };
  check("batch_size", cell.sampler.batch_size);
  check("world_size", cell.sampler.world_size);
  if (uses_loader(cell.mode) && !cell.loader) {
    throw json.object().error(fmt::format("{} needs a loader", name(cell.mode)));
  }
}

CeilingIds::CeilingIds(const std::vector<CeilingResult>& ceilings) {
  for (const CeilingResult& ceiling : ceilings) {
    indices.emplace(ceiling.ceiling.id(), ids.size());
    ids.push_back(ceiling.ceiling.id());
  }
}

void cell_fields(RecordWriter& json, const CellResult& cell, const CeilingIds& ceilings, const CellSummary& summary) {
  cell_fields_of(json, cell, ceilings, summary);
}
void cell_fields(RecordReader& json, CellResult& cell, const CeilingIds& ceilings) {
  cell_fields_of(json, cell, ceilings, {});
}

void ceiling_fields(RecordWriter& json, const CeilingResult& ceiling, const std::optional<Summary>& summary,
                    const std::vector<CellResult>& cells) {
  ceiling_fields_of(json, ceiling, summary, &cells);
}
void ceiling_fields(RecordReader& json, CeilingResult& ceiling) {
  ceiling_fields_of(json, ceiling, std::nullopt, nullptr);
}

}  // namespace loadline
