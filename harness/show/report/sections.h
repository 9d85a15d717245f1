// The parts of a report, in reading order: each a table, most with a chart. Pure functions,
// safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/walk.h"
#include "harness/show/report/data_table.h"
#include "harness/show/report/subjects.h"

namespace loadline {

struct Section {
  std::string_view id;  // names the chart, in the table CHARTS of page/*.js
  std::string_view title;
  std::string reading;             // how to read the chart and its intervals; empty: there is no chart
  std::vector<std::string> notes;  // what was left out, and other remarks
  DataTable table;
  bool open = false;  // the table comes first, and the chart next to it
};

// The data that all sections are made from.
struct ReportData {
  std::vector<Run> runs;
  Names names;
  std::vector<Subject> subjects;
};

struct SectionOptions {
  std::size_t most_configurations;  // the best of each workload, at most
  std::size_t most_in_time;         // of these, how many are shown trial by trial
  bool for_charts = true;  // with data that only charts show: the section of trials, and several numbers in one row
};

// Only the sections that have rows.
std::vector<Section> sections_of(const ReportData& data, const SectionOptions& options);

// What comes before "shown": "best configuration of each workload is", "3 best configurations of each workload are".
std::string best_words(std::size_t most);

// The runs as steps from one to the next, whatever differs between them; nullopt unless there are two to compare.
inline constexpr std::string_view kWalkTitle = "From run to run";
std::optional<Walk> walk_of(std::span<const Run> runs);

// The sections; one has no rows if the runs have nothing for it.
Section walk_section(const ReportData& data);  // only for several runs
Section throughput_section(const ReportData& data);
Section bounds_section(const ReportData& data);
Section trials_section(const ReportData& data);
Section monitor_section(const ReportData& data);
Section scaling_section(const ReportData& data);
Section waits_section(const ReportData& data);
Section timeline_section(const ReportData& data, std::size_t most);
Section start_section(const ReportData& data);
Section cache_section(const ReportData& data);
Section stages_section(const ReportData& data);
Section devices_section(const ReportData& data);  // for runs with several devices or processes
Section ranks_section(const ReportData& data);    // for runs of several processes
Section cpu_section(const ReportData& data);
Section history_section(const ReportData& data);
Section ceilings_section(const ReportData& data);
Section machine_section(const ReportData& data);

}  // namespace loadline
