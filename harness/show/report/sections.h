// The parts of a report, in reading order: each a table, most with a chart. Pure functions,
// safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/show/report/data_table.h"
#include "harness/show/report/subjects.h"

namespace loadline {

struct Section {
  std::string_view id;  // names the chart, in the table CHARTS of page/*.js
  std::string_view title;
  std::string_view reading;        // how to read the chart, its intervals among it; empty: there is none
  std::vector<std::string> notes;  // what was left out, and other remarks
  DataTable table;
  bool open = false;  // the table is read first, and the chart beside it
};

// What all sections are made of.
struct ReportData {
  std::vector<Run> runs;
  Names names;
  std::vector<Subject> subjects;
};

struct SectionOptions {
  std::size_t most_configurations;  // of each workload, the best
  std::size_t most_in_time;         // of these, those that are shown trial by trial
  bool for_charts = true;           // with what only charts show: the section of the trials, several numbers in a row
};

// Only those that have something to say.
std::vector<Section> sections_of(const ReportData& data, const SectionOptions& options);

// The sections, each without rows where the runs have nothing for it.
Section walk_section(const ReportData& data);  // of several runs alone
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
Section devices_section(const ReportData& data);  // of runs with several of them, or several processes
Section ranks_section(const ReportData& data);    // of runs of several processes
Section cpu_section(const ReportData& data);
Section history_section(const ReportData& data);
Section ceilings_section(const ReportData& data);
Section machine_section(const ReportData& data);

}  // namespace loadline
