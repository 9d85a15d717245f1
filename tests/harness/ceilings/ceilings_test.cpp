#include "harness/ceilings/ceilings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include "harness/ceilings/kernels.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

// ---- which ceilings a cell has

struct SeenRequest {
  Mode mode = Mode::kIo;
  std::size_t workers = 0;
  std::string compute = "drain";
  Access access = Access::kMapped;
  Placement placement = {};
  CacheState cache = CacheState::kWarm;
  bool alone = false;
  std::optional<std::uint64_t> memory_bytes = {};
};

constexpr std::size_t kCpus = 4;

std::vector<Ceiling> ceilings(const SeenRequest& request) {
  Cell cell{.workload = "mnist", .mode = request.mode};
  cell.sampler.batch_size = 64;
  cell.compute = request.compute;
  if (uses_loader(request.mode)) cell.loader = request.workers == 0 ? "serial" : "thread-pool";
  cell.workers = request.workers;
  cell.threads_in_force = kCpus;
  cell.placement = request.placement;
  cell.cache = request.cache;
  DatasetInfo info{.samples = 10, .files = {"a", "b"}, .stored_bytes = 40960};
  info.access = request.access;
  return ceilings_of(cell, 2, info, request.memory_bytes, request.alone);
}

Names ids(const SeenRequest& request) {
  Names names;
  for (const Ceiling& ceiling : ceilings(request)) names.push_back(ceiling.id());
  return names;
}

// Only the upper bounds.
Names bounds(const SeenRequest& request) {
  Names names;
  for (const Ceiling& ceiling : ceilings(request)) {
    if (ceiling.kind->upper_bound) names.push_back(ceiling.id());
  }
  return names;
}

TEST(CeilingsOf, AnIoCellWithASpareCpuAreGatherDrainAndHandOff) {
  EXPECT_EQ(bounds({.workers = 3}),
            (Names{"gather/mnist/data:2/batch:64/threads:3", "gather-across/mnist/data:2/batch:64/threads:4",
                   "drain/mnist/data:2/batch:64/threads:4", "hand-off/threads:2"}));
}

TEST(CeilingsOf, AnIoCellWithAWorkerOnEveryCpuIncludeGatherDrain) {
  for (const std::size_t workers : {kCpus, kCpus + 1}) {
    EXPECT_EQ(bounds({.workers = workers})[0], "gather-drain/mnist/data:2/batch:64/threads:" + std::to_string(workers));
  }
}

TEST(CeilingsOf, AnIoCellOfSeveralWorkersWithoutASpareCpuIncludeGatherExchange) {
  for (const std::size_t workers : {kCpus, kCpus + 1}) {
    EXPECT_EQ(bounds({.workers = workers})[1],
              "gather-exchange/mnist/data:2/batch:64/threads:" + std::to_string(workers));
  }
}

TEST(CeilingsOf, TheSerialLoaderAreGatherDrainAlone) {
  EXPECT_EQ(bounds({}), Names{"gather-drain/mnist/data:2/batch:64/threads:1"});
}

TEST(CeilingsOf, AFullCellIncludeDrainOnlyIfTheComputeIsDrain) {
  const std::string device = "device:samples_per_second=1000";
  EXPECT_EQ(bounds({.mode = Mode::kFull, .compute = device}), Names{"gather/mnist/data:2/batch:64/threads:1"});
  EXPECT_EQ(bounds({.mode = Mode::kFull, .workers = kCpus, .compute = device}),
            (Names{"gather/mnist/data:2/batch:64/threads:4", "hand-off/threads:2"}));
  EXPECT_EQ(bounds({.mode = Mode::kFull, .workers = kCpus}), bounds({.workers = kCpus})) << "drain is a compute too";
}

TEST(CeilingsOf, ACellWithoutALoaderDoNotExist) {
  EXPECT_EQ(ids({.mode = Mode::kSynthetic}), Names());
  EXPECT_EQ(ids({.mode = Mode::kOverhead}), Names());
}

TEST(CeilingsOf, EveryCellWithALoaderIncludeMemoryAndThePageCacheOfMappedFiles) {
  const auto count = [](const Names& names, const char* name) { return std::ranges::count(names, std::string(name)); };
  const Names mapped = ids({.workers = 3});
  EXPECT_EQ(count(mapped, "memory-read/threads:3"), 1);
  EXPECT_EQ(count(mapped, "memory-write/threads:3"), 1);
  EXPECT_EQ(count(mapped, "memory-copy/threads:3"), 1);
  EXPECT_EQ(count(mapped, "page-cache/mnist/data:2/threads:3"), 1);
  EXPECT_EQ(count(ids({.workers = 3, .access = Access::kResident}), "page-cache/mnist/data:2/threads:3"), 0);
}

TEST(CeilingsOf, DataTooLargeForMemoryUseACopyOfSomeSamplesExceptForVolumes) {
  const auto fills = [](std::optional<VolumeShape> volume, std::uint64_t memory_bytes) {
    Cell cell{.workload = "mnist", .mode = Mode::kIo};
    cell.compute = "drain";
    cell.loader = "serial";
    DatasetInfo info{.samples = 10, .files = {"a"}, .stored_bytes = 40960, .access = Access::kMapped};
    info.volume = volume;
    const auto made = ceilings_of(cell, 0, info, memory_bytes);
    return std::ranges::any_of(made, [](const Ceiling& one) { return one.kind->name == "gather-drain"; });
  };
  EXPECT_TRUE(fills({}, 40960)) << "a copy of some samples";
  EXPECT_TRUE(fills(VolumeShape{}, 81920));
  EXPECT_FALSE(fills(VolumeShape{}, 40960)) << "it would measure storage";
}

TEST(CeilingsOf, APlacedCellAreMeasuredOnTheCpusOfItsThreads) {
  const Placement split{.name = "split", .worker_cpus = {0, 1}, .compute_cpus = {2, 3}};
  EXPECT_EQ(bounds({.workers = 2, .placement = split}),
            (Names{"gather/mnist/data:2/batch:64/threads:2/cpus:0,1",
                   "gather-across/mnist/data:2/batch:64/threads:3/cpus:0,1>2,3",
                   "drain/mnist/data:2/batch:64/threads:3/cpus:0,1>2,3", "hand-off/threads:2/cpus:0,1>2,3"}));
  EXPECT_EQ(bounds({.placement = split}), Names{"gather-drain/mnist/data:2/batch:64/threads:1/cpus:2,3"})
      << "the serial loader fills on the thread of the compute";
  EXPECT_NE(ceilings({.workers = 2}), ceilings({.workers = 2, .placement = split}));
}

Names names_of_device(const SeenRequest& request) {
  Names names;
  for (const Ceiling& ceiling : ceilings(request)) {
    if (ceiling.kind->of_device) names.push_back(ceiling.id());
  }
  return names;
}

TEST(CeilingsOf, AColdCellIncludeDeviceReads) {
  const std::string read = "device-read/mnist/data:2/random:65536/threads:64";
  const std::string files = "device-iops/mnist/data:2/random:20480/threads:64";
  const std::string mapped = "mapped-read/mnist/data:2/random:65536/threads:3";
  EXPECT_EQ(names_of_device({.workers = 3, .cache = CacheState::kCold}), (Names{read, mapped}));
  EXPECT_EQ(names_of_device({.cache = CacheState::kCold}), Names{"device-read/mnist/data:2/stored:65536/threads:64"})
      << "the serial loader asks for nothing ahead";
  EXPECT_EQ(names_of_device({.workers = 3, .access = Access::kFiles, .cache = CacheState::kCold}),
            (Names{"device-read/mnist/data:2/stored:65536/threads:64", files}));
  EXPECT_EQ(names_of_device({.workers = 3, .access = Access::kResident, .cache = CacheState::kCold}), Names());
  EXPECT_EQ(names_of_device({.workers = 3}), Names()) << "what is in the page cache is not read again";
  EXPECT_EQ(names_of_device({.workers = 3, .alone = true}),
            (Names{read, "device-iops/mnist/data:2/random:4096/threads:64"}))
      << "shown, where nothing is measured";
}

TEST(CeilingsOf, AColdCellIncludeReadsOfSinglePagesIfMemoryCannotHoldTheFiles) {
  EXPECT_EQ(
      names_of_device({.workers = 3, .cache = CacheState::kCold, .memory_bytes = 40960}),
      (Names{"device-read/mnist/data:2/stored:65536/threads:64", "device-iops/mnist/data:2/random:4096/threads:64"}));
}

TEST(CeilingsOf, TheDeviceBindOnlyColdCells) {
  Cell warm{.workload = "mnist", .mode = Mode::kIo};
  warm.loader = "serial";
  Cell cold = warm;
  cold.cache = CacheState::kCold;
  const Ceiling device{.kind = &ceiling_kind_named("device-read")};
  EXPECT_FALSE(binds(device, warm));
  EXPECT_TRUE(binds(device, cold));
  const Ceiling gather{.kind = &ceiling_kind_named("gather")};
  EXPECT_TRUE(binds(gather, warm));
  EXPECT_TRUE(binds(gather, cold));
  EXPECT_FALSE(binds(Ceiling{.kind = &ceiling_kind_named("memory-read")}, cold));
}

TEST(CeilingsOf, TheDeviceReportTheSizeAndOrderOfRequests) {
  for (const Ceiling& ceiling : ceilings({.workers = 1, .access = Access::kFiles, .cache = CacheState::kCold})) {
    const std::string_view kind = ceiling.kind->name;
    const auto wanted = kind == "device-read"   ? std::optional(std::size_t{64} << 10)
                        : kind == "device-iops" ? std::optional<std::size_t>(40960 / 2)  // a file of the folder
                                                : std::nullopt;
    EXPECT_EQ(ceiling.request_bytes, wanted) << kind;
    EXPECT_EQ(ceiling.request_order.has_value(), wanted.has_value()) << kind;
  }
}

double samples_per_unit(const char* kind, const DatasetInfo& info, std::size_t crop_edge = 1) {
  Cell cell{.workload = "mnist", .mode = Mode::kIo};
  cell.sampler.batch_size = 64;
  cell.dataset.crop_edge = crop_edge;
  return Ceiling{.kind = &ceiling_kind_named(kind)}.samples_per_unit(cell, info);
}

TEST(Ceiling, CountsInSamples) {
  const DatasetInfo info{.samples = 100, .stored_bytes = 300'000};
  EXPECT_EQ(samples_per_unit("gather", info), 1);
  EXPECT_EQ(samples_per_unit("hand-off", info), 64);
  EXPECT_DOUBLE_EQ(samples_per_unit("device-read", info), 1.0 / 3000);
  EXPECT_EQ(samples_per_unit("device-iops", info), 1);
  EXPECT_THROW(samples_per_unit("memory-read", info), Error);
}

TEST(Ceiling, CountsTokenBytesOnceForConsecutiveSequencesAndTheExpectedBytesForRandomOnes) {
  DatasetInfo info{.samples = 10, .stored_bytes = 2200};
  info.tokens =
      TokenShape{.tokens = 1100, .token_bytes = 2, .sequence_length = 100, .sequences = Sequences::kConsecutive};
  EXPECT_DOUBLE_EQ(samples_per_unit("device-read", info), 1.0 / 202);
  info.tokens->sequences = Sequences::kRandom;
  EXPECT_NEAR(1 / samples_per_unit("device-read", info), 220 * (1 - std::exp(-10 * (202 + 4095.0) / 2200)), 1e-9);
}

TEST(Ceiling, CountsNoMoreBytesOfAVolumeThanItHas) {
  DatasetInfo info{.samples = 100'000, .stored_bytes = 4'000'000};
  info.volume = VolumeShape{.edge = 100, .input_channels = 1, .target_channels = 0};
  EXPECT_NEAR(1 / samples_per_unit("device-read", info, 50), 40, 1e-6) << "each byte comes once";
}

TEST(Ceiling, CountsEveryReadOfACrop) {
  DatasetInfo info{.samples = 100, .stored_bytes = 4'000'000};
  info.volume = VolumeShape{.edge = 100, .input_channels = 1, .target_channels = 1};
  EXPECT_DOUBLE_EQ(samples_per_unit("device-iops", info, 50), 1.0 / 100) << "each of 50 layers in two channels";
  info.stored_bytes = 1000;
  Cell cell{.workload = "nbody", .mode = Mode::kIo};
  cell.dataset.crop_edge = 50;
  EXPECT_DOUBLE_EQ(Ceiling{.kind = &ceiling_kind_named("device-iops")}.samples_per_unit(cell, info, 600), 1.0 / 40)
      << "of pages that come again memory holds six in ten";
}

TEST(BlocksPerSample, CountEachBlockThatASampleTouches) {
  Cell cell{.workload = "nbody", .mode = Mode::kIo};
  DatasetInfo info{.samples = 100, .stored_bytes = 300'100};
  EXPECT_DOUBLE_EQ(blocks_per_sample(cell, info, 3000), 2) << "3,001 bytes begin anywhere in a block";
  info.tokens = TokenShape{.tokens = 1100, .token_bytes = 2, .sequence_length = 100, .sequences = Sequences::kRandom};
  EXPECT_DOUBLE_EQ(blocks_per_sample(cell, info, 201), 2);
  info.tokens.reset();
  info.volume = VolumeShape{.edge = 100, .input_channels = 1, .target_channels = 1};
  cell.dataset.crop_edge = 11;
  // A layer of a crop spans 10 rows of 100 values and 11 values of the last row: 4,044 bytes. 10 layers of 40,000 bytes
  // precede the last one.
  EXPECT_DOUBLE_EQ(blocks_per_sample(cell, info, 4043), 2 * 11 * 2);
  EXPECT_DOUBLE_EQ(blocks_per_sample(cell, info, 404'043), 2 * 2) << "layers share blocks";
}

TEST(CeilingKinds, HaveUniqueNamesAndBindOnlyIfTheyCountSamplesOrMeasureTheDevice) {
  std::set<std::string_view> names;
  for (const CeilingKind& kind : ceiling_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.summary.empty()) << kind.name;
    const bool in_samples = kind.unit == CeilingUnit::kSamples || kind.unit == CeilingUnit::kBatches;
    EXPECT_EQ(kind.upper_bound, in_samples || kind.of_device) << kind.name;
  }
  EXPECT_EQ(test::thrown_by([] { ceiling_kind_named("gathr"); }).message.substr(0, 40),
            "ceiling 'gathr': want one of memory-read");
}

// ---- a trial

// Does no work, as if every sample were left out.
class Fruitless final : public CeilingKernel {
 public:
  std::optional<Pace> run(std::size_t /*way*/, const Durations& /*durations*/, const Clock& /*clock*/,
                          const std::stop_token& /*stop*/) override {
    return Pace{.amount = 0, .seconds = 1};
  }
};

TEST(CeilingTrial, RefusesARateOfZero) {
  Fruitless kernel;
  const test::FakeClock clock;
  EXPECT_EQ(test::thrown_by([&] { run_ceiling_trial(kernel, 1s, clock, {}); }),
            test::failed("none of the samples read can be decoded, so --on-corrupt skip left them all out"));
}

// A piece of work is one unit and takes `times[way]`.
class Scripted final : public CeilingKernel {
 public:
  Scripted(test::FakeClock& clock, std::vector<Time> times) : clock_(clock), times_(std::move(times)) {}

  std::vector<std::string_view> ways() const override { return {"first", "second"}; }
  std::optional<Pace> run(std::size_t way, const Durations& durations, const Clock& clock,
                          const std::stop_token& stop) override {
    if (runs.size() == changes_after_) times_ = later_;
    runs.push_back(way);
    const Work work = [this, way](std::size_t) {
      clock_.advance(times_[way]);
      return 1.0;
    };
    return pace_of(1, work, durations, clock, stop);
  }

  // After `count` runs, the ways take these times.
  void change_after(std::size_t count, std::vector<Time> times) {
    changes_after_ = count;
    later_ = std::move(times);
  }

  std::vector<std::size_t> runs;

 private:
  test::FakeClock& clock_;
  std::vector<Time> times_;
  std::size_t changes_after_ = ~std::size_t{0};
  std::vector<Time> later_;
};

TEST(CeilingTrial, UsesTheFastestWay) {
  test::FakeClock clock;
  Scripted kernel(clock, {1ms, 500us});
  const Time begin = clock.now();
  const auto trial = run_ceiling_trial(kernel, 120ms, clock, {});
  ASSERT_TRUE(trial.has_value());
  EXPECT_EQ(trial->way, "second");
  EXPECT_DOUBLE_EQ(trial->per_second(), 2000);
  EXPECT_EQ(kernel.runs, (std::vector<std::size_t>{0, 1, 0, 1, 0, 1, 0, 1, 1}));
  EXPECT_EQ(clock.now() - begin, 120ms);
}

TEST(CeilingTrial, SwitchesWaysIfTheFastestBecomesSlower) {
  test::FakeClock clock;
  Scripted kernel(clock, {1ms, 500us});
  kernel.change_after(8, {1ms, 2ms});
  const auto trial = run_ceiling_trial(kernel, 120ms, clock, {});
  ASSERT_TRUE(trial.has_value());
  EXPECT_EQ(trial->way, "first");
  EXPECT_DOUBLE_EQ(trial->per_second(), 1000);
  EXPECT_EQ(kernel.runs, (std::vector<std::size_t>{0, 1, 0, 1, 0, 1, 0, 1, 1, 0}));
}

TEST(CeilingTrial, IsAbsentIfTheRunIsStopped) {
  test::FakeClock clock;
  std::stop_source stop;
  stop.request_stop();
  Scripted kernel(clock, {1ms, 1ms});
  EXPECT_FALSE(run_ceiling_trial(kernel, 120ms, clock, stop.get_token()).has_value());
}

// ---- that the kernels run; how fast they are does not matter here

struct Scene {
  DType dtype;
  std::size_t batch_size;
  std::size_t threads;
};

class EveryCeiling : public testing::TestWithParam<std::tuple<const CeilingKind*, Scene>> {};

TEST_P(EveryCeiling, GivesAPositiveFiniteRate) {
  const auto& [kind, scene] = GetParam();
  const test::TemporaryDirectory home;
  test::write(home / "data_batch_1.bin", test::cifar10(std::vector<int>(70, 3)));
  const auto dataset = open_dataset(home.path(), {});
  const Kernels& kernels = kernels_named("auto");
  const ImageAssembler assembler(*dataset, {dataset->info().shape, {.dtype = scene.dtype}, kernels});
  const Sampler sampler({.samples = 70, .batch_size = scene.batch_size});
  const Machine machine{.threads_in_force = 2, .memory_available_bytes = std::size_t{16} << 20};
  const auto kernel = kind->make(
      {.assembler = assembler, .sampler = sampler, .machine = machine, .kernels = kernels, .threads = scene.threads});
  SteadyClock clock;
  std::optional<CeilingTrial> trial;
  try {
    trial = run_ceiling_trial(*kernel, 2ms, clock, {});
  } catch (const Error& error) {
    // Files on a RAM disk, say, cannot be dropped from the page cache.
    if (!std::string_view(error.what()).starts_with("it cannot be measured here: ")) throw;
    GTEST_SKIP() << error.what();
  }
  ASSERT_TRUE(trial.has_value());
  EXPECT_GT(trial->wall_seconds, 0);
  EXPECT_GT(trial->per_second(), 0);
  EXPECT_TRUE(std::isfinite(trial->per_second()));
}

std::vector<const CeilingKind*> all_kinds() {
  std::vector<const CeilingKind*> kinds;
  for (const CeilingKind& kind : ceiling_kinds()) kinds.push_back(&kind);
  return kinds;
}

std::string test_name(const testing::TestParamInfo<EveryCeiling::ParamType>& info) {
  const auto& [kind, scene] = info.param;
  std::string text(kind->name);
  std::ranges::replace(text, '-', '_');
  return text + "_" + std::string(name(scene.dtype)) + "_batch" + std::to_string(scene.batch_size) + "_threads" +
         std::to_string(scene.threads);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryCeiling,
                         testing::Combine(testing::ValuesIn(all_kinds()),
                                          testing::Values(Scene{DType::kF32, 64, 2}, Scene{DType::kU8, 1, 1},
                                                          Scene{DType::kBF16, 70, 5})),
                         test_name);

class FillingCeiling : public testing::TestWithParam<const char*> {};

TEST_P(FillingCeiling, ThrowsWhatTheDatasetThrows) {
  const test::TemporaryDirectory home;
  const auto file = test::write(home / "data_batch_1.bin", test::cifar10(std::vector<int>(70, 3)));
  const auto dataset = open_dataset(home.path(), {});
  std::filesystem::resize_file(file, 0);
  const Kernels& kernels = kernels_named("auto");
  const ImageAssembler assembler(*dataset, {dataset->info().shape, {}, kernels});
  const Sampler sampler({.samples = 70, .batch_size = 8});
  const auto kernel =
      ceiling_kind_named(GetParam())
          .make({.assembler = assembler, .sampler = sampler, .machine = {}, .kernels = kernels, .threads = 2});
  SteadyClock clock;
  EXPECT_THROW(run_ceiling_trial(*kernel, 1ms, clock, {}), Error);
}

INSTANTIATE_TEST_SUITE_P(Table, FillingCeiling,
                         testing::Values("gather", "gather-drain", "gather-across", "gather-exchange"));

// Leaves out every third sample, as if it were corrupt.
class SkippingAssembler final : public Assembler {
 public:
  using Assembler::Assembler;

  std::size_t sample_bytes() const override { return 1; }
  SampleFormat sample_format() const override { return {}; }
  Stores effective(Stores /*stores*/) const override { return Stores::kCached; }
  std::unique_ptr<Filler> make_filler(std::size_t /*batch_size*/) const override {
    return std::make_unique<SkippingFiller>();
  }

 private:
  class SkippingFiller final : public Filler {
   public:
    void fill(Slot& slot, Stores /*stores*/) override { slot.count = slot.indices.front() % 3 == 2 ? 0 : 1; }
  };
};

TEST_P(FillingCeiling, GoesOnAfterBatchesWhoseSamplesAreAllLeftOut) {
  const auto dataset = test::patterned_dataset(9);
  const SkippingAssembler assembler(*dataset);
  const Sampler sampler({.samples = 9, .batch_size = 1, .order = Order::kSequential});
  const auto kernel = ceiling_kind_named(GetParam())
                          .make({.assembler = assembler,
                                 .sampler = sampler,
                                 .machine = {},
                                 .kernels = kernels_named("auto"),
                                 .threads = 1});
  test::FakeClock clock;
  clock.set_tick(1ms);  // the time of a batch
  const auto pace = kernel->run(0, {.warm_up = 2ms, .timed = 9ms}, clock, {});
  ASSERT_TRUE(pace.has_value());
  EXPECT_DOUBLE_EQ(pace->amount, 6);
  EXPECT_DOUBLE_EQ(pace->seconds, 0.009);
}

TEST(CeilingsThatReadFiles, NameTheFileThatHasBeenEmptied) {
  const test::TemporaryDirectory home;
  const auto file = test::write(home / "data_batch_1.bin", test::cifar10(std::vector<int>(70, 3)));
  const auto dataset = open_dataset(home.path(), {});
  const Kernels& kernels = kernels_named("auto");
  const ImageAssembler assembler(*dataset, {dataset->info().shape, {}, kernels});
  const Sampler sampler({.samples = 70, .batch_size = 8});
  std::filesystem::resize_file(file, 0);
  for (const auto* const kind : {"page-cache", "device-read", "mapped-read", "device-iops"}) {
    const auto thrown = test::thrown_by([&] {
      ceiling_kind_named(kind).make(
          {.assembler = assembler, .sampler = sampler, .machine = {}, .kernels = kernels, .threads = 1});
    });
    EXPECT_EQ(thrown.message, "cannot read " + file.string() + ": it has been emptied while in use") << kind;
  }
}

TEST(SlotsExchanged, CoverTwoMebibytesPlusOneForEachSideAndOneInTransit) {
  constexpr std::size_t kMiB = 1 << 20;
  EXPECT_EQ(slots_exchanged(100 * kMiB), 3U);
  EXPECT_EQ(slots_exchanged(kMiB), 5U);
  EXPECT_EQ(slots_exchanged(kMiB / 4), 11U);
  EXPECT_EQ(slots_exchanged(784), 64U);
}

TEST(SlotsAcross, AreFewMoreThanTheThreadsIfTheyAreLarge) {
  constexpr std::size_t kMiB = 1 << 20;
  EXPECT_EQ(slots_across(100 * kMiB).all(1), 4U);
  EXPECT_EQ(slots_across(100 * kMiB).all(16), 19U);
  EXPECT_EQ(slots_across(kMiB / 4).all(16), 16 * 11U);
}

TEST(SlotsDrained, AreOneMoreThanTheWritersIfTheyAreLarge) {
  constexpr std::size_t kMiB = 1 << 20;
  EXPECT_EQ(slots_drained(1, 100 * kMiB), 2U);
  EXPECT_EQ(slots_drained(16, 100 * kMiB), 17U);
  EXPECT_EQ(slots_drained(16, kMiB / 4), 25U);
}

TEST(BlockBytes, AreAsRequestedUnlessAllBuffersTogetherAreTooLarge) {
  constexpr std::size_t kMiB = 1 << 20;
  EXPECT_EQ(block_bytes(kMiB, 1), kMiB);
  EXPECT_EQ(block_bytes(kMiB, 64), kMiB);
  EXPECT_EQ(block_bytes(kMiB, 128), kMiB / 2);
  EXPECT_EQ(block_bytes(kMiB, 100'000), 4096U);
}

TEST(MemoryKernel, TakesFourTimesTheCachesButAtMostAnEighthOfTheMemory) {
  constexpr std::uint64_t kMiB = 1 << 20;
  EXPECT_EQ(memory_kernel_bytes({.memory_available_bytes = 10000 * kMiB, .last_level_cache_bytes = 32 * kMiB}),
            128 * kMiB);
  EXPECT_EQ(memory_kernel_bytes({.memory_available_bytes = 800 * kMiB, .last_level_cache_bytes = 32 * kMiB}),
            100 * kMiB);
  EXPECT_EQ(memory_kernel_bytes({.memory_available_bytes = 10000 * kMiB,
                                 .cgroup_memory_limit_bytes = 80 * kMiB,
                                 .last_level_cache_bytes = 32 * kMiB}),
            10 * kMiB);
  EXPECT_EQ(memory_kernel_bytes({.memory_available_bytes = 10000 * kMiB,
                                 .address_space_left_bytes = 4000 * kMiB,
                                 .data_left_bytes = 240 * kMiB,
                                 .last_level_cache_bytes = 32 * kMiB}),
            30 * kMiB);
  EXPECT_EQ(memory_kernel_bytes({.address_space_left_bytes = 160 * kMiB}), 20 * kMiB);
  EXPECT_EQ(memory_kernel_bytes({}), 256 * kMiB) << "nothing is known";
  EXPECT_EQ(memory_kernel_bytes({.last_level_cache_bytes = 1024 * kMiB}), 1024 * kMiB) << "and no more than 1 GiB";
}

}  // namespace
}  // namespace loadline
