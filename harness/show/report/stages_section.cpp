// The section about where the time of the step and of the loader goes.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "harness/show/report/rows.h"
#include "harness/show/report/sections.h"
#include "harness/show/report/stage_rows.h"
#include "harness/show/stages_table.h"

namespace loadline {
namespace {

constexpr double kMicroseconds = 1e6;

// Rows of the cell's step, over all trials.
void append_step(Section& section, const std::vector<Datum>& named, const CellResult& cell) {
  double wall = 0;
  double samples = 0;
  for (const Trial& trial : cell.trials) {
    wall += trial.wall_seconds;
    samples += static_cast<double>(trial.samples);
  }
  if (samples == 0) return;
  for (const StageSummary& stage : stages_of(cell)) {
    if (stage.hits == 0) continue;
    std::vector<Datum> row = named;
    row.insert(row.end(),
               {Datum("step"), stage.name, kMicroseconds * stage.total_seconds / samples, stage.total_seconds / wall,
                static_cast<double>(stage.hits), stage.total_seconds / static_cast<double>(stage.hits)});
    section.table.rows.push_back(std::move(row));
  }
}

// Rows of the cell's loader, over all trials that report stages.
void append_loader(Section& section, const std::vector<Datum>& named, const CellResult& cell) {
  std::vector<StageOfWorkers> stages;
  std::uint64_t samples = 0;
  for (const Trial& trial : cell.trials) {
    if (!trial.loader_stages) continue;
    samples += trial.samples;
    for (const LoaderStage& stage : trial.loader_stages->stages) {
      auto known = std::ranges::find(stages, name(stage.stage), &StageOfWorkers::name);
      if (known == stages.end()) known = stages.insert(stages.end(), {std::string(name(stage.stage)), {}});
      known->worker_seconds.resize(std::max(known->worker_seconds.size(), stage.seconds.size()));
      for (std::size_t i = 0; i < stage.seconds.size(); ++i) known->worker_seconds[i] += stage.seconds[i];
    }
  }
  for (auto& row : loader_stage_rows(named, stages, samples)) section.table.rows.push_back(std::move(row));
}

}  // namespace

std::vector<Column> stage_columns() {
  return {{"part", "of the"},
          {"stage", "stage"},
          {"amount", "µs per sample", Figure::kAmount},
          {"share", "of the time", Figure::kShare},
          {"hits", "hits", Figure::kCount},
          {"each", "per hit", Figure::kSeconds}};
}

std::vector<std::vector<Datum>> loader_stage_rows(const std::vector<Datum>& named,
                                                  std::span<const StageOfWorkers> stages, std::uint64_t samples) {
  std::vector<std::vector<Datum>> rows;
  std::vector<double> totals;
  double whole = 0;
  for (const StageOfWorkers& stage : stages) {
    totals.push_back(std::accumulate(stage.worker_seconds.begin(), stage.worker_seconds.end(), 0.0));
    whole += totals.back();
  }
  if (samples == 0) return rows;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (!(totals[i] > 0)) continue;
    const auto workers = static_cast<double>(stages[i].worker_seconds.size());
    std::vector<Datum> row = named;
    row.insert(row.end(),
               {Datum("loader"), stages[i].name, kMicroseconds * totals[i] / workers / static_cast<double>(samples),
                totals[i] / whole, Datum(), Datum()});
    rows.push_back(std::move(row));
  }
  return rows;
}

Section stages_section(const ReportData& data) {
  Section section{.id = "stages",
                  .title = "Where the time goes",
                  .reading =
                      "Time per sample over all trials: for the loader, what its workers spend it on (mean of the "
                      "workers); for the step, what the thread that feeds the compute spends it on. That thread may "
                      "wait for data while a device still works on earlier batches."};
  section.table.columns = named_columns(stage_columns());
  for (const Subject& subject : data.subjects) {
    const Run& run = data.runs[subject.run];
    for (const std::size_t index : subject.cells) {
      const CellResult& cell = run.result.cells[index];
      const std::vector<Datum> named = named_row(data, subject, index);
      append_loader(section, named, cell);
      if (index == subject.cells.back()) append_step(section, named, cell);
    }
  }
  return section;
}

}  // namespace loadline
