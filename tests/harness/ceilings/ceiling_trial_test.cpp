#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "harness/ceilings/ceilings.h"
#include "harness/ceilings/kernels.h"
#include "loaders/storage/file.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/fake_clock.h"
#include "tests/support/this_build.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;

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

// A disk of 300 files/s seemed to give 420: reads that wait in one queue end long after they begin, and the first of
// them found it empty.
TEST(CeilingsOfTheDevice, BeginToCountOnlyOnceReadsWaitForEachOther) {
  const test::TemporaryDirectory home;
  const auto file = test::write(home / "data_batch_1.bin", test::cifar10(std::vector<int>(70, 3)));
  if (!File::open_past_page_cache(file)) GTEST_SKIP() << "the file system does not read past the page cache";
  const auto dataset = open_dataset(home.path(), {});
  const Kernels& kernels = kernels_named("auto");
  const ImageAssembler assembler(*dataset, {dataset->info().shape, {}, kernels});
  const Sampler sampler({.samples = 70, .batch_size = 8});
  for (const auto* const kind : {"device-read", "device-iops"}) {
    const auto kernel = ceiling_kind_named(kind).make(
        {.assembler = assembler, .sampler = sampler, .machine = {}, .kernels = kernels, .threads = 1});
    test::FakeClock clock;
    clock.set_tick(1ms);  // the time of a read
    const Time begin = clock.now();
    const auto pace = kernel->run(0, {.warm_up = 2ms, .timed = 9ms}, clock, {});
    ASSERT_TRUE(pace.has_value());
    EXPECT_DOUBLE_EQ(pace->seconds, 0.009) << kind;
    EXPECT_EQ(clock.now() - begin, 13ms) << kind << ": with the warm-up";
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
  if (test::kSanitized) GTEST_SKIP() << "a sanitized build takes less";
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
