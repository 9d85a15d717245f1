// Lowers each layer to operations: the forward pass in order, then the backward pass in reverse. Private to the files
// of this folder that see oneDNN.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "synthetic/compute/cnn/graph.h"
#include "synthetic/compute/cnn/lowering.h"

namespace loadline {

class Graph::Builder final : public onednn::Lowering {
 public:
  Builder(std::span<const Layer> layers, const SampleFormat& input, const GraphOptions& options);

  // As in Graph.
  void set_input(const std::byte* batch);
  void forward(bool training);
  void backward() { run(backward_); }
  void backward(const std::function<void(std::size_t)>& after) { run(backward_, after); }

  const onednn::memory& outputs() const { return outputs_; }
  const onednn::memory& output_gradients() const { return output_gradients_; }
  std::span<const std::size_t> gradient_operations() const { return gradient_operations_; }

 private:
  using Memory = onednn::memory;
  using Dims = onednn::Dims;
  using Type = onednn::Type;

  // Values between layers, and the gradient of the loss with respect to them.
  struct Value {
    Memory data;
    Memory gradient;  // empty until a later layer has added its part
  };

  Dims dims_of(std::size_t tensor) const;
  std::size_t uses_of(std::size_t tensor) const;

  // In place: later operations need only the result.
  void add_relu(const Memory& values);
  void add_relu_backward(const Memory& values, const Memory& gradient);

  // Where a layer must write its part of a value's gradient, in the format that suits it; finish_gradient() follows.
  Memory gradient_target(std::size_t tensor, const Memory::desc& format);
  void finish_gradient(std::size_t tensor, const Memory& part);
  void share_gradient(std::size_t tensor, const Memory& gradient, bool may_alias);

  // The maximum of max(x, 0) is max(maximum of x, 0): if only a max pool follows, the ReLU is applied after the pool,
  // to a fraction of the values.
  void place_relus();
  void add_input(const SampleFormat& input);
  // The input in the format that an operation needs: converted on arrival, with u8 scaled to [0, 1].
  Memory source_in(std::size_t tensor, const Memory::desc& format);
  // What the loss reads, and where it writes.
  void add_output();

  // One function per kind of layer (graph_layers.cpp): adds the forward operations of layer i, and to backward_of_ a
  // function that adds its backward ones.
  void add_layer(std::size_t i);
  template <typename Kind>
  void add_weighted(std::size_t i, const Dims& dst_dims);
  // In a separate pass. oneDNN's own sum of one value per channel uses its reference code if channels are padded,
  // some fifty times slower: the gain of fusion should be compared with something better.
  void add_bias(const Memory& bias, const Memory& values);
  void add_normalisation(std::size_t i);
  // Kernel 0: the whole extent.
  void add_pool(std::size_t i, onednn::algorithm kind, std::size_t kernel, std::size_t stride);
  void add_shortcut(std::size_t i);
  void add_sum(std::size_t i);
  void add_concat(std::size_t i);
  // A format for these dims with the blocking of `format`.
  Memory::desc wider(const Memory::desc& format, const Dims& dims) const;

  std::vector<Layer> layers_;
  std::vector<std::vector<std::size_t>> shapes_;
  GraphOptions options_;
  Type type_;
  std::vector<char> relu_behind_;  // per layer
  Memory input_;
  std::vector<Memory> inputs_;  // converted
  std::vector<Value> values_;
  Memory outputs_;
  Memory output_gradients_;
  std::vector<std::function<void()>> backward_of_;  // adds a layer's operations to backward_
  std::vector<std::size_t> gradient_operations_;    // per weight tensor
};

}  // namespace loadline
