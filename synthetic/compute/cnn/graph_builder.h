// Lowers layer after layer to operations, forwards and then, in reverse, backwards. Private to the files of this folder
// that see oneDNN.
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

  // As those of Graph.
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

  // Values between layers, and the gradient of the loss by them.
  struct Value {
    Memory data;
    Memory gradient;  // empty until a layer behind it has given its part
  };

  Dims dims_of(std::size_t tensor) const;
  std::size_t uses_of(std::size_t tensor) const;

  // In place: what follows needs no more than the result.
  void add_relu(const Memory& values);
  void add_relu_backward(const Memory& values, const Memory& gradient);

  // Where a layer is to write its part of a value's gradient, in the format that suits it; finish_gradient() follows.
  Memory gradient_target(std::size_t tensor, const Memory::desc& format);
  void finish_gradient(std::size_t tensor, const Memory& part);
  void share_gradient(std::size_t tensor, const Memory& gradient, bool may_alias);

  // The maximum of max(x, 0) is max(maximum of x, 0): where nothing but a pool of maxima follows, it is taken behind
  // the pool, of a fraction of the values.
  void place_relus();
  void add_input(const SampleFormat& input);
  // The input as an operation wants it: converted when it comes in, and u8 brought into [0, 1].
  Memory source_in(std::size_t tensor, const Memory::desc& format);
  // What the loss looks at, and where it writes.
  void add_output();

  // Of each kind of layer (graph_layers.cpp): the operations of layer i forwards, and in backward_of_ what adds those
  // backwards.
  void add_layer(std::size_t i);
  template <typename Kind>
  void add_weighted(std::size_t i, const Dims& dst_dims);
  // In a pass of its own. oneDNN's own sum of a value a channel takes its reference code where channels are padded,
  // some fifty times slower: what fusion gains should be held against something better.
  void add_bias(const Memory& bias, const Memory& values);
  void add_normalisation(std::size_t i);
  // Kernel 0: all there is.
  void add_pool(std::size_t i, onednn::algorithm kind, std::size_t kernel, std::size_t stride);
  void add_shortcut(std::size_t i);
  void add_sum(std::size_t i);
  void add_concat(std::size_t i);
  // A format for these dims that is blocked as `format` is.
  Memory::desc wider(const Memory::desc& format, const Dims& dims) const;

  std::vector<Layer> layers_;
  std::vector<std::vector<std::size_t>> shapes_;
  GraphOptions options_;
  Type type_;
  std::vector<char> relu_behind_;  // of each layer
  Memory input_;
  std::vector<Memory> inputs_;  // converted
  std::vector<Value> values_;
  Memory outputs_;
  Memory output_gradients_;
  std::vector<std::function<void()>> backward_of_;  // adds a layer's operations to backward_
  std::vector<std::size_t> gradient_operations_;    // of each tensor of weights
};

}  // namespace loadline
