#include "harness/show/walk_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/judge/changes.h"
#include "harness/judge/phrase.h"
#include "harness/show/change_words.h"
#include "harness/show/columns.h"
#include "harness/show/table.h"

namespace loadline {
namespace {

constexpr std::string_view kNoSetting = "no setting";

bool is_rate(const Metric& metric) {
  return metric.unit == Unit::kPerSecond;
}

// What is followed: "nbody FULL", "nbody FULL, wait_p99_seconds".
std::string subject(const Walk& walk, const WorkloadWalk& followed) {
  const std::string what = fmt::format("{} {}", followed.workload, name(followed.mode));
  return is_rate(*walk.metric) ? what : fmt::format("{}, {}", what, walk.metric->name);
}

// "improvement: nbody FULL, s1.json -> s5.json: 8.63 ± 0.05 times as fast (p < 0.001)".
std::string sentence_of(const Walk& walk, const WorkloadWalk& followed, const std::string& from, const std::string& to,
                        const CellDiff& gain, const std::string& what) {
  std::string text = fmt::format("{}: {}, {} -> {}: ", name(gain.change), subject(walk, followed), from, to);
  if (!gain.comparison) return fmt::format("{}{}\n", text, gain.obstacle);
  const std::string change = change_text(estimate_of(gain.comparison->ratio), *walk.metric);
  text += gain.change == Change::kEquivalent
              ? fmt::format("the same within {} ({})", plain_percent(gain.margin), change)
              : change;
  if (!what.empty()) text += ": " + what;
  if (gain.adjusted_p && gain.change != Change::kEquivalent) text += fmt::format(" ({})", p_sentence(*gain.adjusted_p));
  return text + (gain.obstacle.empty() ? "\n" : fmt::format(": {}\n", gain.obstacle));
}

std::string what_changed(const WalkStep& step) {
  std::string text = step_text(step);
  return text == kNoSetting ? "no setting changed" : text;
}

// The last step that is compared with the first.
std::optional<std::size_t> last_of(const WorkloadWalk& followed) {
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < followed.steps.size(); ++i) {
    if (followed.steps[i].over_first) last = i;
  }
  return last;
}

bool ends_inconclusive(const WorkloadWalk& followed) {
  const auto last = last_of(followed);
  return last && followed.steps[*last].over_first->change == Change::kInconclusive;
}

// Whether comparisons with this outcome have lines of their own. Those that leave the walk inconclusive do where no
// other line says that it is.
bool has_line(const Walk& walk, Change change) {
  if (change == Change::kRegression) return true;
  return change == Change::kInconclusive && walk.verdict == change && walk.lost.empty() &&
         std::ranges::none_of(walk.workloads, ends_inconclusive);
}

std::string lines_of(const Walk& walk, const WorkloadWalk& followed) {
  std::string whole;
  std::string parts;
  const auto last = last_of(followed);
  std::optional<std::size_t> before;
  std::optional<Change> before_over_first;
  for (std::size_t i = 0; i < followed.steps.size(); ++i) {
    const WalkStep& step = followed.steps[i];
    if (step.cell.empty()) continue;
    const auto line = [&](std::size_t from, const CellDiff& gain, const std::string& what) {
      return sentence_of(walk, followed, walk.results[from], walk.results[i], gain, what);
    };
    const bool step_counts = step.over_before && has_line(walk, step.over_before->change);
    const bool from_first = before == 0;  // then both comparisons are the same one
    if (i == last) whole = line(0, *step.over_first, from_first && step_counts ? what_changed(step) : "");
    if (step_counts && !(i == last && from_first)) parts += line(*before, *step.over_before, what_changed(step));
    // Of steps in a row with one outcome, only the first is worth a line.
    if (step.over_first && i != last && !from_first && has_line(walk, step.over_first->change) &&
        step.over_first->change != before_over_first) {
      parts += line(0, *step.over_first, "");
    }
    before = i;
    before_over_first = step.over_first ? std::optional(step.over_first->change) : std::nullopt;
  }
  return whole + parts;
}

std::string stall_of(const WalkStep& step) {
  return step.bottleneck && step.bottleneck->stall ? stall_text(*step.bottleneck->stall) : "-";
}

// If a mode was not run, nothing can be said about what bounds the step.
std::string bound_text(const WalkStep& step) {
  const bool known = step.bottleneck && step.bottleneck->bound != Bound::kIncomplete;
  return known ? std::string(name(step.bottleneck->bound)) : "-";
}

// The metric of the i-th step, which the comparisons have: the first one that is followed is only a base.
std::optional<Summary> metric_of(const WorkloadWalk& followed, std::size_t i) {
  if (followed.steps[i].cell.empty()) return std::nullopt;
  if (const auto& gain = followed.steps[i].over_before) return gain->changed_summary;
  for (const WalkStep& later : followed.steps) {
    if (later.over_before) return later.over_before->base_summary;
  }
  return std::nullopt;
}

std::string gain_text(const std::optional<CellDiff>& gain) {
  return gain && gain->comparison ? signed_change(estimate_of(gain->comparison->ratio)) : "-";
}

// With the header as the first row.
std::vector<Row> rows_of(const Walk& walk, const WorkloadWalk& followed) {
  std::vector<Row> rows{{"result", "what changed", "IO", "SYNTHETIC", "FULL", "stall", "bound by"}};
  if (!is_rate(*walk.metric)) rows[0].emplace_back(walk.metric->name);
  for (const char* title : {"over the step before", "over the first", "verdict"}) rows[0].emplace_back(title);
  for (std::size_t i = 0; i < followed.steps.size(); ++i) {
    const WalkStep& step = followed.steps[i];
    Row row{walk.results[i],      step_text(step), rate_text(step.io), rate_text(step.synthetic),
            rate_text(step.full), stall_of(step),  bound_text(step)};
    if (!is_rate(*walk.metric)) row.push_back(value_text(metric_of(followed, i), *walk.metric));
    row.push_back(gain_text(step.over_before));
    row.push_back(gain_text(step.over_first));
    row.push_back(step.over_before ? std::string(name(step.over_before->change)) : "-");
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string heading(const WorkloadWalk& followed) {
  return fmt::format("{}: samples/s, mean ± standard deviation of the trials; ± of stalls and gains: 95 % interval",
                     followed.workload);
}

std::string legend(const Walk& walk, const WorkloadWalk& followed) {
  return fmt::format("gains and verdicts: for {}, against the step before, by Holm over all gains; alpha {}",
                     is_rate(*walk.metric) ? std::string(name(followed.mode)) : std::string(walk.metric->name),
                     walk.alpha);
}

std::vector<std::string> shares_of(const Walk& walk, const WorkloadWalk& followed) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < followed.steps.size(); ++i) {
    const auto& gain = followed.steps[i].over_before;
    if (!gain || !gain->shares || !gain->shares->other_step) continue;
    texts.push_back(fmt::format("{}: {}", walk.results[i], factors_text(*gain->shares)));
  }
  return texts;
}

std::vector<std::string> best_of(const Walk& walk, const WorkloadWalk& followed) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < followed.steps.size(); ++i) {
    if (followed.steps[i].best) texts.push_back(fmt::format("{}: {}", walk.results[i], followed.steps[i].cell));
  }
  return texts;
}

std::vector<List> lists_of(const Walk& walk, const WorkloadWalk& followed) {
  return shortened({{"where the compute changed", shares_of(walk, followed)},
                    {"the fastest of several configurations", best_of(walk, followed)}});
}

std::vector<List> lists_of(const Walk& walk) {
  return shortened({{"compared although they differ in", texts_of(walk.unlike)},
                    {"also different", texts_of(walk.noteworthy)},
                    {"note", walk.notes}});
}

}  // namespace

std::string step_text(const WalkStep& step) {
  if (step.cell.empty()) return "-";
  if (!step.setting.empty()) return step.setting;
  return step.changes.empty() ? std::string(kNoSetting) : changes_text(step.changes);
}

std::string verdict_text(const Walk& walk) {
  std::string text;
  for (const std::string& sentence : walk.lost) text += fmt::format("missing: {}\n", sentence);
  for (const WorkloadWalk& followed : walk.workloads) text += lines_of(walk, followed);
  return text;
}

std::string walk_text(const Walk& walk, std::size_t width) {
  std::string text = verdict_text(walk);
  for (const WorkloadWalk& followed : walk.workloads) {
    const std::vector<Row> rows = rows_of(walk, followed);
    const TableShape shape{.left = {0, 1, 6, rows.front().size() - 1},
                           .constant = {},
                           .expendable = {"over the step before", "SYNTHETIC", "IO", "bound by", "stall", "verdict"}};
    text += fmt::format("\n{}\n\n{}{}\n{}", heading(followed), fitted(rows, shape, width), legend(walk, followed),
                        lists_text(lists_of(walk, followed)));
  }
  return text + lists_text(lists_of(walk));
}

std::string walk_markdown(const Walk& walk) {
  std::string text = markdown_list(verdict_text(walk));
  for (const WorkloadWalk& followed : walk.workloads) {
    const std::vector<Row> rows = rows_of(walk, followed);
    std::string rule;
    for (std::size_t i = 0; i < rows.front().size(); ++i) {
      const bool left = i < 2 || i == 6 || i + 1 == rows.front().size();
      rule += left ? "|---" : "|---:";
    }
    text += fmt::format("\n{}\n\n{}\n{}\n{}", heading(followed), markdown_table(rows, rule + '|'),
                        legend(walk, followed), lists_markdown(lists_of(walk, followed)));
  }
  return text + lists_markdown(lists_of(walk));
}

}  // namespace loadline
