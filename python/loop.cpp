// The measured part of a program's own loop: its iterator, and what that records.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/wait_histogram.h"
#include "python/batches.h"
#include "python/bind.h"
#include "python/hot_iterator.h"
#include "python/leaves.h"
#include "synthetic/clock.h"

namespace py = pybind11;

namespace loadline {
namespace {

// How long a stretch is: a number of batches; or at least a time and a number of batches, but at most `most`.
struct Limits {
  std::uint64_t batches = 0;  // 0: by time
  Time time{};
  std::uint64_t least = 1;
  Time most = Time::max();
};

Time time_of(double seconds) {
  return seconds > 1e9 ? Time::max() : std::chrono::duration_cast<Time>(std::chrono::duration<double>(seconds));
}

// Runs one stretch after another, as `advance` begins them. A batch counts when its step has ended, which is when the
// next one is requested.
class Loop {
 public:
  // advance() is called outside the clock when there is nothing to deliver: it begins a stretch and returns true, or
  // false at the end of a pass. failed() is called with the exception when the source throws; the exception then
  // passes through. `count` is None or a function of a batch. `synchronise`: None or a function, called at both ends
  // of a stretch.
  Loop(py::object advance, py::object failed, py::object count, py::object synchronise)
      : advance_(std::move(advance)),
        failed_(std::move(failed)),
        count_(std::move(count)),
        synchronise_(std::move(synchronise)) {}

  void set_resident(const py::list& batches) {
    resident_.clear();
    for (const auto& batch : batches) {
      const auto object = py::reinterpret_borrow<py::object>(batch);
      resident_.push_back({object, samples_in(object.ptr()), bytes_in(object.ptr())});
    }
  }

  // Begins the next stretch, with batches of `source` or, if that is None, resident ones. `keep`: continues the last
  // stretch that was not a warm-up.
  void begin(py::object source, const Limits& limits, bool keep, bool warm_up) {
    source_ = std::move(source);
    prepare(limits, keep, warm_up);
    stepping_ = false;
    fresh_ = true;
    kind_ = source_.is_none() ? Kind::kResident : Kind::kSource;
  }

  // From now on everything passes through, unmeasured.
  void pass_through(py::object source) {
    source_ = std::move(source);
    kind_ = Kind::kPlain;
    stepping_ = false;
  }

  // Ends the current stretch as it is: whether the step that had begun has ended is not known.
  void interrupt() {
    stepping_ = false;
    kind_ = Kind::kNone;
    source_ = py::none();
  }

  // Pulls the batches of `source` itself, and reads them if `touched`. Starts a new stretch or continues one.
  void drain(const py::object& source, const Limits& limits, bool keep, bool warm_up, bool touched) {
    prepare(limits, keep, warm_up);
    const Time before_it = stretch().wall;
    const Time start = steady_now();
    Time before = start;
    while (!is_over()) {
      const auto batch = py::reinterpret_steal<py::object>(PyIter_Next(source.ptr()));
      if (!batch) {
        if (PyErr_Occurred() != nullptr) throw py::error_already_set();
        ended_ = true;
        return;
      }
      const Time pulled = steady_now();
      const std::uint64_t samples = samples_in(batch.ptr());
      const std::uint64_t bytes = bytes_in(batch.ptr());
      if (touched) touch(batch.ptr());
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      add(pulled - before, samples, bytes);
      before = steady_now();
      stretch().wall = before_it + (before - start);
    }
  }

  // Of the last stretch.
  py::dict noted() const {
    const Stretch& noted = stretch();
    const WaitHistogram& waits = noted.waits;
    py::dict wait;
    wait["total_seconds"] = seconds(waits.total());
    wait["p50_seconds"] = seconds(waits.percentile(0.50));
    wait["p95_seconds"] = seconds(waits.percentile(0.95));
    wait["p99_seconds"] = seconds(waits.percentile(0.99));
    wait["max_seconds"] = seconds(waits.largest());
    py::dict all;
    all["batches"] = noted.batches;
    all["samples"] = noted.samples;
    all["bytes"] = noted.bytes;
    all["wall_seconds"] = seconds(noted.wall);
    all["first_wait_seconds"] = seconds(noted.first_wait);
    all["wait"] = wait;
    all["most_samples"] = noted.most_samples;
    all["ended"] = ended_;
    all["over"] = is_over();
    return all;
  }

  // Drops all references to the program's objects.
  void release() {
    interrupt();
    resident_.clear();
    advance_ = failed_ = count_ = synchronise_ = py::none();
  }

  static PyObject* next(void* self) noexcept { return static_cast<Loop*>(self)->give(); }

 private:
  enum class Kind : std::uint8_t { kNone, kResident, kSource, kPlain };

  struct Resident {
    py::object batch;
    std::uint64_t samples = 0;
    std::uint64_t bytes = 0;
  };

  struct Stretch {
    Time wall{};
    std::uint64_t batches = 0;
    std::uint64_t samples = 0;
    std::uint64_t bytes = 0;
    std::uint64_t most_samples = 0;  // of a batch
    Time first_wait{};
    WaitHistogram waits;
  };

  struct Pending {
    Time wait{};
    std::uint64_t samples = 0;
    std::uint64_t bytes = 0;
  };

  const Stretch& stretch() const { return warms_up_ ? warm_up_ : stretch_; }
  Stretch& stretch() { return warms_up_ ? warm_up_ : stretch_; }

  void prepare(const Limits& limits, bool keep, bool warm_up) {
    limits_ = limits;
    warms_up_ = warm_up;
    if (!keep) stretch() = {};
    known_samples_.reset();
    ended_ = false;
  }

  bool is_over() const {
    if (limits_.batches > 0) return stretch().batches >= limits_.batches;
    if (stretch().wall >= limits_.most && stretch().batches > 0) return true;
    return stretch().wall >= limits_.time && stretch().batches >= limits_.least;
  }

  // 0: unknown. Throws what the program's own function throws.
  std::uint64_t samples_in(PyObject* batch) const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, count_samples(count_, batch)));
  }

  // Inspecting every array of every batch would take longer than everything else here, so a batch with as many
  // samples as the one before is assumed to have the same size.
  std::uint64_t bytes_beside(std::uint64_t samples, PyObject* batch) {
    if (known_samples_ != samples) {
      known_samples_ = samples;
      known_bytes_ = bytes_in(batch);
    }
    return known_bytes_;
  }

  void add(Time wait, std::uint64_t samples, std::uint64_t bytes) {
    if (stretch().batches == 0) stretch().first_wait = wait;
    stretch().waits.add(wait);
    ++stretch().batches;
    stretch().samples += samples;
    stretch().bytes += bytes;
    stretch().most_samples = std::max(stretch().most_samples, samples);
  }

  bool call_synchronise() const {
    if (synchronise_.is_none()) return true;
    const auto done = py::reinterpret_steal<py::object>(PyObject_CallObject(synchronise_.ptr(), nullptr));
    return static_cast<bool>(done);
  }

  // The step of the last batch has ended. False with an exception set.
  bool end_step() {
    stepping_ = false;
    add(pending_.wait, pending_.samples, pending_.bytes);
    stretch().wall = steady_now() - start_;
    if (!is_over()) return true;
    return end_stretch();
  }

  bool end_stretch() {
    kind_ = Kind::kNone;
    source_ = py::none();
    const Time before = steady_now();
    if (!call_synchronise()) return false;
    // Work that the last steps launched ends within the stretch.
    if (stretch().batches > 0 && !synchronise_.is_none()) stretch().wall += steady_now() - before;
    return true;
  }

  PyObject* give() noexcept {
    try {
      return give_next();
    } catch (py::error_already_set& error) {
      error.restore();
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
  }

  PyObject* give_next() {
    if (kind_ == Kind::kPlain) return pass_next();
    if (stepping_ && !end_step()) return nullptr;
    for (;;) {
      if (kind_ == Kind::kNone && !begin_next()) return nullptr;
      if (kind_ == Kind::kPlain) return pass_next();
      if (fresh_) {
        if (!call_synchronise()) return nullptr;
        start_ = steady_now() - stretch().wall;
        fresh_ = false;
      }
      const Time before = steady_now();
      if (kind_ == Kind::kResident) return lend(before);
      PyObject* const source = source_.ptr();
      auto batch = py::reinterpret_steal<py::object>(Py_TYPE(source)->tp_iternext(source));
      if (batch) {
        const Time wait = steady_now() - before;
        const std::uint64_t samples = samples_in(batch.ptr());
        pending_ = {wait, samples, bytes_beside(samples, batch.ptr())};
        stepping_ = true;
        return batch.release().ptr();
      }
      if (!end_of_source()) return nullptr;
    }
  }

  PyObject* lend(Time before) {
    const Resident& resident = resident_[next_resident_++ % resident_.size()];
    pending_ = {steady_now() - before, resident.samples, resident.bytes};
    stepping_ = true;
    Py_INCREF(resident.batch.ptr());
    return resident.batch.ptr();
  }

  PyObject* pass_next() {
    PyObject* const batch = Py_TYPE(source_.ptr())->tp_iternext(source_.ptr());
    if (batch != nullptr) return batch;
    source_ = py::none();
    kind_ = Kind::kNone;
    return nullptr;
  }

  // Whether a stretch was begun; false at the end of the pass, or with an exception.
  bool begin_next() {
    if (advance_.is_none()) return false;
    const auto begun = py::reinterpret_steal<py::object>(PyObject_CallObject(advance_.ptr(), nullptr));
    return begun && PyObject_IsTrue(begun.ptr()) == 1 && kind_ != Kind::kNone;
  }

  // The source delivered nothing. Returns false with the exception that it threw.
  bool end_of_source() {
    if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_StopIteration) == 0) {
      py::error_already_set error;
      kind_ = Kind::kNone;
      source_ = py::none();
      if (!failed_.is_none()) failed_(error.value());
      error.restore();
      return false;
    }
    PyErr_Clear();
    ended_ = true;
    return end_stretch();
  }

  py::object advance_;
  py::object failed_;
  py::object count_;
  py::object synchronise_;
  std::vector<Resident> resident_;
  std::size_t next_resident_ = 0;
  Kind kind_ = Kind::kNone;
  py::object source_ = py::none();
  Limits limits_;
  Stretch stretch_;
  Stretch warm_up_;
  bool warms_up_ = false;
  Pending pending_;
  std::optional<std::uint64_t> known_samples_;
  std::uint64_t known_bytes_ = 0;
  Time start_{};
  bool stepping_ = false;
  bool fresh_ = false;
  bool ended_ = false;
};

Limits limits_of(std::uint64_t batches, double seconds, std::uint64_t least, double most) {
  return {.batches = batches, .time = time_of(seconds), .least = least, .most = time_of(most)};
}

constexpr double kForEver = std::numeric_limits<double>::infinity();

}  // namespace

void bind_loop(py::module_& module) {
  module.def(
      "samples_of", [](const py::object& batch, const py::object& count) { return count_samples(count, batch.ptr()); },
      py::arg("batch"), py::arg("count") = py::none());
  module.def("bytes_of", [](const py::object& batch) { return bytes_in(batch.ptr()); });
  py::class_<Loop>(module, "Loop")
      .def(py::init<py::object, py::object, py::object, py::object>(), py::arg("advance"), py::arg("failed"),
           py::arg("count"), py::arg("synchronise"))
      .def("set_resident", &Loop::set_resident)
      .def(
          "begin",
          [](Loop& loop, py::object source, std::uint64_t batches, double time, std::uint64_t least, double most,
             bool keep,
             bool warm_up) { loop.begin(std::move(source), limits_of(batches, time, least, most), keep, warm_up); },
          py::arg("source"), py::arg("batches") = 0, py::arg("seconds") = 0.0, py::arg("least") = 1,
          py::arg("most") = kForEver, py::arg("keep") = false, py::arg("warm_up") = false)
      .def(
          "drain",
          [](Loop& loop, const py::object& source, std::uint64_t batches, double time, std::uint64_t least, double most,
             bool keep, bool warm_up,
             bool touched) { loop.drain(source, limits_of(batches, time, least, most), keep, warm_up, touched); },
          py::arg("source"), py::arg("batches") = 0, py::arg("seconds") = 0.0, py::arg("least") = 1,
          py::arg("most") = kForEver, py::arg("keep") = false, py::arg("warm_up") = false, py::arg("touched") = true)
      .def("pass_through", &Loop::pass_through)
      .def("interrupt", &Loop::interrupt)
      .def("release", &Loop::release)
      .def("stretch", &Loop::noted)
      .def(
          "iterator",
          [](const py::object& self, const py::object& keeps) {
            const py::tuple owner = py::make_tuple(self, keeps);
            auto* const hot = make_hot_iterator(owner.ptr(), &self.cast<Loop&>(), &Loop::next);
            if (hot == nullptr) throw py::error_already_set();
            return py::reinterpret_steal<py::object>(hot);
          },
          py::arg("keeps") = py::none());
}

}  // namespace loadline
