// Runs a network's forward and backward pass on the CPU, by oneDNN.
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
  bool fusion = true;                     // do bias, max(x, 0) and sums within the operation before them
  std::uint64_t seed = 1;
};

// Facts about a graph, for information.
struct GraphFacts {
  std::size_t weights = 0;
  std::size_t reorders = 0;  // per step: conversions of memory format or type between operations
  std::size_t memory_bytes = 0;
};

// Everything is allocated, and every kernel generated, by the constructor. Weights are drawn by He's rule ("Delving
// deep into rectifiers", ICCV 2015). Threads: those of OpenMP, as many as were set at construction; one caller at a
// time.
class Graph {
 public:
  // `input` is the format of the samples, as stored in a batch; u8 values count as value / 255. Throws Error if
  // oneDNN lacks an operation on this CPU.
  Graph(std::span<const Layer> layers, const SampleFormat& input, const GraphOptions& options);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  // A full batch, borrowed until the next call; converted here if the first layer needs another format.
  void set_input(const std::byte* batch);
  // Training normalises by the current batch and updates the running statistics; otherwise those are used.
  void forward(bool training);
  // The outputs of the last forward(): [batch, channels, ...], f32.
  std::span<const float> outputs() const;
  // For backward(): d(loss)/d(outputs), in the layout of outputs().
  std::span<float> output_gradients();
  // Fills gradients().
  void backward();
  // The same; calls `after` after each operation with the number of finished ones. gradient_operations() tells after
  // how many the gradient of each tensor is known.
  void backward(const std::function<void(std::size_t)>& after);
  std::span<const std::size_t> gradient_operations() const;

  // All weight tensors, back to back in oneDNN's own formats, and how many values each takes, including padding.
  std::span<float> weights();
  std::span<const float> gradients() const;
  std::span<const std::size_t> tensor_values() const;

  // One tensor in the plain order of its axes, for inspection.
  std::vector<float> plain_weights(std::size_t tensor) const;
  void set_plain_weights(std::size_t tensor, std::span<const float> values);
  std::vector<float> plain_gradient(std::size_t tensor) const;

  const GraphFacts& facts() const;

 private:
  class Builder;
  std::unique_ptr<Builder> built_;
};

// Whether oneDNN supports this precision on this CPU, and whether natively.
enum class PrecisionSupport : std::uint8_t { kNone, kEmulated, kNative };
PrecisionSupport support_of(Precision precision);

}  // namespace loadline
