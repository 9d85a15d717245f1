// The section about several runs as steps from one to the next.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/judge/rate_interval.h"
#include "harness/judge/walk.h"
#include "harness/show/change_words.h"
#include "harness/show/report/rows.h"
#include "harness/show/report/sections.h"
#include "harness/show/walk_text.h"

namespace loadline {
namespace {

void append_rate(std::vector<Datum>& row, const std::optional<Summary>& rate) {
  if (!rate) return row.resize(row.size() + 3);
  const auto interval = rate_interval(*rate);
  row.emplace_back(rate->mean);
  row.push_back(interval ? Datum(interval->low) : Datum());
  row.push_back(interval ? Datum(interval->high) : Datum());
}

Datum gain_datum(const std::optional<CellDiff>& gain) {
  if (!gain || !gain->comparison) return {};
  return signed_change(estimate_of(gain->comparison->ratio));
}

Datum factor_datum(const std::optional<Shares>& shares, Estimate Shares::*share) {
  if (!shares || !shares->other_step) return {};
  std::string text = factor((*shares).*share);
  return text == kTooNoisy ? Datum(std::move(text)) : Datum(fmt::format("x {}", text));
}

// The rates of the cell that is followed.
Datum trials_of(const Run& run, const std::string& cell) {
  const auto found =
      std::ranges::find_if(run.result.cells, [&](const CellResult& each) { return each.cell.name() == cell; });
  return found == run.result.cells.end() ? Datum() : rates_datum(*found);
}

std::vector<Datum> row_of(const Walk& walk, const WorkloadWalk& followed, std::size_t i, const Run& run) {
  const WalkStep& step = followed.steps[i];
  std::vector<Datum> row{walk.results[i], followed.workload, step_text(step)};
  for (const auto* rate : {&step.io, &step.synthetic, &step.full}) append_rate(row, *rate);
  const bool known = step.bottleneck && step.bottleneck->bound != Bound::kIncomplete;
  row.push_back(step.bottleneck && step.bottleneck->stall ? Datum(stall_text(*step.bottleneck->stall)) : Datum());
  row.push_back(known ? Datum(std::string(name(step.bottleneck->bound))) : Datum());
  const auto shares = step.over_before ? step.over_before->shares : std::nullopt;
  row.push_back(gain_datum(step.over_before));
  row.push_back(factor_datum(shares, &Shares::compute));
  row.push_back(factor_datum(shares, &Shares::loading));
  row.push_back(gain_datum(step.over_first));
  row.push_back(step.over_before ? Datum(std::string(name(step.over_before->change))) : Datum());
  row.push_back(trials_of(run, step.cell));
  return row;
}

}  // namespace

std::optional<Walk> walk_of(std::span<const Run> runs) {
  if (runs.size() < 2) return std::nullopt;
  std::vector<Named> results;
  std::vector<Judgement> judgements;
  for (const Run& run : runs) {
    results.push_back({run.name, run.result});
    judgements.push_back(run.judgement);
  }
  Walk walk = follow_results(results, judgements, {.allow_mismatch = true, .allow_missing = true});
  return has_steps(walk) ? std::optional(std::move(walk)) : std::nullopt;
}

Section walk_section(const ReportData& data) {
  Section section{.id = "walk",
                  .title = kWalkTitle,
                  .reading =
                      "Each row is a run, named after what changed since the run before; of several configurations in "
                      "a run, the fastest. To its right are the gain over the run before and the stall. The vertical "
                      "coloured line is the mean of the trials; from five trials on, the box is the mean's 95 % t "
                      "interval on the logarithmic scale. The dashed line, or a grey mark where rows differ, is "
                      "SYNTHETIC, the compute alone. Gains are for FULL, whose trials are the dots, or for IO where "
                      "there is no FULL; their verdicts use Holm's correction over all gains."};
  section.table.columns = {{"run", "run"},
                           {"workload", "workload"},
                           {"name", "what changed"},
                           {"io", "IO", Figure::kRate},
                           {"io-low", "95 % from", Figure::kRate},
                           {"io-high", "95 % to", Figure::kRate},
                           {"synthetic", "SYNTHETIC", Figure::kRate},
                           {"synthetic-low", "95 % from", Figure::kRate},
                           {"synthetic-high", "95 % to", Figure::kRate},
                           {"full", "FULL", Figure::kRate},
                           {"full-low", "95 % from", Figure::kRate},
                           {"full-high", "95 % to", Figure::kRate},
                           {"stall", "stall"},
                           {"bound", "bound by"},
                           {"before", "over the run before"},
                           {"compute", "of which the compute's"},
                           {"loading", "and loading's"},
                           {"first", "over the first run"},
                           {"verdict", "verdict"},
                           {"rates", "trials, samples/s", Figure::kRate}};
  const auto walk = walk_of(data.runs);
  if (!walk) return section;
  for (const WorkloadWalk& followed : walk->workloads) {
    for (std::size_t i = 0; i < followed.steps.size(); ++i) {
      if (!followed.steps[i].cell.empty()) section.table.rows.push_back(row_of(*walk, followed, i, data.runs[i]));
    }
  }
  for (const std::string& difference : texts_of(walk->unlike)) {
    section.notes.push_back(fmt::format("The runs compared here differ in {}.", difference));
  }
  return section;
}

}  // namespace loadline
