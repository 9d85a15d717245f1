#include "synthetic/compute/cnn/graph_builder.h"

#include <algorithm>
#include <utility>

namespace loadline {
namespace {

using namespace onednn;

}  // namespace

Graph::Builder::Builder(std::span<const Layer> layers, const SampleFormat& input, const GraphOptions& options)
    : Lowering(options.seed),
      layers_(layers.begin(), layers.end()),
      shapes_(tensor_shapes(layers, input.input)),
      options_(options),
      type_(options.precision == Precision::kBF16 ? Type::bf16 : Type::f32),
      values_(layers.size() + 1),
      backward_of_(layers.size()) {
  place_relus();
  add_input(input);
  std::vector<std::size_t> first_tensors;  // of each layer
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    first_tensors.push_back(parameters());
    add_layer(i);
  }
  add_output();
  gradient_operations_.resize(parameters());
  std::size_t known = parameters();
  for (std::size_t i = layers_.size(); i-- > 0;) {
    if (backward_of_[i]) backward_of_[i]();
    while (known > first_tensors[i]) gradient_operations_[--known] = backward_.size();
  }
  backward_of_.clear();
  finish();
}

void Graph::Builder::set_input(const std::byte* batch) {
  // oneDNN does not write to what an operation only reads.
  input_.set_data_handle(const_cast<std::byte*>(batch));
  run(copy_);
}

void Graph::Builder::forward(bool training) {
  run(convert_);
  run(training ? forward_ : evaluate_);
}

onednn::Dims Graph::Builder::dims_of(std::size_t tensor) const {
  Dims dims{static_cast<memory::dim>(options_.batch_size)};
  for (const std::size_t extent : shapes_[tensor]) dims.push_back(static_cast<memory::dim>(extent));
  return dims;
}

std::size_t Graph::Builder::uses_of(std::size_t tensor) const {
  return static_cast<std::size_t>(std::ranges::count_if(layers_, [&](const Layer& layer) {
    const bool two = layer.kind == LayerKind::kAdd || layer.kind == LayerKind::kConcat;
    return layer.input == tensor || (two && layer.second == tensor);
  }));
}

void Graph::Builder::add_relu(const memory& values) {
  const dnnl::eltwise_forward::primitive_desc description(
      {prop_kind::forward_training, algorithm::eltwise_relu, values.get_desc(), 0, 0}, attributes(), engine_);
  both([&](Operations& operations) {
    add<dnnl::eltwise_forward>(operations, description, {{DNNL_ARG_SRC, values}, {DNNL_ARG_DST, values}});
  });
}
void Graph::Builder::add_relu_backward(const memory& values, const memory& gradient) {
  const dnnl::eltwise_forward::primitive_desc hint(
      {prop_kind::forward_training, algorithm::eltwise_relu_use_dst_for_bwd, values.get_desc(), 0, 0}, engine_);
  const dnnl::eltwise_backward::primitive_desc description(
      {algorithm::eltwise_relu_use_dst_for_bwd, gradient.get_desc(), values.get_desc(), 0, 0}, attributes(), engine_,
      hint);
  add<dnnl::eltwise_backward>(backward_, description,
                              {{DNNL_ARG_DST, values}, {DNNL_ARG_DIFF_DST, gradient}, {DNNL_ARG_DIFF_SRC, gradient}});
}

onednn::memory Graph::Builder::gradient_target(std::size_t tensor, const memory::desc& format) {
  Value& value = values_[tensor];
  if (!value.gradient && format == value.data.get_desc()) return value.gradient = allocated(format);
  return allocated(format);
}
void Graph::Builder::finish_gradient(std::size_t tensor, const memory& part) {
  Value& value = values_[tensor];
  if (value.gradient && value.gradient.get() == part.get()) return;
  if (!value.gradient) {
    value.gradient = in_format(backward_, part, value.data.get_desc());
    return;
  }
  const memory same = in_format(backward_, part, value.gradient.get_desc());
  add_binary(backward_, value.gradient, same, value.gradient, false);
}

void Graph::Builder::share_gradient(std::size_t tensor, const memory& gradient, bool may_alias) {
  Value& value = values_[tensor];
  if (may_alias && !value.gradient && value.data.get_desc() == gradient.get_desc()) {
    value.gradient = gradient;
    return;
  }
  if (!value.gradient) {
    value.gradient = allocated(value.data.get_desc());
    add_reorder(backward_, gradient, value.gradient);
  } else {
    finish_gradient(tensor, gradient);
  }
}

void Graph::Builder::place_relus() {
  for (const Layer& layer : layers_) relu_behind_.push_back(layer.relu ? 1 : 0);
  if (!options_.fusion) return;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    if (layer.kind != LayerKind::kMaxPool || layer.input == 0) continue;
    const std::size_t before = layer.input - 1;
    if (layers_[before].kind != LayerKind::kConvolution || uses_of(layer.input) > 1) continue;
    if (relu_behind_[before]) std::swap(relu_behind_[before], relu_behind_[i]);
  }
}

void Graph::Builder::add_input(const SampleFormat& input) {
  const Dims dims = dims_of(0);
  Dims strides(dims.size());
  // Channels come last in the strides of nhwc, first in those of nchw.
  std::vector<std::size_t> order;
  for (std::size_t i = 2; i < dims.size(); ++i) order.push_back(i);
  order.insert(input.layout == Layout::kNHWC ? order.end() : order.begin(), 1);
  order.insert(order.begin(), 0);
  memory::dim stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= dims[order[i]];
  }
  input_ = unplaced({dims, type_of(input.dtype), strides});
  values_[0].data = input_;
}

onednn::memory Graph::Builder::source_in(std::size_t tensor, const memory::desc& format) {
  const memory& values = values_[tensor].data;
  if (values.get_desc() == format) return values;
  if (tensor > 0) {
    memory other = allocated(format);
    both([&](Operations& operations) { add_reorder(operations, values, other); });
    --facts_.reorders;  // a step does one of the two
    return other;
  }
  for (const memory& known : inputs_) {
    if (known.get_desc() == format) return known;
  }
  inputs_.push_back(allocated(format));
  primitive_attr attr;
  if (values.get_desc().data_type() == Type::u8) attr.set_output_scales(0, {1.0F / 255.0F});
  add_reorder(copy_, values, inputs_.back(), attr);
  return inputs_.back();
}

void Graph::Builder::add_output() {
  Value& last = values_.back();
  const memory::desc format = plain_of(last.data.get_desc().dims());
  outputs_ = last.data;
  if (!(last.data.get_desc() == format)) {
    outputs_ = allocated(format);
    both([&](Operations& operations) { add_reorder(operations, last.data, outputs_); });
    --facts_.reorders;
  }
  output_gradients_ = allocated(format);
  last.gradient = in_format(backward_, output_gradients_, last.data.get_desc());
}

}  // namespace loadline
