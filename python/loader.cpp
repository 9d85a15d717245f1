#include "python/loader.h"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/machine/machine.h"
#include "harness/machine/numa_nodes.h"
#include "harness/machine/threads.h"
#include "harness/measure/prepare.h"
#include "harness/measure/trial.h"
#include "harness/plan/data_kinds.h"
#include "harness/plan/options.h"
#include "harness/plan/plan.h"
#include "harness/plan/refusals.h"
#include "harness/plan/settings.h"
#include "harness/plan/workloads.h"
#include "loaders/datasets/datasets.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/names.h"
#include "loaders/system/affinity.h"
#include "python/array.h"
#include "python/batch_arrays.h"

namespace loadline {
namespace {

namespace py = pybind11;

using Given = std::vector<std::pair<std::string, std::string>>;  // options, as on the command line

// How long a wait for a batch lasts before signals are checked.
constexpr auto kPatience = std::chrono::milliseconds(50);

bool has(const Given& given, std::string_view option) {
  return std::ranges::any_of(given, [&](const auto& one) { return one.first == option; });
}

RunOptions options_of(const Given& given) {
  RunOptions options;
  options.modes = {"io"};
  for (const auto& [name, text] : given) write_option(options, row_named(run_options(), "option", name), text);
  const bool lists = options.workloads.size() > 1 || options.loaders.size() > 1 || options.workers.size() > 1 ||
                     options.batch_sizes.size() > 1 || !options.axes.empty();
  if (lists) throw usage_error("Loader: want one value per option; only measure() takes lists");
  return options;
}

// A dataset without a named workload: samples are changed only as the options say.
RunOptions plain(RunOptions options, const Given& given) {
  const bool normalises = has(given, "mean") || has(given, "std");
  if (!normalises && options.normalise == "on") {
    throw usage_error("normalise: a path has no mean and standard deviation; give mean and std, or a workload");
  }
  if (normalises && !(has(given, "mean") && has(given, "std"))) {
    throw usage_error("mean and std: want both, because a path has neither");
  }
  if (!normalises) options.normalise = "off";
  if (options.flip == "auto") options.flip = "off";
  if (!options.crop_padding) options.crop_padding = 0;
  if (!has(given, "crop")) options.crop = "centre";
  if (!has(given, "rotate")) options.rotate = "off";
  options.given.clear();  // only the data itself tells which options apply to it
  return options;
}

// Sequences have a length, which only a workload has.
void refuse_without_length(const Cell& cell, const DatasetInfo& info) {
  if (!info.tokens && !info.text) return;
  const std::string_view kind = info.tokens ? "tokens" : "text";
  throw usage_error(
      fmt::format("{}: it holds {}, whose sequences have the length of a workload; pass workload=\"{}\" too",
                  cell.data.string(), kind, kind));
}

// A loader that reads HDF5 uses a copy of data in another format. If there is none, says how to make it.
void refuse_without_copy(const RunOptions& options, const Cell& cell) {
  std::error_code ignored;
  if (cell.data == options.data || std::filesystem::exists(cell.data, ignored)) return;
  const DatasetInfo info = open_dataset(options.data, {.format = options.format})->info();
  const std::string advice =
      info.tokens || info.text ? "" : fmt::format("; make a copy in HDF5 with `{}`", cell.how_to_get_it);
  throw Error(fmt::format("loader {}: it reads HDF5, but the format of {} is {}{}", *cell.loader, options.data,
                          info.format, advice));
}

// Shared by all feeds of a loader.
struct Pipeline {
  Cell cell;
  std::unique_ptr<Dataset> dataset;
  std::unique_ptr<CellRig> rig;

  Pipeline(const Given& given, bool names_workload) {
    const RunOptions asked = options_of(given);
    const PlanContext context{.threads_in_force = threads_in_force(),
                              .cpus = affinity_cpus(),
                              .nodes = numa_nodes_now(),
                              .data_directory = data_directory()};
    cell = make_plan(names_workload ? asked : plain(asked, given), context).cells.front();
    if (!names_workload) refuse_without_copy(asked, cell);
    dataset = open_for(cell);
    if (!names_workload) {
      refuse_without_length(cell, dataset->info());
      cell.workload = dataset->info().format;  // for messages
      cell.classes = dataset->info().classes;
    }
    check_heeded(asked, kinds_of(dataset->info()), holding(cell.data, dataset->info()));
    Machine machine = this_machine();
    prepare_cell(cell, *dataset, 0, machine);
    rig = std::make_unique<CellRig>(cell, *dataset, machine.last_level_cache_bytes);
  }
};

// A feed and everything that its batches depend on: lives as long as the last of them.
struct Source {
  std::shared_ptr<const Pipeline> pipeline;
  std::unique_ptr<Feed> feed;
  std::atomic<std::size_t> held{0};  // batches that Python has
  const pid_t process = ::getpid();

  Source(std::shared_ptr<const Pipeline> its_pipeline, const StreamOptions& stream, std::size_t hold)
      : pipeline(std::move(its_pipeline)) {
    const CellRig& rig = *pipeline->rig;
    LoaderOptions options = rig.loader_options(stream);
    options.held_batches = hold + 1;  // a loop drops its last batch when it has the next
    options.read_all = false;         // Python reads what it needs
    feed = loader_named(*pipeline->cell.loader).make(rig.assembler(), rig.sampler(), options);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  // A forked process does not have the feed's threads and locks, so the feed is left as it is.
  ~Source() {
    if (forked()) feed.release();  // NOLINT(bugprone-unused-return-value)
  }

  bool forked() const { return ::getpid() != process; }
};

// A batch, alive as long as Python holds any part of it.
class Lease {
 public:
  Lease(std::shared_ptr<Source> source, Batch batch) : source_(std::move(source)), batch_(std::move(batch)) {
    source_->held.fetch_add(1);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    if (source_->forked()) {
      batch_.release();  // NOLINT(bugprone-unused-return-value)
      return;
    }
    batch_.reset();
    source_->held.fetch_sub(1);
  }

  const Slot& slot() const { return *batch_; }

 private:
  std::shared_ptr<Source> source_;
  Batch batch_;
};

// One thread at a time, except close(). Call all methods with the GIL, which they release while they wait.
class NativeLoader {
 public:
  NativeLoader(const Given& given, bool names_workload, std::size_t hold, ArrayForm form, bool with_indices)
      : pipeline_(std::make_shared<const Pipeline>(given, names_workload)),
        hold_(hold),
        form_(form),
        with_indices_(with_indices),
        format_(pipeline_->rig->assembler().sample_format()) {
    if (with_indices && form == ArrayForm::kDlpack && info().samples > std::size_t{1} << 31) {
      throw usage_error(
          fmt::format("indices: PyTorch has no 32-bit type for {} samples; use as_='array'", info().samples));
    }
  }
  NativeLoader(const NativeLoader&) = delete;
  NativeLoader& operator=(const NativeLoader&) = delete;
  ~NativeLoader() { close(); }

  // Makes this batch of this epoch the next one. Keeps what is read ahead if that starts with it.
  void start(std::uint64_t epoch, std::size_t batch) {
    if (closed_) throw Error("the loader is closed");
    // In order of completion, batches of the next epoch would mix with the last ones of this epoch.
    const bool goes_on =
        source_ && !source_->forked() && pipeline_->cell.in_order && std::pair(epoch, batch) == position();
    epoch_ = epoch;
    batch_ = batch;
    if (goes_on) return;
    close_feed();
    StreamOptions stream{.first_epoch = epoch, .first_batch = batch};
    if (!pipeline_->cell.in_order) stream.epochs = 1;
    std::shared_ptr<Source> source;
    {
      const py::gil_scoped_release release;
      source = std::make_shared<Source>(pipeline_, stream, hold_);
    }
    source_ = std::move(source);
    if (!closed_) return;
    close_feed();  // another thread has called close() meanwhile
    throw Error("the loader is closed");
  }

  // The next batch of the epoch, as a tuple; ends the iteration after the last. Skips batches that are empty because
  // all their samples were skipped.
  py::object next() {
    while (batch_ < batches_per_epoch()) {
      const auto lease = pull();
      ++batch_;
      if (lease->slot().count > 0) return batch_arrays(lease->slot(), format_, lease, form_, with_indices_);
    }
    throw py::stop_iteration();
  }

  // Epoch and batch that come next.
  std::pair<std::uint64_t, std::size_t> position() const {
    return batch_ < batches_per_epoch() ? std::pair(epoch_, batch_) : std::pair(epoch_ + 1, std::size_t{0});
  }

  void close() {
    closed_ = true;
    close_feed();
  }

  std::size_t batches_per_epoch() const { return pipeline_->rig->sampler().batches_per_epoch(); }
  std::size_t samples_per_epoch() const { return pipeline_->rig->sampler().samples_per_epoch(); }
  const DatasetInfo& info() const { return pipeline_->dataset->info(); }
  const Cell& cell() const { return pipeline_->cell; }
  std::map<std::string, std::string> skipped() const {
    std::map<std::string, std::string> reasons;
    for (const auto& [index, why] : pipeline_->rig->skipped()) {
      reasons.emplace(pipeline_->dataset->describe(index), why);
    }
    return reasons;
  }

 private:
  void close_feed() {
    if (source_ && !source_->forked()) source_->feed->close();
    std::shared_ptr<Source> source = std::move(source_);
    const py::gil_scoped_release release;  // its workers end after their current batch
    source.reset();
  }

  std::shared_ptr<Lease> pull() {
    const std::shared_ptr<Source> source = source_;  // close() may take it away
    if (!source)
      throw Error(closed_ ? "the loader is closed" : "the iteration has ended with an error; begin another one");
    if (source->forked()) {
      throw Error(
          "the loader was made before this process was forked, so its threads are not here; begin another iteration");
    }
    if (const std::size_t held = source->held.load(); held > hold_ + 1) {
      throw Error(
          fmt::format("{} batches of the loader are still held, but hold={} allows only the last one and as many "
                      "before it: drop or copy earlier ones, or raise hold",
                      held, hold_));
    }
    const std::unique_lock alone(pulling_, std::try_to_lock);
    if (!alone)
      throw Error("another thread is waiting for a batch of this loader, which allows one consumer at a time");
    try {
      return std::make_shared<Lease>(source, wait_for_batch(*source));
    } catch (const Error&) {
      close_feed();  // it has ended; the next iteration begins another one
      throw;
    }
  }

  static Batch wait_for_batch(Source& source) {
    Batch batch;
    bool interrupted = false;
    {
      const py::gil_scoped_release release;
      while (!interrupted && !source.feed->wait(kPatience)) {
        const py::gil_scoped_acquire acquire;
        interrupted = PyErr_CheckSignals() != 0;
      }
      if (!interrupted) batch = source.feed->next();
    }
    if (interrupted) throw py::error_already_set();
    if (!batch) throw Error("the loader was closed while a thread waited for a batch");
    return batch;
  }

  const std::shared_ptr<const Pipeline> pipeline_;
  const std::size_t hold_;
  const ArrayForm form_;
  const bool with_indices_;
  const SampleFormat format_;
  std::shared_ptr<Source> source_;
  std::mutex pulling_;
  std::uint64_t epoch_ = 0;
  std::size_t batch_ = 0;  // of epoch_, the next
  bool closed_ = false;
};

py::dict facts_of(const NativeLoader& loader) {
  using namespace pybind11::literals;
  const DatasetInfo& info = loader.info();
  const Cell& cell = loader.cell();
  return py::dict("path"_a = cell.data.string(), "format"_a = info.format, "samples"_a = info.samples,
                  "classes"_a = info.classes, "stored_bytes"_a = info.stored_bytes);
}

// What decides which samples each batch of an epoch has, by name; a setting that does not apply is None.
py::dict order_of(const NativeLoader& loader) {
  using namespace pybind11::literals;
  constexpr std::array<std::string_view, 9> kDeciding{"batch_size",     "seed",         "drop_last",
                                                      "order",          "page_samples", "window_samples",
                                                      "bucket_batches", "sequences",    "sequence_length"};
  const Cell& cell = loader.cell();
  py::dict order("samples"_a = loader.info().samples, "ranks"_a = cell.sampler.world_size);
  for (const std::string_view name : kDeciding) {
    order[py::str(name)] = setting_named("setting", name).read(cell);
  }
  return order;
}

// The options that determine what a loader delivers, and how.
std::vector<std::string> loader_options() {
  constexpr std::array<std::string_view, 8> kOfOthers{"cache",           "compute", "precision", "fusion",
                                                      "compute-threads", "output",  "quiet",     "stage"};
  std::vector<std::string> names;
  for (const OptionRow& row : run_options()) {
    if (is_for_training(row) && std::ranges::find(kOfOthers, row.name) == kOfOthers.end()) names.push_back(key_of(row));
  }
  return names;
}

}  // namespace

void bind_loader(py::module_& module) {
  module.def("loader_options", loader_options, "Options of `loadline run` that a Loader takes, with _ for -.");
  module.def(
      "hint_of",
      [](const std::string& given, const std::vector<std::string>& names) {
        return hint_of(given, std::vector<std::string_view>(names.begin(), names.end()));
      },
      py::arg("given"), py::arg("names"),
      "What `given` may have been meant for, such as ' (did you mean workers?)', or nothing.");
  module.def("workload_names", [] {
    std::vector<std::string> names;
    for (const Workload& workload : workloads()) names.emplace_back(workload.name);
    return names;
  });
  module.def(
      "has_workers", [](const std::string& loader) { return loader_named(loader).has_workers; }, py::arg("loader"));

  py::class_<NativeLoader>(module, "NativeLoader")
      .def(py::init<const Given&, bool, std::size_t, ArrayForm, bool>(), py::call_guard<py::gil_scoped_release>())
      .def("start", &NativeLoader::start)
      .def("next", &NativeLoader::next)
      .def("close", &NativeLoader::close)
      .def_property_readonly("position", &NativeLoader::position)
      .def_property_readonly("batches_per_epoch", &NativeLoader::batches_per_epoch)
      .def_property_readonly("samples_per_epoch", &NativeLoader::samples_per_epoch)
      .def_property_readonly("facts", facts_of)
      .def_property_readonly("order", order_of)
      .def_property_readonly("skipped", &NativeLoader::skipped);
}

}  // namespace loadline
