// How fast threads can assemble batches when they do nothing else.
//
//   gather/<dtype>/batch:<n>/threads:<t>        Filler::fill() of random samples, each thread into one slot of its
//                                               own that it fills again and again
//   gather_drain/<dtype>/batch:<n>/threads:<t>  the same, and the thread then reads a byte of every line of the batch
//
// The first is the limit of the assembling side of a loader with t workers: a slot that stays near its writer, no
// hand-over, no queue. An IO trial does more: its drain reads every cache line of every batch. If a core is free for
// the consumer, it reads concurrently with the workers, and the first is also the limit of the trial. If every core
// has a worker, or the loader is `serial`, reading takes time from assembling, and the second is the limit: the same
// work by the same threads, without a loader in between. No loader can come close to a limit that leaves out reading.
//
//   serial                                   gather_drain, 1 thread
//   thread-pool, fewer workers than cores    gather, a thread a worker
//   thread-pool, a worker a core             gather_drain, a thread a worker
//
// To compare, give the tool the same work. Both read a dataset in the page cache in the same way:
//   loadline run --data PATH --mode io --loader thread-pool --workers 1,2 --batch-size 64,512 --dtype f32
//                --crop-padding 0 --flip off
//   components --data PATH --benchmark_filter=gather_drain/f32
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <utility>

#include "bench/components.h"
#include "loaders/assemble.h"
#include "loaders/batch_pool.h"
#include "loaders/error.h"
#include "loaders/sampler.h"
#include "synthetic/compute/drain.h"
#include "synthetic/generate/generate.h"

namespace loadline::bench {
namespace {

namespace fs = std::filesystem;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t kSamples = 50'000;        // of the temporary dataset
constexpr std::size_t kWarmUpSamples = 25'000;  // a thread
constexpr std::size_t kTimedSamples = 400'000;  // a thread
constexpr std::size_t kOrderSamples = 800'000;  // the order repeats after this many: far more than a cache holds

// A CIFAR-10-like dataset in mapped files, as the tool would read it. The files are removed when this returns; their
// mappings and cached pages stay.
std::unique_ptr<Dataset> open_temporary_dataset() {
  std::string name = (fs::temp_directory_path() / "loadline-components.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw Error(fmt::format("cannot create a directory like {}", name));
  struct Removal {
    fs::path path;
    ~Removal() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } const removal{name};
  fmt::print(stderr, "generating {} samples in {} for the gather rows\n", kSamples, name);
  generate("cifar10", removal.path / "cifar10", {.samples = kSamples});
  return open_dataset(removal.path / "cifar10", {});
}

// The dataset of all gather rows, and the order of its samples. The first row that runs opens, generates and reads
// it, because the filter may select none.
class GatherData {
 public:
  explicit GatherData(const fs::path& path) : dataset_(path.empty() ? nullptr : open_dataset(path, {})) {}

  void prepare() {
    if (!order_.empty()) return;
    if (!dataset_) dataset_ = open_temporary_dataset();
    // Read once, so that the page cache holds it and the page tables know it.
    dataset_->visit([](StoredSample sample) {
      benchmark::DoNotOptimize(touch_lines(sample));
      return true;
    });
    order_ = shuffled_epochs(dataset_->info().samples);
  }

  const Dataset& dataset() const { return *dataset_; }
  // The indices of batch `number`; any number of threads may read them.
  std::span<SampleIndex> batch(std::size_t number, std::size_t batch_size) {
    return std::span(order_).subspan(number % (order_.size() / batch_size) * batch_size, batch_size);
  }

 private:
  static std::vector<SampleIndex> shuffled_epochs(std::size_t samples) {
    const Sampler sampler({.samples = samples, .batch_size = std::min<std::size_t>(samples, 4096)});
    std::vector<SampleIndex> permutation(sampler.permutation_size());
    std::vector<SampleIndex> batch(sampler.batch_size());
    std::vector<SampleIndex> order;
    for (std::uint64_t number = 0; order.size() < kOrderSamples; ++number) {
      sampler.permute(number, permutation);
      for (std::size_t i = 0; i < sampler.batches_per_epoch() && order.size() < kOrderSamples; ++i) {
        const std::size_t count = sampler.batch(number, permutation, i, batch);
        order.insert(order.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(count));
      }
    }
    return order;
  }

  std::unique_ptr<Dataset> dataset_;
  std::vector<SampleIndex> order_;
};

struct GatherRow {
  DType dtype;
  std::size_t batch_size;
  std::size_t threads;
  bool drain;
};

// The threads of one row, each with its slot.
class Crew {
 public:
  Crew(GatherData& data, const Assembler& assembler, const GatherRow& row)
      : data_(data), row_(row), pool_(row.threads, row.batch_size, assembler.sample_bytes()) {
    while (Batch slot = pool_.try_acquire()) {
      slots_.push_back(std::move(slot));
      fillers_.push_back(assembler.make_filler(row.batch_size));
    }
  }

  // Assembles `batches` batches, dealt out one at a time so that all threads end together. Returns the seconds from
  // the first start to the last end.
  double assemble(std::size_t batches) {
    next_.store(0);
    std::vector<std::future<Span>> spans;
    std::latch ready(static_cast<std::ptrdiff_t>(row_.threads));
    std::promise<void> start;  // broken if a thread cannot be started, which ends the others
    const std::shared_future<void> started = start.get_future().share();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      spans.push_back(std::async(std::launch::async, [this, batches, started, &ready, i] {
        ready.count_down();
        started.get();
        return work(*slots_[i], *fillers_[i], batches);
      }));
    }
    ready.wait();
    start.set_value();
    Span whole{SteadyTime::max(), SteadyTime::min()};
    for (auto& span : spans) {
      const Span one = span.get();
      whole = {std::min(whole.first, one.first), std::max(whole.second, one.second)};
    }
    return std::chrono::duration<double>(whole.second - whole.first).count();
  }

 private:
  using Span = std::pair<SteadyTime, SteadyTime>;

  Span work(Slot& slot, Filler& filler, std::size_t batches) {
    const auto start = std::chrono::steady_clock::now();
    slot.count = row_.batch_size;
    for (std::size_t number = next_++; number < batches; number = next_++) {
      slot.indices = data_.batch(number, row_.batch_size);
      filler.fill(slot, Stores::kCached);
      if (row_.drain) benchmark::DoNotOptimize(touch_lines(slot.bytes()));
    }
    return {start, std::chrono::steady_clock::now()};
  }

  GatherData& data_;
  GatherRow row_;
  BatchPool pool_;
  std::vector<Batch> slots_;
  std::vector<std::unique_ptr<Filler>> fillers_;  // one a slot
  std::atomic<std::size_t> next_{0};
};

// As in the tool's workloads: floats are normalised, bytes are not. The values do not affect the time.
TransformOptions transform_options(DType dtype, std::size_t channels) {
  if (dtype == DType::kU8) return {.dtype = dtype};
  return {.dtype = dtype, .mean = std::vector(channels, 0.5), .stddev = std::vector(channels, 0.25)};
}

void gather(benchmark::State& state, GatherData& data, const GatherRow& row) {
  data.prepare();
  const DatasetInfo& info = data.dataset().info();
  if (info.samples < row.batch_size) {
    throw Error(fmt::format("batch {}: the dataset has only {} samples", row.batch_size, info.samples));
  }
  const ImageTransform transform(info.shape, transform_options(row.dtype, info.shape.channels), kernels_named("auto"),
                                 info.stored_layout());
  const ImageAssembler assembler(data.dataset(), transform);
  Crew crew(data, assembler, row);
  crew.assemble(row.threads * kWarmUpSamples / row.batch_size);
  const std::size_t batches = row.threads * kTimedSamples / row.batch_size;
  for (auto pass : state) {
    (void)pass;
    state.SetIterationTime(crew.assemble(batches));
  }
  const auto samples = static_cast<double>(state.iterations()) * static_cast<double>(batches * row.batch_size);
  state.SetItemsProcessed(static_cast<std::int64_t>(samples));
  state.SetBytesProcessed(static_cast<std::int64_t>(samples * static_cast<double>(assembler.sample_bytes())));
}

}  // namespace

void add_gather_rows(Rows& rows, const ComponentOptions& options) {
  const auto data = std::make_shared<GatherData>(options.data);
  for (const bool drain : {false, true}) {
    for (const DType dtype : {DType::kU8, DType::kF32, DType::kBF16}) {
      for (const std::size_t batch_size : {std::size_t{64}, std::size_t{512}}) {
        for (const std::size_t threads : options.threads) {
          const auto row_name = fmt::format("{}/{}/batch:{}/threads:{}", drain ? "gather_drain" : "gather", name(dtype),
                                            batch_size, threads);
          const GatherRow row{.dtype = dtype, .batch_size = batch_size, .threads = threads, .drain = drain};
          // One pass per repetition, so a repetition of a row corresponds to a trial of the tool.
          rows.add(row_name, [data, row](benchmark::State& state) { gather(state, *data, row); })
              ->Iterations(1)
              ->MeasureProcessCPUTime()
              ->UseManualTime()
              ->Unit(benchmark::kMillisecond);
        }
      }
    }
  }
}

}  // namespace loadline::bench
