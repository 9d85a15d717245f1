// Small convolutional networks as plain data: what to compute, not how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "loaders/tensor.h"

namespace loadline {

enum class LayerKind : std::uint8_t {
  kConvolution,    // with or without bias
  kTransposed,     // convolution that enlarges its input, with bias
  kNormalisation,  // over the batch, with a scale and a shift per channel
  kMaxPool,
  kGlobalAverage,  // one value per channel
  kShortcut,       // every stride-th value, plus channels of zeros after the existing ones (He et al. 2016, option A)
  kAdd,            // input plus second
  kConcat,         // the channels of input, then those of second
  kDense,          // fully connected, with bias
};

// Tensor 0 is the network's input; layer i produces tensor i + 1.
struct Layer {
  LayerKind kind;
  std::size_t input;
  std::size_t second = 0;    // for kAdd and kConcat
  std::size_t channels = 0;  // of the output, if the kind does not determine it
  std::size_t kernel = 1;    // along each axis
  std::size_t stride = 1;
  std::size_t padding = 0;  // on each side
  bool bias = true;
  bool relu = false;  // apply max(x, 0) to the output
};

enum class Loss : std::uint8_t {
  kCrossEntropy,  // between softmax(output) and the label, mean over samples
  kL1,            // |output - target|, mean over all values
};

enum class OptimizerKind : std::uint8_t { kSgd, kAdam };

struct Network {
  std::string_view name;
  std::string_view summary;
  std::size_t axes;        // spatial: 2 for images, 3 for volumes
  std::size_t least_edge;  // values along each axis
  std::size_t edge_step;   // the edge must be a multiple of this
  Loss loss;
  OptimizerKind optimizer;  // trains it well, with this rate
  double learning_rate;
  std::size_t rate_batch;                             // samples per batch for which the rate holds
  std::vector<Layer> (*layers)(std::size_t outputs);  // outputs: channels of the target, or classes
};

std::span<const Network> networks();

// The network that suits samples of this kind.
const Network& suitable_network(const SampleFormat& sample);

// Throws usage Error saying what the network needs and what the samples are.
void check_fits(const Network& network, const SampleFormat& sample);

// Shape of each tensor for one sample, [channels, height, width] or [channels, depth, height, width]; a dense layer's
// is [channels] followed by ones.
std::vector<std::vector<std::size_t>> tensor_shapes(std::span<const Layer> layers,
                                                    const std::vector<std::size_t>& input);

std::size_t outputs_of(const Network& network, const SampleFormat& sample, std::size_t classes);

// The number of multiplications plus additions of convolutions and dense layers in a step of one sample. The backward
// pass takes twice as many as the forward pass, minus those for the gradient of the network's input.
double step_operations(std::span<const Layer> layers, const std::vector<std::vector<std::size_t>>& shapes);

}  // namespace loadline
