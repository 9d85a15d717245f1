// The section about what the machine did while trials ran.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/show/columns.h"
#include "harness/show/monitor_text.h"
#include "harness/show/report/rows.h"
#include "harness/show/report/sections.h"

namespace loadline {
namespace {

constexpr std::size_t kMostMoments = 600;  // about as many as a chart has pixels
constexpr std::size_t kMostThings = 8;     // that a chart can tell apart by colour

// Mean of the known values among each `stride` neighbours.
Values thinned(const std::vector<double>& values, std::size_t stride) {
  Values thin;
  for (std::size_t begin = 0; begin < values.size(); begin += stride) {
    Moments known;
    for (std::size_t i = begin; i < std::min(begin + stride, values.size()); ++i) {
      if (std::isfinite(values[i])) known.add(values[i]);
    }
    thin.numbers.push_back(known.count() > 0 ? std::optional(known.mean()) : std::nullopt);
  }
  return thin;
}

void append_series(Section& section, const Run& run, const MonitorSeries& series, std::size_t stride) {
  std::vector<double> known;
  std::ranges::copy_if(series.values, std::back_inserter(known), [](double value) { return std::isfinite(value); });
  if (known.empty()) return;
  const Summary summary = summarize(known);
  section.table.rows.push_back({run.name, series.name, text_datum(thing_text(series)), text_datum(series.unit),
                                text_datum(series.source), summary.min, summary.mean, summary.max,
                                thinned(series.values, stride)});
}

bool has_other_than_zero(const MonitorSeries& series) {
  return std::ranges::any_of(series.values, [](double value) { return std::isfinite(value) && value != 0; });
}

bool is_of_all(const MonitorSeries& series) {
  return series.of.starts_with("all ");
}

// Lowest, mean and highest of many things at each moment, as three series.
std::vector<MonitorSeries> folded_series(const std::vector<const MonitorSeries*>& things) {
  const MonitorSeries& first = *things.front();
  std::vector<MonitorSeries> three(3, {.name = first.name, .of = "", .unit = first.unit, .source = first.source});
  three[0].of = fmt::format("lowest of {}", things.size());
  three[1].of = fmt::format("mean of {}", things.size());
  three[2].of = fmt::format("highest of {}", things.size());
  for (std::size_t i = 0; i < first.values.size(); ++i) {
    std::vector<double> known;
    for (const MonitorSeries* thing : things) {
      if (i < thing->values.size() && std::isfinite(thing->values[i])) known.push_back(thing->values[i]);
    }
    const double none = std::nan("");
    const auto summary = known.empty() ? std::nullopt : std::optional(summarize(known));
    three[0].values.push_back(summary ? summary->min : none);
    three[1].values.push_back(summary ? summary->mean : none);
    three[2].values.push_back(summary ? summary->max : none);
  }
  return three;
}

// Returns whether it has folded a kind. `whose`: begins its notes.
bool append_record(Section& section, const Run& run, const MonitorRecord& record, std::string_view whose) {
  const std::size_t stride = std::max<std::size_t>(1, (record.times_seconds.size() + kMostMoments - 1) / kMostMoments);
  section.table.rows.push_back(
      {run.name, "time", "", "s", "", Datum(), Datum(), Datum(), thinned(record.times_seconds, stride)});
  std::vector<std::string> names;
  for (const MonitorSeries& series : record.series) {
    if (std::ranges::find(names, series.name) == names.end()) names.push_back(series.name);
  }
  bool folded = false;
  std::vector<std::string> idle;
  for (const std::string& name : names) {
    std::vector<const MonitorSeries*> things;
    bool moved = false;
    for (const MonitorSeries& series : record.series) {
      if (series.name != name) continue;
      moved = moved || has_other_than_zero(series);
      if (is_of_all(series)) {
        append_series(section, run, series, stride);
      } else {
        things.push_back(&series);
      }
    }
    if (things.size() > kMostThings) {
      folded = true;
      for (const MonitorSeries& series : folded_series(things)) append_series(section, run, series, stride);
    } else {
      for (const MonitorSeries* series : things) append_series(section, run, *series, stride);
    }
    if (!moved) idle.push_back(name);
  }
  section.notes.push_back(
      fmt::format("{}A sample every {} s; the monitor used {} s of CPU time.", whose,
                  plain_number(std::ldexp(record.period_seconds, static_cast<int>(record.halvings)), 3),
                  plain_number(record.cpu_seconds, 3)));
  if (stride > 1) {
    section.notes.push_back(
        fmt::format("{}The chart shows means of {} samples each; the result has all.", whose, stride));
  }
  if (!idle.empty()) {
    section.notes.push_back(
        fmt::format("{}Not shown, because 0 or unknown throughout: {}.", whose, fmt::join(idle, ", ")));
  }
  return folded;
}

}  // namespace

Section monitor_section(const ReportData& data) {
  Section section{.id = "monitor",
                  .title = "The machine during the run",
                  .reading =
                      "The band above shows which trial ran when, coloured by "
                      "mode; a gap in a line is a moment without data."};
  section.table.columns = {{"run", "run"},
                           {"name", "what"},
                           {"of", "of"},
                           {"unit", "unit"},
                           {"source", "source"},
                           {"lowest", "lowest", Figure::kAmount},
                           {"mean", "mean", Figure::kAmount},
                           {"highest", "highest", Figure::kAmount},
                           {"values", "over the run", Figure::kAmount}};
  bool folded = false;
  for (const Run& run : data.runs) {
    if (!run.result.monitor || run.result.monitor->times_seconds.empty()) continue;
    const std::string whose = data.runs.size() > 1 ? run.name + ": " : "";
    folded = append_record(section, run, *run.result.monitor, whose) || folded;
  }
  if (folded) {
    section.notes.push_back(
        fmt::format("Of a kind with more than {} members, only the lowest, mean and highest are shown.", kMostThings));
  }
  return section;
}

}  // namespace loadline
