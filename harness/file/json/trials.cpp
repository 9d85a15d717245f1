#include "harness/file/json/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "harness/file/json/facts.h"
#include "harness/file/json/word_fields.h"
#include "harness/result/rank_trials.h"

namespace loadline {
namespace {

constexpr std::array kStores{Stores::kCached, Stores::kStreaming};

}  // namespace

// `peak_rss_since`: the version since which the peak covers the same time as the rest of the usage.
void usage_fields_since(auto& json, Record<Usage> auto& usage, int peak_rss_since) {
  json("user_cpu_seconds", usage.user_cpu_seconds);
  json("system_cpu_seconds", usage.system_cpu_seconds);
  json("minor_faults", usage.minor_faults);
  json("major_faults", usage.major_faults);
  json("voluntary_switches", usage.voluntary_switches);
  json("involuntary_switches", usage.involuntary_switches);
  json.since(4, "run_delay_seconds", usage.run_delay_seconds);
  json.since(4, "blocked_io_seconds", usage.blocked_io_seconds);
  json.late("idle_seconds", usage.idle_seconds);
  json.since(4, "steal_seconds", usage.steal_seconds);
  json.since(4, "throttled_seconds", usage.throttled_seconds);
  json("device_read_bytes", usage.device_read_bytes);
  json("rss_bytes", usage.rss_bytes);
  json.since(peak_rss_since, "peak_rss_bytes", usage.peak_rss_bytes);
}

void usage_fields(auto& json, Record<Usage> auto& usage) {
  usage_fields_since(json, usage, 4);
}

void fields(auto& json, Record<WaitSummary> auto& wait) {
  json("total_seconds", wait.total_seconds);
  json("p50_seconds", wait.p50_seconds);
  json("p95_seconds", wait.p95_seconds);
  json("p99_seconds", wait.p99_seconds);
  json("max_seconds", wait.max_seconds);
}

void fields(auto& json, Record<Fill> auto& fill) {
  json.measured("wall_seconds", fill.wall_seconds);
  json.positive("batches", fill.batches);
  json.positive("samples", fill.samples);
  json.rate("samples_per_second", [&] { return fill.samples_per_second(); });
}

void fields(auto& json, Record<QueueLevels> auto& queue) {
  json("ready_at_start", queue.ready_at_start);
  json("ready_at_end", queue.ready_at_end);
}

void fields(RecordWriter& json, const LoaderStages& of_loader) {
  for (const WorkerStage stage : stages_in_order()) {
    const auto one = std::ranges::find(of_loader.stages, stage, &LoaderStage::stage);
    json.late(name(stage), one == of_loader.stages.end() ? std::vector<double>() : one->seconds);
  }
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
  json.measured("wall_seconds", share.wall_seconds);
  json.positive("batches", share.batches);
  json.positive("samples", share.samples);
  json.rate("samples_per_second", [&] { return share.samples_per_second(); });
  json("wait_seconds", share.wait_seconds);
  json("cpu_seconds", share.cpu_seconds);
  json.late("run_delay_seconds", share.run_delay_seconds);
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
  json.measured("wall_seconds", trial.wall_seconds);
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
  usage_fields(json, trial.usage);
}

void fields(auto& json, Record<FirstEpoch> auto& epoch) {
  json("complete", epoch.complete);
  json("open_seconds", epoch.open_seconds);
  json("first_batch_seconds", epoch.first_batch_seconds);
  json.measured("wall_seconds", epoch.wall_seconds);
  json.positive("batches", epoch.batches);
  json.positive("samples", epoch.samples);
  json.rate("samples_per_second", [&] { return static_cast<double>(epoch.samples) / epoch.wall_seconds; });
  json("page_cache", epoch.page_cache);
  json.late("loader_stages", epoch.loader_stages);
  usage_fields(json, epoch.usage);
}

void fields(auto& json, Record<RunUsage> auto& run) {
  json.measured("wall_seconds", run.wall_seconds);
  usage_fields_since(json, run.usage, 1);
}

void fields(auto& json, Record<CeilingTrial> auto& trial) {
  json("round", trial.round);
  json("place", trial.place);
  json("started_seconds", trial.started_seconds);
  json.measured("wall_seconds", trial.wall_seconds);
  json.positive("amount", trial.amount);
  json.rate("per_second", [&] { return trial.per_second(); });
  none_as_null(json, "way", trial.way);
  json.late("cpu_seconds", trial.cpu_seconds);
}

template void usage_fields(RecordWriter&, const Usage&);
template void usage_fields(RecordReader&, Usage&);
template void fields(RecordWriter&, const RunUsage&);
template void fields(RecordReader&, RunUsage&);
template void fields(RecordWriter&, const Trial&);
template void fields(RecordReader&, Trial&);
template void fields(RecordWriter&, const FirstEpoch&);
template void fields(RecordReader&, FirstEpoch&);
template void fields(RecordWriter&, const CeilingTrial&);
template void fields(RecordReader&, CeilingTrial&);

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

}  // namespace loadline
