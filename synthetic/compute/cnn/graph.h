// A network's forward and backward pass on the CPU, by oneDNN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "loaders/tensor.h"
#include "synthetic/compute/cnn/network.h"
#include "synthetic/compute/compute.h"

namespace loadline {

struct GraphOptions {
  std::size_t batch_size = 1;
  Precision precision = Precision::kF32;  // of values between layers; weights and their gradients are f32
  bool fusion = true;                     // bias, max(x, 0) and sums within the operation before them
  std::uint64_t seed = 1;
};

// What a graph is made of, for the curious.
struct GraphFacts {
  std::size_t weights = 0;
  std::size_t reorders = 0;  // a step: changes of memory format or type, where two operations want other ones
  std::size_t memory_bytes = 0;
};

// Everything is allocated, and every kernel generated, by the constructor. Weights are drawn by He's rule ("Delving
// deep into rectifiers", ICCV 2015). Threads: those of OpenMP, as many as were set when it was made; one caller at a
// time.
class Graph {
 public:
  // `input` is the format of the samples, as stored in a batch; u8 values count as value / 255. Throws Error where
  // oneDNN has no such operation on this CPU.
  Graph(std::span<const Layer> layers, const SampleFormat& input, const GraphOptions& options);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  // A full batch, borrowed until the next call; converted here if the first layer wants it otherwise.
  void set_input(const std::byte* batch);
  // Training normalises by the batch at hand and remembers what it was, otherwise by what is remembered.
  void forward(bool training);
  // Of the last forward(): [batch, channels, ...], f32.
  std::span<const float> outputs() const;
  // For backward(): d(loss)/d(outputs), as outputs().
  std::span<float> output_gradients();
  // Fills gradients().
  void backward();
  // The same; `after` is told after each operation how many have ended. gradient_operations() says how many it takes
  // until the gradient of each tensor is known.
  void backward(const std::function<void(std::size_t)>& after);
  std::span<const std::size_t> gradient_operations() const;

  // All tensors of weights, back to back in oneDNN's own formats, and how many values each takes, padding included.
  std::span<float> weights();
  std::span<const float> gradients() const;
  std::span<const std::size_t> tensor_values() const;

  // One tensor in the plain order of its axes. For looking at.
  std::vector<float> plain_weights(std::size_t tensor) const;
  void set_plain_weights(std::size_t tensor, std::span<const float> values);
  std::vector<float> plain_gradient(std::size_t tensor) const;

  const GraphFacts& facts() const;

 private:
  class Builder;
  std::unique_ptr<Builder> built_;
};

// Whether oneDNN has kernels for this precision on this CPU, and whether these are of the CPU itself.
enum class PrecisionSupport : std::uint8_t { kNone, kEmulated, kNative };
PrecisionSupport support_of(Precision precision);

}  // namespace loadline
