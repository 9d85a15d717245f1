#include "harness/show/stages_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/result/counted.h"
#include "harness/show/columns.h"

namespace loadline {
namespace {

// The name in older versions; it was changed because the compute does not wait while steps launched ahead continue.
constexpr std::string_view kFormerName = "wait for data";

constexpr std::string_view kLegend = "host waits: the thread that pulls batches has none to take";
constexpr std::string_view kLegendAhead =
    "; steps launched ahead continue meanwhile, and what the compute loses is the stall";

std::string table_of(const CellResult& cell, std::size_t width) {
  const auto stages = stages_of(cell);
  if (stages.empty()) return "";
  double wall = 0;
  std::size_t trials = 0;
  for (const Trial& trial : counted(cell.trials)) {
    wall += trial.wall_seconds;
    ++trials;
  }
  std::vector<Row> rows{{"stage", "hits", "total", "per hit", "% of time"}};
  for (const StageSummary& stage : stages) {
    if (stage.hits == 0) continue;
    const double seconds = stage.total_seconds;
    rows.push_back({stage.name, fmt::format("{}", stage.hits), fmt::format("{:.3f} s", seconds),
                    duration(seconds / static_cast<double>(stage.hits)), fmt::format("{:.1f}", 100 * seconds / wall)});
  }
  const TableShape shape{.left = {0}, .constant = {}, .expendable = {"hits", "per hit"}};
  return fmt::format("{}, {}\n{}", cell.cell.name(), plural(trials, "trial"), fitted(rows, shape, width));
}

std::vector<std::size_t> cells_to_show(const Result& result, const Judgement& judgement) {
  std::vector<std::size_t> cells;
  const auto has_stages = [&](std::optional<std::size_t> cell) {
    return cell && !stages_of(result.cells[*cell]).empty();
  };
  for (const Headline& headline : judgement.headlines) {
    const Configuration& configuration = judgement.configurations[headline.configuration];
    const auto cell = has_stages(configuration.full) ? configuration.full : configuration.synthetic;
    if (has_stages(cell)) cells.push_back(*cell);
  }
  if (!judgement.configurations.empty()) return cells;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    if (result.cells[i].cell.mode == Mode::kSynthetic && has_stages(i)) cells.push_back(i);
  }
  return cells;
}

}  // namespace

std::string stages_text(const Result& result, const Judgement& judgement, std::size_t width) {
  std::string text;
  bool ahead = false;
  for (const std::size_t cell : cells_to_show(result, judgement)) {
    text += fmt::format("{}where the time goes: {}", text.empty() ? "" : "\n", table_of(result.cells[cell], width));
    ahead = ahead || launches_ahead(result.cells[cell].cell);
  }
  if (text.find(kHostWaits) == std::string::npos) return text;
  return fmt::format("{}\n{}{}\n", text, kLegend, ahead ? kLegendAhead : "");
}

std::vector<StageSummary> stages_of(const CellResult& cell) {
  std::vector<StageSummary> stages;
  for (const Trial& trial : counted(cell.trials)) {
    for (StageSummary stage : trial.stages) {
      if (stage.name == kFormerName) stage.name = kHostWaits;
      const auto known = std::ranges::find(stages, stage.name, &StageSummary::name);
      if (known == stages.end()) {
        stages.push_back(stage);
      } else {
        known->hits += stage.hits;
        known->total_seconds += stage.total_seconds;
      }
    }
  }
  return stages;
}

}  // namespace loadline
