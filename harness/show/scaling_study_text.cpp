#include "harness/show/scaling_study_text.h"

#include <fmt/format.h>

#include <vector>

#include "harness/judge/phrase.h"
#include "harness/judge/scaling_words.h"
#include "harness/show/columns.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

std::string share_or_none(const std::optional<Estimate>& share) {
  return share ? percent(*share) : "-";
}

Row row_of_ranks(const RankPoint& point) {
  return {fmt::format("{}", point.ranks),
          fmt::format("{}", point.hosts),
          fmt::format("{}", point.devices),
          fmt::format("{}", point.global_batch),
          rate(point.samples_per_second),
          percent(point.efficiency),
          point.stall ? stall_text(*point.stall) : "-",
          share_or_none(point.gradients),
          share_or_none(point.held),
          point.read_bytes_per_second ? mebibytes_text(*point.read_bytes_per_second) : "-"};
}

std::string curve_over_ranks_text(const RankCurve& curve, const ScalingStudy& study, std::size_t width) {
  std::vector<Row> rows{
      {"ranks", "nodes", "devices", "batch", "samples/s", "efficiency", "stall", "gradients", "slowest", "MiB/s"}};
  for (const RankPoint& point : curve.points) rows.push_back(row_of_ranks(point));
  const TableShape shape{
      .left = {}, .constant = {"nodes", "gradients", "stall"}, .expendable = {"devices", "nodes", "gradients"}};
  std::string text = scaling_title(curve, study.kind) + '\n' + fitted(rows, shape, width);
  for (const std::string& sentence : sentences_of(curve, study)) text += sentence + '\n';
  return text;
}

}  // namespace

std::string scaling_title(const RankCurve& curve, ScalingKind kind) {
  const RankPoint& first = curve.points.front();
  const std::string batches = kind == ScalingKind::kWeak
                                  ? fmt::format("batches of {} per rank", first.batch_size)
                                  : fmt::format("batches of {} for all ranks together", first.global_batch);
  return fmt::format("{}, {}: {} scaling of {}, {}", printable(curve.workload), printable(curve.configuration),
                     name(kind), name(curve.mode), batches);
}

std::string scaling_study_text(const ScalingStudy& study, std::size_t width) {
  std::string text;
  for (const RankCurve& curve : study.curves) {
    if (!text.empty()) text += '\n';
    text += curve_over_ranks_text(curve, study, width);
  }
  for (const std::string& note : study.notes) text += note + '\n';
  return text +
         "±: 95 % interval; batch: of all ranks; efficiency: samples/s over ranks, against the fewest ranks; slowest: "
         "share of the time that the others wait for the slowest rank\n";
}

}  // namespace loadline
