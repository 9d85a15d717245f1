// The sections about samples per second.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/judge/curves.h"
#include "harness/judge/phrase.h"
#include "harness/judge/rate_interval.h"
#include "harness/plan/settings.h"
#include "harness/show/report/rows.h"
#include "harness/show/report/sections.h"
#include "harness/show/scaling_text.h"

namespace loadline {
namespace {

std::vector<Column> with_rate(std::vector<Column> before, const std::vector<Column>& after) {
  const std::vector<Column> rate{{"trials", "trials", Figure::kCount},
                                 {"mean", "samples/s", Figure::kRate},
                                 {"low", "95 % from", Figure::kRate},
                                 {"high", "95 % to", Figure::kRate}};
  before.insert(before.end(), rate.begin(), rate.end());
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

void append_rate(std::vector<Datum>& row, const Summary& rate) {
  const auto interval = rate_interval(rate);
  row.insert(row.end(), {datum(rate.count), rate.mean});
  row.push_back(interval ? Datum(interval->low) : Datum());
  row.push_back(interval ? Datum(interval->high) : Datum());
}

const Summary& rate_of(const Run& run, std::size_t cell) {
  return *run.judgement.cells[cell].samples_per_second;
}

Datum ceiling_of(const Run& run, std::size_t cell) {
  const auto& found = run.judgement.cells[cell].load_line;
  return found ? Datum(found->line.samples_per_second) : Datum();
}

// Not known where it is too noisy to say.
Datum share_datum(const Estimate& share) {
  return share.ci95 && !telling_share(share) ? Datum() : Datum(share.value);
}

// The slower of what its loader fills and what the compute takes, if both were measured along with FULL.
bool append_bound_of_full(std::vector<Datum>& row, const Run& run, const Subject& subject, std::size_t cell) {
  const Configuration* const its = subject.configuration;
  if (its == nullptr || its->full != cell || !its->verdict.of_bound || !its->verdict.supply) return false;
  const Estimate& share = *its->verdict.of_bound;
  const bool filling = its->verdict.supply->value < 1;
  const auto alone = its->synthetic ? run.judgement.cells[*its->synthetic].samples_per_second : std::nullopt;
  row.push_back(std::string(filling ? "what its loader fills" : "the compute alone"));
  row.push_back(!filling && alone ? alone->mean : rate_of(run, cell).mean / share.value);
  row.push_back(share_datum(share));
  return true;
}

void append_bound(std::vector<Datum>& row, const Run& run, const Subject& subject, std::size_t cell) {
  if (append_bound_of_full(row, run, subject, cell)) return;
  const auto& found = run.judgement.cells[cell].load_line;
  if (!found) return row.resize(row.size() + 3);
  row.push_back(found->ceiling ? std::string(run.result.ceilings[*found->ceiling].ceiling.kind->name)
                               : std::string("the compute alone"));
  row.push_back(found->line.samples_per_second);
  row.push_back(share_datum(found->line.efficiency));
}

// What FULL and IO are compared with: SYNTHETIC, and for FULL its share of that.
void append_synthetic(std::vector<Datum>& row, const Run& run, const Subject& subject, std::size_t cell) {
  const Mode mode = run.result.cells[cell].cell.mode;
  const auto synthetic = subject.configuration ? subject.configuration->synthetic : std::nullopt;
  if (mode == Mode::kSynthetic || !synthetic || !run.judgement.cells[*synthetic].samples_per_second) {
    return row.resize(row.size() + 2);
  }
  const double alone = rate_of(run, *synthetic).mean;
  row.push_back(alone);
  const auto& utilisation = subject.configuration->verdict.accelerator_utilisation;
  row.push_back(mode == Mode::kFull && utilisation ? share_datum(*utilisation) : Datum());
}

Datum estimate_datum(const std::optional<Estimate>& estimate, std::string (*text)(const Estimate&)) {
  return estimate ? Datum(text(*estimate)) : Datum();
}

}  // namespace

Section throughput_section(const ReportData& data) {
  Section section{.id = "throughput",
                  .title = "Throughput",
                  .reading =
                      "Each dot is a trial; the vertical line of the same colour is their mean. From five trials on, "
                      "the box is the mean's 95 % t interval, computed on the logarithmic scale so that it never "
                      "crosses zero. The dashed line, or a grey mark where rows differ, is SYNTHETIC, the compute "
                      "alone. The uncoloured mark is the bound: for IO the lowest ceiling of this machine, for FULL "
                      "the slower of what its loader fills and what the compute takes."};
  section.table.columns = with_rate(named_columns({}), {{"bound", "bound"},
                                                        {"ceiling", "bound, samples/s", Figure::kRate},
                                                        {"share", "of bound", Figure::kShare},
                                                        {"synthetic", "SYNTHETIC, samples/s", Figure::kRate},
                                                        {"of-synthetic", "of SYNTHETIC", Figure::kShare}});
  const bool any_tokens = std::ranges::any_of(data.runs, [](const Run& run) {
    return std::ranges::any_of(run.judgement.cells,
                               [](const auto& cell) { return cell.tokens_per_second.has_value(); });
  });
  if (any_tokens) section.table.columns.push_back({"tokens", "tokens/s", Figure::kRate});
  std::set<std::pair<std::size_t, std::size_t>> said;  // SYNTHETIC is that of many configurations
  for (const Subject& subject : data.subjects) {
    for (const std::size_t cell : subject.cells) {
      const Run& run = data.runs[subject.run];
      std::vector<Datum> row = named_row(data, subject, cell);
      if (run.result.cells[cell].cell.mode == Mode::kSynthetic) {
        if (!said.emplace(subject.run, cell).second) continue;
        row[2] = resident_text(run.result.cells[cell].cell);
      }
      append_rate(row, rate_of(run, cell));
      append_bound(row, run, subject, cell);
      append_synthetic(row, run, subject, cell);
      if (any_tokens) {
        const auto& tokens = run.judgement.cells[cell].tokens_per_second;
        row.push_back(tokens ? Datum(tokens->mean) : Datum());
      }
      section.table.rows.push_back(std::move(row));
    }
  }
  return section;
}

Section bounds_section(const ReportData& data) {
  Section section{.id = "bounds", .title = "What limits each configuration", .reading = ""};
  section.table.columns = {{"run", "run"},
                           {"workload", "workload"},
                           {"name", "configuration"},
                           {"bound", "bound by"},
                           {"stall", "stall"},
                           {"utilisation", "accelerator utilisation"},
                           {"overlap", "overlap efficiency"}};
  for (const Subject& subject : data.subjects) {
    if (subject.configuration == nullptr || subject.configuration->verdict.bound == Bound::kIncomplete) continue;
    const Verdict& verdict = subject.configuration->verdict;
    section.table.rows.push_back({data.runs[subject.run].name, subject.workload, subject.name,
                                  std::string(name(verdict.bound)), estimate_datum(verdict.stall, stall_text),
                                  estimate_datum(verdict.accelerator_utilisation, percent),
                                  estimate_datum(verdict.overlap_efficiency, efficiency)});
  }
  return section;
}

namespace {

std::vector<bool> shown_cells(const ReportData& data, std::size_t run) {
  std::vector<bool> shown(data.runs[run].result.cells.size());
  for (const Subject& subject : data.subjects) {
    if (subject.run != run) continue;
    for (const std::size_t cell : subject.cells) shown[cell] = true;
  }
  return shown;
}

template <typename Fit>
Datum fitted(const std::optional<Fit>& fit, std::size_t workers) {
  return fit ? Datum(fit->samples_per_second(static_cast<double>(workers))) : Datum();
}

// SYNTHETIC of the configuration that a cell belongs to.
Datum compute_of(const ReportData& data, const Run& run, std::size_t cell) {
  for (const Subject& subject : data.subjects) {
    const Configuration* const its = subject.configuration;
    if (&data.runs[subject.run] != &run || its == nullptr || !its->synthetic) continue;
    const auto& rate = run.judgement.cells[*its->synthetic].samples_per_second;
    if ((its->io == cell || its->full == cell) && rate) return rate->mean;
  }
  return {};
}

// From seconds per 1,000 samples.
constexpr double kMicrosecondsASample = 1000;

void append_curve(const ReportData& data, const Run& run, const Curve& curve, Section& section) {
  const Cell& first = run.result.cells[curve.points.front().cell].cell;
  for (const CurvePoint& one : curve.points) {
    const auto& [workers, rate, efficiency] = one.point;
    std::vector<Datum> row{run.name, first.workload, data.names.series(first), std::string(name(first.mode)),
                           datum(workers)};
    append_rate(row, rate_of(run, one.cell));
    row.push_back(efficiency ? Datum(efficiency->value) : Datum());
    row.push_back(one.cost ? Datum(kMicrosecondsASample * one.cost->cpu_seconds.mean) : Datum());
    row.insert(row.end(), {ceiling_of(run, one.cell), compute_of(data, run, one.cell)});
    row.insert(row.end(), {fitted(curve.scalability, workers), fitted(curve.capped_linear, workers)});
    section.table.rows.push_back(std::move(row));
  }
  std::string laws = laws_text(curve);
  if (laws.empty()) return;
  laws.pop_back();
  if (const auto second = laws.find('\n'); second != std::string::npos) laws.replace(second, 1, "; ");
  section.notes.push_back(fmt::format("{}{}: {}.", data.runs.size() > 1 ? run.name + ", " : "", curve.name, laws));
}

}  // namespace

Section scaling_section(const ReportData& data) {
  Section section{
      .id = "scaling",
      .title = "Throughput over workers",
      .reading =
          "Points are means of the trials, with their 95 % t intervals on the logarithmic scale from five trials on, "
          "and with the trials themselves below that. The dotted line is the highest ceiling of any curve at that "
          "count; the level line is SYNTHETIC, what the compute alone takes."};
  section.table.columns = with_rate(named_columns({{"workers", "workers", Figure::kCount}}),
                                    {{"efficiency", "per worker, against one worker alone", Figure::kShare},
                                     {"cpu", "CPU µs per sample", Figure::kAmount},
                                     {"ceiling", "ceiling, samples/s", Figure::kRate},
                                     {"compute", "compute alone, samples/s", Figure::kRate},
                                     {"fit-scalability", "scalability law", Figure::kRate},
                                     {"fit-capped", "line up to a cap", Figure::kRate}});
  for (std::size_t i = 0; i < data.runs.size(); ++i) {
    const Run& run = data.runs[i];
    const std::vector<bool> shown = shown_cells(data, i);
    for (const Curve& curve : run.judgement.curves) {
      if (std::ranges::any_of(curve.points, [&](const CurvePoint& point) { return shown[point.cell]; })) {
        append_curve(data, run, curve, section);
      }
    }
  }
  if (!section.notes.empty()) {
    section.reading +=
        " Where there are at most four curves, lines with long dashes are fits of the Universal Scalability Law to the "
        "means, lines of dashes and dots fits of a line up to a cap.";
  }
  constexpr std::size_t kMostNotes = 12;
  if (section.notes.size() > kMostNotes) {
    const std::size_t left_out = section.notes.size() - kMostNotes;
    section.notes.resize(kMostNotes);
    section.notes.push_back(
        fmt::format("The fits of {} are not listed here; the table has the rates that they predict.",
                    plural(left_out, "more curve")));
  }
  return section;
}

namespace {

// Cells that differ in nothing but the state of the page cache. The key: run, workload, name without it, mode.
struct Family {
  std::tuple<std::size_t, std::string, std::string, Mode> key;
  std::map<std::string, std::size_t> cells;  // by that state: indices in the run's result
};

// Groups with at least two members, in the order of the subjects.
std::vector<Family> families_of(const ReportData& data, const SettingRow& cache) {
  std::vector<Family> families;
  std::map<decltype(Family::key), std::size_t> places;
  for (const Subject& subject : data.subjects) {
    for (const std::size_t index : subject.cells) {
      const Cell& cell = data.runs[subject.run].result.cells[index].cell;
      if (!cell.loader) continue;
      const auto [place, is_new] = places.try_emplace(
          {subject.run, subject.workload, data.names.without(cell, cache.name), cell.mode}, families.size());
      if (is_new) families.push_back({.key = place->first, .cells = {}});
      families[place->second].cells.emplace(text_of(cache.read(cell)), index);
    }
  }
  std::erase_if(families, [](const Family& family) { return family.cells.size() < 2; });
  return families;
}

}  // namespace

Section cache_section(const ReportData& data) {
  Section section{
      .id = "cache",
      .title = "Cold against warm page cache",
      .reading =
          "Each dot is a trial with the page cache in that state; the vertical line of the same colour is their mean. "
          "From five trials on, the box is the mean's 95 % t interval on the logarithmic scale."};
  section.table.columns =
      with_rate(named_columns({{"cache", "page cache"}}), {{"rates", "samples/s, trial by trial", Figure::kRate}});
  for (const Family& pair : families_of(data, setting_named("report", "cache"))) {
    const auto& [run_index, workload, both, mode] = pair.key;
    const Run& run = data.runs[run_index];
    for (const auto& [state, cell] : pair.cells) {
      std::vector<Datum> row{run.name, workload, both, std::string(name(mode)), state};
      append_rate(row, rate_of(run, cell));
      row.push_back(rates_datum(run.result.cells[cell]));
      section.table.rows.push_back(std::move(row));
    }
  }
  return section;
}

Section history_section(const ReportData& data) {
  Section section{.id = "history",
                  .title = "Over time",
                  .reading =
                      "Each point is the mean of one run's trials, at the time when the run started, with its 95 % t "
                      "interval on the logarithmic scale; letters name the runs."};
  section.table.columns = with_rate(named_columns({{"started", "started, UTC"}}), {});
  std::set<std::string> moments;
  for (const Run& run : data.runs) moments.insert(run.result.started);
  if (moments.size() < 2) return section;
  for (const Subject& subject : data.subjects) {
    const Run& run = data.runs[subject.run];
    std::vector<Datum> row = named_row(data, subject, subject.cells.back());
    row.push_back(run.result.started);
    append_rate(row, rate_of(run, subject.cells.back()));
    section.table.rows.push_back(std::move(row));
  }
  return section;
}

Section ceilings_section(const ReportData& data) {
  Section section{.id = "ceilings", .title = "Ceilings of the machine", .reading = ""};
  section.table.columns = with_rate({{"run", "run"}, {"name", "ceiling"}, {"unit", "unit"}}, {{"what", "what it is"}});
  std::ranges::find(section.table.columns, "mean", &Column::key)->title = "per second";
  for (const Run& run : data.runs) {
    for (std::size_t i = 0; i < run.result.ceilings.size(); ++i) {
      const Ceiling& ceiling = run.result.ceilings[i].ceiling;
      if (!run.judgement.ceilings[i]) continue;
      std::vector<Datum> row{run.name, ceiling.id(), std::string(name(ceiling.kind->unit))};
      append_rate(row, *run.judgement.ceilings[i]);
      row.emplace_back(std::string(ceiling.kind->summary));
      section.table.rows.push_back(std::move(row));
    }
  }
  return section;
}

}  // namespace loadline
