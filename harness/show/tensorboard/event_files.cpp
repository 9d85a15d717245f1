#include "harness/show/tensorboard/event_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "harness/machine/run_id.h"
#include "harness/plan/settings.h"
#include "harness/show/monitor_text.h"
#include "harness/show/tensorboard/events.h"
#include "loaders/error.h"

namespace loadline {
namespace {

double seconds_since_1970(const std::string& timestamp) {
  const auto time = parse_utc_timestamp(timestamp);
  if (!time) throw Error(fmt::format("cannot write events: the run's start '{}' is not a time", timestamp));
  return std::chrono::duration<double>(time->time_since_epoch()).count();
}

// Arbitrary text as a part of a path that cannot lead elsewhere.
std::string path_part(std::string_view text) {
  static constexpr std::string_view kHarmless = "._-+=,:@";
  std::string part;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    part += letter || kHarmless.find(c) != std::string_view::npos ? c : '_';
  }
  return part.find_first_not_of('.') == std::string::npos ? std::string(part.size(), '_') : part;
}

// The parts of a cell's name are directories, of which none is empty, "." or "..".
std::filesystem::path directory_of_cell(const std::string& name) {
  std::filesystem::path directory;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (end > begin) directory /= path_part(std::string_view(name).substr(begin, end - begin));
    begin = end + 1;
  }
  return directory;
}

std::string event_file_name(double start, const std::optional<std::string>& host, const std::string& run_id) {
  return fmt::format("events.out.tfevents.{:010}.{}.{}", static_cast<std::int64_t>(start),
                     path_part(host.value_or("unknown")), path_part(run_id.substr(run_id.rfind('-') + 1)));
}

// Values that TensorBoard can hold; nullopt where the setting does not apply.
std::optional<HparamValue> hparam_of(const SettingValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
  if (const auto* yes = std::get_if<bool>(&value)) return *yes;
  if (const auto* whole = std::get_if<std::size_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return text_of(value);
}

HparamType type_of_hparam(const HparamValue& value) {
  if (std::holds_alternative<bool>(value)) return HparamType::kBool;
  return std::holds_alternative<double>(value) ? HparamType::kNumber : HparamType::kText;
}

// Settings that apply to at least one cell. Those with values of several types become text.
std::vector<std::pair<std::string, HparamType>> parameters_of(std::span<const CellResult* const> cells) {
  std::vector<std::pair<std::string, HparamType>> parameters;
  for (const SettingRow& row : settings()) {
    std::optional<HparamType> type;
    for (const CellResult* cell : cells) {
      const auto value = hparam_of(row.read(cell->cell));
      if (!value) continue;
      type = !type || *type == type_of_hparam(*value) ? type_of_hparam(*value) : HparamType::kText;
    }
    if (type) parameters.emplace_back(row.name, *type);
  }
  return parameters;
}

Hparams hparams_of(const Cell& cell, std::span<const std::pair<std::string, HparamType>> parameters) {
  Hparams hparams;
  for (const auto& [name, type] : parameters) {
    const SettingValue value = setting_named("setting", name).read(cell);
    const auto known = hparam_of(value);
    if (!known) continue;
    hparams.emplace_back(name, type == HparamType::kText ? HparamValue(text_of(value)) : *known);
  }
  return hparams;
}

void add_stages(std::vector<Scalar>& scalars, std::span<const StageSummary> stages, double wall_seconds) {
  for (const StageSummary& stage : stages) {
    scalars.push_back({"step stages/" + stage.name, stage.total_seconds / wall_seconds});
  }
}

void add_loader_stages(std::vector<Scalar>& scalars, const LoaderStages& loader) {
  const auto in_stage = [](const LoaderStage& stage) {
    return std::accumulate(stage.seconds.begin(), stage.seconds.end(), 0.0);
  };
  double sum = 0;
  for (const LoaderStage& stage : loader.stages) sum += in_stage(stage);
  if (sum <= 0) return;
  for (const LoaderStage& stage : loader.stages) {
    scalars.push_back({fmt::format("loader stages/{}", name(stage.stage)), in_stage(stage) / sum});
  }
}

double waiting_share(const Trial& trial) {
  return trial.wait.total_seconds / trial.wall_seconds;
}

constexpr std::string_view kMeanRate = "mean/samples_per_second";
constexpr std::string_view kMeanWaiting = "mean/waiting_share";

std::string cell_events(const CellResult& cell, const Result& result, double start) {
  const bool loads = uses_loader(cell.cell.mode);
  std::string events;
  std::int64_t step = 0;
  double rates = 0;
  double waiting = 0;
  double end = start;
  for (const Trial& trial : cell.trials) {
    if (trial.pilot) continue;
    std::vector<Scalar> scalars{{"trial/samples_per_second", trial.samples_per_second()}};
    if (loads) {
      scalars.push_back({"trial/waiting_share", waiting_share(trial)});
      scalars.push_back({"trial/first_batch_seconds", trial.first_batch_seconds});
      scalars.push_back({"trial/wait_p99_seconds", trial.wait.p99_seconds});
    }
    add_stages(scalars, trial.stages, trial.wall_seconds);
    if (trial.loader_stages) add_loader_stages(scalars, *trial.loader_stages);
    end = start + trial.started_seconds + trial.wall_seconds;
    events += scalars_event(end, ++step, scalars);
    rates += trial.samples_per_second();
    waiting += waiting_share(trial);
  }
  if (step > 0) {
    const auto trials = static_cast<double>(step);
    std::vector<Scalar> means{{std::string(kMeanRate), rates / trials}};
    if (loads) means.push_back({std::string(kMeanWaiting), waiting / trials});
    events += scalars_event(end, step, means);
  }
  if (cell.error) return events + session_end_event(end, SessionEnd::kFailure);
  const bool whole = result.status == Status::kComplete && step > 0;
  return events + session_end_event(end, whole ? SessionEnd::kSuccess : SessionEnd::kUnknown);
}

// "reads (bytes per s)/sda": TensorBoard makes a group of what stands before the first slash.
std::string monitor_tag(const MonitorSeries& series) {
  std::string group = series.unit.empty() ? series.name : fmt::format("{} ({})", series.name, series.unit);
  for (std::size_t at = group.find('/'); at != std::string::npos; at = group.find('/', at))
    group.replace(at, 1, " per ");
  return series.of.empty() ? group : fmt::format("{}/{}", group, thing_text(series));
}

std::string monitor_events(const MonitorRecord& monitor, double start) {
  std::string events;
  for (std::size_t i = 0; i < monitor.times_seconds.size(); ++i) {
    std::vector<Scalar> scalars;
    for (const MonitorSeries& one : monitor.series) scalars.push_back({monitor_tag(one), one.values[i]});
    events += scalars_event(start + monitor.times_seconds[i], static_cast<std::int64_t>(i), scalars);
  }
  return events;
}

std::optional<double> loss_of(const std::optional<Score>& score) {
  return score && score->samples > 0 ? std::optional(score->loss()) : std::nullopt;
}

std::optional<double> accuracy_of(const std::optional<Score>& score) {
  if (!score || score->samples == 0) return std::nullopt;
  return static_cast<double>(score->correct) / static_cast<double>(score->samples);
}

}  // namespace

std::vector<EventFile> event_files(const Result& result) {
  const double start = seconds_since_1970(result.started);
  const std::filesystem::path run = path_part(result.run_id);
  const std::string name = event_file_name(start, result.environment.machine.hostname, result.run_id);
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : result.cells) cells.push_back(&cell);
  const auto parameters = parameters_of(cells);
  const HparamsExperiment experiment{
      .description = fmt::format("loadline {}", result.run_id),
      .parameters = parameters,
      .metrics = {{std::string(kMeanRate), "samples/s"}, {std::string(kMeanWaiting), "share of waiting"}}};
  const std::string monitored = result.monitor ? monitor_events(*result.monitor, start) : "";
  std::vector<EventFile> files{{run / name, first_event(start) + experiment_event(start, experiment) + monitored}};
  std::set<std::filesystem::path> taken;
  for (const CellResult& cell : result.cells) {
    std::filesystem::path directory = run / directory_of_cell(cell.cell.name());
    // Names that differ only in characters that a path cannot have.
    for (int further = 2; !taken.insert(directory).second; ++further) {
      directory = run / directory_of_cell(fmt::format("{}-{}", cell.cell.name(), further));
    }
    files.push_back({directory / name, first_event(start) +
                                           session_start_event(start, hparams_of(cell.cell, parameters)) +
                                           cell_events(cell, result, start)});
  }
  return files;
}

EventFile training_file(const TrainingResult& result) {
  const double start = seconds_since_1970(result.started);
  const CellResult* cell = &result.cell;
  const auto parameters = parameters_of(std::span(&cell, 1));
  const HparamsExperiment experiment{.description = fmt::format("loadline train {}", result.run_id),
                                     .parameters = parameters,
                                     .metrics = {{"epoch/samples_per_second", "samples/s"},
                                                 {"epoch/waiting_share", "share of waiting"},
                                                 {"loss/validation", "validation loss"},
                                                 {"accuracy/validation", "accuracy"}}};
  return {std::filesystem::path(path_part(result.run_id)) /
              event_file_name(start, result.environment.machine.hostname, result.run_id),
          first_event(start) + experiment_event(start, experiment) +
              session_start_event(start, hparams_of(result.cell.cell, parameters))};
}

std::string epoch_events(const TrainingResult& result, double time) {
  const EpochResult& epoch = result.epochs.back();
  std::vector<Scalar> scalars{{"epoch/seconds", epoch.wall_seconds},
                              {"epoch/samples_per_second", epoch.samples_per_second()},
                              {"epoch/waiting_share", epoch.wait_seconds / epoch.wall_seconds}};
  const auto add = [&](const char* tag, const std::optional<double>& value) {
    if (value) scalars.push_back({tag, *value});
  };
  add("loss/training", loss_of(epoch.training));
  add("loss/validation", loss_of(epoch.validation));
  if (result.classifies) add("accuracy/training", accuracy_of(epoch.training));
  if (result.classifies) add("accuracy/validation", accuracy_of(epoch.validation));
  add_stages(scalars, epoch.stages, epoch.wall_seconds);
  return scalars_event(time, static_cast<std::int64_t>(result.epochs.size()), scalars);
}

std::string end_events(const TrainingResult& result, double time) {
  return session_end_event(time, result.status == Status::kComplete ? SessionEnd::kSuccess : SessionEnd::kUnknown);
}

}  // namespace loadline
