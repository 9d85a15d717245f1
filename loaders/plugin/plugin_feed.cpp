#include "loaders/plugin/plugin_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "loaders/error.h"
#include "loaders/foreign_call.h"
#include "loaders/printable.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

// LOADLINE_U8 and so on count from 1.
static_assert(kDeliveredTypes[LOADLINE_F64 - 1].name == "f64" && kDeliveredTypes.size() == LOADLINE_F64);

std::int32_t code_of(DType dtype) {
  switch (dtype) {
    case DType::kU8: return LOADLINE_U8;
    case DType::kBF16: return LOADLINE_BF16;
    case DType::kF32: return LOADLINE_F32;
    case DType::kI32: return LOADLINE_I32;
  }
  return 0;
}

const char* name_of(Order order) {
  switch (order) {
    case Order::kSequential: return "sequential";
    case Order::kShuffled: return "shuffled";
    case Order::kPageShuffled: return "page-shuffled";
  }
  return "";
}

// A slot, and the batch to give back to the plug-in.
struct Lent : Slot {
  loadline_batch batch{};
};

// How many samples an epoch may have.
struct EpochSize {
  explicit EpochSize(const SamplerOptions& options)
      : share(options.samples / options.world_size),
        // A plug-in may have made unequal shares of ranks equal, and may have omitted a short last batch.
        most(share + (options.samples % options.world_size == 0 ? 0 : 1)),
        fewest(share - share % options.batch_size) {}

  std::size_t share;
  std::size_t most;
  std::size_t fewest;
};

class PluginFeed final : public Feed, private SlotHome {
 public:
  PluginFeed(const Plugin& plugin, const Assembler& assembler, const Sampler& sampler, const LoaderOptions& options)
      : plugin_(plugin),
        table_(*plugin.table),
        data_(options.data.string()),
        needs_(options.needs),
        batch_size_(sampler.batch_size()),
        epoch_size_(sampler.options()),
        strict_(!options.stream.epochs),
        epoch_(options.stream.first_epoch),
        lent_(2 + options.held_batches) {
    if (options.stream.epochs) end_epoch_ = epoch_ + *options.stream.epochs;
    for (Lent& lent : lent_) free_.push_back(&lent);
    open(assembler, sampler, options);
  }
  PluginFeed(const PluginFeed&) = delete;
  PluginFeed& operator=(const PluginFeed&) = delete;

  ~PluginFeed() override {
    if (stopper_.joinable()) {
      const ForeignCall call("stop()", owner_);
      stopper_.join();
    }
    try {
      guarded("close()", [&] { table_.close(loader_); });
    } catch (const Error&) {
      // There is nobody left to tell, and the batch is no longer used.
    }
  }

  Batch next() override {
    if (closed_.load(std::memory_order_relaxed)) return {};
    const WorkingOn working(clock_);
    const InStage in_next(WorkerStage::kNextCall);
    Lent* lent = take();
    if (lent == nullptr) throw failure("the consumer holds more batches than it announced");
    bool pulled = false;
    try {
      pulled = pull(*lent);
    } catch (...) {
      closed_.store(true, std::memory_order_relaxed);
      give(lent);
      throw;
    }
    if (pulled) return Batch(lent, Return{this});
    give(lent);
    return {};
  }

  const DeliveredFormat* delivered() const override { return format_ ? &*format_ : nullptr; }

  std::vector<WorkerTimes> worker_times() const override { return {of_foreign_loader(clock_)}; }

  void close() override {
    if (closed_.exchange(true) || table_.stop == nullptr) return;
    // A foreign function must not block whoever ends the run.
    const auto stop = [table = &table_, loader = loader_, owner = owner_] {
      const ForeignCall call("stop()", owner);
      try {
        table->stop(loader);
      } catch (...) {
        // It only had to wake next(), and the caller sees whether that returns.
      }
    };
    try {
      stopper_ = std::thread(stop);
    } catch (const std::system_error&) {
      stop();
    }
  }

 private:
  // Calls a function of the plug-in.
  template <typename Function>
  auto guarded(const char* name, Function function) const -> decltype(function()) {
    const ForeignCall call(name, owner_);
    try {
      return function();
    } catch (...) {
      throw failure(text_of_exception(name));
    }
  }

  Error failure(std::string_view what) const { return Error(fmt::format("plug-in {}: {}", plugin_.word, what)); }

  // The plug-in's message, which may lack its final zero.
  std::string error_text() const {
    const auto end = std::ranges::find(error_, '\0');
    const std::string text = printable({error_.data(), static_cast<std::size_t>(end - error_.begin())});
    return text.empty() ? "it failed without a message" : text;
  }

  void open(const Assembler& assembler, const Sampler& sampler, const LoaderOptions& options) {
    const SampleFormat format = assembler.sample_format();
    const SamplerOptions& order = sampler.options();
    for (const auto& [key, value] : plugin_.options) option_list_.push_back({key.c_str(), value.c_str()});
    request_ = {.data = data_.c_str(),
                .split = options.test_split ? "test" : "train",
                .samples = order.samples,
                .batch_size = order.batch_size,
                .workers = options.workers,
                .prefetch = options.prefetch,
                .held = options.held_batches,
                .order = name_of(order.order),
                .seed = order.seed,
                .epoch = options.stream.first_epoch,
                .rank = order.rank,
                .ranks = order.world_size,
                .drop_last = order.drop_last ? 1 : 0,
                .dtype = code_of(format.dtype),
                .layout = name(format.layout).data(),
                .options = option_list_.data(),
                .option_count = option_list_.size()};
    if (table_.has_workers == 0) request_.workers = request_.prefetch = 0;
    // Threads that it starts inherit this thread's CPUs.
    const PinnedThread as_worker(options.cpus);
    const std::int32_t result =
        guarded("open()", [&] { return table_.open(&request_, &loader_, error_.data(), error_.size()); });
    if (result == LOADLINE_FAILED) throw failure(error_text());
    if (result != LOADLINE_OK) throw failure(fmt::format("open() returned {}, which is not a valid result", result));
    if (loader_ == nullptr) throw failure("open() succeeded but made no loader");
  }

  // False at the end.
  bool pull(Lent& lent) {
    for (;;) {
      if (end_epoch_ && epoch_ >= *end_epoch_) return false;
      lent.batch = {};
      error_[0] = '\0';
      const std::int32_t result =
          guarded("next()", [&] { return table_.next(loader_, &lent.batch, error_.data(), error_.size()); });
      if (result == LOADLINE_OK) {
        try {
          accept(lent);
        } catch (...) {
          release(lent);
          throw;
        }
        return true;
      }
      // After close(), any other result means the end.
      if (closed_.load(std::memory_order_relaxed)) return false;
      if (result == LOADLINE_FAILED) throw failure(error_text());
      if (result == LOADLINE_STOPPED) throw failure("next() reports that it was stopped, but nobody called stop()");
      if (result != LOADLINE_EPOCH_END) {
        throw failure(fmt::format("next() returned {}, which is not a valid result", result));
      }
      end_epoch();
    }
  }

  void end_epoch() {
    if ((strict_ && samples_ < epoch_size_.fewest) || samples_ == 0) {
      throw failure(fmt::format("epoch {} ended after {} of {} samples", epoch_, samples_, epoch_size_.share));
    }
    ++epoch_;
    batches_ = samples_ = 0;
    short_batch_.reset();
  }

  void accept(Lent& lent) {
    const loadline_batch& batch = lent.batch;
    if (batch.count < 1 || static_cast<std::uint64_t>(batch.count) > batch_size_) {
      throw failure(
          fmt::format("batch {} of epoch {} has {} samples, want 1 to {}", batches_, epoch_, batch.count, batch_size_));
    }
    if (batch.data == nullptr) throw failure(fmt::format("batch {} of epoch {} has no data", batches_, epoch_));
    check_format(batch);
    const auto count = static_cast<std::size_t>(batch.count);
    samples_ += count;
    check_place(count);
    if (needs_ && batch.labels != nullptr) check_labels(plugin_.word, {batch.labels, count}, *needs_);
    // Nobody writes to a batch of an external loader.
    lent.data = {static_cast<std::byte*>(const_cast<void*>(batch.data)), count * sample_bytes_};
    if (batch.labels != nullptr) lent.labels = {const_cast<std::int32_t*>(batch.labels), count};
    if (batch.indices != nullptr) lent.indices = {const_cast<SampleIndex*>(batch.indices), count};
    lent.sample_bytes = sample_bytes_;
    lent.count = count;
    lent.sequence = sequence_++;
    lent.epoch = epoch_;
    ++batches_;
  }

  // Checks the batch's place in its epoch.
  void check_place(std::size_t count) {
    if (short_batch_) {
      throw failure(fmt::format("batch {} of epoch {} has {} of {} samples but is not the last of its epoch",
                                batches_ - 1, epoch_, *short_batch_, batch_size_));
    }
    if (count < batch_size_) short_batch_ = count;
    if (strict_ && samples_ > epoch_size_.most) {
      throw failure(fmt::format("epoch {} did not end after its {} samples", epoch_, epoch_size_.share));
    }
  }

  void check_format(const loadline_batch& batch) {
    if (is_as_before(batch)) return;
    const DeliveredFormat format = format_of(batch);
    if (format_) {
      const auto words = [](const DeliveredFormat& of) {
        return fmt::format("{} {} labels, {} indices", text_of(of), of.labels ? "with" : "without",
                           of.indices ? "with" : "without");
      };
      throw failure(fmt::format("batch {} of epoch {} has samples of {}, but earlier ones had {}", batches_, epoch_,
                                words(format), words(*format_)));
    }
    if (needs_) check_needs(plugin_.word, format, *needs_);
    format_ = format;
    first_ = batch;
  }

  // Allocates nothing.
  bool is_as_before(const loadline_batch& batch) const {
    return format_ && batch.dtype == first_.dtype && batch.dimensions == first_.dimensions &&
           std::equal(batch.shape, batch.shape + batch.dimensions, first_.shape) &&
           (batch.labels == nullptr) == (first_.labels == nullptr) &&
           (batch.indices == nullptr) == (first_.indices == nullptr);
  }

  DeliveredFormat format_of(const loadline_batch& batch) {
    if (batch.dtype < 1 || static_cast<std::size_t>(batch.dtype) > kDeliveredTypes.size()) {
      throw failure(fmt::format("batch {} of epoch {} has element type {}, which loadline/plugin.h does not know",
                                batches_, epoch_, batch.dtype));
    }
    if (batch.dimensions < 0 || batch.dimensions > LOADLINE_MOST_DIMENSIONS) {
      throw failure(fmt::format("batch {} of epoch {} has samples of {} dimensions, want 0 to {}", batches_, epoch_,
                                batch.dimensions, LOADLINE_MOST_DIMENSIONS));
    }
    const DeliveredType& type = kDeliveredTypes[static_cast<std::size_t>(batch.dtype - 1)];
    DeliveredFormat format{.dtype = std::string(type.name),
                           .shape = {},
                           .labels = batch.labels != nullptr,
                           .indices = batch.indices != nullptr};
    std::size_t bytes = type.bytes;
    for (std::int32_t i = 0; i < batch.dimensions; ++i) {
      // Then the size of a batch fits 64 bits.
      const bool fits = batch.shape[i] > 0 &&
                        !__builtin_mul_overflow(bytes, static_cast<std::size_t>(batch.shape[i]), &bytes) &&
                        bytes <= std::numeric_limits<std::size_t>::max() / batch_size_;
      if (!fits) {
        throw failure(fmt::format("batch {} of epoch {} has dimension {} = {}", batches_, epoch_, i, batch.shape[i]));
      }
      format.shape.push_back(static_cast<std::size_t>(batch.shape[i]));
    }
    sample_bytes_ = bytes;
    return format;
  }

  void put(Slot* slot) override {
    auto* lent = static_cast<Lent*>(slot);
    release(*lent);
    give(lent);
  }

  void release(Lent& lent) {
    if (table_.release == nullptr) return;
    try {
      guarded("release()", [&] { table_.release(loader_, &lent.batch); });
    } catch (const Error& error) {  // next() reports it
      const std::lock_guard lock(mutex_);
      if (!release_failure_) release_failure_ = error;
    }
  }

  // Null if none is free. Throws what release() threw before.
  Lent* take() {
    const std::lock_guard lock(mutex_);
    if (release_failure_) {
      closed_.store(true, std::memory_order_relaxed);
      throw Error(*release_failure_);
    }
    if (free_.empty()) return nullptr;
    Lent* lent = free_.back();
    free_.pop_back();
    return lent;
  }

  void give(Lent* lent) {
    const std::lock_guard lock(mutex_);
    free_.push_back(lent);
  }

  WorkerClock clock_;
  const Plugin plugin_;
  const char* const owner_ = kept_for_ever("loader " + printable(plugin_.word));  // of calls
  const loadline_plugin_table& table_;
  const std::string data_;
  const std::optional<BatchNeeds> needs_;
  const std::size_t batch_size_;
  const EpochSize epoch_size_;
  std::vector<loadline_option> option_list_;
  loadline_request request_{};
  loadline_loader* loader_ = nullptr;
  std::array<char, 1024> error_{};

  const bool strict_;
  std::uint64_t epoch_;
  std::optional<std::uint64_t> end_epoch_;
  std::uint64_t sequence_ = 0;
  std::size_t batches_ = 0;                 // of this epoch so far
  std::size_t samples_ = 0;                 // of this epoch so far
  std::optional<std::size_t> short_batch_;  // samples of a short batch: the last of its epoch
  std::optional<DeliveredFormat> format_;   // none before the first batch
  loadline_batch first_{};
  std::size_t sample_bytes_ = 0;

  std::mutex mutex_;
  std::vector<Lent> lent_;
  std::vector<Lent*> free_;
  std::optional<Error> release_failure_;
  std::atomic<bool> closed_{false};
  std::thread stopper_;
};

}  // namespace

std::string text_of_exception(std::string_view function) {
  try {
    throw;
  } catch (const std::exception& error) {
    const std::string what = printable(error.what());
    return what.empty() ? fmt::format("{} threw an exception without a message", function)
                        : fmt::format("{} threw an exception: {}", function, what);
  } catch (...) {
    return fmt::format("{} threw something that is not a std::exception", function);
  }
}

std::unique_ptr<Feed> make_plugin_feed(const Plugin& plugin, const Assembler& assembler, const Sampler& sampler,
                                       const LoaderOptions& options) {
  return std::make_unique<PluginFeed>(plugin, assembler, sampler, options);
}

}  // namespace loadline
