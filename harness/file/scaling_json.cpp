#include "harness/file/scaling_json.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "harness/file/json/record.h"
#include "harness/file/json/verdicts.h"
#include "harness/file/json/word_fields.h"
#include "harness/judge/scaling_words.h"
#include "loaders/error.h"
#include "loaders/json/document.h"
#include "loaders/storage/file.h"

namespace loadline {

// The counterpart of the one in verdicts.h.
void fields(RecordReader& json, Estimate& estimate) {
  json("value", estimate.value);
  std::optional<std::vector<double>> ends;
  json("ci95", ends);
  estimate.ci95.reset();
  if (!ends) return;
  if (ends->size() != 2) throw json.object().member("ci95").refusal("null or a list of two numbers");
  estimate.ci95 = Interval{(*ends)[0], (*ends)[1]};
}

void fields(auto& json, Record<ScalingSource> auto& source) {
  json("file", source.file);
  json("run_id", source.run_id);
  json.positive("ranks", source.ranks);
  json("complete", source.complete);
}

void fields(auto& json, Record<LostTime> auto& lost) {
  json("loading", lost.loading);
  json("gradients", lost.gradients);
  json("stragglers", lost.stragglers);
  json("step", lost.step);
}

void fields(auto& json, Record<RankPoint> auto& point) {
  json.positive("ranks", point.ranks);
  json.positive("nodes", point.hosts);
  json.positive("devices", point.devices);
  json("cpus_of_rank", point.cpus);
  json("shares_cpus", point.shared);
  json("batch_size", point.batch_size);
  json("global_batch", point.global_batch);
  json("trials", point.trials);
  json("samples_per_second", point.samples_per_second);
  json("efficiency", point.efficiency);
  json("io_per_second", point.io);
  json("synthetic_per_second", point.synthetic);
  json("step_efficiency", point.step_efficiency);
  json("stall", point.stall);
  json("gradients_share", point.gradients);
  json("slowest_rank_share", point.held);
  json("read_bytes_per_second", point.read_bytes_per_second);
  json("from_storage", point.from_storage);
  json("device_bytes_per_second", point.device_bytes_per_second);
  json("cpu_share", point.cpu_share);
  json("read_seconds_per_sample", point.read_seconds);
  json("lost", point.lost);
}

// The laws of a curve over ranks: those over workers, with other names.
struct RankScalability {
  ScalabilityFit fit;
};
struct RankCap {
  CappedLinearFit fit;
};

void fields(RecordWriter& json, const RankScalability& law) {
  json("samples_per_second_of_rank", law.fit.lambda);
  json("contention", law.fit.sigma);
  json("coherency", law.fit.kappa);
  json("peak_ranks", law.fit.peak_workers());
  json("residual", law.fit.residual);
}

void fields(RecordWriter& json, const RankCap& law) {
  json("samples_per_second_of_rank", law.fit.per_worker);
  json("cap", law.fit.cap);
  json("residual", law.fit.residual);
}

namespace {

template <typename Law, typename Fit>
std::optional<Law> law_of_ranks(const std::optional<Fit>& fit) {
  return fit ? std::optional(Law{*fit}) : std::nullopt;
}

// For writing and reading; `study` is the one that the curve belongs to.
void curve_members(auto& json, auto& curve, const ScalingStudy& study) {
  json("workload", curve.workload);
  json("configuration", curve.configuration);
  word(json, "mode", curve.mode, std::array{Mode::kIo, Mode::kFull});
  json("points", curve.points);
  json.derived("ideal_per_rank", [&] { return curve.per_rank(); });
  json.derived("scalability", [&] { return law_of_ranks<RankScalability>(curve.scalability()); });
  json.derived("shared_cap", [&] { return law_of_ranks<RankCap>(curve.capped()); });
  json.derived("sentences", [&] { return sentences_of(curve, study); });
}

void study_members(auto& json, auto& study) {
  word(json, "scaling", study.kind, std::array{ScalingKind::kWeak, ScalingKind::kStrong});
  json.positive("efficiency", study.efficiency);
  json("complete", study.complete);
  json("sources", study.sources);
  json.list("curves", study.curves, [&](auto& inner, auto& curve) { curve_members(inner, curve, study); });
  json("notes", study.notes);
}

// What the functions that judge a study rely on.
void check_curves(const JsonReader& list, const ScalingStudy& study) {
  for (const RankCurve& curve : study.curves) {
    if (curve.points.size() < 2) throw list.error("want at least two points in each curve");
    for (const RankPoint& point : curve.points) {
      if (!(point.samples_per_second.value > 0)) throw list.error("want rates above 0 in all points");
    }
  }
  if (study.curves.empty()) throw list.refusal("at least one curve");
}

}  // namespace

std::string scaling_json(const ScalingStudy& study) {
  RecordWriter json;
  json("scaling_schema_version", kScalingSchemaVersion);
  study_members(json, study);
  return text_of(json.take(), 2) + '\n';
}

bool is_scaling_study(std::string_view text) {
  if (text.find("\"scaling_schema_version\"") == std::string_view::npos) return false;  // most are results
  try {
    const JsonDocument document(text, "");
    JsonReader top(document);
    return top.kind() == JsonKind::kObject && top.find("scaling_schema_version").has_value();
  } catch (const Error&) {
    return false;
  }
}

ScalingStudy parse_scaling_study(std::string_view text, const std::string& source) {
  const JsonDocument document(text, source);
  JsonReader top(document);
  if (top.kind() != JsonKind::kObject) throw top.refusal("a scaling study of loadline");
  const auto version = top.member("scaling_schema_version").as_whole();
  if (version != kScalingSchemaVersion) {
    throw top.error(fmt::format(
        "a scaling study of version {}, but this loadline reads {}: make it again from its results with loadline scale",
        version, kScalingSchemaVersion));
  }
  RecordReader json(top);
  ScalingStudy study;
  study_members(json, study);
  check_curves(top.member("curves"), study);
  return study;
}

ScalingStudy load_scaling_study(const std::filesystem::path& path) {
  return parse_scaling_study(read_text(path), path.string());
}

}  // namespace loadline
