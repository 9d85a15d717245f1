#include "synthetic/compute/cnn.h"

#include <gtest/gtest.h>

#include "loaders/batch_pool.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

StepSetting setting_of(std::vector<std::size_t> input, std::vector<std::size_t> target = {}) {
  return {.sample = {.dtype = DType::kF32, .input = std::move(input), .target = std::move(target)},
          .batch_size = 8,
          .classes = 10};
}

TrainingOptions options_of(std::string_view text, const StepSetting& setting) {
  return training_options(parse_compute(text).values, setting);
}

TEST(Cnn, ChoosesTheNetworkThatSuitsTheSamples) {
  EXPECT_EQ(options_of("cnn", setting_of({1, 28, 28})).network->name, "lenet");
  EXPECT_EQ(options_of("cnn", setting_of({3, 32, 32})).network->name, "resnet20");
  const TrainingOptions volumes = options_of("cnn", setting_of({4, 64, 64, 64}, {5, 64, 64, 64}));
  EXPECT_EQ(volumes.network->name, "unet3d");
  EXPECT_EQ(volumes.optimizer.kind, OptimizerKind::kAdam);
  EXPECT_EQ(volumes.optimizer.learning_rate, 0.001);
}

TEST(Cnn, TakesTheGivenParameters) {
  const StepSetting setting = setting_of({1, 28, 28});
  const TrainingOptions told =
      options_of("cnn:network=resnet20,optimizer=sgd,learning_rate=0.25,momentum=0.5,weight_decay=0.0001", setting);
  EXPECT_EQ(told.network->name, "resnet20");
  EXPECT_EQ(told.optimizer.kind, OptimizerKind::kSgd);
  EXPECT_EQ(told.optimizer.learning_rate, 0.25);
  EXPECT_EQ(told.optimizer.momentum, 0.5);
  EXPECT_EQ(told.optimizer.weight_decay, 0.0001);
}

TEST(Cnn, HasARateForNetworkOptimizerAndBatchSize) {
  const auto rate = [](std::string_view text, std::size_t batch_size) {
    StepSetting setting = setting_of({1, 28, 28});
    setting.batch_size = batch_size;
    return options_of(text, setting).optimizer.learning_rate;
  };
  EXPECT_EQ(rate("cnn", 512), 0.05);
  EXPECT_EQ(rate("cnn", 128), 0.0125);
  EXPECT_EQ(rate("cnn", 4096), 0.05) << "larger batches would want a warm-up";
  EXPECT_EQ(rate("cnn:network=resnet20", 128), 0.1);
  EXPECT_EQ(rate("cnn:optimizer=adam", 16), 0.001);
}

TEST(Cnn, FusesTheOptimizerWithTheRest) {
  StepSetting setting = setting_of({1, 28, 28});
  EXPECT_TRUE(options_of("cnn", setting).optimizer.fused);
  setting.fusion = false;
  EXPECT_FALSE(options_of("cnn", setting).optimizer.fused);
}

TEST(Cnn, ScoresWhatItConsumedSinceTheLastScore) {
  test::FakeClock clock;
  const StepSetting setting = setting_of({1, 12, 12});
  const auto trainer = parse_compute("cnn").kind->make_trainer(parse_compute("cnn").values,
                                                               {.clock = clock, .stop = {}, .setting = setting});
  BatchPool pool(1, 8, 144 * sizeof(float));
  const auto consume = [&](std::size_t count) {
    Batch batch = pool.try_acquire();
    ASSERT_NE(batch, nullptr) << "it keeps no batch";
    batch->count = count;
    batch->sample_bytes = 144 * sizeof(float);
    trainer->consume(std::move(batch));
  };
  consume(8);
  consume(3);
  consume(0);
  EXPECT_EQ(trainer->take_score().samples, 11U);
  EXPECT_EQ(trainer->take_score().samples, 0U);
  EXPECT_TRUE(trainer->classifies());
}

TEST(Cnn, NeedsTheMemoryOfItsValuesAndTheirGradients) {
  // LeNet-5 at 28 x 28, in blocks of 16 channels: 784 + 12544 + 3136 + 1600 + 400 values, and 128 + 96 + 16 in the
  // dense layers. The input counts as 16 channels.
  const std::size_t values = 16 * 784 + 12544 + 3136 + 1600 + 400 + 128 + 96 + 16;
  EXPECT_EQ(parse_compute("cnn").memory_bytes(setting_of({1, 28, 28})), 8 * 2 * values * sizeof(float));
}

}  // namespace
}  // namespace loadline
