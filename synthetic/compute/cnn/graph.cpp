#include "synthetic/compute/cnn/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "loaders/error.h"
#include "synthetic/compute/cnn/lowering.h"

namespace loadline {
namespace {

using namespace onednn;

constexpr float kEpsilon = 1e-5F;      // of a normalisation, added to the variance
constexpr float kRunningShare = 0.1F;  // of the batch at hand in what a normalisation remembers
// Values between layers, and the gradient of the loss by them.
struct Value {
  memory data;
  memory gradient;  // empty until a layer behind it has given its part
};
}  // namespace

// Lowers layer after layer to operations, forwards and then, in reverse, backwards.
class Graph::Builder final : public Lowering {
 public:
  Builder(std::span<const Layer> layers, const SampleFormat& input, const GraphOptions& options)
      : Lowering(options.seed),
        layers_(layers.begin(), layers.end()),
        shapes_(tensor_shapes(layers, input.input)),
        options_(options),
        type_(options.precision == Precision::kBF16 ? Type::bf16 : Type::f32),
        values_(layers.size() + 1),
        backward_of_(layers.size()) {
    place_relus();
    add_input(input);
    std::vector<std::size_t> first_tensors;  // of layers
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

  void set_input(const std::byte* batch) {
    // oneDNN does not write to what an operation only reads.
    input_.set_data_handle(const_cast<std::byte*>(batch));
    run(copy_);
  }
  void forward(bool training) {
    run(convert_);
    run(training ? forward_ : evaluate_);
  }
  void backward() { run(backward_); }
  void backward(const std::function<void(std::size_t)>& after) { run(backward_, after); }

  const memory& outputs() const { return outputs_; }
  const memory& output_gradients() const { return output_gradients_; }
  std::span<const std::size_t> gradient_operations() const { return gradient_operations_; }

 private:
  Dims dims_of(std::size_t tensor) const {
    Dims dims{static_cast<memory::dim>(options_.batch_size)};
    for (const std::size_t extent : shapes_[tensor]) dims.push_back(static_cast<memory::dim>(extent));
    return dims;
  }

  // In place: what follows needs no more than the result.
  void add_relu(const memory& values) {
    const dnnl::eltwise_forward::primitive_desc description(
        {prop_kind::forward_training, algorithm::eltwise_relu, values.get_desc(), 0, 0}, attributes(), engine_);
    both([&](Operations& operations) {
      add<dnnl::eltwise_forward>(operations, description, {{DNNL_ARG_SRC, values}, {DNNL_ARG_DST, values}});
    });
  }
  void add_relu_backward(const memory& values, const memory& gradient) {
    const dnnl::eltwise_forward::primitive_desc hint(
        {prop_kind::forward_training, algorithm::eltwise_relu_use_dst_for_bwd, values.get_desc(), 0, 0}, engine_);
    const dnnl::eltwise_backward::primitive_desc description(
        {algorithm::eltwise_relu_use_dst_for_bwd, gradient.get_desc(), values.get_desc(), 0, 0}, attributes(), engine_,
        hint);
    add<dnnl::eltwise_backward>(backward_, description,
                                {{DNNL_ARG_DST, values}, {DNNL_ARG_DIFF_DST, gradient}, {DNNL_ARG_DIFF_SRC, gradient}});
  }

  // Where a layer is to write its part of a value's gradient, in the format that suits it; finish_gradient() follows.
  memory gradient_target(std::size_t tensor, const memory::desc& format) {
    Value& value = values_[tensor];
    if (!value.gradient && format == value.data.get_desc()) return value.gradient = allocated(format);
    return allocated(format);
  }
  void finish_gradient(std::size_t tensor, const memory& part) {
    Value& value = values_[tensor];
    if (value.gradient && value.gradient.get() == part.get()) return;
    if (!value.gradient) {
      value.gradient = in_format(backward_, part, value.data.get_desc());
      return;
    }
    const memory same = in_format(backward_, part, value.gradient.get_desc());
    add_binary(backward_, value.gradient, same, value.gradient, false);
  }

  // ---- layers

  // The maximum of max(x, 0) is max(maximum of x, 0): where nothing but a pool of maxima follows, it is taken behind
  // the pool, of a fraction of the values.
  void place_relus() {
    for (const Layer& layer : layers_) relu_behind_.push_back(layer.relu);
    if (!options_.fusion) return;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Layer& layer = layers_[i];
      if (layer.kind != LayerKind::kMaxPool || layer.input == 0) continue;
      const std::size_t before = layer.input - 1;
      if (layers_[before].kind != LayerKind::kConvolution || uses_of(layer.input) > 1) continue;
      if (relu_behind_[before]) std::swap(relu_behind_[before], relu_behind_[i]);
    }
  }

  void add_input(const SampleFormat& input) {
    const Dims dims = dims_of(0);
    Dims strides(dims.size());
    // Channels stand last among the strides of nhwc, first among those of nchw.
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

  // The input as an operation wants it: converted when it comes in, and u8 brought into [0, 1].
  memory source_in(std::size_t tensor, const memory::desc& format) {
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

  void add_layer(std::size_t i) {
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
  void add_weighted(std::size_t i, const Dims& dst_dims) {
    const Layer& layer = layers_[i];
    const Dims src_dims = values_[layer.input].data.get_desc().dims();
    const bool dense = layer.kind == LayerKind::kDense;
    const std::size_t axes = src_dims.size() - 2;

    Dims weight_dims{static_cast<memory::dim>(layer.channels), src_dims[1]};
    for (std::size_t k = 0; k < axes; ++k) {
      weight_dims.push_back(dense ? src_dims[k + 2] : static_cast<memory::dim>(layer.kernel));
    }
    const Window window{Dims(axes, static_cast<memory::dim>(layer.stride)),
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
      // Where the input was converted for the forward pass, that is what it looks like.
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

  // In a pass of its own. oneDNN's own sum of a value a channel takes its reference code where channels are padded,
  // some fifty times slower: what fusion gains should be held against something better.
  void add_bias(const memory& bias, const memory& values) {
    both([&](Operations& operations) { operations.push_back({{}, {}, [=] { onednn::add_bias(values, bias); }}); });
  }

  void add_normalisation(std::size_t i) {
    using Flags = dnnl::normalization_flags;
    const Layer& layer = layers_[i];
    const memory src = values_[layer.input].data;
    const bool fused_relu = options_.fusion && layer.relu;
    const Flags flags = Flags::use_scale | Flags::use_shift | (fused_relu ? Flags::fuse_norm_relu : Flags::none);
    const dnnl::batch_normalization_forward::primitive_desc forward(
        {prop_kind::forward_training, src.get_desc(), kEpsilon, flags}, attributes(), engine_);
    const dnnl::batch_normalization_forward::primitive_desc evaluate(
        {prop_kind::forward_inference, src.get_desc(), kEpsilon, flags | Flags::use_global_stats}, attributes(),
        engine_);
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

  static void remember(std::span<const float> batch, std::span<float> running) {
    for (std::size_t c = 0; c < batch.size(); ++c) running[c] += kRunningShare * (batch[c] - running[c]);
  }

  // Kernel 0: all there is.
  void add_pool(std::size_t i, algorithm kind, std::size_t kernel, std::size_t stride) {
    const Layer& layer = layers_[i];
    const memory src = values_[layer.input].data;
    const Dims src_dims = src.get_desc().dims();
    Dims window(src_dims.begin() + 2, src_dims.end());
    if (kernel > 0) std::ranges::fill(window, static_cast<memory::dim>(kernel));
    const Dims strides(window.size(), static_cast<memory::dim>(stride));
    const Dims padding(window.size(), 0);
    const memory::desc dst_format = any_of(dims_of(i + 1), type_);
    const dnnl::pooling_forward::primitive_desc forward(
        {prop_kind::forward_training, kind, src.get_desc(), dst_format, strides, window, padding, padding},
        attributes(), engine_);
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

  // Every stride-th value along each axis in space, as a view of the same memory.
  static memory::desc thinned(memory::desc format, const Dims& dims, std::size_t stride) {
    for (std::size_t k = 2; k < dims.size(); ++k) {
      format.data.dims[k] = format.data.padded_dims[k] = dims[k];
      format.data.format_desc.blocking.strides[k] *= static_cast<memory::dim>(stride);
    }
    return format;
  }

  void add_shortcut(std::size_t i) {
    const Layer& layer = layers_[i];
    const memory src = values_[layer.input].data;
    Dims thin_dims = dims_of(i + 1);
    thin_dims[1] = src.get_desc().dims()[1];
    const memory::desc thin_format = thinned(src.get_desc(), thin_dims, layer.stride);
    const memory dst = allocated(wider(src.get_desc(), dims_of(i + 1)));  // zeroed, and so the added channels stay
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

  // A format for these dims that is blocked as `format` is.
  memory::desc wider(const memory::desc& format, const Dims& dims) const {
    for (const auto tag : {memory::format_tag::nChw16c, memory::format_tag::nChw8c, memory::format_tag::nhwc}) {
      if (dims.size() == 4 && format == memory::desc(format.dims(), type_, tag)) return {dims, type_, tag};
    }
    return plain_of(dims, type_);
  }

  void add_sum(std::size_t i) {
    const Layer& layer = layers_[i];
    const memory a = values_[layer.input].data;
    memory b = values_[layer.second].data;
    if (!(b.get_desc() == a.get_desc())) b = source_in(layer.second, a.get_desc());
    // In place of what was made last and nobody else wants: neither a normalisation nor a layer without max(x, 0) looks
    // at its own result again.
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
      // The other may get more parts, from layers between the two, into the same memory. By then whoever made the first
      // has read it, as it is the layer just before this one.
      share_gradient(own.second, gradient, own.input == i);
    };
  }
  std::size_t uses_of(std::size_t tensor) const {
    return static_cast<std::size_t>(std::ranges::count_if(layers_, [&](const Layer& layer) {
      const bool two = layer.kind == LayerKind::kAdd || layer.kind == LayerKind::kConcat;
      return layer.input == tensor || (two && layer.second == tensor);
    }));
  }
  void share_gradient(std::size_t tensor, const memory& gradient, bool may_alias) {
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

  void add_concat(std::size_t i) {
    const Layer& layer = layers_[i];
    const std::vector<memory> parts{values_[layer.input].data, values_[layer.second].data};
    const dnnl::concat::primitive_desc forward(1, {parts[0].get_desc(), parts[1].get_desc()}, engine_, attributes());
    const memory dst = allocated(forward.dst_desc());
    both([&](Operations& operations) {
      add<dnnl::concat>(
          operations, forward,
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

  // What the loss looks at, and where it writes.
  void add_output() {
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

  std::vector<Layer> layers_;
  std::vector<std::vector<std::size_t>> shapes_;
  GraphOptions options_;
  Type type_;
  std::vector<char> relu_behind_;  // of each layer
  memory input_;
  std::vector<memory> inputs_;  // converted
  std::vector<Value> values_;
  memory outputs_;
  memory output_gradients_;
  std::vector<std::function<void()>> backward_of_;  // adds a layer's operations to backward_
  std::vector<std::size_t> gradient_operations_;    // of each tensor of weights
};

namespace {

// What oneDNN refuses is said in our words; the rest of its message is a code.
template <typename Work>
auto translated(const Work& work) {
  try {
    return work();
  } catch (const dnnl::error& error) {
    throw Error(fmt::format("compute cnn: oneDNN cannot do this here: {}", error.what()));
  }
}

}  // namespace

Graph::Graph(std::span<const Layer> layers, const SampleFormat& input, const GraphOptions& options)
    : built_(translated([&] { return std::make_unique<Builder>(layers, input, options); })) {}
Graph::~Graph() = default;

void Graph::set_input(const std::byte* batch) {
  translated([&] { built_->set_input(batch); });
}
void Graph::forward(bool training) {
  translated([&] { built_->forward(training); });
}
void Graph::backward() {
  translated([&] { built_->backward(); });
}
void Graph::backward(const std::function<void(std::size_t)>& after) {
  translated([&] { built_->backward(after); });
}
std::span<const std::size_t> Graph::gradient_operations() const {
  return built_->gradient_operations();
}
std::span<const float> Graph::outputs() const {
  return built_->plain(built_->outputs());
}
std::span<float> Graph::output_gradients() {
  return built_->plain(built_->output_gradients());
}
std::span<float> Graph::weights() {
  return built_->weights();
}
std::span<const float> Graph::gradients() const {
  return built_->gradients();
}
std::span<const std::size_t> Graph::tensor_values() const {
  return built_->tensor_values();
}
std::vector<float> Graph::plain_weights(std::size_t tensor) const {
  return built_->read(built_->weight(tensor));
}
void Graph::set_plain_weights(std::size_t tensor, std::span<const float> values) {
  built_->write(built_->weight(tensor), values);
}
std::vector<float> Graph::plain_gradient(std::size_t tensor) const {
  return built_->read(built_->gradient(tensor));
}
const GraphFacts& Graph::facts() const {
  return built_->facts();
}

PrecisionSupport support_of(Precision precision) {
  if (precision == Precision::kF32) return PrecisionSupport::kNative;
  // Levels are sets of bits, each with those of the levels below it.
  const auto has = [own = static_cast<unsigned>(dnnl::get_effective_cpu_isa())](dnnl::cpu_isa level) {
    const auto bits = static_cast<unsigned>(level);
    return (own & bits) == bits;
  };
  if (has(dnnl::cpu_isa::avx512_core_bf16)) return PrecisionSupport::kNative;
  return has(dnnl::cpu_isa::avx512_core) ? PrecisionSupport::kEmulated : PrecisionSupport::kNone;
}

}  // namespace loadline
