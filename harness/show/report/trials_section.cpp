// The section about the trials one after the other.
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/judge/verdict.h"
#include "harness/result/counted.h"
#include "harness/show/report/rows.h"
#include "harness/show/report/sections.h"

namespace loadline {
namespace {

template <typename Read>
Values values_of(const CellResult& cell, const Read& read) {
  Values values;
  for (const Trial& trial : counted(cell.trials)) values.numbers.push_back(static_cast<double>(read(trial)));
  return values;
}

// Those that `outlier-trial` warns of: steady rates have outliers that are too close to matter.
Datum outliers_of(const Run& run, std::size_t cell) {
  Values values;
  const auto& trials = run.result.cells[cell].trials;
  const CellSummary& summary = run.judgement.cells[cell];
  const double median = summary.samples_per_second->median;
  for (const std::size_t trial : summary.outliers) {
    if (std::abs(trials[trial].samples_per_second() - median) / median < kNoticeable) continue;
    values.numbers.push_back(static_cast<double>(number_of(trials, trial)));
  }
  return values.numbers.empty() ? Datum() : Datum(std::move(values));
}

}  // namespace

Section trials_section(const ReportData& data) {
  Section section{
      .id = "trials",
      .title = "Trials over the run",
      .reading =
          "Each mark is a trial: when it started, and how far its rate lies from its cell's median. The line joins the "
          "medians of the rounds, each of which measures every cell once: where it rises or falls, the machine changed "
          "during the run. Ringed marks are outliers of their cell, at least 5 % off its median; they count like all "
          "others."};
  section.table.columns = named_columns({{"median", "median, samples/s", Figure::kRate},
                                         {"rates", "samples/s, trial by trial", Figure::kRate},
                                         {"started", "started, s into the run", Figure::kAmount},
                                         {"seconds", "took, s", Figure::kAmount},
                                         {"rounds", "rounds", Figure::kCount},
                                         {"outliers", "outliers among them", Figure::kCount}});
  std::set<std::pair<std::size_t, std::size_t>> said;  // SYNTHETIC is that of many configurations
  for (const Subject& subject : data.subjects) {
    const Run& run = data.runs[subject.run];
    for (const std::size_t index : subject.cells) {
      if (!said.emplace(subject.run, index).second) continue;
      const CellResult& cell = run.result.cells[index];
      std::vector<Datum> row = named_row(data, subject, index);
      if (cell.cell.mode == Mode::kSynthetic) row[2] = resident_text(cell.cell);
      row.push_back(run.judgement.cells[index].samples_per_second->median);
      row.emplace_back(values_of(cell, [](const Trial& trial) { return trial.samples_per_second(); }));
      row.emplace_back(values_of(cell, clock_started));
      row.emplace_back(values_of(cell, [](const Trial& trial) { return trial.wall_seconds; }));
      row.emplace_back(values_of(cell, [](const Trial& trial) { return trial.round; }));
      row.push_back(outliers_of(run, index));
      section.table.rows.push_back(std::move(row));
    }
  }
  return section;
}

}  // namespace loadline
