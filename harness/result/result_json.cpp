#include "harness/result/result_json.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "harness/plan/settings.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

template <typename T>
Json optional_of(const std::optional<T>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_floating_point_v<T>) {
    return number(*value);
  } else {
    return *value;
  }
}

std::string dump(const Json& json, int indent) {
  // File names and arguments need not be UTF-8, JSON must be.
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string hex(std::uint64_t value) {
  return fmt::format("{:016x}", value);
}

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({number(interval->low), number(interval->high)}) : Json(nullptr);
}

Json estimate_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"value", number(estimate->value)}, {"ci95", interval_json(estimate->ci95)}};
}

// Of an option or a setting.
Json value_json(const OptionValue& value) {
  return std::visit(
      [](const auto& known) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(known)>, std::monostate>) {
          return nullptr;
        } else {
          return known;
        }
      },
      value);
}

Json config_of(const RunOptions& options) {
  Json config = Json::object();
  for (const OptionRow& row : run_options()) config[key_of(row)] = value_json(read_option(options, row));
  return config;
}

Json build_json(const Build& build) {
  Json libraries = Json::object();
  for (const auto& library : build.libraries) libraries[library.name] = optional_of(library.version);
  return {{"version", build.version},
          {"build_type", optional_of(build.build_type)},
          {"compiler", optional_of(build.compiler)},
          {"flags", optional_of(build.flags)},
          {"sanitizer", optional_of(build.sanitizer)},
          {"libraries", libraries},
          {"git_revision", optional_of(build.git_revision)},
          {"git_dirty", optional_of(build.git_dirty)}};
}

Json machine_json(const Machine& machine) {
  return {{"hostname", optional_of(machine.hostname)},
          {"operating_system", optional_of(machine.operating_system)},
          {"kernel_release", optional_of(machine.kernel_release)},
          {"architecture", optional_of(machine.architecture)},
          {"virtualised", optional_of(machine.virtualised)},
          {"cpu_model", optional_of(machine.cpu_model)},
          {"sockets", optional_of(machine.sockets)},
          {"physical_cores", optional_of(machine.physical_cores)},
          {"logical_cpus", optional_of(machine.logical_cpus)},
          {"numa_nodes", optional_of(machine.numa_nodes)},
          {"cpu_governor", optional_of(machine.cpu_governor)},
          {"clocksource", optional_of(machine.clocksource)},
          {"load_average_1_minute", optional_of(machine.load_average_1_minute)},
          {"affinity_cpus", optional_of(machine.affinity_cpus)},
          {"affinity_list", optional_of(machine.affinity_list)},
          {"cgroup_cpu_limit", optional_of(machine.cgroup_cpu_limit)},
          {"threads_in_force", machine.threads_in_force},
          {"memory_total_bytes", optional_of(machine.memory_total_bytes)},
          {"memory_available_bytes", optional_of(machine.memory_available_bytes)},
          {"cgroup_memory_limit_bytes", optional_of(machine.cgroup_memory_limit_bytes)},
          {"page_size_bytes", optional_of(machine.page_size_bytes)},
          {"transparent_huge_pages", optional_of(machine.transparent_huge_pages)},
          {"l1d_cache_bytes", optional_of(machine.l1d_cache_bytes)},
          {"l2_cache_bytes", optional_of(machine.l2_cache_bytes)},
          {"l3_cache_bytes", optional_of(machine.l3_cache_bytes)},
          {"l3_sharing_cpus", optional_of(machine.l3_sharing_cpus)},
          {"last_level_cache_bytes", optional_of(machine.last_level_cache_bytes)}};
}

Json job_json(const std::optional<Job>& job) {
  return job ? Json{{"scheduler", job->scheduler}, {"id", job->id}} : Json(nullptr);
}

Json residency_json(const Residency& residency) {
  return {{"pages", residency.pages}, {"resident_pages", optional_of(residency.resident_pages)}};
}

// A million names of photographs would bury the figures.
Json files_json(const DatasetInfo& info) {
  constexpr std::size_t kMostFiles = 64;
  Json files = Json::array();
  for (std::size_t i = 0; i < std::min(kMostFiles, info.files.size()); ++i) files.push_back(info.files[i].string());
  return files;
}

Json volume_json(const DatasetInfo& info) {
  if (!info.volume) return nullptr;
  return {{"edge", info.volume->edge},
          {"input_channels", info.volume->input_channels},
          {"target_channels", info.volume->target_channels}};
}

Json dataset_json(const DatasetFacts& facts) {
  const ImageShape& shape = facts.info.shape;
  const auto extent = [](std::size_t pixels) { return pixels == 0 ? Json(nullptr) : Json(pixels); };
  return {{"path", facts.path.string()},
          {"format", facts.info.format},
          {"samples", facts.info.samples},
          {"shape", {extent(shape.channels), extent(shape.height), extent(shape.width)}},
          {"volume", volume_json(facts.info)},
          {"encoded", facts.info.encoded},
          {"dtype", facts.info.volume ? "f32" : "u8"},
          {"classes", facts.info.classes},
          {"files", files_json(facts.info)},
          {"file_count", facts.info.files.size()},
          {"stored_bytes", facts.info.stored_bytes},
          {"access", name(facts.info.access)},
          {"fingerprint", hex(facts.fingerprint)},
          {"storage",
           {{"file_system", optional_of(facts.storage.file_system)},
            {"device", optional_of(facts.storage.device)},
            {"mount_point", optional_of(facts.storage.mount_point)},
            {"mount_options", optional_of(facts.storage.mount_options)},
            {"network", optional_of(facts.storage.network)},
            {"rotational", optional_of(facts.storage.rotational)},
            {"device_model", optional_of(facts.storage.device_model)}}},
          {"page_cache",
           {{"found", residency_json(facts.found)},
            {"before", residency_json(facts.before)},
            {"after", facts.after ? residency_json(*facts.after) : Json(nullptr)}}}};
}

// Every setting of a cell, and nothing that was measured: what the configuration's hash is taken of.
Json settings_json(const Cell& cell) {
  Json json{{"name", cell.name()}, {"axes", cell.axes}};
  for (const SettingRow& row : settings()) json[std::string(row.name)] = value_json(row.read(cell));
  return json;
}

void append_usage(const Usage& usage, Json& json) {
  json["user_cpu_seconds"] = number(usage.user_cpu_seconds);
  json["system_cpu_seconds"] = number(usage.system_cpu_seconds);
  json["minor_faults"] = usage.minor_faults;
  json["major_faults"] = usage.major_faults;
  json["voluntary_switches"] = usage.voluntary_switches;
  json["involuntary_switches"] = usage.involuntary_switches;
  json["device_read_bytes"] = optional_of(usage.device_read_bytes);
  json["rss_bytes"] = optional_of(usage.rss_bytes);
  json["peak_rss_bytes"] = usage.peak_rss_bytes;
}

Json trial_json(const Trial& trial) {
  Json stages = Json::array();
  for (const StageSummary& stage : trial.stages) {
    stages.push_back({{"name", stage.name}, {"hits", stage.hits}, {"total_seconds", number(stage.total_seconds)}});
  }
  Json json = {{"round", trial.round},
               {"place", trial.place},
               {"started_seconds", number(trial.started_seconds)},
               {"setup_seconds", number(trial.setup_seconds)},
               {"compute_setup_seconds", number(trial.compute_setup_seconds)},
               {"first_batch_seconds", number(trial.first_batch_seconds)},
               {"warm_up_batches", trial.warm_up_batches},
               {"wall_seconds", number(trial.wall_seconds)},
               {"batches", trial.batches},
               {"samples", trial.samples},
               {"bytes", trial.bytes},
               {"samples_per_second", number(trial.samples_per_second())},
               {"stores", name(trial.stores)},
               {"wait",
                {{"total_seconds", number(trial.wait.total_seconds)},
                 {"p50_seconds", number(trial.wait.p50_seconds)},
                 {"p95_seconds", number(trial.wait.p95_seconds)},
                 {"p99_seconds", number(trial.wait.p99_seconds)},
                 {"max_seconds", number(trial.wait.max_seconds)}}},
               {"stages", stages}};
  append_usage(trial.usage, json);
  return json;
}

Json trials_json(const CellResult& cell) {
  Json trials = Json::array();
  for (const Trial& trial : cell.trials) trials.push_back(trial_json(trial));
  return trials;
}

Json first_epoch_json(const std::optional<FirstEpoch>& epoch) {
  if (!epoch) return nullptr;
  Json json = {{"complete", epoch->complete},
               {"open_seconds", number(epoch->open_seconds)},
               {"first_batch_seconds", number(epoch->first_batch_seconds)},
               {"wall_seconds", number(epoch->wall_seconds)},
               {"batches", epoch->batches},
               {"samples", epoch->samples},
               {"samples_per_second", number(static_cast<double>(epoch->samples) / epoch->wall_seconds)}};
  append_usage(epoch->usage, json);
  return json;
}

Json summary_json(const std::optional<Summary>& summary) {
  if (!summary) return nullptr;
  const Summary& rate = *summary;
  return {{"count", rate.count},
          {"mean", number(rate.mean)},
          {"stddev", optional_of(rate.stddev)},
          {"min", number(rate.min)},
          {"median", number(rate.median)},
          {"max", number(rate.max)},
          {"ci95", interval_json(rate.ci95)}};
}

Json skipped_json(const std::map<SampleIndex, std::string>& skipped) {
  constexpr std::size_t kMostReasons = 64;
  Json samples = Json::array();
  for (const auto& [index, reason] : skipped) {
    if (samples.size() == kMostReasons) break;
    samples.push_back({{"index", index}, {"reason", reason}});
  }
  return {{"count", skipped.size()}, {"samples", samples}};
}

Json load_line_json(const std::optional<CellLoadLine>& found) {
  if (!found) return nullptr;
  return {{"binding", found->name},
          {"samples_per_second", number(found->line.samples_per_second)},
          {"efficiency", estimate_json(found->line.efficiency)}};
}

Json cell_json(const CellResult& cell, const CellSummary& summary, const Result& result) {
  Json json = settings_json(cell.cell);
  json["dataset"] = cell.dataset;
  json["prefetch_in_force"] = cell.prefetch > 0 ? Json(cell.prefetch) : Json(nullptr);
  json["slots"] = cell.slots;
  json["slot_bytes"] = cell.slot_bytes;
  json["compute_bytes"] = cell.compute_bytes;
  const bool described = !cell.trials.empty() && !cell.trials.front().compute_description.empty();
  json["compute_description"] = described ? Json(cell.trials.front().compute_description) : Json(nullptr);
  json["skipped"] = skipped_json(cell.skipped);
  json["error"] = optional_of(cell.error);
  json["samples_per_second"] = summary_json(summary.samples_per_second);
  json["bounds"] = Json::array();
  for (const std::size_t i : cell.bounds) json["bounds"].push_back(result.ceilings[i].ceiling.id());
  json["ceiling"] = load_line_json(summary.load_line);
  json["outlier_trials"] = summary.outliers;
  json["first_epoch"] = first_epoch_json(cell.first_epoch);
  json["trials"] = trials_json(cell);
  return json;
}

Json ceiling_json(const CeilingResult& result, const std::optional<Summary>& summary, const Cell& cell) {
  const Ceiling& ceiling = result.ceiling;
  Json trials = Json::array();
  for (const CeilingTrial& trial : result.trials) {
    trials.push_back({{"round", trial.round},
                      {"place", trial.place},
                      {"started_seconds", number(trial.started_seconds)},
                      {"wall_seconds", number(trial.wall_seconds)},
                      {"amount", number(trial.amount)},
                      {"per_second", number(trial.per_second())},
                      {"way", trial.way.empty() ? Json(nullptr) : Json(trial.way)}});
  }
  const bool of_batches = ceiling.batch_size > 0;
  return {{"id", ceiling.id()},
          {"kind", ceiling.kind->name},
          {"unit", name(ceiling.kind->unit)},
          {"upper_bound", ceiling.kind->upper_bound},
          {"threads", ceiling.threads},
          {"workload", ceiling.workload.empty() ? Json(nullptr) : Json(ceiling.workload)},
          {"dataset", optional_of(ceiling.dataset)},
          {"dtype", of_batches ? Json(name(cell.transform.dtype)) : Json(nullptr)},
          {"batch_size", of_batches ? Json(ceiling.batch_size) : Json(nullptr)},
          {"further", ceiling.further},
          {"error", optional_of(result.error)},
          {"per_second", summary_json(summary)},
          {"trials", std::move(trials)}};
}

Json goal_json(const std::optional<UtilisationGoal>& goal) {
  return goal ? Json{{"asked", number(goal->asked)}, {"standing", name(goal->standing)}} : Json(nullptr);
}

Json start_up_json(const std::optional<StartUp>& start_up) {
  if (!start_up) return nullptr;
  return {{"start_up_seconds", number(start_up->seconds)},
          {"warm_epoch_seconds", number(start_up->warm_epoch_seconds)},
          {"dominates", start_up->dominates}};
}

Json latency_json(const std::optional<Latency>& latency) {
  if (!latency) return nullptr;
  return {{"cpu_share", number(latency->cpu_share)}, {"wait_share", number(latency->wait_share)}};
}

Json configuration_json(const Configuration& configuration, const Result& result) {
  const auto cell_name = [&](std::optional<std::size_t> cell) {
    return cell ? Json(result.cells[*cell].cell.name()) : Json(nullptr);
  };
  const Verdict& verdict = configuration.verdict;
  return {{"workload", configuration.workload},
          {"loader", configuration.loader},
          {"workers", configuration.workers > 0 ? Json(configuration.workers) : Json(nullptr)},
          {"batch_size", configuration.batch_size},
          {"further", configuration.further},
          {"io", cell_name(configuration.io)},
          {"synthetic", cell_name(configuration.synthetic)},
          {"full", cell_name(configuration.full)},
          {"bound", name(verdict.bound)},
          {"stall", estimate_json(verdict.stall)},
          {"accelerator_utilisation", estimate_json(verdict.accelerator_utilisation)},
          {"overlap_efficiency", estimate_json(verdict.overlap_efficiency)},
          {"supply", estimate_json(verdict.supply)},
          {"goal", goal_json(verdict.goal)},
          {"start_up", start_up_json(configuration.start_up)},
          {"latency", latency_json(configuration.latency)},
          {"sentence", verdict.sentence}};
}

Json worker_point_json(const WorkerPoint& point) {
  return {{"workers", point.workers}, {"samples_per_second", estimate_json(point.samples_per_second)}};
}

Json headline_json(const Headline& headline) {
  Json json = {{"workload", headline.workload}, {"configuration", headline.configuration}};
  json["fewest_workers"] = headline.workers ? worker_point_json(headline.workers->fewest) : Json(nullptr);
  json["best_workers"] = headline.workers ? worker_point_json(headline.workers->best) : Json(nullptr);
  json["recommended"] = headline.recommended;
  json["alternatives"] = Json::array();
  for (const Alternative& alternative : headline.alternatives) {
    json["alternatives"].push_back(
        {{"loader", alternative.loader},
         {"configuration", alternative.configuration},
         {"ratio", estimate_json(Estimate{alternative.ratio.value, alternative.ratio.ci95})}});
  }
  return json;
}

Json curve_json(const Curve& curve, const Result& result) {
  Json points = Json::array();
  for (const CurvePoint& one : curve.points) {
    points.push_back({{"cell", result.cells[one.cell].cell.name()},
                      {"workers", one.point.workers},
                      {"samples_per_second", estimate_json(one.point.samples_per_second)},
                      {"efficiency", estimate_json(one.point.efficiency)},
                      {"cpu_seconds_per_1000_samples", one.cost ? number(one.cost->cpu_seconds.mean) : Json(nullptr)},
                      {"mebibytes_per_1000_samples", one.cost ? number(one.cost->mebibytes.mean) : Json(nullptr)}});
  }
  const auto& law = curve.scalability;
  const auto& line = curve.capped_linear;
  return {{"name", curve.name},
          {"points", std::move(points)},
          {"scalability", law ? Json{{"samples_per_second", number(law->lambda)},
                                     {"contention", number(law->sigma)},
                                     {"coherency", number(law->kappa)},
                                     {"residual", number(law->residual)}}
                              : Json(nullptr)},
          {"capped_linear", line ? Json{{"samples_per_second_per_worker", number(line->per_worker)},
                                        {"cap_samples_per_second", optional_of(line->cap)},
                                        {"residual", number(line->residual)}}
                                 : Json(nullptr)}};
}

Json prediction_json(const Prediction& prediction, const Result& result) {
  const CellResult* const check = prediction.check ? &result.checks[*prediction.check] : nullptr;
  return {{"configuration", prediction.configuration},
          {"statement", prediction.statement},
          {"cell", prediction.cell.name()},
          {"compute", prediction.cell.compute},
          {"predicted_samples_per_second", estimate_json(prediction.samples_per_second)},
          {"measured_samples_per_second", summary_json(prediction.measured)},
          {"error_share", optional_of(prediction.error)},
          {"within", optional_of(prediction.within)},
          {"error", check == nullptr ? Json(nullptr) : optional_of(check->error)},
          {"trials", check == nullptr ? Json::array() : trials_json(*check)}};
}

Json search_json(const std::optional<Search>& search) {
  if (!search) return nullptr;
  Json probes = Json::array();
  for (const Probe& probe : search->probes) {
    const Ratio ratio = log_welch_ratio(probe.synthetic, probe.full);
    probes.push_back({{"value", number(probe.value)},
                      {"confirms", probe.confirms},
                      {"synthetic_samples_per_second", probe.synthetic},
                      {"full_samples_per_second", probe.full},
                      {"accelerator_utilisation", estimate_json(Estimate{ratio.value, ratio.ci95})},
                      {"enough", probe.enough}});
  }
  return {{"find", search->kind},
          {"au", number(search->utilisation)},
          {"found", optional_of(search->found)},
          {"confirmed", optional_of(search->confirmed)},
          {"probes", std::move(probes)}};
}

// What Google Benchmark's own files have, as far as its compare.py looks at it.
Json benchmark_context(const Result& result) {
  const Machine& machine = result.environment.machine;
  return {{"date", result.started},
          {"host_name", optional_of(machine.hostname)},
          {"executable", result.arguments.empty() ? "loadline" : result.arguments.front()},
          {"num_cpus", machine.threads_in_force},
          {"library_build_type", optional_of(result.environment.build.build_type)}};
}

// One row a trial, all of a cell under one name. Time is that of a batch, so lower is better.
void append_benchmark_rows(const CellResult& cell, Json& rows) {
  for (std::size_t i = 0; i < cell.trials.size(); ++i) {
    const Trial& trial = cell.trials[i];
    const auto batches = static_cast<double>(trial.batches);
    const double cpu_seconds = trial.usage.user_cpu_seconds + trial.usage.system_cpu_seconds;
    rows.push_back({{"name", cell.cell.name()},
                    {"run_name", cell.cell.name()},
                    {"run_type", "iteration"},
                    {"repetitions", cell.trials.size()},
                    {"repetition_index", i},
                    {"threads", std::max<std::size_t>(1, cell.cell.workers)},
                    {"iterations", trial.batches},
                    {"real_time", trial.wall_seconds / batches * 1e6},
                    {"cpu_time", cpu_seconds / batches * 1e6},
                    {"time_unit", "us"},
                    {"items_per_second", trial.samples_per_second()},
                    {"bytes_per_second", static_cast<double>(trial.bytes) / trial.wall_seconds}});
  }
}

std::string config_hash(const Json& config, const Result& result) {
  Json hashed = config;
  hashed.erase("output");
  hashed.erase("quiet");
  for (const CellResult& cell : result.cells) hashed["cells"].push_back(settings_json(cell.cell));
  const std::string text = dump(hashed, -1);
  return hex(XXH3_64bits(text.data(), text.size()));
}

std::string option_text(const Json& value, const std::string& key) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  if (value.is_array() && !value.empty()) {
    std::string text;
    for (const Json& item : value) text += fmt::format("{}{}", text.empty() ? "" : ",", option_text(item, key));
    return text;
  }
  throw usage_error(fmt::format("'{}': want text, a number, true, false or a list of them", key));
}

}  // namespace

std::string result_json(const Result& result, const Judgement& judgement) {
  const Json config = config_of(result.options);
  Json json = {{"schema_version", kSchemaVersion},
               {"run_id", result.run_id},
               {"status", result.status == Status::kComplete ? "complete" : "partial"},
               {"started", result.started},
               {"finished", optional_of(result.finished)},
               {"argv", result.arguments},
               {"config", config},
               {"config_hash", config_hash(config, result)},
               {"build", build_json(result.environment.build)},
               {"machine", machine_json(result.environment.machine)},
               {"job", job_json(result.environment.job)},
               {"kernels", result.kernels}};
  json["datasets"] = Json::array();
  for (const DatasetFacts& facts : result.datasets) json["datasets"].push_back(dataset_json(facts));
  json["cells"] = Json::array();
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    json["cells"].push_back(cell_json(result.cells[i], judgement.cells[i], result));
  }
  json["ceilings"] = Json::array();
  for (std::size_t i = 0; i < result.ceilings.size(); ++i) {
    const CeilingResult& ceiling = result.ceilings[i];
    json["ceilings"].push_back(ceiling_json(ceiling, judgement.ceilings[i], result.cells[ceiling.cell].cell));
  }
  json["configurations"] = Json::array();
  for (const Configuration& configuration : judgement.configurations) {
    json["configurations"].push_back(configuration_json(configuration, result));
  }
  json["curves"] = Json::array();
  for (const Curve& curve : judgement.curves) json["curves"].push_back(curve_json(curve, result));
  json["headlines"] = Json::array();
  for (const Headline& headline : judgement.headlines) json["headlines"].push_back(headline_json(headline));
  json["predictions"] = Json::array();
  for (const Prediction& prediction : judgement.predictions) {
    json["predictions"].push_back(prediction_json(prediction, result));
  }
  json["search"] = search_json(result.search);
  json["warnings"] = Json::array();
  for (const Warning& warning : judgement.warnings) {
    json["warnings"].push_back({{"id", warning.id}, {"message", warning.message}});
  }
  json["context"] = benchmark_context(result);
  json["benchmarks"] = Json::array();
  for (const CellResult& cell : result.cells) append_benchmark_rows(cell, json["benchmarks"]);
  return dump(json, 1) + '\n';
}

std::string training_json(const TrainingResult& result) {
  const auto score_json = [](const std::optional<Score>& score, bool classifies) -> Json {
    if (!score || score->samples == 0) return nullptr;
    const auto samples = static_cast<double>(score->samples);
    return {{"samples", score->samples},
            {"loss", number(score->loss())},
            {"accuracy", classifies ? Json(static_cast<double>(score->correct) / samples) : Json(nullptr)}};
  };
  Json epochs = Json::array();
  for (const EpochResult& epoch : result.epochs) {
    Json json = {{"wall_seconds", number(epoch.wall_seconds)},
                 {"samples_per_second", number(epoch.samples_per_second())},
                 {"wait_seconds", number(epoch.wait_seconds)},
                 {"first_batch_seconds", number(epoch.first_batch_seconds)},
                 {"training", score_json(epoch.training, result.classifies)},
                 {"validation", score_json(epoch.validation, result.classifies)},
                 {"validation_seconds", number(epoch.validation_seconds)}};
    append_usage(epoch.usage, json);
    epochs.push_back(std::move(json));
  }
  const bool validated = !result.validation_data.empty();
  return dump({{"training_version", 1},
               {"run_id", result.run_id},
               {"status", result.status == Status::kComplete ? "complete" : "partial"},
               {"started", result.started},
               {"finished", optional_of(result.finished)},
               {"argv", result.arguments},
               {"config", config_of(result.options)},
               {"build", build_json(result.environment.build)},
               {"machine", machine_json(result.environment.machine)},
               {"job", job_json(result.environment.job)},
               {"cell", settings_json(result.cell.cell)},
               {"samples", result.dataset.samples},
               {"compute_description", result.compute_description},
               {"open_seconds", number(result.open_seconds)},
               {"loader_setup_seconds", number(result.loader_setup_seconds)},
               {"compute_setup_seconds", number(result.compute_setup_seconds)},
               {"validation_data", validated ? Json(result.validation_data) : Json(nullptr)},
               {"epochs", epochs}},
              1) +
         '\n';
}

std::string config_json(const RunOptions& options) {
  return dump(config_of(options), 2) + '\n';
}

void apply_config(std::string_view text, const std::string& source, RunOptions& options) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw usage_error(fmt::format("{}: not JSON", source));
  if (json.is_object() && json.contains("config")) {
    json = Json(json["config"]);
    // The same again must not replace the result it is the same as.
    if (json.is_object()) json.erase("output");
  }
  if (!json.is_object()) throw usage_error(fmt::format("{}: want an object of options", source));
  for (const auto& [key, value] : json.items()) {
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    const OptionRow& row = row_named(run_options(), fmt::format("{}: option", source), name);
    if (value.is_null()) continue;
    try {
      write_option(options, row, option_text(value, key));
    } catch (const Error& error) {
      throw usage_error(fmt::format("{}: {}", source, error.what()));
    }
  }
}

}  // namespace loadline
