#include "synthetic/compute/cuda.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "loaders/batch_pool.h"
#include "loaders/error.h"
#include "loaders/random.h"
#include "tests/synthetic/compute/cuda_device.h"

namespace loadline {
namespace {

constexpr std::size_t kSampleValues = 192;  // 3 x 8 x 8
constexpr std::size_t kCudaBatchSize = 64;
constexpr std::size_t kShortBatchSize = 5;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

StepSetting images() {
  return {.sample = {.dtype = DType::kF32, .input = {3, 8, 8}}, .batch_size = kCudaBatchSize, .classes = 10};
}

std::string refusal(const StepSetting& setting) {
  try {
    parse_compute("cuda").memory_bytes(setting);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kUsage);
    return error.what();
  }
}

TEST(Cuda, TakesItsParametersByName) {
  EXPECT_EQ(parse_compute("cuda").values, (std::vector<double>{0, 0, 0, 2}));
  EXPECT_EQ(parse_compute("cuda:depth=0,graph=on,staging=copied,network=mlp").values,
            (std::vector<double>{0, 1, 1, 0}));
}

TEST(Cuda, KeepsTheBatchesThatItCopiesDirectly) {
  EXPECT_EQ(parse_compute("cuda").held_batches(), 2U);
  EXPECT_EQ(parse_compute("cuda:depth=0").held_batches(), 0U);
  EXPECT_EQ(parse_compute("cuda:depth=7").held_batches(), 7U);
  EXPECT_EQ(parse_compute("cuda:depth=7,staging=copied").held_batches(), 0U);
}

TEST(Cuda, TakesHostMemoryForLabelsAndForStagedCopies) {
  EXPECT_EQ(parse_compute("cuda").memory_bytes(images()), 3U * 64 * 4);
  EXPECT_EQ(parse_compute("cuda:depth=0,staging=copied").memory_bytes(images()), 64U * 4 + 64 * 192 * 4);
}

TEST(Cuda, RefusesWhatItsNetworkCannotLearn) {
  StepSetting volumes{.sample = {.dtype = DType::kF32, .input = {2, 64, 64, 64}, .target = {2, 64, 64, 64}},
                      .batch_size = 4,
                      .classes = 1};
  EXPECT_EQ(refusal(volumes),
            "compute cuda: network=mlp learns class labels, and the targets of this workload are volumes; use another "
            "--compute, such as device");
  StepSetting large = images();
  large.sample.input = {3, 2048, 2048};
  EXPECT_EQ(refusal(large), "compute cuda: network=mlp takes samples of up to 4194304 values, these have 12582912");
  EXPECT_EQ(refusal(images()), "");
}

// Feeds the sink with batches of noise.
class CudaHost {
 public:
  explicit CudaHost(const std::string& compute)
      : spec_(parse_compute(compute)),
        pool_(spec_.held_batches() + 1, kCudaBatchSize, kSampleValues * sizeof(float)),
        sink_(spec_.make({.clock = clock_, .stop = {}, .setting = images()})) {}

  Batch batch(std::size_t samples = kCudaBatchSize) {
    Batch batch = pool_.try_acquire();
    EXPECT_NE(batch, nullptr) << "the sink keeps more batches than it announced";
    batch->count = samples;
    batch->epoch = 3;
    batch->sequence = next_++;
    for (std::size_t i = 0; i < samples; ++i) batch->labels[i] = static_cast<std::int32_t>(random_.below(10));
    for (std::size_t i = 0; i < samples * kSampleValues; ++i) set(*batch, i, static_cast<float>(random_.unit()) - 0.5F);
    // Beyond its samples a slot may hold anything; a step that read these would have a loss that is not a number.
    for (std::size_t i = samples; i < kCudaBatchSize; ++i) batch->labels[i] = -1;
    for (std::size_t i = samples * kSampleValues; i < kCudaBatchSize * kSampleValues; ++i) set(*batch, i, kNaN);
    return batch;
  }
  static void set(Slot& slot, std::size_t index, float value) {
    std::memcpy(slot.data.data() + index * sizeof(value), &value, sizeof(value));
  }

  // Both return the time they take.
  Time consume(Batch batch) {
    const Time before = clock_.now();
    sink_->consume(std::move(batch));
    return clock_.now() - before;
  }
  Time finish() {
    const Time before = clock_.now();
    sink_->finish();
    return clock_.now() - before;
  }
  const Sink& sink() const { return *sink_; }
  std::size_t batches_held() const { return pool_.size() - pool_.free_slots(); }

 private:
  SteadyClock clock_;
  ComputeSpec spec_;
  BatchPool pool_;
  std::unique_ptr<Sink> sink_;  // last: it returns its batches to the pool
  Random random_{1};
  std::uint64_t next_ = 0;
};

using CudaOnDevice = test::OnDevice;

std::vector<std::string> every_setting() {
  std::vector<std::string> computes;
  for (const std::string staging : {"registered", "copied"}) {
    for (const std::string graph : {"off", "on"}) {
      for (const std::string depth : {"0", "1", "4"}) {
        computes.push_back(fmt::format("cuda:staging={},graph={},depth={}", staging, graph, depth));
      }
    }
  }
  return computes;
}

std::string loss_is_nan(std::uint64_t sequence) {
  return fmt::format(
      "compute cuda: the loss of epoch 3, batch {} of the run, is nan: a value is not finite, a label is not a class, "
      "or the training diverges",
      sequence);
}

TEST_F(CudaOnDevice, TakesFullAndShortBatchesInEverySetting) {
  for (const std::string& compute : every_setting()) {
    SCOPED_TRACE(compute);
    CudaHost host(compute);
    Time spent{};
    for (int i = 0; i < 20; ++i) spent += host.consume(host.batch(i % 7 == 6 ? kShortBatchSize : kCudaBatchSize));
    spent += host.finish();
    EXPECT_EQ(host.batches_held(), 0U);
    Time divided{};
    for (const StageTime& stage : host.sink().stages()) {
      EXPECT_EQ(stage.hits, 20U) << stage.name;
      divided += stage.total;
    }
    EXPECT_GT(divided, Time(0));
    EXPECT_LE(divided, spent);
  }
}

TEST_F(CudaOnDevice, LearnsFromTheLastSampleOfAShortBatchInEverySetting) {
  for (const std::string& compute : every_setting()) {
    SCOPED_TRACE(compute);
    CudaHost host(compute);
    for (int i = 0; i < 6; ++i) host.consume(host.batch());
    Batch batch = host.batch(kShortBatchSize);
    CudaHost::set(*batch, kShortBatchSize * kSampleValues - 1, kNaN);
    try {
      host.consume(std::move(batch));
      host.finish();
      ADD_FAILURE() << "left out";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), loss_is_nan(6));
    }
  }
}

TEST_F(CudaOnDevice, NamesItsStagesAndDividesItsTimeAmongThem) {
  for (const bool graph : {false, true}) {
    CudaHost host(graph ? "cuda:graph=on" : "cuda");
    std::vector<std::string> names;
    for (const StageTime& stage : host.sink().stages()) names.emplace_back(stage.name);
    EXPECT_EQ(names, graph ? (std::vector<std::string>{"copy", "step"})
                           : (std::vector<std::string>{"copy", "forward", "backward", "optimizer"}));
    Time spent{};
    for (int i = 0; i < 100; ++i) spent += host.consume(host.batch());
    Time divided{};
    for (const StageTime& stage : host.sink().stages()) {
      EXPECT_EQ(stage.hits, 98U) << stage.name;  // two steps are under way
      EXPECT_GE(stage.total, Time(0)) << stage.name;
      divided += stage.total;
    }
    EXPECT_LE(divided, spent);
    EXPECT_GT(divided, spent / 2);
  }
}

TEST_F(CudaOnDevice, NamesTheBatchWhoseLossIsNotANumber) {
  for (const std::string compute : {"cuda:depth=0", "cuda:depth=2", "cuda:depth=2,graph=on"}) {
    CudaHost host(compute);
    for (int i = 0; i < 5; ++i) host.consume(host.batch());
    Batch bad = host.batch();
    CudaHost::set(*bad, 17, kNaN);
    try {
      host.consume(std::move(bad));
      for (int i = 0; i < 2; ++i) host.consume(host.batch());
      ADD_FAILURE() << compute << ": went unnoticed";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), loss_is_nan(5));
    }
  }
}

}  // namespace
}  // namespace loadline
