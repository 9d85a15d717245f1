#include "synthetic/compute/cnn/network.h"

#include <gtest/gtest.h>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::thrown_by;
using test::usage;
using Shape = std::vector<std::size_t>;

SampleFormat sample(Shape input, Shape target = {}) {
  return {.dtype = DType::kF32, .layout = Layout::kNCHW, .input = std::move(input), .target = std::move(target)};
}

const Network& named(std::string_view name) {
  for (const Network& network : networks()) {
    if (network.name == name) return network;
  }
  throw Error("no such network");
}

// The number of weights and biases, and of the scales and shifts of normalised channels.
std::size_t weights_of(const std::vector<Layer>& layers, const std::vector<Shape>& shapes) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    const Shape& input = shapes[layer.input];
    std::size_t window = 1;
    for (std::size_t k = 1; k < input.size(); ++k) {
      window *= layer.kind == LayerKind::kDense ? input[k] : layer.kernel;
    }
    switch (layer.kind) {
      case LayerKind::kConvolution:
      case LayerKind::kTransposed:
      case LayerKind::kDense: sum += layer.channels * (input[0] * window + (layer.bias ? 1 : 0)); break;
      case LayerKind::kNormalisation: sum += 2 * input[0]; break;
      default: break;
    }
  }
  return sum;
}

TEST(Networks, Lenet5HasItsPublishedShapesAndWeights) {
  const auto layers = named("lenet").layers(10);
  const auto shapes = tensor_shapes(layers, {1, 28, 28});
  EXPECT_EQ(shapes,
            (std::vector<Shape>{
                {1, 28, 28}, {6, 28, 28}, {6, 14, 14}, {16, 10, 10}, {16, 5, 5}, {120, 1, 1}, {84, 1, 1}, {10, 1, 1}}));
  EXPECT_EQ(weights_of(layers, shapes), 61'706U);
  // 6 x 28^2 x 25 + 16 x 10^2 x 150 + 120 x 400 + 84 x 120 + 10 x 84 products, and as many sums.
  EXPECT_EQ(step_operations(layers, shapes), 2 * (3 * 416'520.0 - 117'600.0));
}

TEST(Networks, Resnet20HasThePublishedWeightsAndOperations) {
  const auto layers = named("resnet20").layers(10);
  const auto shapes = tensor_shapes(layers, {3, 32, 32});
  EXPECT_EQ(shapes.back(), (Shape{10, 1, 1}));
  EXPECT_EQ(weights_of(layers, shapes), 269'722U);  // "0.27M" in its table 6
  std::size_t with_weights = 0;
  for (const Layer& layer : layers) {
    if (layer.kind == LayerKind::kConvolution || layer.kind == LayerKind::kDense) ++with_weights;
  }
  EXPECT_EQ(with_weights, 20U);
  // 40,551,040 products forward. The first layer, whose input needs no gradient, has 16 x 32^2 x 27 of them.
  EXPECT_EQ(step_operations(layers, shapes), 2 * (3 * 40'551'040.0 - 442'368.0));
}

TEST(Networks, Unet3dKeepsTheSizeOfItsInput) {
  const auto layers = named("unet3d").layers(5);
  const auto shapes = tensor_shapes(layers, {4, 64, 64, 64});
  EXPECT_EQ(shapes.back(), (Shape{5, 64, 64, 64}));
}

TEST(Networks, SuitTheSamples) {
  EXPECT_EQ(suitable_network(sample({1, 28, 28})).name, "lenet");
  EXPECT_EQ(suitable_network(sample({3, 32, 32})).name, "resnet20");
  EXPECT_EQ(suitable_network(sample({4, 64, 64, 64}, {5, 64, 64, 64})).name, "unet3d");
}

TEST(Networks, RefuseSamplesThatDoNotFit) {
  const auto refusal = [](std::string_view network, const SampleFormat& given) {
    return thrown_by([&] { check_fits(named(network), given); });
  };
  EXPECT_EQ(refusal("lenet", sample({3, 32, 32})), test::Thrown());
  EXPECT_EQ(refusal("unet3d", sample({1, 28, 28})), usage("network unet3d: want volumes, the samples are 1x28x28"));
  EXPECT_EQ(refusal("resnet20", sample({4, 8, 8, 8}, {5, 8, 8, 8})),
            usage("network resnet20: want images, the samples are 4x8x8x8"));
  EXPECT_EQ(refusal("lenet", sample({1, 8, 28})),
            usage("network lenet: want edges of at least 12 and multiples of 4, the samples are 1x8x28"));
  EXPECT_EQ(refusal("resnet20", sample({3, 33, 32})),
            usage("network resnet20: want edges of at least 8 and multiples of 4, the samples are 3x33x32"));
}

}  // namespace
}  // namespace loadline
