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

#include "harness/judge/phrase.h"
#include "harness/judge/scaling.h"
#include "harness/plan/settings.h"
#include "harness/show/report/rows.h"
#include "harness/show/report/sections.h"

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
  row.insert(row.end(), {datum(rate.count), rate.mean});
  row.push_back(rate.ci95 ? Datum(rate.ci95->low) : Datum());
  row.push_back(rate.ci95 ? Datum(rate.ci95->high) : Datum());
}

const Summary& rate_of(const Run& run, std::size_t cell) {
  return *run.judgement.cells[cell].samples_per_second;
}

Datum ceiling_of(const Run& run, std::size_t cell) {
  const auto& found = run.judgement.cells[cell].load_line;
  return found ? Datum(found->line.samples_per_second) : Datum();
}

void append_ceiling(std::vector<Datum>& row, const Run& run, std::size_t cell) {
  const auto& found = run.judgement.cells[cell].load_line;
  if (!found) return row.resize(row.size() + 3);
  row.push_back(found->ceiling ? std::string(run.result.ceilings[*found->ceiling].ceiling.kind->name)
                               : std::string("the compute alone"));
  row.push_back(found->line.samples_per_second);
  row.push_back(found->line.efficiency.value);
}

Datum estimate_datum(const std::optional<Estimate>& estimate, std::string (*text)(const Estimate&)) {
  return estimate ? Datum(text(*estimate)) : Datum();
}

}  // namespace

Section throughput_section(const ReportData& data) {
  Section section{.id = "throughput",
                  .title = "Throughput",
                  .reading =
                      "Each bar or point is the mean of the trials, its whisker the 95 % t interval of that "
                      "mean; the upright line is its ceiling: the lowest limit that it has on this machine, "
                      "measured in the same rounds."};
  section.table.columns = with_rate(named_columns({}), {{"bound", "ceiling"},
                                                        {"ceiling", "ceiling, samples/s", Figure::kRate},
                                                        {"share", "of ceiling", Figure::kShare}});
  for (const Subject& subject : data.subjects) {
    for (const std::size_t cell : subject.cells) {
      const Run& run = data.runs[subject.run];
      std::vector<Datum> row = named_row(data, subject, cell);
      append_rate(row, rate_of(run, cell));
      append_ceiling(row, run, cell);
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
                                  std::string(name(verdict.bound)), estimate_datum(verdict.stall, percent),
                                  estimate_datum(verdict.accelerator_utilisation, percent),
                                  estimate_datum(verdict.overlap_efficiency, efficiency)});
  }
  return section;
}

namespace {

// Cells that differ in nothing but a figure by which they are told apart, such as their workers. The key: run,
// workload, name without that figure, mode.
template <typename Figure>
struct Family {
  std::tuple<std::size_t, std::string, std::string, Mode> key;
  std::map<Figure, std::size_t> cells;  // indices in the run's result
};

// Those with two members at least, in the order of the subjects. `name` and `figure` are of a cell; cells without a
// loader are passed over, and those without a figure.
template <typename Figure, typename NameOf, typename FigureOf>
std::vector<Family<Figure>> families_of(const ReportData& data, const NameOf& name, const FigureOf& figure) {
  std::vector<Family<Figure>> families;
  std::map<decltype(Family<Figure>::key), std::size_t> places;
  for (const Subject& subject : data.subjects) {
    for (const std::size_t index : subject.cells) {
      const Cell& cell = data.runs[subject.run].result.cells[index].cell;
      if (!cell.loader || figure(cell) == Figure()) continue;
      const auto [place, is_new] =
          places.try_emplace({subject.run, subject.workload, name(cell), cell.mode}, families.size());
      if (is_new) families.push_back({.key = place->first, .cells = {}});
      families[place->second].cells.emplace(figure(cell), index);
    }
  }
  std::erase_if(families, [](const Family<Figure>& family) { return family.cells.size() < 2; });
  return families;
}

}  // namespace

namespace {

using Curve = Family<std::size_t>;

// The laws of a curve, of the counts that have a core each: beyond these they say nothing.
struct Fits {
  std::optional<ScalabilityFit> scalability;
  std::optional<CappedLinearFit> capped;
  std::size_t most_workers;
};

Fits fits_of(const Run& run, const Curve& curve) {
  Fits fits{.most_workers = run.result.environment.machine.threads_in_force};
  std::vector<ScalingPoint> points;
  for (const auto& [workers, cell] : curve.cells) {
    const Summary& rate = rate_of(run, cell);
    if (workers > fits.most_workers) break;
    points.push_back({workers, rate.mean, static_cast<double>(rate.count)});
  }
  if (points.empty()) return fits;
  fits.scalability = fit_scalability(points);
  fits.capped = fit_capped_linear(points);
  return fits;
}

template <typename Fit>
Datum fitted(const std::optional<Fit>& fit, const Fits& fits, std::size_t workers) {
  if (!fit || workers > fits.most_workers) return {};
  return fit->samples_per_second(static_cast<double>(workers));
}

// Empty where there is no fit.
std::string fits_text(const Fits& fits) {
  std::string text;
  if (const auto& law = fits.scalability) {
    text += fmt::format("scalability law with contention {:.3g} and coherency {:.2g}, off by {:.1f} %", law->sigma,
                        law->kappa, 100 * law->residual);
  }
  if (const auto& law = fits.capped) {
    const std::string cap = law->cap ? fmt::format(" up to {}", rate(*law->cap)) : "";
    text += fmt::format("{}{} samples/s a worker{}, off by {:.1f} %", text.empty() ? "" : "; ", rate(law->per_worker),
                        cap, 100 * law->residual);
  }
  return text;
}

void append_curve(const Run& run, const Curve& curve, Section& section) {
  const auto& [run_index, workload, series, mode] = curve.key;
  const Fits fits = fits_of(run, curve);
  const auto each_of = [&](const auto& point) {
    return rate_of(run, point.second).mean / static_cast<double>(point.first);
  };
  const double each_of_fewest = each_of(*curve.cells.begin());
  for (const auto& point : curve.cells) {
    const auto& [workers, cell] = point;
    std::vector<Datum> row{run.name, workload, series, std::string(name(mode)), datum(workers)};
    append_rate(row, rate_of(run, cell));
    row.insert(row.end(), {each_of(point), each_of(point) / each_of_fewest, ceiling_of(run, cell),
                           fitted(fits.scalability, fits, workers), fitted(fits.capped, fits, workers)});
    section.table.rows.push_back(std::move(row));
  }
}

}  // namespace

Section scaling_section(const ReportData& data) {
  Section section{.id = "scaling",
                  .title = "Throughput over workers",
                  .reading =
                      "Points are means of the trials with their 95 % t intervals; dashed lines the Universal "
                      "Scalability Law (long dashes) and a line up to a cap (short) as fitted to them; the "
                      "dotted line is the highest ceiling that any of the curves has at that worker count."};
  section.table.columns = with_rate(named_columns({{"workers", "workers", Figure::kCount}}),
                                    {{"each", "samples/s a worker", Figure::kRate},
                                     {"efficiency", "of the fewest workers' rate each", Figure::kShare},
                                     {"ceiling", "ceiling, samples/s", Figure::kRate},
                                     {"fit-scalability", "scalability law", Figure::kRate},
                                     {"fit-capped", "line up to a cap", Figure::kRate}});
  const auto curves = families_of<std::size_t>(
      data, [&](const Cell& cell) { return data.names.series(cell); }, [](const Cell& cell) { return cell.workers; });
  constexpr std::size_t kMostNotes = 12;
  for (const Curve& curve : curves) {
    const Run& run = data.runs[std::get<0>(curve.key)];
    append_curve(run, curve, section);
    const std::string fits = fits_text(fits_of(run, curve));
    if (fits.empty() || section.notes.size() == kMostNotes) continue;
    section.notes.push_back(fmt::format("{}{}, {}, {}: {}.", data.runs.size() > 1 ? run.name + ": " : "",
                                        std::get<1>(curve.key), name(std::get<3>(curve.key)), std::get<2>(curve.key),
                                        fits));
  }
  return section;
}

Section cache_section(const ReportData& data) {
  Section section{.id = "cache",
                  .title = "Cold against warm page cache",
                  .reading =
                      "Each bar or point is the mean of the trials from that state of the page cache, its "
                      "whisker the 95 % t interval of that mean."};
  section.table.columns = with_rate(named_columns({{"cache", "page cache"}}), {});
  const auto setting = std::ranges::find(settings(), "cache", &SettingRow::name);
  if (setting == settings().end()) return section;
  const auto pairs = families_of<std::string>(
      data, [&](const Cell& cell) { return data.names.without(cell, "cache"); },
      [&](const Cell& cell) { return text_of(setting->read(cell)); });
  for (const auto& pair : pairs) {
    const auto& [run_index, workload, both, mode] = pair.key;
    const Run& run = data.runs[run_index];
    for (const auto& [state, cell] : pair.cells) {
      std::vector<Datum> row{run.name, workload, both, std::string(name(mode)), state};
      append_rate(row, rate_of(run, cell));
      section.table.rows.push_back(std::move(row));
    }
  }
  return section;
}

Section history_section(const ReportData& data) {
  Section section{.id = "history",
                  .title = "Along time",
                  .reading =
                      "Each point is the mean of one run's trials at the time when the run started, with its "
                      "95 % t interval; letters name the runs."};
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
  section.table.columns =
      with_rate({{"run", "run"}, {"name", "ceiling"}, {"what", "what it is"}, {"unit", "unit"}}, {});
  std::ranges::find(section.table.columns, "mean", &Column::key)->title = "per second";
  for (const Run& run : data.runs) {
    for (std::size_t i = 0; i < run.result.ceilings.size(); ++i) {
      const Ceiling& ceiling = run.result.ceilings[i].ceiling;
      if (!run.judgement.ceilings[i]) continue;
      std::vector<Datum> row{run.name, ceiling.id(), std::string(ceiling.kind->summary),
                             std::string(name(ceiling.kind->unit))};
      append_rate(row, *run.judgement.ceilings[i]);
      section.table.rows.push_back(std::move(row));
    }
  }
  return section;
}

}  // namespace loadline
