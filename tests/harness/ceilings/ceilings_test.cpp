#include "harness/ceilings/ceilings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t kCpus = 4;

struct SeenRequest {
  Mode mode = Mode::kIo;
  std::size_t workers = 0;
  std::string compute = "drain";
  Access access = Access::kMapped;
  Placement placement = {};
  CacheState cache = CacheState::kWarm;
  bool alone = false;
  std::optional<std::uint64_t> memory_bytes = {};
  std::size_t cpus = kCpus;
};

std::vector<Ceiling> ceilings(const SeenRequest& request) {
  Cell cell{.workload = "mnist", .mode = request.mode};
  cell.sampler.batch_size = 64;
  cell.compute = request.compute;
  if (uses_loader(request.mode)) cell.loader = request.workers == 0 ? "serial" : "thread-pool";
  cell.workers = request.workers;
  cell.threads_in_force = request.cpus;
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

// The scheduler may wake the consumer on the CPU that filled the batch: then no cache lines are exchanged.
TEST(CeilingsOf, AnIoCellOfSeveralWorkersWithoutASpareCpuIncludeGatherExchangeWhichDoesNotBindIt) {
  for (const std::size_t workers : {kCpus, kCpus + 1}) {
    const std::string threads = "/threads:" + std::to_string(workers);
    const Names measured = ids({.workers = workers});
    EXPECT_EQ(std::ranges::count(measured, "gather-exchange/mnist/data:2/batch:64" + threads), 1);
    EXPECT_EQ(bounds({.workers = workers}),
              (Names{"gather-drain/mnist/data:2/batch:64" + threads,
                     "drain/mnist/data:2/batch:64/threads:" + std::to_string(workers + 1), "hand-off/threads:2"}));
  }
}

// A verdict would call IO's consumer the limit, although the workers take time from it.
TEST(CeilingsOf, AnIoCellOnOneCpuLackDrain) {
  EXPECT_EQ(bounds({.workers = 2, .cpus = 1}),
            (Names{"gather-drain/mnist/data:2/batch:64/threads:2", "hand-off/threads:2"}));
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

// gather-drain would read on the CPUs of the workers, but this sink reads on its own.
TEST(CeilingsOf, ACellWhosePlacementKeepsWorkersOffTheSinksCpusLackGatherDrain) {
  for (const char* placement : {"split", "numa", "pin:2-3"}) {
    const Placement apart{.name = placement, .worker_cpus = {0, 1}, .compute_cpus = {2, 3}};
    const SeenRequest request{.workers = kCpus, .placement = apart};
    EXPECT_EQ(bounds(request),
              (Names{"gather/mnist/data:2/batch:64/threads:4/cpus:0,1",
                     "gather-across/mnist/data:2/batch:64/threads:5/cpus:0,1>2,3",
                     "drain/mnist/data:2/batch:64/threads:5/cpus:0,1>2,3", "hand-off/threads:2/cpus:0,1>2,3"}))
        << placement;
    const auto exchanges = [](const Ceiling& one) { return one.kind->role == CeilingRole::kExchanging; };
    EXPECT_TRUE(std::ranges::none_of(ceilings(request), exchanges)) << placement;
  }
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
  EXPECT_FALSE(binds(Ceiling{.kind = &ceiling_kind_named("gather-exchange")}, warm));
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

TEST(CeilingKinds, HaveUniqueNamesAndBindOnlyIfTheyCountSamplesWithoutAnExchangeOrMeasureTheDevice) {
  std::set<std::string_view> names;
  for (const CeilingKind& kind : ceiling_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.summary.empty()) << kind.name;
    const bool in_samples = kind.unit == CeilingUnit::kSamples || kind.unit == CeilingUnit::kBatches;
    const bool exchanges = kind.role == CeilingRole::kExchanging;
    EXPECT_EQ(kind.upper_bound, (in_samples && !exchanges) || kind.of_device) << kind.name;
  }
  EXPECT_EQ(test::thrown_by([] { ceiling_kind_named("gathr"); }).message.substr(0, 40),
            "ceiling 'gathr': want one of memory-read");
}

}  // namespace
}  // namespace loadline
