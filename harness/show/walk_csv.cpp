#include "harness/show/walk_csv.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "harness/show/csv.h"
#include "harness/show/walk_text.h"

namespace loadline {
namespace {

using Fields = std::vector<std::string>;

void add(Fields& fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
}

// Count, mean and deviation.
Fields rate_fields(const std::optional<Summary>& rate) {
  if (!rate) return {"0", "", ""};
  return {fmt::format("{}", rate->count), csv_number(rate->mean), csv_number(rate->stddev)};
}

Fields estimate_fields(const std::optional<Estimate>& estimate) {
  if (!estimate) return {"", "", ""};
  const auto& interval = estimate->ci95;
  return {csv_number(estimate->value), interval ? csv_number(interval->low) : "",
          interval ? csv_number(interval->high) : ""};
}

Fields gain_fields(const std::optional<CellDiff>& gain) {
  if (!gain || !gain->comparison) return {"", "", "", "", gain ? std::string(name(gain->change)) : ""};
  const Ratio& ratio = gain->comparison->ratio;
  Fields fields = estimate_fields(Estimate{ratio.value, ratio.ci95});
  add(fields, {csv_number(gain->adjusted_p), std::string(name(gain->change))});
  return fields;
}

}  // namespace

std::string walk_csv(const Walk& walk) {
  std::string text = csv_line({"workload",
                               "mode",
                               "metric",
                               "step",
                               "result",
                               "cell",
                               "changed",
                               "io_count",
                               "io_mean",
                               "io_stddev",
                               "synthetic_count",
                               "synthetic_mean",
                               "synthetic_stddev",
                               "full_count",
                               "full_mean",
                               "full_stddev",
                               "stall",
                               "stall_low",
                               "stall_high",
                               "bound",
                               "before_ratio",
                               "before_low",
                               "before_high",
                               "before_adjusted_p",
                               "before_verdict",
                               "compute_share",
                               "compute_low",
                               "compute_high",
                               "loading_share",
                               "loading_low",
                               "loading_high",
                               "first_ratio",
                               "first_low",
                               "first_high",
                               "first_adjusted_p",
                               "first_verdict"});
  for (const WorkloadWalk& followed : walk.workloads) {
    for (std::size_t i = 0; i < followed.steps.size(); ++i) {
      const WalkStep& step = followed.steps[i];
      Fields fields{csv_field(followed.workload), std::string(name(followed.mode)), std::string(walk.metric->name),
                    fmt::format("{}", i + 1),     csv_field(walk.results[i]),       csv_field(step.cell),
                    csv_field(step_text(step))};
      for (const auto* rate : {&step.io, &step.synthetic, &step.full}) add(fields, rate_fields(*rate));
      const auto& bottleneck = step.bottleneck;
      add(fields, estimate_fields(bottleneck ? bottleneck->stall : std::nullopt));
      fields.emplace_back(bottleneck ? name(bottleneck->bound) : std::string_view());
      add(fields, gain_fields(step.over_before));
      const auto shares = step.over_before ? step.over_before->shares : std::nullopt;
      add(fields, estimate_fields(shares ? std::optional(shares->compute) : std::nullopt));
      add(fields, estimate_fields(shares ? std::optional(shares->loading) : std::nullopt));
      add(fields, gain_fields(step.over_first));
      text += csv_line(fields);
    }
  }
  return text;
}

}  // namespace loadline
