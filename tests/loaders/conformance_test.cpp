// Tests the contract of every row in the table of loaders. A new row is tested because it is in the table. A loader
// that breaks the contract fails a test, even if it never ends an epoch; one that blocks is ended by the watchdog.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <map>
#include <numeric>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "loaders/loader.h"
#include "tests/loaders/support/allocations.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/hdf5_files.h"
#include "tests/loaders/support/npy_files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/watchdog.h"

namespace loadline {
namespace {

using test::FailingDataset;
using test::Gate;
using test::SlowDataset;
using test::TellingDataset;
using test::thrown_by;
using testing::HasSubstr;

// A whole batch as a value.
struct Delivered {
  std::uint64_t sequence;
  std::uint64_t epoch;
  std::vector<SampleIndex> indices;
  std::vector<std::int32_t> labels;
  std::vector<std::byte> bytes;

  auto operator<=>(const Delivered&) const = default;  // NOLINT(modernize-use-nullptr): of the compiler's own code
};

std::ostream& operator<<(std::ostream& out, const Delivered& batch) {
  return out << "batch " << batch.sequence << " of epoch " << batch.epoch << ", samples "
             << testing::PrintToString(batch.indices);
}

Delivered delivered(const Slot& slot) {
  const auto indices = slot.indices.first(slot.count);
  const auto labels = slot.labels.first(slot.count);
  return {slot.sequence,
          slot.epoch,
          {indices.begin(), indices.end()},
          {labels.begin(), labels.end()},
          {slot.bytes().begin(), slot.bytes().end()}};
}

// What sets the batches apart from those expected, in a line; empty if nothing does.
std::string difference_from(const std::vector<Delivered>& expected, const std::vector<Delivered>& batches) {
  const auto [first, other] = std::ranges::mismatch(batches, expected);
  const auto equal = first - batches.begin();
  if (first == batches.end() || other == expected.end()) {
    if (batches.size() == expected.size()) return "";
    return fmt::format("delivered {} of {} batches, the first {} equal: the loader {}", batches.size(), expected.size(),
                       equal, first == batches.end() ? "stops early" : "does not stop");
  }
  std::vector<std::string_view> differ;
  std::vector<std::string_view> same;
  (first->sequence == other->sequence ? same : differ).emplace_back("sequence");
  (first->epoch == other->epoch ? same : differ).emplace_back("epoch");
  (first->indices == other->indices ? same : differ).emplace_back("samples");
  (first->labels == other->labels ? same : differ).emplace_back("labels");
  (first->bytes == other->bytes ? same : differ).emplace_back("bytes");
  if (same.empty()) same.emplace_back("nothing");
  return fmt::format("batch {} differs: {}; equal: {}", equal, fmt::join(differ, ", "), fmt::join(same, ", "));
}

TEST(Conformance, SaysInALineWhatSetsBatchesApart) {
  const Delivered first{.sequence = 0, .epoch = 0, .indices = {1, 2}, .labels = {0, 1}, .bytes = {std::byte{7}}};
  const Delivered second{.sequence = 1, .epoch = 0, .indices = {3, 4}, .labels = {1, 0}, .bytes = {std::byte{8}}};
  Delivered changed = second;
  changed.bytes = {std::byte{9}};
  EXPECT_EQ(difference_from({first, second}, {first, second}), "");
  EXPECT_EQ(difference_from({first, second}, {first}),
            "delivered 1 of 2 batches, the first 1 equal: the loader stops early");
  EXPECT_EQ(difference_from({first}, {first, second}),
            "delivered 2 of 1 batches, the first 1 equal: the loader does not stop");
  EXPECT_EQ(difference_from({first, second}, {first, changed}),
            "batch 1 differs: bytes; equal: sequence, epoch, samples, labels");
  EXPECT_EQ(difference_from({second}, {first}), "batch 0 differs: sequence, samples, labels, bytes; equal: epoch");
}

// More than any stream has that a test drains.
constexpr std::size_t kTooManyBatches = 1000;

std::vector<Delivered> drain(Feed& feed) {
  std::vector<Delivered> all;
  while (const Batch batch = feed.next()) {
    all.push_back(delivered(*batch));
    if (all.size() < kTooManyBatches) continue;
    ADD_FAILURE() << "the loader does not end its last epoch: it has delivered " << all.size() << " batches";
    break;
  }
  return all;
}

// What next() throws, after any number of batches.
test::Thrown failure_of(Feed& feed) {
  constexpr int kPatience = 1'000'000;  // many, because a worker may not run while others fill batches
  test::Thrown thrown;
  for (int i = 0; i < kPatience && thrown.message.empty(); ++i) thrown = thrown_by([&] { feed.next(); });
  return thrown;
}

// Opens the gate at the end of a scope, so that the threads of a feed declared before it can end though a test fails.
class OpensAtEnd {
 public:
  explicit OpensAtEnd(Gate& gate) : gate_(gate) {}
  OpensAtEnd(const OpensAtEnd&) = delete;
  OpensAtEnd& operator=(const OpensAtEnd&) = delete;
  ~OpensAtEnd() { gate_.open(); }

 private:
  Gate& gate_;
};

// What to load, and how to transform it.
struct Work {
  std::string_view name;
  SamplerOptions sampler;
  TransformOptions transform;
  ImageShape shape{1, 4, 4};
  bool arrives = false;        // samples can be requested side by side, and the latest request arrives first
  bool channels_last = false;  // in files; the reference has planes
};

const Work kWorks[] = {
    {"U8InOrderOfStorage", {.samples = 64, .batch_size = 8, .order = Order::kSequential}, {.dtype = DType::kU8}},
    {"U8Shuffled", {.samples = 101, .batch_size = 8, .seed = 7}, {.dtype = DType::kU8}},
    {"F32NormalisedShortLastBatch",
     {.samples = 50, .batch_size = 16},
     {.dtype = DType::kF32, .mean = {0.5}, .stddev = {0.25}}},
    {"Bf16LastBatchDropped", {.samples = 50, .batch_size = 16, .drop_last = true}, {.dtype = DType::kBF16}},
    {"F32AugmentedInterleaved",
     {.samples = 40, .batch_size = 7},
     {.dtype = DType::kF32, .layout = Layout::kNHWC, .crop_padding = 2, .flip = true, .seed = 3},
     {3, 8, 8}},
    {"U8AugmentedPageShuffledThirdOfThreeRanks",
     {.samples = 100,
      .batch_size = 5,
      .order = Order::kPageShuffled,
      .page_samples = 8,
      .window_samples = 32,
      .rank = 2,
      .world_size = 3},
     {.dtype = DType::kU8, .crop_padding = 1, .flip = true},
     {3, 8, 8}},
    {"Bf16WholeDatasetInOneBatch", {.samples = 9, .batch_size = 9}, {.dtype = DType::kBF16}},
    {"U8OneSampleABatch", {.samples = 5, .batch_size = 1}, {.dtype = DType::kU8}},
    {"F32AugmentedArrivingInAnyOrder",
     {.samples = 101, .batch_size = 8, .seed = 7},
     {.dtype = DType::kF32, .crop_padding = 2, .flip = true, .seed = 3},
     {3, 8, 8},
     true},
    {"U8ArrivingOneSampleABatch", {.samples = 40, .batch_size = 1}, {.dtype = DType::kU8}, {1, 4, 4}, true},
    {"U8ArrivingInBatchesBeyondTheWindow", {.samples = 90, .batch_size = 45}, {.dtype = DType::kU8}, {1, 4, 4}, true},
    {"U8InterleavedFromChannelsLast",
     {.samples = 64, .batch_size = 8},
     {.dtype = DType::kU8, .layout = Layout::kNHWC},
     {3, 8, 8},
     false,
     true},
    {"F32AugmentedFromChannelsLast",
     {.samples = 40, .batch_size = 7},
     {.dtype = DType::kF32, .mean = {0.1, 0.2, 0.3}, .stddev = {0.4, 0.5, 0.6}, .crop_padding = 2, .flip = true},
     {3, 8, 8},
     false,
     true},
};

// Writes images.npy with channels last, and labels.npy.
void write_npy(const std::filesystem::path& directory, const Dataset& dataset) {
  const auto& [channels, height, width] = dataset.info().shape;
  std::string pixels;
  dataset.visit([&](StoredSample sample) {
    for (const std::byte byte : sample) pixels += static_cast<char>(byte);
    return true;
  });
  std::string labels;
  for (const std::int32_t label : dataset.labels()) labels += static_cast<char>(label);
  const std::size_t samples = dataset.info().samples;
  test::write(directory / "images.npy",
              test::npy_of("|u1", fmt::format("{}, {}, {}, {}", samples, height, width, channels), pixels));
  test::write(directory / "labels.npy", test::npy_of("|u1", fmt::format("{},", samples), labels));
}

// Owns a dataset and everything that a loader borrows, and makes feeds from them.
class Workplace {
 public:
  explicit Workplace(const Work& work)
      : planes_(test::patterned_dataset(work.sampler.samples, work.shape)),
        dataset_(work.channels_last ? with_channels_last() : test::patterned_dataset(work.sampler.samples, work.shape)),
        transform_(work.shape, work.transform, kernels_named("auto"), dataset_->info().stored_layout()),
        sampler_(work.sampler),
        reference_(*planes_, {work.shape, work.transform, kernels_named("auto")}),
        arriving_(*dataset_, arrival_),
        assembler_(std::make_unique<ImageAssembler>(work.arrives ? arriving_ : *dataset_, transform_)) {
    // Opens the same samples once more for each kind of access that a row of the table needs.
    for (const LoaderKind& loader : loaders()) {
      if (!loader.access || copies_.contains(*loader.access)) continue;
      const bool chunks = *loader.access == Access::kChunks;
      const auto path = home_ / (chunks ? "chunks.h5" : "whole.h5");
      if (!std::filesystem::exists(path)) {
        test::write_hdf5(path, *dataset_, {.chunk_rows = chunks ? std::optional<std::uint64_t>(8) : std::nullopt});
      }
      Copy& copy = copies_[*loader.access];
      copy.dataset = open_dataset(path, {.access = loader.access});
      copy.assembler = std::make_unique<ImageAssembler>(*copy.dataset, transform_);
    }
  }

  const Dataset& dataset() const { return *dataset_; }
  const Sampler& sampler() const { return sampler_; }

  std::unique_ptr<Feed> feed(const LoaderKind& loader, const LoaderOptions& options) const {
    const Assembler& assembler = loader.access ? *copies_.at(*loader.access).assembler : *assembler_;
    return loader.make(assembler, sampler_, options);
  }

  std::vector<Delivered> reference(const StreamOptions& stream) const {
    return drain(*loader_named("serial").make(reference_, sampler_, {.stream = stream}));
  }

 private:
  std::unique_ptr<Dataset> with_channels_last() const {
    const auto pixels = test::channels_last(*planes_);
    write_npy(home_.path(), *pixels);
    return open_dataset(home_.path(), {.format = "npy"});
  }

  struct Copy {
    std::unique_ptr<Dataset> dataset;
    std::unique_ptr<Assembler> assembler;
  };

  test::TemporaryDirectory home_;
  std::unique_ptr<Dataset> planes_;
  std::unique_ptr<Dataset> dataset_;
  ImageTransform transform_;
  Sampler sampler_;
  ImageAssembler reference_;
  test::ArrivalScript arrival_;
  test::ArrivingDataset arriving_;
  std::unique_ptr<Assembler> assembler_;
  std::map<Access, Copy> copies_;
};

// One row of the table and a number of workers.
struct Crew {
  const LoaderKind* loader;
  std::size_t workers;
};

std::string name_of(const Crew& crew) {
  std::string name(crew.loader->name);
  std::erase(name, '-');
  return crew.loader->has_workers ? name + "With" + std::to_string(crew.workers) : name;
}

std::ostream& operator<<(std::ostream& out, const Crew& crew) {
  return out << name_of(crew);
}

std::ostream& operator<<(std::ostream& out, const Work& work) {
  return out << work.name;
}

std::vector<Crew> all_crews() {
  std::vector<Crew> crews;
  for (const LoaderKind& loader : loaders()) {
    if (!loader.has_workers) {
      crews.push_back({&loader, 1});
      continue;
    }
    // A row that differs from another only in its access has the same schedule, which the other tests with every count.
    const auto counts = loader.access ? std::vector<std::size_t>{2} : std::vector<std::size_t>{1, 2, 5};
    for (const std::size_t workers : counts) crews.push_back({&loader, workers});
  }
  return crews;
}

std::vector<Crew> crews_with_workers() {
  std::vector<Crew> crews = all_crews();
  std::erase_if(crews, [](const Crew& crew) { return !crew.loader->has_workers; });
  return crews;
}

std::string crew_name(const testing::TestParamInfo<Crew>& info) {
  return name_of(info.param);
}

constexpr StreamOptions kThreeEpochs{.epochs = 3};

class EveryLoaderAndWork : public testing::TestWithParam<std::tuple<Crew, Work>> {
 protected:
  const test::Watchdog watchdog_{test::kWhyALoaderBlocks};
  const Crew crew_ = std::get<0>(GetParam());
  const Work work_ = std::get<1>(GetParam());
  const Workplace place_{work_};

  std::vector<Delivered> load(LoaderOptions options) const {
    options.workers = crew_.workers;
    return drain(*place_.feed(*crew_.loader, options));
  }
};

INSTANTIATE_TEST_SUITE_P(Table, EveryLoaderAndWork,
                         testing::Combine(testing::ValuesIn(all_crews()), testing::ValuesIn(kWorks)),
                         [](const auto& row) {
                           return name_of(std::get<0>(row.param)) + "_" + std::string(std::get<1>(row.param).name);
                         });

TEST_P(EveryLoaderAndWork, DeliversWhatSerialDoesBitForBitOverThreeEpochs) {
  const auto expected = place_.reference(kThreeEpochs);
  ASSERT_EQ(expected.size(), 3 * place_.sampler().batches_per_epoch());
  EXPECT_EQ(difference_from(expected, load({.stream = kThreeEpochs})), "");
}

TEST_P(EveryLoaderAndWork, DeliversTheSameWithLittleAndWithMuchPrefetch) {
  const auto expected = place_.reference(kThreeEpochs);
  EXPECT_EQ(difference_from(expected, load({.prefetch = 1, .stream = kThreeEpochs})), "");
  EXPECT_EQ(difference_from(expected, load({.prefetch = 100, .stream = kThreeEpochs})), "");
}

TEST_P(EveryLoaderAndWork, DeliversTheSameHoweverItWrites) {
  const auto expected = place_.reference(kThreeEpochs);
  EXPECT_EQ(difference_from(expected, load({.stores = Stores::kCached, .stream = kThreeEpochs})), "");
  EXPECT_EQ(difference_from(expected, load({.stores = Stores::kStreaming, .stream = kThreeEpochs})), "");
}

TEST_P(EveryLoaderAndWork, DeliversTheSameBatchesInOrderOfCompletion) {
  auto completed = load({.in_order = false, .stream = kThreeEpochs});
  std::ranges::sort(completed);
  EXPECT_EQ(difference_from(place_.reference(kThreeEpochs), completed), "");
}

TEST_P(EveryLoaderAndWork, DeliversEachSampleOncePerEpoch) {
  std::map<std::uint64_t, std::map<SampleIndex, int>> times;  // by epoch
  for (std::size_t rank = 0; rank < work_.sampler.world_size; ++rank) {
    Work work = work_;
    work.sampler.rank = rank;
    const Workplace place(work);
    const auto feed = place.feed(*crew_.loader, {.workers = crew_.workers, .stream = kThreeEpochs});
    for (const Delivered& batch : drain(*feed)) {
      for (const SampleIndex index : batch.indices) ++times[batch.epoch][index];
    }
  }
  const std::size_t dropped = work_.sampler.drop_last ? work_.sampler.samples % work_.sampler.batch_size : 0;
  ASSERT_EQ(times.size(), 3U);
  for (const auto& [epoch, samples] : times) {
    EXPECT_EQ(samples.size(), work_.sampler.samples - dropped) << "epoch " << epoch;
    for (const auto& [index, count] : samples) EXPECT_EQ(count, 1) << "sample " << index << " of epoch " << epoch;
  }
}

TEST_P(EveryLoaderAndWork, StartsAtAnyBatchOfAnyEpoch) {
  const auto whole = place_.reference(kThreeEpochs);
  const std::size_t batches = place_.sampler().batches_per_epoch();
  for (const std::size_t epoch : {0U, 2U}) {
    for (const std::size_t batch : {std::size_t{0}, batches / 2, batches - 1}) {
      auto tail = load({.stream = {.first_epoch = epoch, .first_batch = batch, .epochs = 3 - epoch}});
      const std::size_t skipped = epoch * batches + batch;
      for (Delivered& one : tail) one.sequence += skipped;  // the sequence counts from where the run began
      const std::vector<Delivered> expected(whole.begin() + static_cast<std::ptrdiff_t>(skipped), whole.end());
      EXPECT_EQ(difference_from(expected, tail), "") << "from batch " << batch << " of epoch " << epoch;
    }
  }
}

TEST_P(EveryLoaderAndWork, AllocatesNothingWhileBatchesArePulledAcrossTheEpochBoundary) {
  const auto feed = place_.feed(*crew_.loader, {.workers = crew_.workers});
  const std::size_t batches = place_.sampler().batches_per_epoch();
  for (std::size_t i = 0; i < batches; ++i) feed->next();
  const std::size_t before = test::allocations_so_far();
  for (std::size_t i = 0; i < 2 * batches + 1; ++i) feed->next();
  EXPECT_EQ(test::allocations_so_far() - before, 0U);
}

// Sequential, with sixteen batches of four: batch n starts with sample 4 * n.
const Work kPlain{"Plain", {.samples = 64, .batch_size = 4, .order = Order::kSequential}, {.dtype = DType::kU8}};
constexpr std::size_t kPlainBatches = 16;

// Like Workplace, but for a dataset that misbehaves.
class Trouble {
 public:
  explicit Trouble(const Dataset& dataset) : assembler_(dataset, transform_) {}

  std::unique_ptr<Feed> feed(const LoaderKind& loader, const LoaderOptions& options) const {
    return loader.make(assembler_, sampler_, options);
  }

 private:
  const ImageTransform transform_{kPlain.shape, kPlain.transform, kernels_named("auto")};
  const Sampler sampler_{kPlain.sampler};
  const ImageAssembler assembler_;
};

class EveryLoader : public testing::TestWithParam<Crew> {
 protected:
  const test::Watchdog watchdog_{test::kWhyALoaderBlocks};
  const LoaderKind& loader_ = *GetParam().loader;
  const Workplace place_{kPlain};

  LoaderOptions with(LoaderOptions options) const {
    options.workers = GetParam().workers;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Table, EveryLoader, testing::ValuesIn(all_crews()), crew_name);

TEST_P(EveryLoader, ReturnsNothingAfterTheEndHoweverOftenItIsCalled) {
  for (const bool in_order : {true, false}) {
    const auto feed = place_.feed(loader_, with({.in_order = in_order, .stream = {.epochs = 1}}));
    EXPECT_EQ(drain(*feed).size(), kPlainBatches);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(feed->next());
  }
}

TEST_P(EveryLoader, AccountsForAllOfItsWorkersTime) {
  using std::chrono::nanoseconds;
  using std::chrono::steady_clock;
  const auto before_making = steady_clock::now();
  const auto feed = place_.feed(loader_, with({.stream = {.epochs = 1}}));
  const auto after_making = steady_clock::now();
  drain(*feed);
  const auto before_looking = steady_clock::now();
  const std::vector<WorkerTimes> workers = feed->worker_times();
  const auto after_looking = steady_clock::now();
  EXPECT_EQ(workers.size(), GetParam().workers);
  for (const WorkerTimes& times : workers) {
    const auto sum = std::accumulate(times.spent.begin(), times.spent.end(), nanoseconds{0});
    EXPECT_GE(sum, before_looking - after_making);
    EXPECT_LE(sum, after_looking - before_making);
  }
}

TEST_P(EveryLoader, LogsTheStagesOfEveryBatch) {
  std::vector<WorkerLog> logs;
  for (std::size_t i = 0; i < GetParam().workers; ++i) logs.emplace_back(1000);
  drain(*place_.feed(loader_, with({.stream = {.epochs = 1}, .logs = logs})));
  std::map<std::uint64_t, std::multiset<std::string_view>> stages;  // by batch
  for (const WorkerLog& log : logs) {
    EXPECT_EQ(log.lost(), 0U);
    for (const WorkerSpan& span : log.spans()) {
      if (span.sequence != WorkerSpan::kNoBatch) stages[span.sequence].insert(name(span.stage));
    }
  }
  EXPECT_EQ(stages.size(), kPlainBatches);
  for (const auto& [sequence, names] : stages) {
    EXPECT_TRUE(names.contains("order")) << sequence;
    EXPECT_TRUE(names.contains("read")) << sequence;
    EXPECT_TRUE(names.contains("transform")) << sequence;
    EXPECT_EQ(names.count("hand over"), loader_.has_workers ? 1U : 0U) << sequence;
  }
}

TEST_P(EveryLoader, DeliversTheFailureOfASampleAfterAllEarlierBatches) {
  const FailingDataset failing(place_.dataset(), 4 * 10 + 1);
  const auto expected = place_.reference({.epochs = 1});
  const Trouble trouble(failing);
  const auto feed = trouble.feed(loader_, with({}));
  for (std::size_t i = 0; i < 10; ++i) {
    const Batch batch = feed->next();
    ASSERT_TRUE(batch);
    EXPECT_EQ(delivered(*batch), expected[i]);
  }
  EXPECT_EQ(thrown_by([&] { feed->next(); }), test::failed(FailingDataset::message(41)));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(feed->next());
}

TEST_P(EveryLoader, DeliversTheFailureOfTheVeryFirstSample) {
  const FailingDataset failing(place_.dataset(), 0);
  for (const bool in_order : {true, false}) {
    const Trouble trouble(failing);
    const auto feed = trouble.feed(loader_, with({.in_order = in_order}));
    // In order of completion, other batches may come first.
    EXPECT_EQ(failure_of(*feed), test::failed(FailingDataset::message(0)));
    EXPECT_FALSE(feed->next());
  }
}

TEST_P(EveryLoader, DeliversAFailureThatIsNoticedAfterTheRead) {
  const test::VanishingDataset vanishing(place_.dataset(), 33);
  const Trouble trouble(vanishing);
  const auto feed = trouble.feed(loader_, with({}));
  test::Thrown thrown;
  // Batch 8 holds the sample; a batch filled at the same time may fail first.
  for (int i = 0; i < 9 && thrown.message.empty(); ++i) thrown = thrown_by([&] { feed->next(); });
  EXPECT_EQ(thrown, test::failed(test::VanishingDataset::kMessage));
}

TEST_P(EveryLoader, CanBeDestroyedWithAnUndeliveredFailure) {
  Gate asked;
  const FailingDataset failing(place_.dataset(), 0);
  const TellingDataset telling(failing, 0, asked);
  const Trouble trouble(telling);
  auto feed = trouble.feed(loader_, with({}));
  if (loader_.has_workers) asked.wait();
  feed.reset();
}

TEST_P(EveryLoader, ReturnsNothingOnceClosed) {
  const auto feed = place_.feed(loader_, with({}));
  EXPECT_TRUE(feed->next());
  feed->close();
  EXPECT_FALSE(feed->next());
  feed->close();
  EXPECT_FALSE(feed->next());
}

TEST_P(EveryLoader, EndsAConsumerWhenAnotherThreadClosesIt) {
  const auto feed = place_.feed(loader_, with({}));
  std::latch running(1);
  std::atomic<bool> closed{false};
  const std::jthread consumer([&] {
    EXPECT_TRUE(feed->next());
    running.count_down();
    bool was_closed = false;
    while (!was_closed) {
      was_closed = closed;
      if (!feed->next()) return;
    }
    ADD_FAILURE() << "next() delivered a batch though the feed was closed before the call";
  });
  running.wait();
  feed->close();
  closed = true;
}

TEST_P(EveryLoader, CanBeDestroyedAtOnce) {
  for (int i = 0; i < 20; ++i) place_.feed(loader_, with({}));
}

TEST_P(EveryLoader, CanBeDestroyedAfterAnyNumberOfBatches) {
  for (std::size_t batches = 1; batches < 20; ++batches) {
    const auto feed = place_.feed(loader_, with({.prefetch = 2}));
    for (std::size_t i = 0; i < batches; ++i) EXPECT_TRUE(feed->next());
  }
}

TEST_P(EveryLoader, KeepsGoingWhileTheAnnouncedNumberOfBatchesIsHeld) {
  const auto expected = place_.reference(kThreeEpochs);
  const auto feed = place_.feed(loader_, with({.prefetch = 1, .held_batches = 3, .stream = kThreeEpochs}));
  std::vector<Batch> held(3);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Batch batch = feed->next();
    ASSERT_TRUE(batch);
    for (std::size_t back = 1; back <= 3 && back <= i; ++back) {
      EXPECT_EQ(delivered(*held[(i - back) % 3]), expected[i - back]);  // unchanged since its delivery
    }
    EXPECT_EQ(delivered(*batch), expected[i]);
    held[i % 3] = std::move(batch);
  }
}

TEST_P(EveryLoader, RefusesAnImpossibleStream) {
  EXPECT_EQ(thrown_by([&] { place_.feed(loader_, with({.stream = {.first_batch = 16}})); }),
            test::usage("first batch 16: an epoch has 16 batches"));
  EXPECT_EQ(thrown_by([&] { place_.feed(loader_, with({.stream = {.epochs = 0}})); }),
            test::usage("epochs: want at least 1, got 0"));
}

class EveryLoaderWithWorkers : public EveryLoader {};

INSTANTIATE_TEST_SUITE_P(Table, EveryLoaderWithWorkers, testing::ValuesIn(crews_with_workers()), crew_name);

TEST_P(EveryLoaderWithWorkers, BeginsBeforeTheFirstCall) {
  Gate asked;
  const TellingDataset telling(place_.dataset(), 0, asked);
  const Trouble trouble(telling);
  const auto feed = trouble.feed(loader_, with({}));
  asked.wait();
}

TEST_P(EveryLoaderWithWorkers, ReadsAheadAcrossTheEpochBoundary) {
  // The epoch has four batches left and workers prefetch eight, so they reach sample 0 of the next epoch.
  Gate asked;
  const TellingDataset telling(place_.dataset(), 0, asked);
  const Trouble trouble(telling);
  const auto feed = trouble.feed(loader_, with({.prefetch = 8, .stream = {.first_batch = kPlainBatches - 4}}));
  asked.wait();
}

TEST_P(EveryLoaderWithWorkers, CanBeDestroyedWithAFullPrefetch) {
  Gate asked;
  const TellingDataset telling(place_.dataset(), 4 * 7, asked);
  const Trouble trouble(telling);
  auto feed = trouble.feed(loader_, with({.prefetch = 8}));
  asked.wait();  // for the eighth batch
  feed.reset();
}

TEST_P(EveryLoaderWithWorkers, WakesAWaitingConsumerWhenItCloses) {
  for (const bool in_order : {true, false}) {
    Gate asked;
    Gate released;
    // The stream has one batch: nothing can be delivered while its first sample waits.
    const SlowDataset slow(place_.dataset(), 60, released);
    const TellingDataset telling(slow, 60, asked);
    const Trouble trouble(telling);
    const auto feed =
        trouble.feed(loader_, with({.in_order = in_order, .stream = {.first_batch = kPlainBatches - 1, .epochs = 1}}));
    const OpensAtEnd at_end(released);
    asked.wait();
    std::latch waits(1);
    bool empty = false;
    {
      const std::jthread consumer([&] {
        waits.count_down();
        empty = !feed->next();
      });
      waits.wait();
      feed->close();
    }
    EXPECT_TRUE(empty);
  }
}

TEST_P(EveryLoaderWithWorkers, RefusesImpossibleNumbersOfWorkersAndBatches) {
  for (const std::size_t workers : {0U, 5000U, 10'000U}) {
    const test::Thrown thrown = thrown_by([&] { place_.feed(loader_, {.workers = workers}); });
    EXPECT_EQ(thrown.kind, Error::Kind::kUsage);
    EXPECT_THAT(thrown.message, HasSubstr("workers " + std::to_string(workers)));
    EXPECT_THAT(thrown.message, HasSubstr("4096"));
  }
  const test::Thrown thrown = thrown_by([&] { place_.feed(loader_, {.prefetch = 0}); });
  EXPECT_EQ(thrown.kind, Error::Kind::kUsage);
  EXPECT_THAT(thrown.message, HasSubstr("prefetch 0"));
}

class EveryLoaderWithSeveralWorkers : public EveryLoader {};

std::vector<Crew> crews_with_several_workers() {
  std::vector<Crew> crews = crews_with_workers();
  std::erase_if(crews, [](const Crew& crew) { return crew.workers < 2; });
  return crews;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryLoaderWithSeveralWorkers, testing::ValuesIn(crews_with_several_workers()),
                         crew_name);

TEST_P(EveryLoaderWithSeveralWorkers, DeliversInOrderThoughTheFirstBatchIsOvertaken) {
  // Batch 0 waits until batch 2 begins. With two workers, batch 1 is therefore done before batch 0.
  Gate third_begun;
  const SlowDataset slow(place_.dataset(), 0, third_begun);
  const TellingDataset telling(slow, 4 * 2, third_begun);
  const Trouble trouble(telling);
  const auto feed = trouble.feed(loader_, with({.stream = {.epochs = 1}}));
  EXPECT_EQ(difference_from(place_.reference({.epochs = 1}), drain(*feed)), "");
}

TEST_P(EveryLoaderWithSeveralWorkers, DeliversOtherBatchesInOrderOfCompletionWhileOneIsSlow) {
  Gate gate;
  const SlowDataset slow(place_.dataset(), 0, gate);
  const Trouble trouble(slow);
  const auto feed = trouble.feed(loader_, with({.in_order = false, .stream = {.epochs = 1}}));
  const OpensAtEnd at_end(gate);
  std::vector<Delivered> all;
  for (int i = 0; i < 15; ++i) {
    const Batch batch = feed->next();
    ASSERT_TRUE(batch);
    EXPECT_NE(batch->sequence, 0U);
    all.push_back(delivered(*batch));
  }
  gate.open();
  const auto last = drain(*feed);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].sequence, 0U);
  all.push_back(last[0]);
  std::ranges::sort(all);
  EXPECT_EQ(difference_from(place_.reference({.epochs = 1}), all), "");
}

}  // namespace
}  // namespace loadline
