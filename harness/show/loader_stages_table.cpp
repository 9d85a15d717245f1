#include "harness/show/loader_stages_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/judge/loader_time.h"
#include "harness/judge/phrase.h"
#include "harness/result/counted.h"
#include "harness/show/columns.h"

namespace loadline {
namespace {

// A share that would be shown as 0.0 %.
constexpr double kNothing = 0.0005;

bool is_there(const StageShare& stage) {
  return stage.share.value >= kNothing;
}

std::string per_sample(const StageShare& stage) {
  return duration(stage.seconds_per_sample);
}

// For a loader on the consumer's thread, where the rest is the consumer's own work.
void add_shared_thread(const LoaderTime& time, std::vector<Row>& rows) {
  for (const StageShare& stage : time.stages) {
    if (!is_there(stage)) continue;
    const bool own = stage.stage == WorkerStage::kIdle;
    rows.push_back(
        {"consumer", own ? "the rest" : std::string(name(stage.stage)), percent(stage.share), per_sample(stage)});
  }
}

void add_workers(const LoaderTime& time, std::vector<Row>& rows) {
  for (const StageShare& stage : time.stages) {
    if (!is_there(stage)) continue;
    rows.push_back(
        {plural(time.workers, "worker"), std::string(name(stage.stage)), percent(stage.share), per_sample(stage)});
  }
}

void add_consumer(const CellResult& cell, std::vector<Row>& rows) {
  const auto waits = consumer_wait_of(cell);
  if (!waits) return;
  double wall = 0;
  double samples = 0;
  double waited = 0;
  for (const Trial& trial : counted(cell.trials)) {
    wall += trial.wall_seconds;
    samples += static_cast<double>(trial.samples);
    waited += trial.wait.total_seconds;
  }
  Estimate rest{1 - waits->value, std::nullopt};
  if (waits->ci95) rest.ci95 = Interval{1 - waits->ci95->high, 1 - waits->ci95->low};
  rows.push_back({"consumer", "waits for a batch", percent(*waits), duration(waited / samples)});
  rows.push_back({"consumer", "the rest", percent(rest), duration((wall - waited) / samples)});
}

// CPU time of processes and threads that a loader of Python has beside the consumer's thread, where it is known.
std::string processes_text(const CellResult& cell) {
  double used = 0;
  double wall = 0;
  for (const Trial& trial : counted(cell.trials)) {
    if (!trial.loader_cpu_seconds) return "";
    used += *trial.loader_cpu_seconds;
    wall += trial.wall_seconds;
  }
  if (!(wall > 0)) return "";
  return fmt::format("meanwhile the loader's processes and threads used {:.2f} CPUs\n", used / wall);
}

bool has_stage(const LoaderTime& time, WorkerStage stage) {
  return std::ranges::any_of(time.stages, [&](const StageShare& one) { return one.stage == stage && is_there(one); });
}

// What the consumer's rows do not say.
std::string_view steps_legend(const CellResult& cell, const LoaderTime& time) {
  if (cell.cell.mode != Mode::kFull || time.workers == 0 || !launches_ahead(cell.cell)) return "";
  return "consumer: steps launched ahead continue while it waits; what the compute loses is the stall\n";
}

std::string legend_of(const CellResult& cell, const LoaderTime& time, const LoaderSetting& setting) {
  if (time.foreign) {
    return "next call: time in next() of an outside loader, which works there or waits for its own workers\n" +
           processes_text(cell);
  }
  std::string text;
  // The first of these stages that exists touches the data.
  for (const WorkerStage stage : {WorkerStage::kDecode, WorkerStage::kTokenise, WorkerStage::kTransform}) {
    if (!setting.maps_files || !has_stage(time, stage)) continue;
    text += fmt::format("{}: includes reading the mapped data, which is read when it is touched\n", name(stage));
    break;
  }
  if (has_stage(time, WorkerStage::kLibraryLock)) {
    text += "library lock: waiting for other threads to leave the HDF5 library\n";
  }
  if (setting.shares_cpus()) {
    text += fmt::format("{} threads share {}: times include waiting for a CPU\n", setting.threads,
                        plural(setting.cpus, "CPU"));
  }
  return text + std::string(steps_legend(cell, time));
}

std::string loader_table_of(const Result& result, const CellResult& cell, const LoaderTime& time, std::size_t width) {
  std::vector<Row> rows{{"thread", "stage", "share of time", "per sample"}};
  if (time.workers == 0) {
    add_shared_thread(time, rows);
  } else {
    add_workers(time, rows);
    add_consumer(cell, rows);
  }
  // Each thread is named once.
  for (std::size_t i = rows.size() - 1; i > 1; --i) {
    if (rows[i][0] == rows[i - 1][0]) rows[i][0].clear();
  }
  const auto trials = static_cast<std::size_t>(std::ranges::distance(counted(cell.trials)));
  return fmt::format("where the loader's time goes: {}, {}\n{}{}", cell.cell.name(), plural(trials, "trial"),
                     fitted(rows, {.left = {0, 1}, .constant = {}, .expendable = {"per sample"}}, width),
                     legend_of(cell, time, loader_setting_of(result, cell)));
}

}  // namespace

std::string loader_stages_text(const Result& result, const Judgement& judgement, std::size_t width) {
  std::string text;
  for (const Headline& headline : judgement.headlines) {
    const Configuration& configuration = judgement.configurations[headline.configuration];
    const auto index = configuration.full ? configuration.full : configuration.io;
    if (!index) continue;
    const CellResult& cell = result.cells[*index];
    const auto time = loader_time_of(cell);
    if (time) text += (text.empty() ? "" : "\n") + loader_table_of(result, cell, *time, width);
  }
  return text;
}

}  // namespace loadline
