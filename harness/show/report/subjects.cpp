#include "harness/show/report/subjects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "harness/plan/settings.h"
#include "harness/show/columns.h"
#include "harness/show/report/rows.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// Settings that every label has, or that its place in the report shows.
bool always_said(std::string_view setting) {
  constexpr std::array kAlways{"workload", "mode", "loader", "workers"};
  return std::ranges::find(kAlways, setting) != kAlways.end();
}

// "batch size" for "batch_size".
std::string words_of_subject(std::string_view setting) {
  std::string words(setting);
  std::ranges::replace(words, '_', ' ');
  return words;
}

double figure_of(const Run& run, const Subject& subject) {
  return run.judgement.cells[subject.cells.back()].samples_per_second->mean;
}

// For each workload, the names of its configurations, the best first.
using Ranking = std::map<std::string, std::vector<std::string>>;

Ranking ranking_of(std::span<const Run> runs, const std::vector<Subject>& subjects) {
  std::map<std::string, std::map<std::string, double>> best;
  for (const Subject& subject : subjects) {
    double& figure = best[subject.workload][subject.name];
    figure = std::max(figure, figure_of(runs[subject.run], subject));
  }
  Ranking ranking;
  for (const auto& [workload, figures] : best) {
    auto& names = ranking[workload];
    for (const auto& [name, figure] : figures) names.push_back(name);
    std::ranges::stable_sort(names, std::greater{}, [&](const std::string& name) { return figures.at(name); });
  }
  return ranking;
}

Subject subject_of(const Run& run, const Configuration& configuration, const Names& names) {
  const std::size_t named_by = configuration.full ? *configuration.full : *configuration.io;
  Subject subject{.configuration = &configuration,
                  .workload = configuration.workload,
                  .name = names.configuration(run.result.cells[named_by].cell)};
  for (const auto cell : {configuration.io, configuration.synthetic, configuration.full}) {
    if (cell && run.judgement.cells[*cell].samples_per_second) subject.cells.push_back(*cell);
  }
  return subject;
}

std::vector<Subject> subjects_of_run(const Run& run, const Names& names) {
  std::vector<Subject> subjects;
  for (const Configuration& configuration : run.judgement.configurations) {
    subjects.push_back(subject_of(run, configuration, names));
  }
  if (run.judgement.configurations.empty()) {
    for (std::size_t i = 0; i < run.result.cells.size(); ++i) {
      const Cell& cell = run.result.cells[i].cell;
      if (cell.mode != Mode::kSynthetic || !run.judgement.cells[i].samples_per_second) continue;
      subjects.push_back({.workload = cell.workload, .name = resident_text(cell), .cells = {i}});
    }
  }
  std::erase_if(subjects, [](const Subject& subject) { return subject.cells.empty(); });
  return subjects;
}

}  // namespace

std::string run_name(std::size_t index) {
  std::string name(1, static_cast<char>('A' + index % 26));
  return index < 26 ? name : run_name(index / 26 - 1) + name;
}

std::vector<Run> runs_of(std::span<const Result> results, std::span<const Judgement> judgements) {
  if (results.size() != judgements.size()) {
    throw Error(fmt::format("report: {} results but {} judgements", results.size(), judgements.size()));
  }
  std::vector<Run> runs;
  for (std::size_t i = 0; i < results.size(); ++i) runs.push_back({results[i], judgements[i], run_name(i)});
  return runs;
}

Names::Names(std::span<const Run> runs) {
  const auto rows = settings();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // A difference between machines is not a setting that distinguishes their cells.
    if (always_said(rows[i].name) || rows[i].part == SettingPart::kMachine) continue;
    std::map<std::tuple<std::string, std::string, Mode, std::size_t>, SettingValue> seen;
    const auto differs = [&](const CellResult& result) {
      const Cell& cell = result.cell;
      if (!cell.loader) return false;
      const SettingValue value = rows[i].read(cell);
      const auto [first, is_new] = seen.try_emplace({cell.workload, *cell.loader, cell.mode, cell.workers}, value);
      return !is_new && first->second != value;
    };
    const bool tells =
        std::ranges::any_of(runs, [&](const Run& run) { return std::ranges::any_of(run.result.cells, differs); });
    if (tells) telling_.push_back(i);
  }
}

std::string Names::text(const Cell& cell, bool workers, std::string_view left_out) const {
  std::string name = loader_text(cell.loader.value_or(""), workers ? cell.workers : 0);
  for (const std::size_t i : telling_) {
    const SettingRow& row = settings()[i];
    if (row.name == left_out) continue;
    if (cell.mode == Mode::kIo && row.part == SettingPart::kCompute) continue;  // that of all IO is the same
    const std::string value = as_option(row.read(cell));
    if (!value.empty()) name += fmt::format(", {} {}", words_of_subject(row.name), value);
  }
  return name;
}

std::vector<Subject> subjects_of(std::span<const Run> runs, const Names& names) {
  std::vector<Subject> subjects;
  std::vector<std::string> workloads;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (Subject& subject : subjects_of_run(runs[run], names)) {
      if (std::ranges::find(workloads, subject.workload) == workloads.end()) workloads.push_back(subject.workload);
      subject.run = run;
      subjects.push_back(std::move(subject));
    }
  }
  const Ranking ranking = ranking_of(runs, subjects);
  std::map<std::pair<std::string, std::string>, std::size_t> ranks;
  for (const auto& [workload, ranked] : ranking) {
    for (std::size_t rank = 0; rank < ranked.size(); ++rank) ranks[{workload, ranked[rank]}] = rank;
  }
  for (Subject& subject : subjects) subject.rank = ranks.at({subject.workload, subject.name});
  std::ranges::stable_sort(subjects, {}, [&](const Subject& subject) {
    const Configuration* const its = subject.configuration;
    return std::tuple(std::ranges::find(workloads, subject.workload), its ? std::string_view(its->loader) : "",
                      its ? its->workers : 0, its ? its->batch_size : 0, std::string_view(subject.name), subject.run);
  });
  return subjects;
}

}  // namespace loadline
