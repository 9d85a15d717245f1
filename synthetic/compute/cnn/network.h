// Small convolutional networks as plain data: what is computed, not how.
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
  kTransposed,     // convolution that enlarges, with bias
  kNormalisation,  // over the batch, each channel with a scale and a shift of its own
  kMaxPool,
  kGlobalAverage,  // one value a channel
  kShortcut,       // every stride-th value, and channels of zeros behind those there are (He et al. 2016, option A)
  kAdd,            // of input and second
  kConcat,         // the channels of second behind those of input
  kDense,          // every output sees every input, with bias
};

// Tensors are counted from the network's input, which is 0; layer i makes tensor i + 1.
struct Layer {
  LayerKind kind;
  std::size_t input;
  std::size_t second = 0;    // of kAdd and kConcat
  std::size_t channels = 0;  // of the output, where the kind does not say
  std::size_t kernel = 1;    // along each axis
  std::size_t stride = 1;
  std::size_t padding = 0;  // on each side
  bool bias = true;
  bool relu = false;  // max(x, 0) of what the layer gives
};

enum class Loss : std::uint8_t {
  kCrossEntropy,  // of softmax(output) and the label, mean over samples
  kL1,            // |output - target|, mean over all values
};

enum class OptimizerKind : std::uint8_t { kSgd, kAdam };

struct Network {
  std::string_view name;
  std::string_view summary;
  std::size_t axes;        // in space: 2 for images, 3 for volumes
  std::size_t least_edge;  // values along each of them
  std::size_t edge_step;   // that their number must be a multiple of
  Loss loss;
  OptimizerKind optimizer;  // that trains it well, with this rate
  double learning_rate;
  std::size_t rate_batch;                             // samples: the rate is for batches of this many
  std::vector<Layer> (*layers)(std::size_t outputs);  // channels of the target, or classes
};

std::span<const Network> networks();

// The network that suits samples of this kind.
const Network& suitable_network(const SampleFormat& sample);

// Throws usage Error saying what the network wants and what the samples are.
void check_fits(const Network& network, const SampleFormat& sample);

// Shape of each tensor for one sample, [channels, height, width] or [channels, depth, height, width]; a dense layer's
// is [channels] followed by ones.
std::vector<std::vector<std::size_t>> tensor_shapes(std::span<const Layer> layers,
                                                    const std::vector<std::size_t>& input);

std::size_t outputs_of(const Network& network, const SampleFormat& sample, std::size_t classes);

// Multiplications and additions, counted apart, of convolutions and dense layers in a step of one sample. The backward
// pass takes two times as many as the forward pass, less those that would give the gradient of the network's input.
double step_operations(std::span<const Layer> layers, const std::vector<std::vector<std::size_t>>& shapes);

}  // namespace loadline
