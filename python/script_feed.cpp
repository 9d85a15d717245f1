#include "python/script_feed.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "loaders/error.h"
#include "loaders/foreign_call.h"
#include "python/batches.h"
#include "python/leaves.h"
#include "python/python_call.h"
#include "python/script_error.h"

namespace loadline {
namespace {

namespace py = pybind11;

struct ScriptSlot : Slot {
  py::object batch;  // as the script gave it
  std::vector<std::int32_t> label_memory;
};

class ScriptFeed final : public Feed, private SlotHome {
 public:
  ScriptFeed(std::string name, py::object iterable, bool uses_batch_size, const LoaderOptions& options)
      : name_(std::move(name)),
        uses_batch_size_(uses_batch_size),
        needs_(options.needs),
        read_all_(options.read_all),
        epochs_(options.stream.epochs),
        slots_(options.held_batches + 2),
        consumer_(::pthread_self()),
        iterable_(std::move(iterable)) {
    for (ScriptSlot& slot : slots_) free_.push_back(&slot);
    in_python([&] {
      // Nobody can close a feed that does not exist yet.
      const PythonCall call(fmt::format("loader {}", name_), "iter()");
      begin_epoch(options.stream.first_epoch);
    });
  }

  ~ScriptFeed() override {
    const py::gil_scoped_acquire gil;
    iterator_ = py::object();  // workers of other processes end with it
    iterable_ = py::object();
  }

  Batch next() override {
    if (closed_.load()) return {};
    const WorkingOn working(clock_);
    const InStage in_next(WorkerStage::kNextCall);
    ScriptSlot* slot = take();
    bool there = false;
    try {
      in_python([&] { there = fill(*slot); });
    } catch (...) {
      put(slot);
      close();
      throw;
    }
    Batch batch(slot, Return{this});
    if (!there) return {};
    slot->sequence = sequence_++;
    return batch;
  }

  const DeliveredFormat* delivered() const override { return format_ ? &*format_ : nullptr; }

  std::vector<WorkerTimes> worker_times() const override { return {of_foreign_loader(clock_)}; }

  Passes passes() const override { return passes_; }

  void close() override {
    closed_.store(true);
    const std::lock_guard lock(mutex_);
    if (!inside_ || ::pthread_equal(consumer_, ::pthread_self()) != 0) return;
    interrupt_python(consumer_);
  }

 private:
  // Runs a call in Python. An interruption by close() ends only this call.
  template <typename Work>
  void in_python(const Work& work) {
    const py::gil_scoped_acquire gil;
    {
      const std::lock_guard lock(mutex_);
      inside_ = true;
    }
    std::optional<Error> error;
    try {
      work();
    } catch (py::error_already_set& exception) {
      leave();
      if (closed_.load()) return;
      error = script_error(fmt::format("loader {}", name_), exception);
    } catch (...) {
      leave();
      throw;
    }
    leave();
    if (error) throw *error;
  }

  void leave() {
    {
      const std::lock_guard lock(mutex_);
      inside_ = false;
    }
    // Drops an interruption that came too late.
    if (closed_.load() && PyErr_CheckSignals() != 0) PyErr_Clear();
  }

  void begin_epoch(std::uint64_t epoch) {
    epoch_ = epoch;
    batches_ = 0;
    iterator_ = py::object();  // the last one's workers end before the next one's begin
    iterator_ = py::module_::import("loadline.scripts").attr("begin_epoch")(iterable_, epoch);
  }

  // Whether there is a batch; false after close().
  bool fill(ScriptSlot& slot) {
    for (;;) {
      const auto batch_of = [this] {
        const ForeignCall call("next()", owner_);
        return py::reinterpret_steal<py::object>(PyIter_Next(iterator_.ptr()));
      };
      py::object batch = batch_of();
      if (PyErr_Occurred() != nullptr) throw py::error_already_set();
      if (closed_.load()) return false;
      if (batch) {
        ++batches_;
        describe(slot, std::move(batch));
        return true;
      }
      if (batches_ == 0) throw no_batches();
      passes_ = {.ended = passes_.ended + 1, .batches = batches_};
      if (epochs_ && ++ended_ >= *epochs_) {
        closed_.store(true);
        return false;
      }
      begin_epoch(epoch_ + 1);
    }
  }

  Error no_batches() const {
    std::string why;
    if (iterator_.is(iterable_)) {
      const auto type = iterable_.attr("__class__").attr("__name__").cast<std::string>();
      why = fmt::format(
          ": the {} that the function returned cannot be iterated over again; return an object whose __iter__ begins "
          "an epoch, such as a DataLoader or a list",
          type);
    }
    return Error(fmt::format("loader {}: epoch {} has no batches{}", name_, epoch_, why));
  }

  void describe(ScriptSlot& slot, py::object batch) {
    const std::int64_t count = samples_of(batch.ptr());
    if (count < 0) {
      throw Error(fmt::format("loader {}: {}; deliver arrays or lists, in tuples, dicts or objects", name_,
                              py::module_::import("loadline._facts").attr("uncounted")(batch).cast<std::string>()));
    }
    const std::vector<py::object> leaves = leaves_of(batch);
    std::optional<Memory> first;
    std::optional<Memory> second;
    for (const py::object& leaf : leaves) {
      auto memory = memory_of(leaf);
      if (!memory) continue;
      // Not an array of samples: a number, or one of several files.
      if (!first && (memory->shape.empty() || memory->shape.front() != static_cast<std::size_t>(count))) {
        if (read_all_) read_lines_of(*memory);
        continue;
      }
      if (first && read_all_) read_lines_of(*memory);
      std::optional<Memory>& place = first ? second : first;
      if (!place) place = std::move(memory);
    }
    slot.batch = std::move(batch);
    slot.foreign = slot.batch.ptr();
    slot.epoch = epoch_;
    slot.target_bytes = 0;
    slot.labels = {};
    slot.indices = {};
    slot.count = static_cast<std::size_t>(count);
    if (!first) {
      // For example a list of sentences: each entry is a sample.
      slot.data = {};
      slot.sample_bytes = 0;
      if (!format_) format_ = DeliveredFormat{.dtype = "unknown"};
    } else {
      slot.data = first->bytes;
      slot.sample_bytes = slot.count == 0 ? 0 : first->bytes.size() / slot.count;
      tell_labels(slot, second);
      tell_format(*first, !slot.labels.empty());
    }
    if (!uses_batch_size_) format_->batch_size = std::max(format_->batch_size.value_or(1), slot.count);
    if (needs_) check(slot, first);
  }

  void tell_labels(ScriptSlot& slot, const std::optional<Memory>& second) {
    auto labels = second ? labels_of(*second) : std::nullopt;
    if (!labels || labels->size() != slot.count) return;
    slot.label_memory = std::move(*labels);
    slot.labels = slot.label_memory;
  }

  void tell_format(const Memory& first, bool labels) {
    if (format_) return;
    format_ = DeliveredFormat{.dtype = first.in_order ? first.dtype : first.dtype + " not in C order",
                              .shape = {first.shape.begin() + 1, first.shape.end()},
                              .labels = labels};
  }

  // For each batch, because they need not be equal.
  void check(const ScriptSlot& slot, const std::optional<Memory>& first) const {
    DeliveredFormat now{.dtype = first ? first->dtype : "unknown", .labels = !slot.labels.empty()};
    if (first) now.shape.assign(first->shape.begin() + 1, first->shape.end());
    check_needs(name_, now, *needs_);
    check_labels(name_, slot.labels, *needs_);
    if (!first || !first->in_order || first->bytes.empty()) {
      throw Error(
          fmt::format("loader {}: {} needs batches in C order in the memory of the host", name_, needs_->consumer));
    }
  }

  ScriptSlot* take() {
    const std::lock_guard lock(free_mutex_);
    if (free_.empty()) throw Error(fmt::format("loader {}: the consumer holds more batches than it announced", name_));
    ScriptSlot* slot = free_.back();
    free_.pop_back();
    return slot;
  }

  void put(Slot* slot) override {
    auto* const own = static_cast<ScriptSlot*>(slot);
    {
      const py::gil_scoped_acquire gil;
      own->batch = py::object();
    }
    own->foreign = nullptr;
    const std::lock_guard lock(free_mutex_);
    free_.push_back(own);
  }

  const std::string name_;
  const char* const owner_ = kept_for_ever(fmt::format("loader {}", name_));  // of calls
  const bool uses_batch_size_;
  const std::optional<BatchNeeds> needs_;
  const bool read_all_;
  const std::optional<std::uint64_t> epochs_;
  std::vector<ScriptSlot> slots_;
  const pthread_t consumer_;
  Passes passes_;
  std::mutex free_mutex_;
  std::vector<ScriptSlot*> free_;
  std::atomic<bool> closed_{false};
  std::mutex mutex_;     // of the one below: the consumer sets it, close() reads it
  bool inside_ = false;  // Python is at work
  WorkerClock clock_;
  std::optional<DeliveredFormat> format_;
  std::uint64_t sequence_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t ended_ = 0;    // epochs
  std::uint64_t batches_ = 0;  // of this epoch so far
  py::object iterable_;
  py::object iterator_;
};

}  // namespace

std::unique_ptr<Feed> make_script_feed(std::string name, py::object iterable, bool uses_batch_size,
                                       const LoaderOptions& options) {
  return std::make_unique<ScriptFeed>(std::move(name), std::move(iterable), uses_batch_size, options);
}

}  // namespace loadline
