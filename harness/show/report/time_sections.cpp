// The sections about waiting, starting and CPU time.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/judge/statistics.h"
#include "harness/plan/settings.h"
#include "harness/result/counted.h"
#include "harness/show/report/rows.h"
#include "harness/show/report/sections.h"

namespace loadline {
namespace {

// Cells with trials that wait for a loader.
std::vector<std::size_t> loading_cells(const ReportData& data, const Subject& subject) {
  const Run& run = data.runs[subject.run];
  std::vector<std::size_t> cells = subject.cells;
  std::erase_if(cells, [&](std::size_t cell) { return !uses_loader(run.result.cells[cell].cell.mode); });
  return cells;
}

// The most telling of them: FULL, or IO.
std::optional<std::size_t> loading_cell(const ReportData& data, const Subject& subject) {
  const auto cells = loading_cells(data, subject);
  return cells.empty() ? std::nullopt : std::optional(cells.back());
}

template <typename Read>
double median_over(const CellResult& cell, const Read& read) {
  std::vector<double> values;
  for (const Trial& trial : counted(cell.trials)) values.push_back(read(trial));
  return summarize(values).median;
}

// The mean rate of warm trials: those of the cell or, of a cold one, those of the cell that differs in nothing but the
// cache state. nullopt without such trials.
std::optional<double> warm_rate(const Run& run, std::size_t cell) {
  const auto rate_of = [&](std::size_t index) {
    const auto& summary = run.judgement.cells[index].samples_per_second;
    return summary ? std::optional(summary->mean) : std::nullopt;
  };
  const Cell& own = run.result.cells[cell].cell;
  if (own.cache != CacheState::kCold) return rate_of(cell);
  const std::string key = key_of(own, kAllParts, "cache");
  for (std::size_t i = 0; i < run.result.cells.size(); ++i) {
    const Cell& other = run.result.cells[i].cell;
    if (other.cache == CacheState::kCold || other.mode != own.mode || other.workers != own.workers) continue;
    if (key_of(other, kAllParts, "cache") == key) return rate_of(i);
  }
  return std::nullopt;
}

template <typename Read>
double sum_over(const CellResult& cell, const Read& read) {
  double sum = 0;
  for (const Trial& trial : counted(cell.trials)) sum += static_cast<double>(read(trial));
  return sum;
}

}  // namespace

Section waits_section(const ReportData& data) {
  Section section{.id = "waits",
                  .title = "Waiting for a batch",
                  .reading =
                      "How long the consumer waits for a batch: p50, p95 and p99 (medians over the trials) and the "
                      "longest wait of all trials; the line spans from p50 to the longest."};
  section.table.columns = named_columns({{"p50", "p50", Figure::kSeconds},
                                         {"p95", "p95", Figure::kSeconds},
                                         {"p99", "p99", Figure::kSeconds},
                                         {"max", "longest", Figure::kSeconds},
                                         {"share", "of the time", Figure::kShare}});
  for (const Subject& subject : data.subjects) {
    for (const std::size_t index : loading_cells(data, subject)) {
      const CellResult& cell = data.runs[subject.run].result.cells[index];
      double longest = 0;
      for (const Trial& trial : counted(cell.trials)) longest = std::max(longest, trial.wait.max_seconds);
      const double waited = sum_over(cell, [](const Trial& trial) { return trial.wait.total_seconds; });
      const double wall = sum_over(cell, [](const Trial& trial) { return trial.wall_seconds; });
      std::vector<Datum> row = named_row(data, subject, index);
      row.insert(row.end(), {median_over(cell, [](const Trial& trial) { return trial.wait.p50_seconds; }),
                             median_over(cell, [](const Trial& trial) { return trial.wait.p95_seconds; }),
                             median_over(cell, [](const Trial& trial) { return trial.wait.p99_seconds; }), longest,
                             waited / wall});
      section.table.rows.push_back(std::move(row));
    }
  }
  return section;
}

Section timeline_section(const ReportData& data, std::size_t most) {
  Section section{.id = "timeline",
                  .title = "Waits over the run",
                  .reading =
                      "One mark per trial, at its start time and its p99 wait for a batch; its line spans from p50 to "
                      "the longest wait."};
  section.table.columns = named_columns({{"round", "round", Figure::kCount},
                                         {"started", "started, s into the run", Figure::kAmount},
                                         {"p50", "p50", Figure::kSeconds},
                                         {"p95", "p95", Figure::kSeconds},
                                         {"p99", "p99", Figure::kSeconds},
                                         {"max", "longest", Figure::kSeconds},
                                         {"rate", "samples/s", Figure::kRate}});
  bool all = true;
  for (const Subject& subject : data.subjects) {
    const auto cell = loading_cell(data, subject);
    if (!cell) continue;
    if (subject.rank >= most) {
      all = false;
      continue;
    }
    for (const Trial& trial : counted(data.runs[subject.run].result.cells[*cell].trials)) {
      std::vector<Datum> row = named_row(data, subject, *cell);
      row.insert(row.end(), {datum(trial.round), clock_started(trial), trial.wait.p50_seconds, trial.wait.p95_seconds,
                             trial.wait.p99_seconds, trial.wait.max_seconds, trial.samples_per_second()});
      section.table.rows.push_back(std::move(row));
    }
  }
  if (!all) section.notes.push_back(fmt::format("Only the {} shown.", best_words(most)));
  return section;
}

Section start_section(const ReportData& data) {
  Section section{
      .id = "start",
      .title = "First batch and first epoch against warm",
      .reading =
          "What a job pays when it starts: the time from opening the data to the first batch, the time of "
          "the first epoch, and the time of as many samples at the mean rate of warm trials. Some data is "
          "read as soon as it is opened, so only both times together show what a cold start costs. Measured "
          "once, so without an interval."};
  section.table.columns = named_columns({{"open", "open the data", Figure::kSeconds},
                                         {"batch", "then to the first batch", Figure::kSeconds},
                                         {"first", "to the first batch", Figure::kSeconds},
                                         {"samples", "samples of the first epoch", Figure::kCount},
                                         {"epoch", "first epoch", Figure::kSeconds},
                                         {"start", "opening and first epoch", Figure::kSeconds},
                                         {"warm", "the same samples, warm", Figure::kSeconds},
                                         {"times", "both over warm", Figure::kAmount}});
  for (const Subject& subject : data.subjects) {
    const auto index = loading_cell(data, subject);
    if (!index) continue;
    const Run& run = data.runs[subject.run];
    const auto& epoch = run.result.cells[*index].first_epoch;
    if (!epoch || epoch->samples == 0) continue;
    const auto samples = static_cast<double>(epoch->samples);
    const double start = epoch->open_seconds + epoch->wall_seconds;
    const auto rate = warm_rate(run, *index);
    std::vector<Datum> row = named_row(data, subject, *index);
    row.insert(row.end(), {epoch->open_seconds, epoch->first_batch_seconds,
                           epoch->open_seconds + epoch->first_batch_seconds, samples, epoch->wall_seconds, start,
                           rate ? Datum(samples / *rate) : Datum(), rate ? Datum(start * *rate / samples) : Datum()});
    section.table.rows.push_back(std::move(row));
  }
  return section;
}

Section cpu_section(const ReportData& data) {
  Section section{.id = "cpu",
                  .title = "CPU use",
                  .reading =
                      "CPU time of the whole process per sample, over all trials; the table also has context switches "
                      "and page faults."};
  section.table.columns = named_columns({{"user", "user CPU µs per sample", Figure::kAmount},
                                         {"system", "system CPU µs per sample", Figure::kAmount},
                                         {"cpus", "CPUs busy", Figure::kAmount},
                                         {"voluntary", "voluntary switches per 1,000 samples", Figure::kAmount},
                                         {"involuntary", "involuntary switches per 1,000 samples", Figure::kAmount},
                                         {"major", "major faults", Figure::kCount},
                                         {"rss", "peak memory, MiB", Figure::kAmount},
                                         {"device", "read from the device, MiB", Figure::kAmount}});
  for (const Subject& subject : data.subjects) {
    const Run& run = data.runs[subject.run];
    for (const std::size_t index : loading_cells(data, subject)) {
      const CellResult& cell = run.result.cells[index];
      constexpr double kMebibyte = 1024 * 1024;
      const double thousands = sum_over(cell, [](const Trial& trial) { return trial.samples; }) / 1000;
      const double wall = sum_over(cell, [](const Trial& trial) { return trial.wall_seconds; });
      const double user = sum_over(cell, [](const Trial& trial) { return trial.usage.user_cpu_seconds; });
      const double system = sum_over(cell, [](const Trial& trial) { return trial.usage.system_cpu_seconds; });
      const bool told = std::ranges::all_of(
          counted(cell.trials), [](const Trial& trial) { return trial.usage.device_read_bytes.has_value(); });
      std::uint64_t peak = 0;
      for (const Trial& trial : counted(cell.trials)) peak = std::max(peak, trial.usage.peak_rss_bytes.value_or(0));
      std::vector<Datum> row = named_row(data, subject, index);
      row.insert(row.end(),
                 {1000 * user / thousands, 1000 * system / thousands, (user + system) / wall,
                  sum_over(cell, [](const Trial& trial) { return trial.usage.voluntary_switches; }) / thousands,
                  sum_over(cell, [](const Trial& trial) { return trial.usage.involuntary_switches; }) / thousands,
                  sum_over(cell, [](const Trial& trial) { return trial.usage.major_faults; }),
                  peak > 0 ? Datum(static_cast<double>(peak) / kMebibyte) : Datum()});
      row.push_back(
          told ? Datum(sum_over(cell, [](const Trial& trial) { return *trial.usage.device_read_bytes; }) / kMebibyte)
               : Datum());
      section.table.rows.push_back(std::move(row));
    }
  }
  return section;
}

}  // namespace loadline
