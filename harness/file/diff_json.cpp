#include "harness/file/diff_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/file/json/record.h"
#include "harness/file/json/verdicts.h"
#include "harness/file/json/word_fields.h"
#include "loaders/error.h"
#include "loaders/json/document.h"

namespace loadline {

void fields(RecordWriter& json, const Difference& difference) {
  json("what", difference.what);
  json("base", difference.base);
  json("new", difference.changed);
}

void fields(RecordWriter& json, const Unmatched& cell) {
  json("name", cell.name);
  json("gate", cell.gate);
}

void fields(RecordWriter& json, const Bottleneck& bottleneck) {
  json("stall", bottleneck.stall);
  json("bound", name(bottleneck.bound));
}

void fields(RecordWriter& json, const Shares& shares) {
  json("compute", shares.compute);
  json("loading", shares.loading);
  json("other_step", shares.other_step);
  json("before", shares.before);
  json("after", shares.after);
}

void fields(RecordWriter& json, const CellDiff& cell) {
  json("name", cell.name);
  json("new_name", cell.changed_name);
  json("matched_by", cell.by ? std::optional(name(*cell.by)) : std::nullopt);
  json("changes", cell.changes);
  none_as_null(json, "base_value", cell.base_value);
  none_as_null(json, "new_value", cell.changed_value);
  json("gate", cell.gate);
  json("base", cell.base_summary);
  json("new", cell.changed_summary);
  const auto& comparison = cell.comparison;
  json("ratio", comparison ? std::optional(comparison->ratio.value) : std::nullopt);
  json("ci95", interval_json(comparison ? comparison->ratio.ci95 : std::nullopt));
  json("equivalence_interval", interval_json(comparison ? comparison->equivalence_interval : std::nullopt));
  json("p", comparison ? comparison->ratio.p : std::nullopt);
  json("adjusted_p", cell.adjusted_p);
  json("margin", cell.margin);
  json("noise_floor", cell.noise_floor);
  json("detectable", comparison ? comparison->detectable : std::nullopt);
  json("trials_needed", comparison ? comparison->trials_needed : std::nullopt);
  json("verdict", name(cell.change));
  none_as_null(json, "obstacle", cell.obstacle);
  json("shares", cell.shares);
}

void fields(RecordWriter& json, const ResultDiff& diff) {
  json("base", diff.base);
  json("new", diff.changed);
  json("metric", diff.metric->name);
  json("higher_is_better", diff.metric->higher_is_better);
  json("alpha", diff.alpha);
  json("paired", diff.paired);
  none_as_null(json, "by", diff.along);
  // There is no verdict without a gate.
  json("verdict", diff.along.empty() ? std::optional(name(diff.verdict)) : std::nullopt);
  json("cells", diff.cells);
  json("gone", diff.gone);
  json("added", diff.added);
  json("unlike", diff.unlike);
  json("noteworthy", diff.noteworthy);
  json("notes", diff.notes);
  json("lost", diff.lost);
}

void fields(RecordWriter& json, const WalkStep& step) {
  none_as_null(json, "cell", step.cell);
  json("best", step.best);
  json("changes", step.changes);
  none_as_null(json, "setting", step.setting);
  json("io", step.io);
  json("synthetic", step.synthetic);
  json("full", step.full);
  json("standpoint", step.bottleneck);  // its name in results/diff_schema.json: other programs read these files
  json("over_before", step.over_before);
  json("over_first", step.over_first);
}

void fields(RecordWriter& json, const WorkloadWalk& followed) {
  json("workload", followed.workload);
  json("mode", name(followed.mode));
  json("steps", followed.steps);
}

void fields(RecordWriter& json, const Walk& walk) {
  json("results", walk.results);
  json("metric", walk.metric->name);
  json("higher_is_better", walk.metric->higher_is_better);
  json("alpha", walk.alpha);
  json("verdict", name(walk.verdict));
  json("workloads", walk.workloads);
  json("unlike", walk.unlike);
  json("noteworthy", walk.noteworthy);
  json("notes", walk.notes);
  json("lost", walk.lost);
}

void fields(auto& json, Record<NoiseFloor::Part> auto& part) {
  json("cell", part.cell);
  json("workload", part.workload);
  word(json, "mode", part.mode, std::array{Mode::kIo, Mode::kSynthetic, Mode::kFull});
  word(json, "cache", part.cache, std::array{CacheState::kWarm, CacheState::kCold, CacheState::kAsIs});
  json.positive("trial_seconds", part.trial_seconds);
  json("ratios", part.ratios);
  json.derived("spread", [&] { return part.spread(); });
  json.derived("floor", [&] { return part.floor(); });
}

void fields(auto& json, Record<NoiseFloor> auto& noise) {
  json("measured", noise.measured);
  json("pairs", noise.pairs);
  json.positive("trials", noise.trials);
  json.object("machine", [&](auto& machine) {
    machine("hostname", noise.machine.hostname);
    machine("cpu_model", noise.machine.cpu_model);
    machine("kernel_release", noise.machine.kernel_release);
    machine.positive("threads_in_force", noise.machine.threads_in_force);
    machine.late("cgroup_cpu_limit", noise.machine.cgroup_cpu_limit);
    machine("cpu_governor", noise.machine.cpu_governor);
    machine("cpu_boost", noise.boost);
    machine("load_average_1_minute", noise.machine.load_average_1_minute);
  });
  json.object("build", [&](auto& build) {
    build("version", noise.build.version);
    build("build_type", noise.build.build_type);
    build("compiler", noise.build.compiler);
    build("git_revision", noise.build.git_revision);
  });
  json("cells", noise.parts);
}

namespace {

std::string comparison_json(const std::vector<ResultDiff>& diffs, const std::optional<Walk>& walk) {
  RecordWriter json;
  json("diff_schema_version", kDiffSchemaVersion);
  json("diffs", diffs);
  json("walk", walk);
  return text_of(json.take(), 2) + '\n';
}

}  // namespace

std::string diff_json(const std::vector<ResultDiff>& diffs) {
  return comparison_json(diffs, std::nullopt);
}

std::string walk_json(const Walk& walk) {
  return comparison_json({}, walk);
}

std::string noise_json(const NoiseFloor& noise) {
  RecordWriter json;
  json("noise_schema_version", kNoiseSchemaVersion);
  fields(json, noise);
  return text_of(json.take(), 2) + '\n';
}

NoiseFloor parse_noise(std::string_view text, const std::string& source) {
  const JsonDocument document(text, source);
  JsonReader top(document);
  auto version = top.kind() == JsonKind::kObject ? top.find("noise_schema_version") : std::nullopt;
  if (!version) throw top.error("not a noise floor as `loadline aa` writes it");
  if (version->as_whole() == 1) {
    throw top.error(
        "an older loadline measured this noise floor within one run, which says nothing about two runs; measure it "
        "again with `loadline aa`, or ignore it with `loadline diff --noise none`");
  }
  if (version->as_whole() != kNoiseSchemaVersion) {
    throw top.error(
        fmt::format("written by another loadline, noise schema version {}; this one reads {}; measure it again with "
                    "`loadline aa`, or ignore it with `loadline diff --noise none`",
                    version->as_whole(), kNoiseSchemaVersion));
  }
  RecordReader json(top);
  NoiseFloor noise;
  fields(json, noise);
  for (const NoiseFloor::Part& part : noise.parts) {
    const auto usable = [](double ratio) { return ratio > 0 && std::isfinite(ratio); };
    if (part.ratios.size() != noise.pairs || !std::ranges::all_of(part.ratios, usable)) {
      throw top.error(fmt::format("the ratios of {}: want one above 0 for each of {} pairs", part.cell, noise.pairs));
    }
  }
  return noise;
}

}  // namespace loadline
