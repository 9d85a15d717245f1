#include "synthetic/compute/gpt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "loaders/assemble.h"
#include "loaders/batch_pool.h"
#include "loaders/random.h"
#include "synthetic/compute/cnn/graph.h"
#include "synthetic/compute/gpt/product.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

constexpr GptShape kSmall{.layers = 2, .width = 8, .heads = 2, .vocabulary = 11, .length = 5, .batch_size = 3};

// [3, 6]; the last sample is short.
const std::vector<std::int32_t> kSamples{1, 5, 9, 2, 2, 10,       7,        0,        3,
                                         3, 8, 1, 4, 6, kNoToken, kNoToken, kNoToken, kNoToken};

double mean_loss(Gpt& model) {
  const NextTokenLoss loss = model.forward(kSamples.data(), false);
  return loss.sum / static_cast<double>(loss.tokens);
}

// Moves the weights far from where they start, so that no gradient is close to 0 by symmetry.
void stir(Gpt& model) {
  Random random(5);
  for (float& weight : model.weights()) weight += static_cast<float>(random.unit() - 0.5);
}

TEST(Gpt, HasTheGradientsThatDifferencesOfTheLossGive) {
  for (const bool fusion : {true, false}) {
    Gpt model(kSmall, Precision::kF32, fusion, 1);
    stir(model);
    model.forward(kSamples.data(), true);
    model.backward();
    const std::vector<float> gradients(model.gradients().begin(), model.gradients().end());
    std::size_t first = 0;
    for (const GptTensor& tensor : model.tensors()) {
      // A few values of each tensor.
      for (std::size_t i = 0; i < tensor.values; i += std::max<std::size_t>(tensor.values / 3, 1)) {
        constexpr float kStep = 4e-3F;
        float& weight = model.weights()[first + i];
        const float before = weight;
        weight = before + kStep;
        const double above = mean_loss(model);
        weight = before - kStep;
        const double below = mean_loss(model);
        weight = before;
        EXPECT_NEAR(gradients[first + i], (above - below) / (2 * kStep), 1e-3 + 0.01 * std::abs(gradients[first + i]))
            << tensor.name << " " << i;
      }
      first += tensor.values;
    }
    EXPECT_EQ(first, gradients.size());
  }
}

TEST(Gpt, IgnoresLaterTokens) {
  Gpt model(kSmall, Precision::kF32, true, 1);
  stir(model);
  std::vector<std::int32_t> samples(18, kNoToken);
  std::copy_n(kSamples.begin(), 3, samples.begin());
  const NextTokenLoss two = model.forward(samples.data(), false);
  EXPECT_EQ(two.tokens, 2U);
  // The loss of the first two tokens does not depend on the third, so the probabilities of all third tokens sum to 1.
  double probability = 0;
  for (std::int32_t third = 0; third < 11; ++third) {
    samples[3] = third;
    const NextTokenLoss three = model.forward(samples.data(), false);
    EXPECT_EQ(three.tokens, 3U);
    probability += std::exp(two.sum - three.sum);
  }
  EXPECT_NEAR(probability, 1, 1e-5);
}

TEST(Gpt, StartsWithTheLossOfARandomGuess) {
  Gpt model({.vocabulary = 256, .length = 32, .batch_size = 2}, Precision::kF32, true, 1);
  std::vector<std::int32_t> samples(66);
  std::iota(samples.begin(), samples.end(), 0);
  const NextTokenLoss loss = model.forward(samples.data(), false);
  EXPECT_EQ(loss.tokens, 64U);
  EXPECT_NEAR(loss.sum / 64, std::log(256), 0.1);
}

TEST(Gpt, DiffersInBf16ByRoundingOnly) {
  if (support_of(Precision::kBF16) == PrecisionSupport::kNone) GTEST_SKIP() << "no AVX-512";
  Gpt exact(kSmall, Precision::kF32, true, 1);
  Gpt rounded(kSmall, Precision::kBF16, true, 1);
  stir(exact);
  stir(rounded);
  EXPECT_NE(mean_loss(rounded), mean_loss(exact));
  EXPECT_NEAR(mean_loss(rounded), mean_loss(exact), 0.03);
  exact.forward(kSamples.data(), true);
  exact.backward();
  rounded.forward(kSamples.data(), true);
  rounded.backward();
  for (std::size_t i = 0; i < exact.gradients().size(); ++i) {
    EXPECT_NEAR(rounded.gradients()[i], exact.gradients()[i], 0.05) << i;
  }
}

// ---- the compute

StepSetting setting_of_tokens(std::size_t length, std::size_t batch_size) {
  return {.sample = {.dtype = DType::kI32, .layout = Layout::kNCHW, .input = {length + 1}, .target = {}},
          .batch_size = batch_size,
          .classes = 16};
}

// Fills in samples that count up, so that each token determines the next.
void fill_counting(Slot& slot, std::size_t length, std::size_t count) {
  slot.count = count;
  slot.sample_bytes = (length + 1) * sizeof(std::int32_t);
  auto* out = reinterpret_cast<std::int32_t*>(slot.data.data());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k <= length; ++k) *out++ = static_cast<std::int32_t>((5 * i + k) % 16);
  }
}

TEST(GptCompute, LearnsWhatComesNext) {
  test::FakeClock clock;
  const StepSetting setting = setting_of_tokens(16, 8);
  const ComputeSpec spec = parse_compute("gpt:layers=1,width=32,heads=2,learning_rate=0.01");
  const auto trainer = spec.kind->make_trainer(spec.values, {.clock = clock, .stop = {}, .setting = setting});
  BatchPool pool(1, 8, 17 * sizeof(std::int32_t));
  std::vector<double> losses;
  for (int step = 0; step < 40; ++step) {
    Batch batch = pool.try_acquire();
    ASSERT_NE(batch, nullptr) << "it keeps no batch";
    fill_counting(*batch, 16, step == 20 ? 3 : 8);
    trainer->consume(std::move(batch));
    const Score score = trainer->take_score();
    EXPECT_EQ(score.samples, step == 20 ? 3U : 8U);
    losses.push_back(score.loss());
  }
  EXPECT_NEAR(losses.front(), std::log(16), 0.2);
  EXPECT_LT(losses.back(), 0.2);
  EXPECT_FALSE(trainer->classifies());
  EXPECT_EQ(trainer->stages().size(), 4U);
  EXPECT_EQ(trainer->stages()[2].hits, 40U);
  EXPECT_EQ(trainer->description(), "1 layer of 32, 2 heads, vocabulary 16, 13792 weights, f32, fused, 1 thread");

  const Batch batch = pool.try_acquire();
  fill_counting(*batch, 16, 8);
  EXPECT_LT(trainer->evaluate(*batch).loss(), 0.2);
}

TEST(GptCompute, RefusesTokensOutsideItsVocabulary) {
  test::FakeClock clock;
  const StepSetting setting = setting_of_tokens(4, 2);
  const auto trainer = parse_compute("gpt:vocabulary=8")
                           .kind->make_trainer(parse_compute("gpt:vocabulary=8").values,
                                               {.clock = clock, .stop = {}, .setting = setting});
  BatchPool pool(1, 2, 5 * sizeof(std::int32_t));
  Batch batch = pool.try_acquire();
  fill_counting(*batch, 4, 2);
  EXPECT_EQ(test::thrown_by([&] { trainer->consume(std::move(batch)); }).message,
            "compute gpt: token 9 in batch 0 of the run is out of range, want below 8; raise gpt:vocabulary");
}

TEST(GptCompute, RefusesNegativeTokensOtherThanPadding) {
  test::FakeClock clock;
  const StepSetting setting = setting_of_tokens(4, 2);
  const ComputeSpec spec = parse_compute("gpt");
  const auto trainer = spec.kind->make_trainer(spec.values, {.clock = clock, .stop = {}, .setting = setting});
  BatchPool pool(1, 2, 5 * sizeof(std::int32_t));
  const Batch batch = pool.try_acquire();
  fill_counting(*batch, 4, 2);
  auto* tokens = reinterpret_cast<std::int32_t*>(batch->data.data());
  tokens[4] = kNoToken;
  EXPECT_EQ(trainer->evaluate(*batch).samples, 2U);
  tokens[3] = -2;
  EXPECT_EQ(test::thrown_by([&] { trainer->evaluate(*batch); }),
            test::failed("compute gpt: token -2 in batch 0 of the run is negative, and only -1 means padding"));
}

TEST(GptCompute, RefusesImagesAndWidthsThatTheHeadsCannotDivide) {
  const StepSetting images{.sample = {.dtype = DType::kF32, .input = {3, 32, 32}}, .batch_size = 8, .classes = 10};
  EXPECT_EQ(test::thrown_by([&] { parse_compute("gpt").memory_bytes(images); }),
            test::usage("compute gpt: the samples are f32, want tokens, as in --workload tokens"));
  EXPECT_EQ(test::thrown_by([&] { parse_compute("gpt:width=10,heads=3").memory_bytes(setting_of_tokens(4, 2)); }),
            test::usage("compute gpt: width=10 cannot be divided evenly among 3 heads"));
  EXPECT_EQ(test::thrown_by([&] { parse_compute("cnn").memory_bytes(setting_of_tokens(4, 2)); }),
            test::usage("compute cnn: the samples are tokens; use --compute gpt"));
}

TEST(GptCompute, TakesVocabularyAndLengthFromTheWorkload) {
  const GptShape shape = gpt_shape(parse_compute("gpt").values, setting_of_tokens(64, 4));
  EXPECT_EQ(shape.vocabulary, 16U);
  EXPECT_EQ(shape.length, 64U);
  EXPECT_EQ(shape.batch_size, 4U);
  EXPECT_EQ(gpt_shape(parse_compute("gpt:vocabulary=50304").values, setting_of_tokens(64, 4)).vocabulary, 50304U);
}

}  // namespace
}  // namespace loadline
