// Records a running job: a wait and a step per batch, in bounded memory.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "harness/file/recording_json.h"
#include "harness/machine/environment.h"
#include "harness/machine/run_id.h"
#include "harness/measure/wait_histogram.h"
#include "loaders/storage/file.h"
#include "python/batches.h"
#include "python/bind.h"
#include "python/facts.h"
#include "python/hot_iterator.h"
#include "python/leaves.h"
#include "synthetic/clock.h"

namespace py = pybind11;

namespace loadline {
namespace {

constexpr std::size_t kMostEntries = 65536;  // 1.5 MiB, and a file of about as much

// The batches of one loader. The GIL serialises its passes.
class Recorder {
 public:
  explicit Recorder(py::object count) : count_(std::move(count)) {
    sequence_.waits.reserve(kMostEntries);
    sequence_.steps.reserve(kMostEntries);
    sequence_.samples.reserve(kMostEntries);
  }

  void begin_epoch() { ++epochs_; }

  // `first`: of its pass.
  void add(Time wait, Time step, std::int64_t samples, bool first) {
    waits_.add(wait);
    steps_.add(step);
    if (first) epoch_starts_ += wait;
    if (samples < 0) counted_ = false;
    enter(wait, step, static_cast<std::uint64_t>(std::max<std::int64_t>(0, samples)));
    ++batches_;
    samples_ += static_cast<std::uint64_t>(std::max<std::int64_t>(0, samples));
  }

  std::int64_t samples_in(PyObject* batch) const { return count_samples(count_, batch); }

  std::uint64_t batches() const { return batches_; }
  double wait_seconds() const { return seconds(waits_.total()); }
  double step_seconds() const { return seconds(steps_.total()); }
  void add_wall(Time wall) { wall_ += wall; }

  // Of the job so far.
  Recording recording() const {
    Recording job;
    job.epochs = epochs_;
    job.batches = batches_;
    if (counted_ && batches_ > 0) job.samples = samples_;
    job.wall_seconds = seconds(wall_);
    job.epoch_start_seconds = seconds(epoch_starts_);
    job.wait = summary_of(waits_);
    job.step = summary_of(steps_);
    job.sequence = sequence_;
    if (!job.samples) job.sequence.samples.clear();
    return job;
  }

 private:
  static RecordedTimes summary_of(const WaitHistogram& times) {
    return {.total_seconds = seconds(times.total()),
            .p50_seconds = seconds(times.percentile(0.50)),
            .p95_seconds = seconds(times.percentile(0.95)),
            .p99_seconds = seconds(times.percentile(0.99)),
            .max_seconds = seconds(times.largest())};
  }

  void enter(Time wait, Time step, std::uint64_t samples) {
    if (batches_ % sequence_.batches_per_entry != 0) {
      sequence_.waits.back() += wait;
      sequence_.steps.back() += step;
      sequence_.samples.back() += samples;
      return;
    }
    if (sequence_.waits.size() == kMostEntries) halve();
    // If entries were halved, the remaining ones are complete, so this batch begins a new one.
    sequence_.waits.push_back(wait);
    sequence_.steps.push_back(step);
    sequence_.samples.push_back(samples);
  }

  void halve() {
    const auto merge = [](auto& values) {
      for (std::size_t i = 0; i < values.size() / 2; ++i) values[i] = values[2 * i] + values[2 * i + 1];
      values.resize(values.size() / 2);
    };
    merge(sequence_.waits);
    merge(sequence_.steps);
    merge(sequence_.samples);
    sequence_.batches_per_entry *= 2;
  }

  py::object count_;
  WaitHistogram waits_;
  WaitHistogram steps_;
  RecordedSequence sequence_;
  std::uint64_t epochs_ = 0;
  std::uint64_t batches_ = 0;
  std::uint64_t samples_ = 0;
  bool counted_ = true;
  Time epoch_starts_{};
  Time wall_{};
};

// One pass over a loader. The first call makes its iterator, as part of the first wait. A pass that is abandoned
// keeps all batches whose steps have ended.
class RecordedPass {
 public:
  RecordedPass(py::object recorder, py::object iterable)
      : recorder_object_(std::move(recorder)),
        recorder_(recorder_object_.cast<Recorder&>()),
        iterable_(std::move(iterable)) {}

  static PyObject* next(void* self) noexcept {
    try {
      return static_cast<RecordedPass*>(self)->give();
    } catch (py::error_already_set& error) {
      error.restore();
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
  }

 private:
  PyObject* give() {
    const Time asked = steady_now();
    if (stepping_) {
      recorder_.add(wait_, asked - handed_, samples_, first_);
      recorder_.add_wall(asked - pulled_from_);
      stepping_ = false;
      first_ = false;
    }
    if (!iterator_) {
      iterator_ = py::reinterpret_steal<py::object>(PyObject_GetIter(iterable_.ptr()));
      if (!iterator_) return nullptr;
      recorder_.begin_epoch();
    }
    auto batch = py::reinterpret_steal<py::object>(Py_TYPE(iterator_.ptr())->tp_iternext(iterator_.ptr()));
    if (!batch) return nullptr;
    handed_ = steady_now();
    wait_ = handed_ - asked;
    pulled_from_ = asked;
    samples_ = recorder_.samples_in(batch.ptr());
    stepping_ = true;
    return batch.release().ptr();
  }

  py::object recorder_object_;
  Recorder& recorder_;
  py::object iterable_;
  py::object iterator_;
  Time handed_{};
  Time pulled_from_{};
  Time wait_{};
  std::int64_t samples_ = -1;
  bool stepping_ = false;
  bool first_ = true;
};

// The whole document: the recorder's data and what is known about the job.
std::string recording_text_of(const Recorder& recorder, const py::dict& facts) {
  static const Environment kEnvironment = this_environment();
  Recording job = recorder.recording();
  job.run_id = fact<std::string>(facts, "run_id");
  job.started = fact<std::string>(facts, "started");
  job.finished = maybe_fact<std::string>(facts, "finished");
  job.complete = fact<bool>(facts, "complete");
  job.arguments = fact<std::vector<std::string>>(facts, "argv");
  job.hostname = kEnvironment.machine.hostname.value_or("");
  job.cpu_model = kEnvironment.machine.cpu_model;
  job.threads_in_force = kEnvironment.machine.threads_in_force;
  job.versions = fact<std::map<std::string, std::string>>(facts, "versions");
  job.loader = fact<std::string>(facts, "loader");
  job.workers = fact<std::size_t>(facts, "workers");
  job.prefetch = maybe_fact<std::size_t>(facts, "prefetch");
  job.asynchronous = fact<bool>(facts, "asynchronous");
  for (const auto& item : fact<py::list>(facts, "neighbours")) {
    const auto other = item.cast<py::tuple>();
    const auto& its = other[1].cast<const Recorder&>();
    job.neighbours.push_back({.loader = other[0].cast<std::string>(),
                              .batches = its.batches(),
                              .wait_seconds = its.wait_seconds(),
                              .step_seconds = its.step_seconds()});
  }
  return recording_json(job);
}

}  // namespace

void bind_recorder(py::module_& module) {
  module.def("run_id", [](std::uint64_t random) { return make_run_id(std::chrono::system_clock::now(), random); });
  module.def("utc_now", [] { return utc_timestamp(std::chrono::system_clock::now()); });
  module.def("write_file", [](const std::string& path, const std::string& text) {
    AtomicFile file(end_of_links("write", path));
    file.write(text);
    file.commit();
  });
  py::class_<Recorder>(module, "Recorder")
      .def(py::init<py::object>(), py::arg("count"))
      .def_property_readonly("batches", &Recorder::batches)
      .def_property_readonly("wait_seconds", &Recorder::wait_seconds)
      .def_property_readonly("step_seconds", &Recorder::step_seconds)
      .def("document", &recording_text_of);
  py::class_<RecordedPass>(module, "RecordedPass")
      .def(py::init<py::object, py::object>(), py::arg("recorder"), py::arg("iterable"))
      .def("iterator", [](py::object self) {
        auto* const hot = make_hot_iterator(self.ptr(), &self.cast<RecordedPass&>(), &RecordedPass::next);
        if (hot == nullptr) throw py::error_already_set();
        return py::reinterpret_steal<py::object>(hot);
      });
}

}  // namespace loadline
