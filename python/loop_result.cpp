// The result of a program's own loop: made from its trials, and judged and written like any other.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/output.h"
#include "harness/cli/result_file.h"
#include "harness/file/result_json.h"
#include "harness/file/result_reader.h"
#include "harness/judge/judgement.h"
#include "harness/judge/python_words.h"
#include "harness/machine/environment.h"
#include "harness/machine/run_id.h"
#include "harness/machine/usage.h"
#include "harness/result/merge.h"
#include "harness/show/benchy.h"
#include "harness/show/figures_text.h"
#include "harness/show/setting_text.h"
#include "harness/show/warning_text.h"
#include "harness/show/wrap.h"
#include "loaders/error.h"
#include "loaders/transforms/kernels.h"
#include "python/bind.h"
#include "python/facts.h"
#include "synthetic/clock.h"

namespace py = pybind11;

namespace loadline {
namespace {

Mode mode_named(const std::string& word) {
  for (const Mode mode : {Mode::kIo, Mode::kSynthetic, Mode::kFull, Mode::kOverhead}) {
    if (name(mode) == word) return mode;
  }
  throw Error("loop: unknown mode " + word);
}

Cell cell_of(const py::dict& facts, Mode mode) {
  Cell cell{.workload = fact<std::string>(facts, "name"), .mode = mode, .data = fact<std::string>(facts, "dataset")};
  cell.kernels = "auto";
  cell.dataset.format = "program";
  cell.cache = CacheState::kAsIs;
  cell.sampler.seed = fact<std::uint64_t>(facts, "seed");
  cell.transform.seed = cell.photo.seed = cell.volume.seed = cell.sampler.seed;
  cell.sampler.rank = fact<std::size_t>(facts, "rank");
  cell.sampler.world_size = fact<std::size_t>(facts, "world_size");
  cell.sampler.batch_size = std::max<std::size_t>(1, fact<std::size_t>(facts, "batch_size"));
  cell.compute = mode == Mode::kIo || mode == Mode::kOverhead ? "drain" : std::string(kProgramStep);
  if (uses_loader(mode)) {
    cell.loader = fact<std::string>(facts, "loader");
    cell.workers = fact<std::size_t>(facts, "workers");
  }
  return cell;
}

RunOptions options_of(const py::dict& facts) {
  RunOptions options;
  // Nobody asked for any of the tool's.
  options.workloads.clear();
  options.loaders.clear();
  options.cache = name(CacheState::kAsIs);
  options.trials = fact<std::size_t>(facts, "trials");
  options.trial_seconds = fact<double>(facts, "trial_seconds");
  options.trial_batches = maybe_fact<std::size_t>(facts, "trial_batches");
  options.warm_up_batches = maybe_fact<std::size_t>(facts, "warm_up_batches");
  options.seed = fact<std::uint64_t>(facts, "seed");
  options.rank = fact<std::size_t>(facts, "rank");
  options.world_size = fact<std::size_t>(facts, "world_size");
  options.au = maybe_fact<double>(facts, "au");
  options.first_epoch_seconds = 0;
  options.ceilings = "off";
  options.output = fact<std::string>(facts, "output");
  return options;
}

// One thread, which holds the GIL.
class LoopResult {
 public:
  // Opens the output, and throws Error if an existing file must not be replaced.
  explicit LoopResult(const py::dict& facts) : used_before_(usage_now()), began_(clock_.now()) {
    result_.run_id = fact<std::string>(facts, "run_id");
    result_.started = utc_timestamp(std::chrono::system_clock::now());
    result_.arguments = fact<std::vector<std::string>>(facts, "argv");
    result_.options = options_of(facts);
    result_.kernels = kernels_named("auto").name;
    result_.environment = this_environment();
    result_.loop = LoopFacts{.loader = fact<std::string>(facts, "loader_type"),
                             .versions = fact<std::map<std::string, std::string>>(facts, "versions"),
                             .restarts = fact<bool>(facts, "restarts"),
                             .resident_batches = fact<std::size_t>(facts, "resident_batches"),
                             .samples_by = fact<std::string>(facts, "samples_by"),
                             .accelerator = maybe_fact<std::string>(facts, "accelerator"),
                             .starts_together = maybe_fact<std::string>(facts, "starts_together")};
    DatasetFacts dataset{.path = fact<std::string>(facts, "dataset")};
    dataset.info.format = "program";
    dataset.info.samples = maybe_fact<std::size_t>(facts, "dataset_samples").value_or(0);
    dataset.info.encoded = true;
    dataset.info.access = Access::kUnknown;
    result_.datasets.push_back(std::move(dataset));
    const auto prefetch = maybe_fact<std::size_t>(facts, "prefetch");
    for (const auto& mode : fact<std::vector<std::string>>(facts, "modes")) {
      CellResult cell{.cell = cell_of(facts, mode_named(mode))};
      if (cell.cell.workers > 0) cell.prefetch = std::max<std::size_t>(1, prefetch.value_or(1));
      cell.cell.threads_in_force = result_.environment.machine.threads_in_force;
      cell.slots = cell.cell.loader ? cell.prefetch + 1 : result_.loop->resident_batches;
      cell.slot_bytes = fact<std::size_t>(facts, "batch_bytes");
      result_.cells.push_back(std::move(cell));
    }
    if (!result_.options.output.empty()) {
      file_.emplace(result_.options.output,
                    OutputRules{.kind = OutputRules::Kind::kMerged, .overwrite = fact<bool>(facts, "overwrite")});
    }
  }

  std::string run_id() const { return result_.run_id; }

  // `trial`: as from Loop.stretch(), with what the driver of the trial adds.
  void add_trial(const std::string& mode, const py::dict& trial) {
    Trial made;
    made.round = fact<std::size_t>(trial, "round");
    made.place = place_++;
    made.started_seconds = std::max(0.0, fact<double>(trial, "started_seconds"));
    made.setup_seconds = fact<double>(trial, "setup_seconds");
    made.first_batch_seconds = fact<double>(trial, "first_batch_seconds");
    made.warm_up_batches = fact<std::size_t>(trial, "warm_up_batches");
    made.wall_seconds = fact<double>(trial, "wall_seconds");
    made.batches = fact<std::uint64_t>(trial, "batches");
    made.samples = fact<std::uint64_t>(trial, "samples");
    made.bytes = fact<std::uint64_t>(trial, "bytes");
    const auto wait = fact<py::dict>(trial, "wait");
    made.wait = {.total_seconds = fact<double>(wait, "total_seconds"),
                 .p50_seconds = fact<double>(wait, "p50_seconds"),
                 .p95_seconds = fact<double>(wait, "p95_seconds"),
                 .p99_seconds = fact<double>(wait, "p99_seconds"),
                 .max_seconds = fact<double>(wait, "max_seconds")};
    if (const auto fill = maybe_fact<py::dict>(trial, "fill")) {
      made.fill = Fill{.wall_seconds = fact<double>(*fill, "wall_seconds"),
                       .batches = fact<std::uint64_t>(*fill, "batches"),
                       .samples = fact<std::uint64_t>(*fill, "samples")};
    }
    if (cell(mode).cell.loader) {
      made.loader_stages = loader_stages_of_next_calls(made.wait.total_seconds, made.wall_seconds);
    }
    made.loader_cpu_seconds = maybe_fact<double>(trial, "loader_cpu_seconds");
    made.usage = difference(usage_now(), trial_usage_);
    made.usage.peak_rss_bytes.reset();
    cell(mode).trials.push_back(std::move(made));
  }

  // What was added is not known to be all that the loader used.
  void forget_loader_cpu() {
    for (CellResult& cell : result_.cells) {
      for (Trial& trial : cell.trials) trial.loader_cpu_seconds.reset();
    }
  }

  // From here on, usage of the process belongs to the next trial.
  void mark_usage() { trial_usage_ = usage_now(); }

  void fail(const std::string& mode, const std::string& why) {
    cell(mode).error = why;
    cell(mode).stopped = Stopped::kError;
  }

  void set_accelerator(const std::string& name) { result_.loop->accelerator = name; }

  void count_busy_start() { ++result_.loop->busy_starts; }

  std::optional<std::string> save_in_passing() {
    return file_ ? file_->save_in_passing(result_, clock_) : std::nullopt;
  }

  void finish(bool complete) {
    result_.status = complete ? Status::kComplete : Status::kPartial;
    result_.finished = utc_timestamp(std::chrono::system_clock::now());
    for (CellResult& cell : result_.cells) {
      if (complete && !cell.stopped) cell.stopped = Stopped::kTrials;
    }
    Usage used = difference(usage_now(), used_before_);
    result_.process = RunUsage{.wall_seconds = seconds(clock_.now() - began_), .usage = used};
  }

  void write() const {
    if (file_) file_->finish(result_, judge_run(result_));
  }

  std::string json() const { return result_json(result_, judge_run(result_)); }
  // The path that it was written to; empty: none, or stdout.
  std::string path() const { return file_ && !file_->to_stdout() ? file_->path() : ""; }
  void forget_file() { file_.reset(); }

  const Result& result() const { return result_; }
  // Replaces this rank's own result.
  void replace(Result merged) { result_ = std::move(merged); }

 private:
  CellResult& cell(const std::string& mode) {
    const auto found =
        std::ranges::find(result_.cells, mode_named(mode), [](const CellResult& cell) { return cell.cell.mode; });
    if (found == result_.cells.end()) throw Error("loop: no cell of mode " + mode);
    return *found;
  }

  SteadyClock clock_;
  Usage used_before_;
  Time began_;
  Result result_;
  std::optional<ResultFile> file_;
  Usage trial_usage_;
  std::size_t place_ = 0;
};

py::tuple text_of(const Result& result, std::size_t width) {
  const Judgement judgement = judge_run(result);
  const std::size_t columns = width == 0 ? kUnlimited : width;
  const std::string figures =
      wrapped(setting_text(result) + '\n' + in_python(figures_text(result, judgement, columns)), columns);
  return py::make_tuple(figures, wrapped(warning_text(judgement), columns));
}

py::list verdicts_of(const Result& result) {
  const Judgement judgement = judge_run(result);
  py::list verdicts;
  for (const Configuration& configuration : judgement.configurations) {
    verdicts.append(py::make_tuple(std::string(name(configuration.verdict.bound)), configuration.verdict.sentence));
  }
  return verdicts;
}

}  // namespace

void bind_loop_result(py::module_& module) {
  module.def(
      "check_output",
      [](const std::string& path, bool overwrite) {
        check_output(path, {.kind = OutputRules::Kind::kMerged, .overwrite = overwrite});
      },
      py::arg("path"), py::arg("overwrite"));
  module.def("round_order", &round_order, py::arg("seed"), py::arg("round"), py::arg("cells"));
  py::class_<LoopResult>(module, "LoopResult")
      .def(py::init<const py::dict&>())
      .def_property_readonly("run_id", &LoopResult::run_id)
      .def_property_readonly("path", &LoopResult::path)
      .def("add_trial", &LoopResult::add_trial)
      .def("forget_loader_cpu", &LoopResult::forget_loader_cpu)
      .def("mark_usage", &LoopResult::mark_usage)
      .def("fail", &LoopResult::fail)
      .def("set_accelerator", &LoopResult::set_accelerator)
      .def("count_busy_start", &LoopResult::count_busy_start)
      .def("save_in_passing", &LoopResult::save_in_passing)
      .def("finish", &LoopResult::finish, py::arg("complete"))
      .def("write", &LoopResult::write)
      .def("json", &LoopResult::json)
      .def("forget_file", &LoopResult::forget_file)
      .def("text", [](const LoopResult& self, std::size_t width) { return text_of(self.result(), width); })
      .def("verdicts", [](const LoopResult& self) { return verdicts_of(self.result()); })
      .def("merge",
           [](LoopResult& self, const std::vector<std::string>& ranks) {
             std::vector<MergePart> parts;
             for (std::size_t i = 0; i < ranks.size(); ++i) {
               const std::string source = "rank " + std::to_string(i);
               parts.push_back({.source = source, .result = parse_result(ranks[i], source)});
             }
             self.replace(merge_results(std::move(parts), self.run_id(), true));
           })
      .def("benchy_json", [](const LoopResult& self) { return benchy_json(self.result(), judge_run(self.result())); })
      .def("benchy_summary",
           [](const LoopResult& self) { return benchy_summary(self.result(), judge_run(self.result())); });
}

}  // namespace loadline
