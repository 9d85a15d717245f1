// How the sections make their rows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/plan/settings.h"
#include "harness/result/counted.h"
#include "harness/show/columns.h"
#include "harness/show/report/sections.h"

namespace loadline {

inline Datum datum(const std::optional<double>& value) {
  return value ? Datum(*value) : Datum();
}

inline Datum datum(std::size_t count) {
  return static_cast<double>(count);
}

inline Datum text_datum(std::string text) {
  return text.empty() ? Datum() : Datum(std::move(text));
}

// The first columns of all tables about configurations.
inline std::vector<Column> named_columns(const std::vector<Column>& figures) {
  std::vector<Column> columns{{"run", "run"}, {"workload", "workload"}, {"name", "configuration"}, {"mode", "mode"}};
  columns.insert(columns.end(), figures.begin(), figures.end());
  return columns;
}

// SYNTHETIC has no loader that could name it: "resident batches of 512", followed by its axes.
inline std::string resident_text(const Cell& cell) {
  const std::string axes = axes_words(axes_text(cell, {SettingPart::kSubject, SettingPart::kCompute}));
  std::string text = "resident batches of " + std::to_string(cell.sampler.batch_size);
  if (!axes.empty()) text += ", " + axes;
  return text;
}

// Samples per second of the trials that count, one by one.
inline Datum rates_datum(const CellResult& cell) {
  Values rates;
  for (const Trial& trial : counted(cell.trials)) rates.numbers.push_back(trial.samples_per_second());
  return rates.numbers.empty() ? Datum() : Datum(std::move(rates));
}

// When its timed part began, in seconds into the run; in results of older versions, when the trial began.
inline double clock_started(const Trial& trial) {
  return trial.clock_started_seconds.value_or(trial.started_seconds);
}

inline std::string mode_of(const Run& run, std::size_t cell) {
  return std::string(name(run.result.cells[cell].cell.mode));
}

inline std::vector<Datum> named_row(const ReportData& data, const Subject& subject, std::size_t cell) {
  const Run& run = data.runs[subject.run];
  return {run.name, subject.workload, subject.name, mode_of(run, cell)};
}

}  // namespace loadline
