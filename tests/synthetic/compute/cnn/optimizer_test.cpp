#include "synthetic/compute/cnn/optimizer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace loadline {
namespace {

const std::vector<std::size_t> kTwoTensors{2, 1};

std::vector<float> after(const OptimizerOptions& options, int steps) {
  Optimizer optimizer(options, kTwoTensors);
  std::vector<float> weights{1, 2, -3};
  const std::vector<float> gradients{0.5F, -1, 2};
  for (int i = 0; i < steps; ++i) optimizer.step(weights, gradients);
  return weights;
}

void expect_near(const std::vector<float>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-6) << i;
}

class OptimizerFusion : public testing::TestWithParam<bool> {};

TEST_P(OptimizerFusion, SgdGathersMomentum) {
  const OptimizerOptions options{.learning_rate = 0.1, .momentum = 0.5, .fused = GetParam()};
  expect_near(after(options, 1), {0.95, 2.1, -3.2});
  // In the second step the velocities are 1.5 times the gradient.
  expect_near(after(options, 2), {0.875, 2.25, -3.5});
}

TEST_P(OptimizerFusion, WeightDecayAddsAShareOfTheWeightToItsGradient) {
  const OptimizerOptions options{.learning_rate = 0.1, .momentum = 0, .weight_decay = 0.5, .fused = GetParam()};
  expect_near(after(options, 1), {1 - 0.1 * 1, 2 - 0.1 * 0, -3 - 0.1 * 0.5});
}

TEST_P(OptimizerFusion, AdamTakesStepsOfTheRateWhateverTheGradient) {
  const OptimizerOptions options{.kind = OptimizerKind::kAdam, .learning_rate = 0.01, .fused = GetParam()};
  expect_near(after(options, 1), {0.99, 2.01, -3.01});
  expect_near(after(options, 3), {0.97, 2.03, -3.03});
}

INSTANTIATE_TEST_SUITE_P(Passes, OptimizerFusion, testing::Bool(),
                         [](const auto& param) { return std::string(param.param ? "Fused" : "Apart"); });

}  // namespace
}  // namespace loadline
