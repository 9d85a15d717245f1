#include "harness/show/report/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace loadline {
namespace {

// The best configurations of each workload.
std::vector<Subject> best_of(const std::vector<Subject>& subjects, std::size_t most) {
  std::vector<Subject> best;
  std::ranges::copy_if(subjects, std::back_inserter(best), [&](const Subject& subject) { return subject.rank < most; });
  return best;
}

}  // namespace

std::string best_words(std::size_t most) {
  return most == 1 ? "best configuration of each workload is"
                   : fmt::format("{} best configurations of each workload are", most);
}

std::vector<Section> sections_of(const ReportData& data, const SectionOptions& options) {
  const ReportData best{
      .runs = data.runs, .names = data.names, .subjects = best_of(data.subjects, options.most_configurations)};
  std::string left_out;
  if (best.subjects.size() < data.subjects.size()) {
    left_out = fmt::format("The {} shown, {} of {}; `loadline report --format csv` has all of them.",
                           best_words(options.most_configurations), best.subjects.size(), data.subjects.size());
  }
  std::vector<Section> sections{walk_section(data)};
  // Those about configurations: of the best, with a note of what is left out.
  for (Section& section :
       std::array{throughput_section(best), scaling_section(best), stages_section(best), devices_section(best),
                  ranks_section(best), bounds_section(best), trials_section(best), waits_section(best),
                  timeline_section(best, options.most_in_time), start_section(best), cache_section(best),
                  cpu_section(best), history_section(best)}) {
    if (!left_out.empty()) section.notes.push_back(left_out);
    sections.push_back(std::move(section));
  }
  const auto behind_trials = std::ranges::find(sections, "trials", &Section::id);
  sections.insert(behind_trials == sections.end() ? behind_trials : behind_trials + 1, monitor_section(data));
  sections.push_back(ceilings_section(data));
  sections.push_back(machine_section(data));
  std::erase_if(sections, [&](const Section& section) {
    return section.table.rows.empty() || (!options.for_charts && section.id == "trials");
  });
  for (Section& section : sections) {
    if (!options.for_charts) section.table = without_values(section.table);
    section.table = without_empty_columns(section.table);
    if (data.runs.size() == 1) section.table = without(section.table, "run");
  }
  return sections;
}

}  // namespace loadline
