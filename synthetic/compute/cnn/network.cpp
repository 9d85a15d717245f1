#include "synthetic/compute/cnn/network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "loaders/error.h"

namespace loadline {
namespace {

using Shape = std::vector<std::size_t>;

std::size_t product(auto begin, auto end) {
  return std::accumulate(begin, end, std::size_t{1}, std::multiplies<>());
}

// Adds layers one after another and knows which tensor came last.
class Builder {
 public:
  std::size_t add(Layer layer) {
    layers_.push_back(layer);
    return last();
  }
  std::size_t last() const { return layers_.size(); }

  std::size_t convolution(std::size_t channels, std::size_t kernel, std::size_t padding, bool relu) {
    return add({.kind = LayerKind::kConvolution,
                .input = last(),
                .channels = channels,
                .kernel = kernel,
                .padding = padding,
                .relu = relu});
  }
  std::size_t halve() { return add({.kind = LayerKind::kMaxPool, .input = last(), .kernel = 2, .stride = 2}); }
  std::size_t dense(std::size_t channels, bool relu) {
    return add({.kind = LayerKind::kDense, .input = last(), .channels = channels, .relu = relu});
  }

  std::vector<Layer> take() { return std::move(layers_); }

 private:
  std::vector<Layer> layers_;
};

// LeNet-5 (LeCun, Bottou, Bengio, Haffner: "Gradient-based learning applied to document recognition", 1998) with
// max(x, 0) instead of tanh and max pooling instead of averages, as is common today.
std::vector<Layer> lenet(std::size_t outputs) {
  Builder net;
  net.convolution(6, 5, 2, true);
  net.halve();
  net.convolution(16, 5, 0, true);
  net.halve();
  net.dense(120, true);
  net.dense(84, true);
  net.dense(outputs, false);
  return net.take();
}

// Convolution and normalisation. The normalisation would undo a bias.
void add_normalised(Builder& net, std::size_t input, std::size_t channels, std::size_t stride, bool relu) {
  net.add({.kind = LayerKind::kConvolution,
           .input = input,
           .channels = channels,
           .kernel = 3,
           .stride = stride,
           .padding = 1,
           .bias = false});
  net.add({.kind = LayerKind::kNormalisation, .input = net.last(), .relu = relu});
}

// He, Zhang, Ren, Sun: "Deep residual learning for image recognition", CVPR 2016, section 4.2 with n = 3.
std::vector<Layer> resnet20(std::size_t outputs) {
  constexpr std::size_t kBlocks = 3;
  Builder net;
  add_normalised(net, net.last(), 16, 1, true);
  for (const std::size_t channels : {16U, 32U, 64U}) {
    for (std::size_t block = 0; block < kBlocks; ++block) {
      const std::size_t input = net.last();
      const std::size_t stride = block == 0 && channels > 16 ? 2 : 1;
      std::size_t shortcut = input;
      if (stride > 1) {
        shortcut = net.add({.kind = LayerKind::kShortcut, .input = input, .channels = channels, .stride = stride});
      }
      add_normalised(net, input, channels, stride, true);
      add_normalised(net, net.last(), channels, 1, false);
      net.add({.kind = LayerKind::kAdd, .input = net.last(), .second = shortcut, .relu = true});
    }
  }
  net.add({.kind = LayerKind::kGlobalAverage, .input = net.last()});
  net.dense(outputs, false);
  return net.take();
}

// A small form of Çiçek et al.: "3D U-Net", MICCAI 2016: two levels down and up, one convolution each, 16 channels at
// the top, padded so that the output has the size of the input.
std::vector<Layer> unet3d(std::size_t outputs) {
  Builder net;
  const auto up = [&net](std::size_t channels, std::size_t across) {
    net.add({.kind = LayerKind::kTransposed, .input = net.last(), .channels = channels, .kernel = 2, .stride = 2});
    net.add({.kind = LayerKind::kConcat, .input = net.last(), .second = across});
    net.convolution(channels, 3, 1, true);
  };
  const std::size_t top = net.convolution(16, 3, 1, true);
  net.halve();
  const std::size_t middle = net.convolution(32, 3, 1, true);
  net.halve();
  net.convolution(64, 3, 1, true);
  up(32, middle);
  up(16, top);
  net.convolution(outputs, 1, 0, false);
  return net.take();
}

constexpr std::array kNetworks{
    Network{.name = "lenet",
            .summary = "LeNet-5, for images of MNIST's size",
            .axes = 2,
            .least_edge = 12,
            .edge_step = 4,
            .loss = Loss::kCrossEntropy,
            .optimizer = OptimizerKind::kSgd,
            .learning_rate = 0.05,
            .rate_batch = 512,
            .layers = lenet},
    Network{.name = "resnet20",
            .summary = "ResNet-20 in its CIFAR form, for images",
            .axes = 2,
            .least_edge = 8,
            .edge_step = 4,
            .loss = Loss::kCrossEntropy,
            .optimizer = OptimizerKind::kSgd,
            .learning_rate = 0.1,
            .rate_batch = 128,
            .layers = resnet20},
    Network{.name = "unet3d",
            .summary = "a small 3D U-Net, from volumes to volumes",
            .axes = 3,
            .least_edge = 8,
            .edge_step = 4,
            .loss = Loss::kL1,
            .optimizer = OptimizerKind::kAdam,
            .learning_rate = 0.001,
            .rate_batch = 4,
            .layers = unet3d},
};

Shape shape_of(const Layer& layer, const Shape& input, const Shape& second) {
  Shape shape = input;
  switch (layer.kind) {
    case LayerKind::kConvolution:
    case LayerKind::kMaxPool:
      if (layer.kind == LayerKind::kConvolution) shape[0] = layer.channels;
      for (std::size_t i = 1; i < shape.size(); ++i) {
        shape[i] = (input[i] + 2 * layer.padding - layer.kernel) / layer.stride + 1;
      }
      break;
    case LayerKind::kTransposed:
      shape[0] = layer.channels;
      for (std::size_t i = 1; i < shape.size(); ++i) shape[i] = (input[i] - 1) * layer.stride + layer.kernel;
      break;
    case LayerKind::kShortcut:
      shape[0] = layer.channels;
      for (std::size_t i = 1; i < shape.size(); ++i) shape[i] = (input[i] - 1) / layer.stride + 1;
      break;
    case LayerKind::kGlobalAverage: std::fill(shape.begin() + 1, shape.end(), 1); break;
    case LayerKind::kConcat: shape[0] += second[0]; break;
    case LayerKind::kDense:
      std::ranges::fill(shape, 1);
      shape[0] = layer.channels;
      break;
    case LayerKind::kNormalisation:
    case LayerKind::kAdd: break;
  }
  return shape;
}

double operations(const Layer& layer, const Shape& input, const Shape& output) {
  const auto values = static_cast<double>(product(output.begin(), output.end()));
  const double window = std::pow(static_cast<double>(layer.kernel), static_cast<double>(input.size() - 1));
  switch (layer.kind) {
    case LayerKind::kConvolution: return 2 * values * window * static_cast<double>(input[0]);
    case LayerKind::kTransposed:
      return 2 * static_cast<double>(product(input.begin(), input.end())) * window * static_cast<double>(output[0]);
    case LayerKind::kDense: return 2 * values * static_cast<double>(product(input.begin(), input.end()));
    default: return 0;
  }
}

}  // namespace

std::span<const Network> networks() {
  return kNetworks;
}

namespace {

void refuse_tokens(const SampleFormat& sample) {
  if (sample.dtype == DType::kI32) throw usage_error("compute cnn: the samples are tokens; use --compute gpt");
}

}  // namespace

const Network& suitable_network(const SampleFormat& sample) {
  refuse_tokens(sample);
  if (sample.input.size() == 4) return kNetworks[2];
  return sample.input[0] == 1 ? kNetworks[0] : kNetworks[1];
}

void check_fits(const Network& network, const SampleFormat& sample) {
  refuse_tokens(sample);
  const auto refuse = [&](const std::string& want) {
    throw usage_error(
        fmt::format("network {}: want {}, the samples are {}", network.name, want, fmt::join(sample.input, "x")));
  };
  if (sample.input.size() != network.axes + 1) refuse(network.axes == 2 ? "images" : "volumes");
  for (std::size_t i = 1; i < sample.input.size(); ++i) {
    const std::size_t edge = sample.input[i];
    if (edge >= network.least_edge && edge % network.edge_step == 0) continue;
    refuse(fmt::format("edges of at least {} and multiples of {}", network.least_edge, network.edge_step));
  }
  if (network.loss == Loss::kL1 && sample.target.size() != sample.input.size()) refuse("a target of the input's size");
}

std::vector<Shape> tensor_shapes(std::span<const Layer> layers, const Shape& input) {
  std::vector<Shape> shapes{input};
  for (const Layer& layer : layers) shapes.push_back(shape_of(layer, shapes[layer.input], shapes[layer.second]));
  return shapes;
}

std::size_t outputs_of(const Network& network, const SampleFormat& sample, std::size_t classes) {
  return network.loss == Loss::kL1 ? sample.target[0] : classes;
}

double step_operations(std::span<const Layer> layers, const std::vector<Shape>& shapes) {
  double sum = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double once = operations(layers[i], shapes[layers[i].input], shapes[i + 1]);
    sum += layers[i].input == 0 ? 2 * once : 3 * once;
  }
  return sum;
}

}  // namespace loadline
