// The sections about several processes and several devices: what dealing work to them costs, and what each rank did.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/judge/rank_points.h"
#include "harness/judge/rate_interval.h"
#include "harness/result/counted.h"
#include "harness/show/ranks_text.h"
#include "harness/show/report/rows.h"
#include "harness/show/report/sections.h"
#include "loaders/printable.h"
#include "synthetic/compute/gradient_sum.h"

namespace loadline {
namespace {

constexpr std::size_t kMostRankRows = 64;  // of a configuration

// Stages of a step that exist only because several devices or processes take part.
constexpr std::array<std::string_view, 5> kOverheadStages{"scatter", "replicate", "gather", kGradientStage,
                                                          kSlowestRank};

// The share of all trials' time that each of them takes; empty if the step has no such stage.
std::vector<std::optional<double>> overheads_of(const CellResult& cell) {
  std::vector<std::optional<double>> shares(kOverheadStages.size());
  double wall = 0;
  for (const Trial& trial : counted(cell.trials)) {
    wall += trial.wall_seconds;
    for (const StageSummary& stage : trial.stages) {
      const auto known = std::ranges::find(kOverheadStages, stage.name);
      if (known == kOverheadStages.end()) continue;
      auto& share = shares[static_cast<std::size_t>(known - kOverheadStages.begin())];
      share = share.value_or(0) + stage.total_seconds;
    }
  }
  for (auto& share : shares) {
    if (share) *share /= wall;
  }
  return shares;
}

// "DP" and "DDP" are the frameworks' names; there is none for devices that take whole batches in turn, nor for one
// device.
std::string how_text(std::size_t ranks, const ComputeDevices& devices) {
  if (devices.share_a_batch && devices.devices > 1) {
    return ranks == 1 ? "DP: one process splits" : "DP in each process";
  }
  if (ranks > 1) return devices.devices == 1 ? "DDP: a process each" : "processes, devices in turn";
  return devices.devices == 1 ? "one device" : "devices in turn";
}

// Per process in a trial, on average.
double mean_iterations(const CellResult& cell, double& wall_seconds) {
  double batches = 0;
  wall_seconds = 0;
  for (const Trial& trial : counted(cell.trials)) {
    batches += static_cast<double>(trial.batches) / static_cast<double>(trial.rank_count());
    wall_seconds += trial.wall_seconds;
  }
  return batches;
}

// The cell with a compute that says most about a configuration: FULL, or SYNTHETIC; null if it has neither.
std::optional<std::size_t> cell_with_compute(const ReportData& data, const Subject& subject) {
  for (auto cell = subject.cells.rbegin(); cell != subject.cells.rend(); ++cell) {
    if (data.runs[subject.run].result.cells[*cell].cell.mode != Mode::kIo) return *cell;
  }
  return std::nullopt;
}

std::vector<Datum> devices_row(const ReportData& data, const Subject& subject, std::size_t index) {
  const Run& run = data.runs[subject.run];
  const CellResult& cell = run.result.cells[index];
  const ComputeDevices devices = devices_of(cell.cell.compute);
  const std::size_t ranks = cell.trials.front().rank_count();
  const std::size_t batch = cell.cell.sampler.batch_size;
  const std::size_t parts = devices.share_a_batch ? devices.devices : 1;
  const std::size_t samples = run.result.datasets[cell.dataset].info.samples;
  double wall = 0;
  const double iterations = mean_iterations(cell, wall);
  const Summary& rate = *run.judgement.cells[index].samples_per_second;
  const auto interval = rate_interval(rate);
  std::vector<Datum> row = named_row(data, subject, index);
  row.insert(row.end(), {how_text(ranks, devices), datum(ranks), datum(ranks * devices.devices), datum(batch),
                         Datum(static_cast<double>(batch) / static_cast<double>(parts)),
                         samples > 0 ? datum((samples + batch * ranks - 1) / (batch * ranks)) : Datum(), rate.mean,
                         interval ? Datum(interval->low) : Datum(), interval ? Datum(interval->high) : Datum(),
                         wall / iterations});
  const auto overheads = overheads_of(cell);
  std::optional<double> all;
  for (const auto& share : overheads) {
    if (share) all = all.value_or(0) + *share;
  }
  row.push_back(datum(all));
  for (const auto& share : overheads) row.push_back(datum(share));
  return row;
}

bool has_several(const ReportData& data) {
  return std::ranges::any_of(data.subjects, [&](const Subject& subject) {
    const auto index = cell_with_compute(data, subject);
    if (!index) return false;
    const CellResult& cell = data.runs[subject.run].result.cells[*index];
    return cell.trials.front().rank_count() > 1 || devices_of(cell.cell.compute).devices > 1;
  });
}

// What a rank did in all trials: seconds, from which the shares are made.
struct RankTimes {
  std::size_t rank = 0;
  double batches = 0;
  double samples = 0;
  double own = 0;   // its trials
  double all = 0;   // those of the slowest
  double wait = 0;  // for data
  double gradients = 0;
  double started = 0;  // after the first
  double cpu = 0;
  std::size_t slowest = 0;  // trials in which it was
};

std::vector<RankTimes> rank_times_of(const CellResult& cell) {
  std::vector<RankTimes> times(cell.trials.front().rank_count());
  for (const Trial& trial : counted(cell.trials)) {
    if (!trial.ranks || trial.ranks->each.size() != times.size()) return {};
    for (std::size_t i = 0; i < times.size(); ++i) {
      const RankShare& share = trial.ranks->each[i];
      RankTimes& sum = times[i];
      sum.rank = share.rank;
      sum.batches += static_cast<double>(share.batches);
      sum.samples += static_cast<double>(share.samples);
      sum.own += share.wall_seconds;
      sum.all += trial.wall_seconds;
      sum.wait += share.wait_seconds;
      sum.started += share.started_seconds;
      sum.cpu += share.cpu_seconds;
      if (trial.ranks->slowest() == share.rank) ++sum.slowest;
      const auto stage = std::ranges::find(share.stages, kGradientStage, &StageSummary::name);
      if (stage != share.stages.end()) sum.gradients += stage->total_seconds;
    }
  }
  return times;
}

void append_ranks(Section& section, const ReportData& data, const Subject& subject, std::size_t index) {
  const Run& run = data.runs[subject.run];
  const CellResult& cell = run.result.cells[index];
  if (!run.result.ranks || cell.trials.front().rank_count() < 2) return;
  std::vector<RankTimes> times = rank_times_of(cell);
  const auto rate = [](const RankTimes& one) { return one.samples / one.own; };
  if (times.size() > kMostRankRows) {
    std::ranges::sort(times, {}, rate);
    section.notes.push_back(
        fmt::format("{}: the slowest {} and the fastest of {} ranks.", subject.name, kMostRankRows - 1, times.size()));
    std::swap(times[kMostRankRows - 1], times.back());
    times.resize(kMostRankRows);
  }
  const auto trials = static_cast<double>(std::ranges::distance(counted(cell.trials)));
  for (const RankTimes& one : times) {
    const auto& places = run.result.ranks->places;
    std::vector<Datum> row = named_row(data, subject, index);
    const double early = std::max(0.0, one.all - one.own);
    row.insert(row.end(),
               {datum(one.rank), text_datum(one.rank < places.size() ? printable(places[one.rank].host) : ""),
                Datum(one.batches / trials), Datum(rate(one)),
                Datum(std::max(0.0, one.own - one.wait - one.gradients) / one.all), Datum(one.wait / one.all),
                one.gradients > 0 ? Datum(one.gradients / one.all) : Datum(), Datum(early / one.all),
                datum(one.slowest), Datum(one.started / trials), Datum(one.cpu / one.own)});
    section.table.rows.push_back(std::move(row));
  }
}

// Sentences of the summary, one note each.
void append_sentences(Section& section, const ReportData& data, const Run& run) {
  std::string text = stragglers_text(run.result, run.judgement);
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string which = data.runs.size() > 1 ? run.name + ": " : "";
    section.notes.push_back(which + text.substr(begin, end - begin));
  }
}

}  // namespace

Section devices_section(const ReportData& data) {
  Section section{
      .id = "devices",
      .title = "Processes and devices",
      .reading =
          "The share of the time that a step spends on dealing work to several devices and gathering the results: in "
          "DP scatter, replicate and gather, in DDP the wait for summed gradients and for the slowest process."};
  section.table.columns = named_columns({{"how", "how"},
                                         {"processes", "processes", Figure::kCount},
                                         {"devices", "devices", Figure::kCount},
                                         {"batch", "batch per process", Figure::kCount},
                                         {"part", "batch per device", Figure::kAmount},
                                         {"iterations", "iterations per epoch", Figure::kCount},
                                         {"mean", "samples/s", Figure::kRate},
                                         {"low", "95 % from", Figure::kRate},
                                         {"high", "95 % to", Figure::kRate},
                                         {"each", "per iteration", Figure::kSeconds},
                                         {"overhead", "overhead", Figure::kShare}});
  for (const std::string_view stage : kOverheadStages) {
    section.table.columns.push_back({stage, std::string(stage), Figure::kShare});
  }
  if (!has_several(data)) return section;
  // Run by run, in the given order: the others are compared with the first.
  for (std::size_t run = 0; run < data.runs.size(); ++run) {
    for (const Subject& subject : data.subjects) {
      const auto index = subject.run == run ? cell_with_compute(data, subject) : std::nullopt;
      if (index) section.table.rows.push_back(devices_row(data, subject, *index));
    }
  }
  return section;
}

Section ranks_section(const ReportData& data) {
  Section section{
      .id = "ranks",
      .title = "Ranks",
      .reading =
          "What each rank did during the time of the slowest, over all trials: its step and all else, waiting for "
          "data, waiting for summed gradients, and the time that the slowest takes longer."};
  section.table.columns = named_columns({{"rank", "rank", Figure::kCount},
                                         {"host", "host"},
                                         {"iterations", "iterations per trial", Figure::kAmount},
                                         {"mean", "samples/s", Figure::kRate},
                                         {"step", "step and all else", Figure::kShare},
                                         {"wait", "waiting for data", Figure::kShare},
                                         {"gradients", "gradients", Figure::kShare},
                                         {"early", "slowest rank", Figure::kShare},
                                         {"slowest", "trials in which it ended last", Figure::kCount},
                                         {"started", "started after the first", Figure::kSeconds},
                                         {"cpus", "CPUs busy", Figure::kAmount}});
  for (const Subject& subject : data.subjects) append_ranks(section, data, subject, subject.cells.back());
  if (section.table.rows.empty()) return section;
  for (const Run& run : data.runs) append_sentences(section, data, run);
  return section;
}

}  // namespace loadline
