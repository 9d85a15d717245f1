#include "harness/judge/scaling_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "harness/judge/rank_points.h"
#include "harness/judge/scaling_parts.h"
#include "harness/plan/settings.h"
#include "loaders/error.h"

namespace loadline {
namespace {

using P = SettingPart;

std::vector<ScalingPoint> scaling_points(const std::vector<RankPoint>& points) {
  std::vector<ScalingPoint> rates;
  for (const RankPoint& point : points) {
    rates.push_back({.workers = point.ranks,
                     .samples_per_second = point.samples_per_second.value,
                     .weight = static_cast<double>(std::max<std::size_t>(point.trials, 1))});
  }
  return rates;
}

// Batch sizes of a result's configurations, per rank or of all ranks.
std::set<std::size_t> batches_of(const ScalingPart& part, bool of_all) {
  std::set<std::size_t> batches;
  for (const Configuration& configuration : part.judgement.configurations) {
    batches.insert(configuration.batch_size * (of_all ? ranks_of(part.result) : 1));
  }
  return batches;
}

ScalingKind kind_of(std::span<const ScalingPart> parts) {
  const auto alike = [&](bool of_all) {
    return std::ranges::all_of(
        parts, [&](const ScalingPart& part) { return batches_of(part, of_all) == batches_of(parts.front(), of_all); });
  };
  if (alike(false)) return ScalingKind::kWeak;
  if (alike(true)) return ScalingKind::kStrong;
  throw Error(
      fmt::format("scale: {} and {} have neither the same batch per rank (weak scaling) nor the same batch of all "
                  "ranks together (strong scaling)",
                  parts.front().file, parts.back().file));
}

// Whether a configuration has trials of the mode of a curve.
bool has_mode(const ScalingPart& part, const Configuration& configuration, Mode mode) {
  return has_trials_of(part.result, mode == Mode::kFull ? configuration.full : configuration.io);
}

// Equal for configurations that differ only in their ranks and what follows from these.
std::string scaling_key(const ScalingPart& part, const Configuration& configuration, ScalingKind kind, Mode mode) {
  Cell cell = part.result.cells[mode == Mode::kFull ? *configuration.full : *configuration.io].cell;
  if (kind == ScalingKind::kStrong) cell.sampler.batch_size *= ranks_of(part.result);
  cell.sampler.rank = 0;
  cell.sampler.world_size = 1;
  cell.data.clear();
  return key_of(cell, {P::kSubject, P::kStorage, P::kOrder, P::kLoading}) + '\t' + cell.compute;
}

const Configuration* partner_of(const ScalingPart& part, const std::string& key, ScalingKind kind, Mode mode) {
  for (const Configuration& other : part.judgement.configurations) {
    if (has_mode(part, other, mode) && scaling_key(part, other, kind, mode) == key) return &other;
  }
  return nullptr;
}

std::string configuration_text(const Configuration& configuration) {
  std::string text = configuration.loader;
  if (configuration.workers > 0) text += fmt::format(" x {}", configuration.workers);
  return text + configuration.further;
}

// Empty where a result lacks the configuration in this mode.
std::optional<RankCurve> curve_in_mode(std::span<const ScalingPart> parts, const Configuration& first, ScalingKind kind,
                                       Mode mode) {
  if (!has_mode(parts.front(), first, mode)) return std::nullopt;
  const std::string key = scaling_key(parts.front(), first, kind, mode);
  std::vector<RankMeasurement> measured;
  for (const ScalingPart& part : parts) {
    const Configuration* const partner = partner_of(part, key, kind, mode);
    if (partner == nullptr) return std::nullopt;
    measured.push_back({part.result, *partner, mode});
  }
  return RankCurve{.workload = first.workload,
                   .configuration = configuration_text(first),
                   .mode = mode,
                   .points = rank_points(measured)};
}

std::optional<RankCurve> curve_over_ranks(std::span<const ScalingPart> parts, const Configuration& first,
                                          ScalingKind kind) {
  auto curve = curve_in_mode(parts, first, kind, Mode::kFull);
  return curve ? curve : curve_in_mode(parts, first, kind, Mode::kIo);
}

}  // namespace

std::optional<ScalabilityFit> RankCurve::scalability() const {
  return fit_scalability(scaling_points(points));
}

std::optional<CappedLinearFit> RankCurve::capped() const {
  return fit_capped_linear(scaling_points(points));
}

std::size_t ranks_of(const Result& result) {
  return result.ranks ? std::max<std::size_t>(result.ranks->places.size(), 1) : 1;
}

ScalingStudy scaling_study(std::span<const ScalingPart> parts, std::optional<ScalingKind> kind, double efficiency) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return ranks_of(parts[i].result); });
  std::vector<ScalingPart> by_ranks;
  for (const std::size_t i : order) by_ranks.push_back(parts[i]);
  check_scaling_parts(by_ranks);

  ScalingStudy study{.kind = kind ? *kind : kind_of(by_ranks), .efficiency = efficiency};
  for (const ScalingPart& part : by_ranks) {
    study.sources.push_back({.file = part.file,
                             .run_id = part.result.run_id,
                             .ranks = ranks_of(part.result),
                             .complete = part.result.status == Status::kComplete});
  }
  std::size_t left_out = 0;
  for (const Configuration& first : by_ranks.front().judgement.configurations) {
    if (!has_mode(by_ranks.front(), first, Mode::kFull) && !has_mode(by_ranks.front(), first, Mode::kIo)) continue;
    if (auto curve = curve_over_ranks(by_ranks, first, study.kind)) {
      study.curves.push_back(std::move(*curve));
    } else {
      ++left_out;
    }
  }
  if (study.curves.empty()) {
    throw Error(fmt::format("scale: {} have no configuration in common that was measured with each number of ranks",
                            files_text(by_ranks)));
  }
  study.notes = scaling_notes(by_ranks, left_out);
  return study;
}

}  // namespace loadline
