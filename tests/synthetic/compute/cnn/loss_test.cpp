#include "synthetic/compute/cnn/loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace loadline {
namespace {

TEST(CrossEntropy, IsTheLogarithmOfTheClassesIfAllOutputsAreEqual) {
  const std::vector<float> outputs(8, 3.0F);
  std::vector<float> gradient(8);
  const std::vector<std::int32_t> labels{1, 3};
  const LossResult result = cross_entropy(outputs, labels, 4, gradient);
  EXPECT_NEAR(result.sum, 2 * std::log(4.0), 1e-6);
  // (share of the class - 1 for the label) / samples
  EXPECT_EQ(gradient, (std::vector<float>{0.125F, -0.375F, 0.125F, 0.125F, 0.125F, 0.125F, 0.125F, -0.375F}));
}

TEST(CrossEntropy, CountsSamplesWhoseLargestOutputIsTheirLabel) {
  const std::vector<float> outputs{1, 2, 3, /**/ 3, 2, 1, /**/ 0, 5, 0};
  std::vector<float> gradient(9);
  EXPECT_EQ(cross_entropy(outputs, std::vector<std::int32_t>{2, 1, 1}, 3, gradient).correct, 2U);
}

TEST(CrossEntropy, NeverOverflows) {
  const std::vector<float> outputs{1e30F, 0, -1e30F};
  std::vector<float> gradient(3);
  const LossResult result = cross_entropy(outputs, std::vector<std::int32_t>{0}, 3, gradient);
  EXPECT_EQ(result.sum, 0);
  EXPECT_EQ(gradient, (std::vector<float>{0, 0, 0}));
}

TEST(CrossEntropy, IsNotANumberIfAnOutputIsNot) {
  const std::vector<float> outputs{std::numeric_limits<float>::quiet_NaN(), 0};
  std::vector<float> gradient(2);
  EXPECT_TRUE(std::isnan(cross_entropy(outputs, std::vector<std::int32_t>{1}, 2, gradient).sum));
}

TEST(L1, IsTheSumOfDistancesAndTheirSigns) {
  const std::vector<float> outputs{1, -2, 3, 4};
  const std::vector<float> targets{0, 0, 3, 6};
  std::vector<float> gradient(4);
  EXPECT_EQ(l1(outputs, targets, gradient).sum, 5);
  EXPECT_EQ(gradient, (std::vector<float>{0.25F, -0.25F, 0, -0.25F}));
}

}  // namespace
}  // namespace loadline
