#include "harness/file/json/cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/file/json/facts.h"
#include "harness/file/json/verdicts.h"
#include "harness/plan/settings.h"
#include "harness/result/rank_trials.h"

namespace loadline {
namespace {

// A sample that was left out.
struct Skipped {
  SampleIndex index = 0;
  std::string reason;
};

constexpr std::array kStores{Stores::kCached, Stores::kStreaming};

}  // namespace

// `peak_rss_since`: the version from which on the peak is that of what the usage is of.
void usage_fields_of(auto& json, auto& usage, int peak_rss_since) {
  json("user_cpu_seconds", usage.user_cpu_seconds);
  json("system_cpu_seconds", usage.system_cpu_seconds);
  json("minor_faults", usage.minor_faults);
  json("major_faults", usage.major_faults);
  json("voluntary_switches", usage.voluntary_switches);
  json("involuntary_switches", usage.involuntary_switches);
  json.since(4, "run_delay_seconds", usage.run_delay_seconds);
  json.since(4, "blocked_io_seconds", usage.blocked_io_seconds);
  json.since(4, "steal_seconds", usage.steal_seconds);
  json.since(4, "throttled_seconds", usage.throttled_seconds);
  json("device_read_bytes", usage.device_read_bytes);
  json("rss_bytes", usage.rss_bytes);
  json.since(peak_rss_since, "peak_rss_bytes", usage.peak_rss_bytes);
}

void fields(auto& json, Record<Skipped> auto& skipped) {
  json("index", skipped.index);
  json("reason", skipped.reason);
}

void fields(auto& json, Record<WaitSummary> auto& wait) {
  json("total_seconds", wait.total_seconds);
  json("p50_seconds", wait.p50_seconds);
  json("p95_seconds", wait.p95_seconds);
  json("p99_seconds", wait.p99_seconds);
  json("max_seconds", wait.max_seconds);
}

void fields(auto& json, Record<Fill> auto& fill) {
  json.positive("wall_seconds", fill.wall_seconds);
  json.positive("batches", fill.batches);
  json.positive("samples", fill.samples);
  json.rate("samples_per_second", [&] { return fill.samples_per_second(); });
}

void fields(auto& json, Record<QueueLevels> auto& queue) {
  json("ready_at_start", queue.ready_at_start);
  json("ready_at_end", queue.ready_at_end);
}

void fields(RecordWriter& json, const LoaderStages& of_loader) {
  for (const LoaderStage& one : of_loader.stages) json(name(one.stage), one.seconds);
}

void fields(RecordReader& json, LoaderStages& of_loader) {
  for (const WorkerStage stage : stages_in_order()) {
    const auto member = json.object().find(name(stage));
    if (!member) continue;
    LoaderStage& one = of_loader.stages.emplace_back(LoaderStage{.stage = stage, .seconds = {}});
    read_value(*member, one.seconds);
    if (one.seconds.empty()) throw member->refusal("a number of seconds for each worker");
    if (std::ranges::any_of(one.seconds, [](double seconds) { return seconds < 0; })) {
      throw member->error("want no negative number");
    }
    if (one.seconds.size() != of_loader.workers()) {
      throw member->error(fmt::format("want as many workers as the other stages have, {}", of_loader.workers()));
    }
  }
  if (of_loader.stages.empty()) throw json.object().error("want at least one stage of a loader");
}

void fields(auto& json, Record<CpuLimits> auto& limits) {
  json("affinity_list", limits.affinity_list);
  json("cgroup_cpu_limit", limits.cgroup_cpu_limit);
}

void fields(auto& json, Record<EnergyUse> auto& energy) {
  json.late("cpu_joules", energy.cpu_joules);
  json.late("memory_joules", energy.memory_joules);
  json.late("gpu_joules", energy.gpu_joules);
}

void fields(auto& json, Record<EventCounts> auto& events) {
  json.late("instructions", events.instructions);
  json.late("cycles", events.cycles);
  json.late("llc_misses", events.llc_misses);
  json.late("dtlb_misses", events.dtlb_misses);
  json.late("page_faults", events.page_faults);
  json.late("context_switches", events.context_switches);
}

void fields(auto& json, Record<TrialCounters> auto& counters) {
  json.late("workers", counters.workers);
  json("consumer", counters.consumer);
}

void fields(auto& json, Record<RankShare> auto& share) {
  json("rank", share.rank);
  json("started_seconds", share.started_seconds);
  json.positive("wall_seconds", share.wall_seconds);
  json.positive("batches", share.batches);
  json.positive("samples", share.samples);
  json.rate("samples_per_second", [&] { return share.samples_per_second(); });
  json("wait_seconds", share.wait_seconds);
  json("cpu_seconds", share.cpu_seconds);
  json("stages", share.stages);
  json.late("weights_hash", share.weights_hash);
}

void fields(auto& json, Record<RankGradients> auto& gradients) {
  json("step_bytes", gradients.step_bytes);
  json("buckets", gradients.buckets);
}

void fields(auto& json, Record<RankCoverage> auto& coverage) {
  json("proved_epochs", coverage.proved_epochs);
  json("wrong_epochs", coverage.wrong_epochs);
  json("partial_epochs", coverage.partial_epochs);
}

void fields(auto& json, Record<TrialRanks> auto& ranks) {
  json("skew_seconds", ranks.skew_seconds);
  json.derived("slowest", [&] { return ranks.slowest(); });
  json.derived("held_share", [&] { return ranks.held_share(); });
  json("each", ranks.each);
  json.late("gradients", ranks.gradients);
  json.late_derived("gradient_share", ranks.gradient_share());
  json.late_derived("least_gradient_share", ranks.least_gradient_share());
  json.late_derived("same_weights", ranks.same_weights());
  json.late("coverage", ranks.coverage);
}

void fields(auto& json, Record<Trial> auto& trial) {
  json("round", trial.round);
  json("place", trial.place);
  json("started_seconds", trial.started_seconds);
  json.late("clock_started_seconds", trial.clock_started_seconds);
  json.since(4, "pilot", trial.pilot);
  json("setup_seconds", trial.setup_seconds);
  json("compute_setup_seconds", trial.compute_setup_seconds);
  json("first_batch_seconds", trial.first_batch_seconds);
  json("warm_up_batches", trial.warm_up_batches);
  json.positive("wall_seconds", trial.wall_seconds);
  json.positive("batches", trial.batches);
  json.positive("samples", trial.samples);
  json("bytes", trial.bytes);
  json.late("tokens", trial.tokens);
  json.late("padding", trial.padding);
  json.late("cut_tokens", trial.cut_tokens);
  json.rate("samples_per_second", [&] { return trial.samples_per_second(); });
  word(json, "stores", trial.stores, kStores);
  json("wait", trial.wait);
  json("stages", trial.stages);
  json.since(4, "fill", trial.fill);
  json.since(4, "queue", trial.queue);
  json("page_cache", trial.page_cache);
  json.late("changed_cpus", trial.changed_cpus);
  json.late("suspended", trial.suspended);
  json.late("loader_cpu_seconds", trial.loader_cpu_seconds);
  json.late("energy", trial.energy);
  json.late("counters", trial.counters);
  json.late("loader_stages", trial.loader_stages);
  json.late("consumer_node", trial.consumer_node);
  json.late("slot_nodes", trial.slot_nodes);
  json.late("ranks", trial.ranks);
  usage_fields_of(json, trial.usage, 4);
}

void fields(auto& json, Record<FirstEpoch> auto& epoch) {
  json("complete", epoch.complete);
  json("open_seconds", epoch.open_seconds);
  json("first_batch_seconds", epoch.first_batch_seconds);
  json.positive("wall_seconds", epoch.wall_seconds);
  json.positive("batches", epoch.batches);
  json.positive("samples", epoch.samples);
  json.rate("samples_per_second", [&] { return static_cast<double>(epoch.samples) / epoch.wall_seconds; });
  json("page_cache", epoch.page_cache);
  json.late("loader_stages", epoch.loader_stages);
  usage_fields_of(json, epoch.usage, 4);
}

void run_usage_fields(auto& json, auto& run) {
  json.positive("wall_seconds", run.wall_seconds);
  usage_fields_of(json, run.usage, 1);
}

void fields(auto& json, Record<CeilingTrial> auto& trial) {
  json("round", trial.round);
  json("place", trial.place);
  json("started_seconds", trial.started_seconds);
  json.positive("wall_seconds", trial.wall_seconds);
  json.positive("amount", trial.amount);
  json.rate("per_second", [&] { return trial.per_second(); });
  none_as_null(json, "way", trial.way);
}

namespace {

// A million reasons would bury the figures.
constexpr std::size_t kMostReasons = 64;

void setting_fields(RecordWriter& json, const Cell& cell) {
  json("name", cell.name());
  json("axes", cell.axes);
  for (const SettingRow& row : settings()) {
    std::visit([&](const auto& value) { json(row.name, value); }, row.read(cell));
  }
}

template <typename T>
SettingValue list_value(const JsonReader& from) {
  std::vector<T> values;
  read_value(from, values);
  return values;
}

// A path stays as it is, for whoever opens it; all other text is for people, and may come from anybody.
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

void setting_fields(RecordReader& json, Cell& cell) {
  json("axes", cell.axes);
  for (const SettingRow& row : settings()) {
    // What came to version 4 later is not there in its first files.
    const auto member = row.late ? json.object().find(row.name) : json.object().member(row.name);
    if (!member) continue;
    try {
      row.write(cell, setting_value(row.name, *member));
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

std::vector<Skipped> first_of(const std::map<SampleIndex, std::string>& skipped) {
  std::vector<Skipped> first;
  for (const auto& [index, reason] : skipped) {
    if (first.size() == kMostReasons) break;
    first.push_back({.index = index, .reason = reason});
  }
  return first;
}

std::optional<std::string> word_of_stop(const std::optional<Stopped>& stopped) {
  return stopped ? std::optional<std::string>(name(*stopped)) : std::nullopt;
}

std::optional<Stopped> stop_of_word(const std::optional<std::string>& word) {
  if (!word) return std::nullopt;
  std::vector<std::string_view> names;
  for (const Stopped stopped :
       {Stopped::kTrials, Stopped::kInterval, Stopped::kMaxTrials, Stopped::kTimeLimit, Stopped::kError}) {
    if (name(stopped) == *word) return stopped;
    names.push_back(name(stopped));
  }
  throw Error(fmt::format("want null or one of {}, got '{}'", list_of(names), *word));
}

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

// What the trials say the compute turned out to be, which is the same in all of them.
std::optional<std::string> description_of(const CellResult& cell) {
  const bool described = !cell.trials.empty() && !cell.trials.front().compute_description.empty();
  return described ? std::optional(cell.trials.front().compute_description) : std::nullopt;
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

// `summary` is what is judged of it; nothing when it is read.
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
  json.converted("stopped", cell.stopped, word_of_stop, stop_of_word);
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

// `cells`: null where they are not known yet, and nothing is written.
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

namespace {

template <typename AnyTrial>
std::string text_of_any(const AnyTrial& trial) {
  return text_of(json_of(trial), -1);
}

template <typename AnyTrial>
void read_any(const std::string& text, AnyTrial& trial) {
  const JsonDocument document(text, "a message of another rank", Error::Kind::kFailed);
  read_value(JsonReader(document), trial);
}

}  // namespace

std::string text_of_trial(const Trial& trial) {
  return text_of_any(trial);
}
std::string text_of_trial(const FirstEpoch& epoch) {
  return text_of_any(epoch);
}
std::string text_of_trial(const CeilingTrial& trial) {
  return text_of_any(trial);
}
void read_trial(const std::string& text, Trial& trial) {
  read_any(text, trial);
}
void read_trial(const std::string& text, FirstEpoch& epoch) {
  read_any(text, epoch);
}
void read_trial(const std::string& text, CeilingTrial& trial) {
  read_any(text, trial);
}

Json settings_json(const Cell& cell) {
  RecordWriter json;
  setting_fields(json, cell);
  return json.take();
}

void read_settings(const JsonReader& from, Cell& cell) {
  JsonReader object = from;
  RecordReader json(object);
  setting_fields(json, cell);
}

void usage_fields(RecordWriter& json, const Usage& usage) {
  usage_fields_of(json, usage, 4);
}
void usage_fields(RecordReader& json, Usage& usage) {
  usage_fields_of(json, usage, 4);
}

void fields(RecordWriter& json, const RunUsage& run) {
  run_usage_fields(json, run);
}
void fields(RecordReader& json, RunUsage& run) {
  run_usage_fields(json, run);
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
