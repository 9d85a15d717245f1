#include "synthetic/compute/cnn/training_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <thread>

#include "loaders/batch_pool.h"
#include "loaders/random.h"
#include "synthetic/compute/step_log.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/fake_clock.h"
#include "tests/synthetic/compute/local_sum.h"

namespace loadline {
namespace {

constexpr std::size_t kStepBatch = 16;
constexpr std::size_t kEdge = 12;
constexpr std::size_t kValues = kEdge * kEdge;

StepSetting small_setting() {
  return {.sample = {.dtype = DType::kF32, .layout = Layout::kNCHW, .input = {1, kEdge, kEdge}, .target = {}},
          .batch_size = kStepBatch,
          .classes = 2};
}

const Network& network_of(const StepSetting& setting) {
  return suitable_network(setting.sample);
}

TrainingOptions options_of(const StepSetting& setting, double learning_rate = 0.05) {
  return {.network = &network_of(setting),
          .optimizer = {.kind = network_of(setting).optimizer, .learning_rate = learning_rate}};
}

// A batch of images with noise: bright in the left half for label 0, in the right half for label 1.
class Halves {
 public:
  explicit Halves(std::size_t count = kStepBatch, std::uint64_t seed = 1)
      : pool_(1, kStepBatch, kValues * sizeof(float)) {
    batch_ = pool_.try_acquire();
    batch_->count = count;
    batch_->sample_bytes = kValues * sizeof(float);
    Random random(seed);
    for (std::size_t i = 0; i < count; ++i) {
      const auto label = static_cast<std::int32_t>(random.below(2));
      batch_->labels[i] = label;
      for (std::size_t k = 0; k < kValues; ++k) {
        const bool right = k % kEdge >= kEdge / 2;
        const auto value = static_cast<float>((right == (label == 1) ? 1 : 0) + random.unit() - 0.5);
        std::memcpy(batch_->data.data() + (i * kValues + k) * sizeof(float), &value, sizeof value);
      }
    }
  }
  const Slot& slot() const { return *batch_; }
  Slot& slot() { return *batch_; }

 private:
  BatchPool pool_;
  Batch batch_;
};

class TrainingStepTest : public testing::Test {
 protected:
  test::FakeClock clock_;
};

TEST_F(TrainingStepTest, LearnsWhatTellsTheClassesApart) {
  const StepSetting setting = small_setting();
  TrainingStep step(options_of(setting), setting, clock_);
  const double first = step.train(Halves(kStepBatch, 100).slot()).loss();
  for (std::uint64_t i = 0; i < 60; ++i) step.train(Halves(kStepBatch, i).slot());
  const Score unseen = step.evaluate(Halves(kStepBatch, 1000).slot());
  EXPECT_LT(unseen.loss(), 0.1 * first);
  EXPECT_EQ(unseen.correct, kStepBatch);
  EXPECT_EQ(unseen.samples, kStepBatch);
}

TEST_F(TrainingStepTest, LearnsInBf16Too) {
  if (support_of(Precision::kBF16) == PrecisionSupport::kNone) GTEST_SKIP() << "this CPU has no bf16";
  StepSetting setting = small_setting();
  setting.precision = Precision::kBF16;
  TrainingStep step(options_of(setting), setting, clock_);
  for (std::uint64_t i = 0; i < 60; ++i) step.train(Halves(kStepBatch, i).slot());
  EXPECT_EQ(step.evaluate(Halves(kStepBatch, 1000).slot()).correct, kStepBatch);
}

TEST_F(TrainingStepTest, DoesNotDependOnFusionOrThreads) {
  std::vector<double> losses;
  for (const bool fusion : {true, false}) {
    for (const std::size_t threads : {1U, 2U}) {
      StepSetting setting = small_setting();
      setting.fusion = fusion;
      setting.threads = threads;
      TrainingOptions options = options_of(setting);
      options.optimizer.fused = fusion;
      TrainingStep step(options, setting, clock_);
      double loss = 0;
      for (std::uint64_t i = 0; i < 5; ++i) loss = step.train(Halves(kStepBatch, i).slot()).loss();
      losses.push_back(loss);
    }
  }
  for (const double loss : losses) EXPECT_NEAR(loss, losses.front(), 1e-3);
}

TEST_F(TrainingStepTest, CountsOnlyTheSamplesOfAShortBatch) {
  const StepSetting setting = small_setting();
  StepSetting exact = setting;
  exact.batch_size = 5;
  TrainingStep padded(options_of(setting), setting, clock_);
  TrainingStep whole(options_of(exact), exact, clock_);
  const Halves batch(5, 3);
  const Score a = padded.differentiate(batch.slot());
  const Score b = whole.differentiate(batch.slot());
  EXPECT_EQ(a.samples, 5U);
  EXPECT_NEAR(a.loss(), b.loss(), 1e-5);
  EXPECT_EQ(a.correct, b.correct);
  const auto one = padded.graph().plain_gradient(0);
  const auto other = whole.graph().plain_gradient(0);
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-5) << i;
}

// The samples of two batches, one after the other.
class Joined {
 public:
  Joined(const Slot& first, const Slot& second) : pool_(1, 2 * kStepBatch, kValues * sizeof(float)) {
    batch_ = pool_.try_acquire();
    batch_->count = 2 * kStepBatch;
    batch_->sample_bytes = kValues * sizeof(float);
    std::ranges::copy(first.labels.first(kStepBatch), batch_->labels.begin());
    std::ranges::copy(second.labels.first(kStepBatch), batch_->labels.begin() + kStepBatch);
    std::memcpy(batch_->data.data(), first.data.data(), first.inputs().size());
    std::memcpy(batch_->data.data() + first.inputs().size(), second.data.data(), second.inputs().size());
  }
  const Slot& slot() const { return *batch_; }

 private:
  BatchPool pool_;
  Batch batch_;
};

TEST_F(TrainingStepTest, KeepsRanksAtTheWeightsOfOneProcessWithAllTheirBatches) {
  constexpr std::size_t kSteps = 8;
  StepSetting setting = small_setting();
  test::SumWorld world(2);
  std::array<std::vector<float>, 2> weights;
  std::array<std::optional<SummedGradients>, 2> summed;
  const auto train = [&](std::size_t rank) {
    test::LocalSum sum(world, rank);
    test::FakeClock clock;
    TrainingOptions options = options_of(setting);
    options.bucket_bytes = 10'000;
    TrainingStep step(options, setting, clock, nullptr, &sum);
    for (std::size_t i = 0; i < kSteps; ++i) step.train(Halves(kStepBatch, 2 * i + rank).slot());
    weights[rank].assign(step.graph().weights().begin(), step.graph().weights().end());
    summed[rank] = step.summed();
    EXPECT_EQ(step.stages().back().name, "gradients");
    EXPECT_EQ(step.stages().back().hits, kSteps);
  };
  std::jthread other(train, 1);
  train(0);
  other.join();
  EXPECT_EQ(weights[0], weights[1]) << "bit for bit";
  ASSERT_TRUE(summed[0] && summed[1]);
  EXPECT_EQ(summed[0]->weights_hash, summed[1]->weights_hash);
  EXPECT_GT(summed[0]->buckets, 1U);
  EXPECT_EQ(summed[0]->step_bytes, 4 * weights[0].size());

  setting.batch_size = 2 * kStepBatch;
  TrainingStep alone(options_of(setting), setting, clock_);
  for (std::size_t i = 0; i < kSteps; ++i) {
    alone.train(Joined(Halves(kStepBatch, 2 * i).slot(), Halves(kStepBatch, 2 * i + 1).slot()).slot());
  }
  EXPECT_FALSE(alone.summed());
  ASSERT_EQ(alone.graph().weights().size(), weights[0].size());
  for (std::size_t i = 0; i < weights[0].size(); ++i) ASSERT_NEAR(alone.graph().weights()[i], weights[0][i], 1e-4) << i;
}

TEST_F(TrainingStepTest, NamesEpochAndBatchIfTheLossIsNotFinite) {
  const StepSetting setting = small_setting();
  TrainingStep step(options_of(setting, 1e30), setting, clock_);
  Halves batch;
  step.train(batch.slot());
  batch.slot().epoch = 3;
  batch.slot().sequence = 40;
  EXPECT_EQ(test::thrown_by([&] { step.train(batch.slot()); }),
            test::failed("compute cnn: the loss is not finite in batch 40 of the run, epoch 3: lower learning_rate"));
}

TEST_F(TrainingStepTest, CountsItsStages) {
  const StepSetting setting = small_setting();
  TrainingStep step(options_of(setting), setting, clock_);
  step.train(Halves().slot());
  step.train(Halves().slot());
  std::vector<std::string> names;
  for (const StageTime& stage : step.stages()) {
    names.emplace_back(stage.name);
    EXPECT_EQ(stage.hits, 2U);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"copy", "forward", "backward", "optimizer"}));
}

TEST_F(TrainingStepTest, LogsItsStagesWithTheBatch) {
  const StepSetting setting = small_setting();
  StepLog log(8);
  TrainingStep step(options_of(setting), setting, clock_, &log);
  Halves batch;
  batch.slot().sequence = 7;
  step.train(batch.slot());
  std::vector<std::string> names;
  for (const StepSpan& span : log.spans()) {
    names.emplace_back(span.name);
    EXPECT_EQ(span.sequence, 7U);
    EXPECT_EQ(span.place, StepSpan::Place::kConsumer);
    EXPECT_LE(span.begin, span.end);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"copy", "forward", "backward", "optimizer"}));
}

TEST_F(TrainingStepTest, LearnsVolumesFromVolumes) {
  StepSetting setting{.sample = {.dtype = DType::kF32, .input = {2, 8, 8, 8}, .target = {1, 8, 8, 8}}, .batch_size = 2};
  TrainingStep step(options_of(setting, 0.01), setting, clock_);
  BatchPool pool(1, 2, 3 * 512 * sizeof(float));
  const Batch batch = pool.try_acquire();
  batch->count = 2;
  batch->sample_bytes = 3 * 512 * sizeof(float);
  batch->target_bytes = 512 * sizeof(float);
  // The target is the sum of the two inputs.
  auto* values = reinterpret_cast<float*>(batch->data.data());
  Random random(1);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < 512; ++k) {
      const auto a = static_cast<float>(random.unit());
      const auto b = static_cast<float>(random.unit());
      values[i * 1024 + k] = a;
      values[i * 1024 + 512 + k] = b;
      values[2 * 1024 + i * 512 + k] = a + b;
    }
  }
  const double first = step.train(*batch).loss();
  for (int i = 0; i < 150; ++i) step.train(*batch);
  EXPECT_LT(step.evaluate(*batch).loss(), 0.3 * first);
}

TEST_F(TrainingStepTest, NamesTheCpusItCannotUse) {
  StepSetting setting = small_setting();
  setting.threads = 2;
  setting.cpus = {0, 60000};
  EXPECT_EQ(test::thrown_by([&] { TrainingStep(options_of(setting), setting, clock_); }),
            test::failed("cannot pin a thread to CPUs 60000: Invalid argument"));
}

TEST_F(TrainingStepTest, RefusesSamplesThatDoNotFitTheNetwork) {
  const StepSetting setting = small_setting();
  TrainingOptions options = options_of(setting);
  options.network = &networks()[2];
  EXPECT_EQ(test::thrown_by([&] { TrainingStep::memory_bytes(options, setting); }),
            test::usage("network unet3d: want volumes, the samples are 1x12x12"));
}

TEST_F(TrainingStepTest, DescribesItself) {
  const StepSetting setting = small_setting();
  const std::string text = TrainingStep(options_of(setting), setting, clock_).description();
  EXPECT_TRUE(text.starts_with("lenet, ")) << text;
  EXPECT_NE(text.find("weights, f32, fused, 1 thread, "), std::string::npos) << text;
}

}  // namespace
}  // namespace loadline
