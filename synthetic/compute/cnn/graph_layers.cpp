#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "synthetic/compute/cnn/graph_builder.h"

namespace loadline {
namespace {

using namespace onednn;

constexpr float kEpsilon = 1e-5F;      // of a normalisation, added to the variance
constexpr float kRunningShare = 0.1F;  // share of the current batch in a normalisation's running statistics

void remember(std::span<const float> batch, std::span<float> running) {
  for (std::size_t c = 0; c < batch.size(); ++c) running[c] += kRunningShare * (batch[c] - running[c]);
}

// Every stride-th value along each spatial axis, as a view of the same memory.
memory::desc thinned(memory::desc format, const Dims& dims, std::size_t stride) {
  for (std::size_t k = 2; k < dims.size(); ++k) {
    format.data.dims[k] = format.data.padded_dims[k] = dims[k];
    format.data.format_desc.blocking.strides[k] *= static_cast<memory::dim>(stride);
  }
  return format;
}

}  // namespace

void Graph::Builder::add_layer(std::size_t i) {
  const Layer& layer = layers_[i];
  switch (layer.kind) {
    case LayerKind::kConvolution: return add_weighted<Convolution>(i, dims_of(i + 1));
    case LayerKind::kTransposed: return add_weighted<Transposed>(i, dims_of(i + 1));
    case LayerKind::kDense:
      return add_weighted<Dense>(
          i, {static_cast<memory::dim>(options_.batch_size), static_cast<memory::dim>(layer.channels)});
    case LayerKind::kNormalisation: return add_normalisation(i);
    case LayerKind::kMaxPool: return add_pool(i, algorithm::pooling_max, layer.kernel, layer.stride);
    case LayerKind::kGlobalAverage: return add_pool(i, algorithm::pooling_avg_exclude_padding, 0, 1);
    case LayerKind::kShortcut: return add_shortcut(i);
    case LayerKind::kAdd: return add_sum(i);
    case LayerKind::kConcat: return add_concat(i);
  }
}

template <typename Kind>
void Graph::Builder::add_weighted(std::size_t i, const Dims& dst_dims) {
  const Layer& layer = layers_[i];
  const Dims src_dims = values_[layer.input].data.get_desc().dims();
  const bool dense = layer.kind == LayerKind::kDense;
  const std::size_t axes = src_dims.size() - 2;

  Dims weight_dims{static_cast<memory::dim>(layer.channels), src_dims[1]};
  for (std::size_t k = 0; k < axes; ++k) {
    weight_dims.push_back(dense ? src_dims[k + 2] : static_cast<memory::dim>(layer.kernel));
  }
  const FilterWindow window{Dims(axes, static_cast<memory::dim>(layer.stride)),
                            Dims(axes, static_cast<memory::dim>(layer.padding))};
  const memory::desc bias_format = layer.bias ? plain_of({static_cast<memory::dim>(layer.channels)}) : memory::desc();
  const bool bias_within = options_.fusion && Kind::kFuses;
  const auto forward =
      Kind::forward(any_of(src_dims, type_), any_of(weight_dims, type_), bias_within ? bias_format : memory::desc(),
                    any_of(dst_dims, type_), window, attributes_with_relu(bias_within && relu_behind_[i]), engine_);
  const double inputs = static_cast<double>(
      std::accumulate(weight_dims.begin() + 1, weight_dims.end(), memory::dim{1}, std::multiplies<>()));
  const std::size_t weight = add_parameter(forward.weights_desc(), std::sqrt((layer.relu ? 2.0 : 1.0) / inputs), 0);
  const std::size_t bias = layer.bias ? add_parameter(bias_format, 0, 0) : 0;

  const memory src = source_in(layer.input, forward.src_desc());
  const memory dst = allocated(forward.dst_desc());
  Args args{{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weight_in(weight, forward.weights_desc())}, {DNNL_ARG_DST, dst}};
  if (layer.bias && bias_within) args[DNNL_ARG_BIAS] = this->weight(bias);
  both([&](Operations& operations) { add<typename Kind::Forward>(operations, forward, args); });
  if (layer.bias && !bias_within) add_bias(this->weight(bias), dst);
  if (relu_behind_[i] && !bias_within) add_relu(dst);
  values_[i + 1].data = dst;

  backward_of_[i] = [=, this] {
    const Layer& own = layers_[i];
    const memory& gradient = values_[i + 1].gradient;
    if (relu_behind_[i]) add_relu_backward(dst, gradient);
    const auto backward_weights =
        Kind::backward_weights(any_of(src_dims, type_), any_of(weight_dims, Type::f32), bias_format,
                               any_of(dst_dims, type_), window, attributes(), engine_, forward);
    const memory gradient_here = in_format(backward_, gradient, backward_weights.diff_dst_desc());
    const memory part = parameter_gradient(weight, backward_weights.diff_weights_desc());
    // If the input was converted for the forward pass, this is its format.
    const memory& stored = src.get_desc() == backward_weights.src_desc() ? src : values_[own.input].data;
    const memory source = own.input == 0 ? source_in(0, backward_weights.src_desc())
                                         : in_format(backward_, stored, backward_weights.src_desc());
    Args weight_args{{DNNL_ARG_SRC, source}, {DNNL_ARG_DIFF_DST, gradient_here}, {DNNL_ARG_DIFF_WEIGHTS, part}};
    if (own.bias) weight_args[DNNL_ARG_DIFF_BIAS] = this->gradient(bias);
    add<typename Kind::BackwardWeights>(backward_, backward_weights, weight_args);
    finish_parameter_gradient(weight, part);
    if (own.input == 0) return;

    const auto backward_data = Kind::backward_data(any_of(src_dims, type_), any_of(weight_dims, type_),
                                                   any_of(dst_dims, type_), window, attributes(), engine_, forward);
    const memory again = gradient_here.get_desc() == backward_data.diff_dst_desc()
                             ? gradient_here
                             : in_format(backward_, gradient, backward_data.diff_dst_desc());
    const memory target = gradient_target(own.input, backward_data.diff_src_desc());
    add<typename Kind::BackwardData>(backward_, backward_data,
                                     {{DNNL_ARG_DIFF_DST, again},
                                      {DNNL_ARG_WEIGHTS, weight_in(weight, backward_data.weights_desc())},
                                      {DNNL_ARG_DIFF_SRC, target}});
    finish_gradient(own.input, target);
  };
}

void Graph::Builder::add_bias(const memory& bias, const memory& values) {
  both([&](Operations& operations) { operations.push_back({{}, {}, [=] { onednn::add_bias(values, bias); }}); });
}

void Graph::Builder::add_normalisation(std::size_t i) {
  using Flags = dnnl::normalization_flags;
  const Layer& layer = layers_[i];
  const memory src = values_[layer.input].data;
  const bool fused_relu = options_.fusion && layer.relu;
  const Flags flags = Flags::use_scale | Flags::use_shift | (fused_relu ? Flags::fuse_norm_relu : Flags::none);
  const dnnl::batch_normalization_forward::primitive_desc forward(
      {prop_kind::forward_training, src.get_desc(), kEpsilon, flags}, attributes(), engine_);
  const dnnl::batch_normalization_forward::primitive_desc evaluate(
      {prop_kind::forward_inference, src.get_desc(), kEpsilon, flags | Flags::use_global_stats}, attributes(), engine_);
  const memory::desc channel_format = plain_of({src.get_desc().dims()[1]});
  const std::size_t scale = add_parameter(channel_format, 0, 1);
  const std::size_t shift = add_parameter(channel_format, 0, 0);
  const memory dst = allocated(forward.dst_desc());
  const memory mean = allocated(forward.mean_desc());
  const memory variance = allocated(forward.variance_desc());
  const memory running_mean = allocated(forward.mean_desc());
  const memory running_variance = allocated(forward.variance_desc());
  std::ranges::fill(plain(running_variance), 1.0F);

  Args args{{DNNL_ARG_SRC, src},
            {DNNL_ARG_DST, dst},
            {DNNL_ARG_MEAN, mean},
            {DNNL_ARG_VARIANCE, variance},
            {DNNL_ARG_SCALE, this->weight(scale)},
            {DNNL_ARG_SHIFT, this->weight(shift)}};
  Args evaluate_args = args;
  evaluate_args[DNNL_ARG_MEAN] = running_mean;
  evaluate_args[DNNL_ARG_VARIANCE] = running_variance;
  const memory workspace = allocated(forward.workspace_desc());
  if (fused_relu) args[DNNL_ARG_WORKSPACE] = workspace;
  add<dnnl::batch_normalization_forward>(forward_, forward, args);
  add<dnnl::batch_normalization_forward>(evaluate_, evaluate, evaluate_args);
  forward_.push_back({{}, {}, [=, this] {
                        remember(plain(mean), plain(running_mean));
                        remember(plain(variance), plain(running_variance));
                      }});
  if (layer.relu && !options_.fusion) add_relu(dst);
  values_[i + 1].data = dst;

  backward_of_[i] = [=, this] {
    const Layer& own = layers_[i];
    const memory& gradient = values_[i + 1].gradient;
    if (own.relu && !options_.fusion) add_relu_backward(dst, gradient);
    const dnnl::batch_normalization_backward::primitive_desc backward(
        {prop_kind::backward, src.get_desc(), src.get_desc(), kEpsilon, flags}, attributes(), engine_, forward);
    const memory target = gradient_target(own.input, src.get_desc());
    Args backward_args{{DNNL_ARG_SRC, src},
                       {DNNL_ARG_MEAN, mean},
                       {DNNL_ARG_VARIANCE, variance},
                       {DNNL_ARG_SCALE, this->weight(scale)},
                       {DNNL_ARG_SHIFT, this->weight(shift)},
                       {DNNL_ARG_DIFF_DST, gradient},
                       {DNNL_ARG_DIFF_SRC, target},
                       {DNNL_ARG_DIFF_SCALE, this->gradient(scale)},
                       {DNNL_ARG_DIFF_SHIFT, this->gradient(shift)}};
    if (fused_relu) backward_args[DNNL_ARG_WORKSPACE] = workspace;
    add<dnnl::batch_normalization_backward>(backward_, backward, backward_args);
    finish_gradient(own.input, target);
  };
}

void Graph::Builder::add_pool(std::size_t i, algorithm kind, std::size_t kernel, std::size_t stride) {
  const Layer& layer = layers_[i];
  const memory src = values_[layer.input].data;
  const Dims src_dims = src.get_desc().dims();
  Dims window(src_dims.begin() + 2, src_dims.end());
  if (kernel > 0) std::ranges::fill(window, static_cast<memory::dim>(kernel));
  const Dims strides(window.size(), static_cast<memory::dim>(stride));
  const Dims padding(window.size(), 0);
  const memory::desc dst_format = any_of(dims_of(i + 1), type_);
  const dnnl::pooling_forward::primitive_desc forward(
      {prop_kind::forward_training, kind, src.get_desc(), dst_format, strides, window, padding, padding}, attributes(),
      engine_);
  const memory dst = allocated(forward.dst_desc());
  const memory workspace = allocated(forward.workspace_desc());
  const bool maxima = kind == algorithm::pooling_max;
  Args args{{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
  if (maxima) args[DNNL_ARG_WORKSPACE] = workspace;
  both([&](Operations& operations) { add<dnnl::pooling_forward>(operations, forward, args); });
  if (relu_behind_[i]) add_relu(dst);
  values_[i + 1].data = dst;

  backward_of_[i] = [=, this] {
    const std::size_t input = layers_[i].input;
    if (relu_behind_[i]) add_relu_backward(dst, values_[i + 1].gradient);
    const dnnl::pooling_backward::primitive_desc backward(
        {kind, src.get_desc(), dst.get_desc(), strides, window, padding, padding}, attributes(), engine_, forward);
    const memory target = gradient_target(input, src.get_desc());
    Args backward_args{{DNNL_ARG_DIFF_DST, values_[i + 1].gradient}, {DNNL_ARG_DIFF_SRC, target}};
    if (maxima) backward_args[DNNL_ARG_WORKSPACE] = workspace;
    add<dnnl::pooling_backward>(backward_, backward, backward_args);
    finish_gradient(input, target);
  };
}

void Graph::Builder::add_shortcut(std::size_t i) {
  const Layer& layer = layers_[i];
  const memory src = values_[layer.input].data;
  Dims thin_dims = dims_of(i + 1);
  thin_dims[1] = src.get_desc().dims()[1];
  const memory::desc thin_format = thinned(src.get_desc(), thin_dims, layer.stride);
  const memory dst = allocated(wider(src.get_desc(), dims_of(i + 1)));  // zeroed, so the added channels stay 0
  const memory::desc old_channels = dst.get_desc().submemory_desc(thin_dims, Dims(thin_dims.size(), 0));
  const memory from(thin_format, engine_, src.get_data_handle());
  const memory to(old_channels, engine_, dst.get_data_handle());
  both([&](Operations& operations) { add_reorder(operations, from, to); });
  --facts_.reorders;
  values_[i + 1].data = dst;

  backward_of_[i] = [=, this] {
    Value& input = values_[layers_[i].input];
    const memory part(old_channels, engine_, values_[i + 1].gradient.get_data_handle());
    if (!input.gradient) {
      input.gradient = allocated(src.get_desc());
      backward_.push_back({{}, {}, [gradient = input.gradient] {
                             std::memset(gradient.get_data_handle(), 0, gradient.get_desc().get_size());
                           }});
    }
    const memory target(thin_format, engine_, input.gradient.get_data_handle());
    primitive_attr attr;
    dnnl::post_ops after;
    after.append_sum(1);
    attr.set_post_ops(after);
    add_reorder(backward_, part, target, attr);
  };
}

onednn::memory::desc Graph::Builder::wider(const memory::desc& format, const Dims& dims) const {
  for (const auto tag : {memory::format_tag::nChw16c, memory::format_tag::nChw8c, memory::format_tag::nhwc}) {
    if (dims.size() == 4 && format == memory::desc(format.dims(), type_, tag)) return {dims, type_, tag};
  }
  return plain_of(dims, type_);
}

void Graph::Builder::add_sum(std::size_t i) {
  const Layer& layer = layers_[i];
  const memory a = values_[layer.input].data;
  memory b = values_[layer.second].data;
  if (!(b.get_desc() == a.get_desc())) b = source_in(layer.second, a.get_desc());
  // In place of the previous result if nobody else needs it: neither a normalisation nor a layer without max(x, 0)
  // reads its own result again.
  const bool in_place = layer.input == i && i > 0 && !layers_[i - 1].relu && uses_of(i) == 1;
  const memory dst = in_place ? a : allocated(a.get_desc());
  both([&](Operations& operations) { add_binary(operations, a, b, dst, options_.fusion && layer.relu); });
  if (layer.relu && !options_.fusion) add_relu(dst);
  values_[i + 1].data = dst;

  backward_of_[i] = [=, this] {
    const Layer& own = layers_[i];
    const memory gradient = values_[i + 1].gradient;
    if (own.relu) add_relu_backward(dst, gradient);
    share_gradient(own.input, gradient, true);
    // The other may get more parts, from layers in between, in the same memory. By then the layer just before this
    // one has read its gradient.
    share_gradient(own.second, gradient, own.input == i);
  };
}

void Graph::Builder::add_concat(std::size_t i) {
  const Layer& layer = layers_[i];
  const std::vector<memory> parts{values_[layer.input].data, values_[layer.second].data};
  const dnnl::concat::primitive_desc forward(1, {parts[0].get_desc(), parts[1].get_desc()}, engine_, attributes());
  const memory dst = allocated(forward.dst_desc());
  both([&](Operations& operations) {
    add<dnnl::concat>(operations, forward,
                      {{DNNL_ARG_MULTIPLE_SRC, parts[0]}, {DNNL_ARG_MULTIPLE_SRC + 1, parts[1]}, {DNNL_ARG_DST, dst}});
  });
  values_[i + 1].data = dst;

  backward_of_[i] = [=, this] {
    const memory& gradient = values_[i + 1].gradient;
    Dims offset(gradient.get_desc().dims().size(), 0);
    for (const std::size_t tensor : {layers_[i].input, layers_[i].second}) {
      const Dims dims = values_[tensor].data.get_desc().dims();
      const memory part(gradient.get_desc().submemory_desc(dims, offset), engine_, gradient.get_data_handle());
      offset[1] += dims[1];
      const memory target = gradient_target(tensor, values_[tensor].data.get_desc());
      add_reorder(backward_, part, target);
      finish_gradient(tensor, target);
    }
  };
}

}  // namespace loadline
