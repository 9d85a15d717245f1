#include "synthetic/compute/cnn/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <numeric>
#include <oneapi/dnnl/dnnl.hpp>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "loaders/error.h"
#include "loaders/random.h"
#include "loaders/storage/memory.h"

namespace loadline {
namespace {

using dnnl::algorithm;
using dnnl::memory;
using dnnl::primitive_attr;
using dnnl::prop_kind;
using Dims = memory::dims;
using Type = memory::data_type;
using Args = std::unordered_map<int, memory>;

constexpr float kEpsilon = 1e-5F;      // of a normalisation, added to the variance
constexpr float kRunningShare = 0.1F;  // of the batch at hand in what a normalisation remembers

Type type_of(DType dtype) {
  return dtype == DType::kU8 ? Type::u8 : dtype == DType::kBF16 ? Type::bf16 : Type::f32;
}

memory::format_tag plain_tag(std::size_t axes) {
  using Tag = memory::format_tag;
  static constexpr Tag kTags[] = {Tag::a, Tag::ab, Tag::abc, Tag::abcd, Tag::abcde};
  return kTags[axes - 1];
}

memory::desc any_of(const Dims& dims, Type type) {
  return {dims, type, memory::format_tag::any};
}
memory::desc plain_of(const Dims& dims, Type type = Type::f32) {
  return {dims, type, plain_tag(dims.size())};
}
memory::desc with_type(memory::desc description, Type type) {
  description.data.data_type = memory::convert_to_c(type);
  return description;
}

// Something that is done in turn.
struct Operation {
  dnnl::primitive primitive;
  Args args;
  std::function<void()> other;  // in place of a primitive
};
using Operations = std::vector<Operation>;

// Values between layers, and the gradient of the loss by them.
struct Value {
  memory data;
  memory gradient;  // empty until a layer behind it has given its part
};

// Memory in large pieces, faulted in, so that no step pays for it.
class Arena {
 public:
  std::byte* take(std::size_t size_bytes) {
    constexpr std::size_t kPieceBytes = std::size_t{32} << 20;
    constexpr std::size_t kAlignment = 4096;
    const std::size_t size = (std::max<std::size_t>(size_bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
    if (pieces_.empty() || pieces_.back().bytes().size() - used_ < size) {
      pieces_.emplace_back(std::max(size, kPieceBytes));
      all_ += pieces_.back().bytes().size();
      used_ = 0;
    }
    std::byte* const found = pieces_.back().bytes().data() + used_;
    used_ += size;
    return found;
  }
  std::size_t size_bytes() const { return all_; }

 private:
  std::vector<HugeMemory> pieces_;
  std::size_t used_ = 0;  // of the last piece
  std::size_t all_ = 0;
};

// How a layer that has weights reaches from one value to the next.
struct Reach {
  Dims strides;
  Dims padding;
};

// Convolution, its transposed form and the dense layer differ in their types alone.
//
// Fuses: whether the bias is best added within the operation. In the transposed form that takes forty times the
// operation's own time.
template <typename ForwardType, typename BackwardDataType, typename BackwardWeightsType, algorithm kAlgorithm,
          bool kFusesBias>
struct Sliding {
  static constexpr bool kFuses = kFusesBias;
  using Forward = ForwardType;
  using BackwardData = BackwardDataType;
  using BackwardWeights = BackwardWeightsType;

  static auto forward(const memory::desc& src, const memory::desc& weights, const memory::desc& bias,
                      const memory::desc& dst, const Reach& reach, const primitive_attr& attr,
                      const dnnl::engine& engine) {
    const auto& [strides, padding] = reach;
    const auto kind = prop_kind::forward_training;
    const auto described =
        bias.data.ndims == 0
            ? typename Forward::desc(kind, kAlgorithm, src, weights, dst, strides, padding, padding)
            : typename Forward::desc(kind, kAlgorithm, src, weights, bias, dst, strides, padding, padding);
    return typename Forward::primitive_desc(described, attr, engine);
  }
  static auto backward_data(const memory::desc& src, const memory::desc& weights, const memory::desc& dst,
                            const Reach& reach, const primitive_attr& attr, const dnnl::engine& engine,
                            const typename Forward::primitive_desc& hint) {
    return typename BackwardData::primitive_desc(
        {kAlgorithm, src, weights, dst, reach.strides, reach.padding, reach.padding}, attr, engine, hint);
  }
  static auto backward_weights(const memory::desc& src, const memory::desc& weights, const memory::desc& bias,
                               const memory::desc& dst, const Reach& reach, const primitive_attr& attr,
                               const dnnl::engine& engine, const typename Forward::primitive_desc& hint) {
    const auto& [strides, padding] = reach;
    const auto described =
        bias.data.ndims == 0
            ? typename BackwardWeights::desc(kAlgorithm, src, weights, dst, strides, padding, padding)
            : typename BackwardWeights::desc(kAlgorithm, src, weights, bias, dst, strides, padding, padding);
    return typename BackwardWeights::primitive_desc(described, attr, engine, hint);
  }
};

using Convolution = Sliding<dnnl::convolution_forward, dnnl::convolution_backward_data,
                            dnnl::convolution_backward_weights, algorithm::convolution_direct, true>;
using Transposed = Sliding<dnnl::deconvolution_forward, dnnl::deconvolution_backward_data,
                           dnnl::deconvolution_backward_weights, algorithm::deconvolution_direct, false>;

struct Dense {
  static constexpr bool kFuses = true;
  using Forward = dnnl::inner_product_forward;
  using BackwardData = dnnl::inner_product_backward_data;
  using BackwardWeights = dnnl::inner_product_backward_weights;

  static Forward::primitive_desc forward(const memory::desc& src, const memory::desc& weights, const memory::desc& bias,
                                         const memory::desc& dst, const Reach& /*reach*/, const primitive_attr& attr,
                                         const dnnl::engine& engine) {
    const auto kind = prop_kind::forward_training;
    const auto described =
        bias.data.ndims == 0 ? Forward::desc(kind, src, weights, dst) : Forward::desc(kind, src, weights, bias, dst);
    return {described, attr, engine};
  }
  static BackwardData::primitive_desc backward_data(const memory::desc& src, const memory::desc& weights,
                                                    const memory::desc& dst, const Reach& /*reach*/,
                                                    const primitive_attr& attr, const dnnl::engine& engine,
                                                    const Forward::primitive_desc& hint) {
    return {{src, weights, dst}, attr, engine, hint};
  }
  static BackwardWeights::primitive_desc backward_weights(const memory::desc& src, const memory::desc& weights,
                                                          const memory::desc& bias, const memory::desc& dst,
                                                          const Reach& /*reach*/, const primitive_attr& attr,
                                                          const dnnl::engine& engine,
                                                          const Forward::primitive_desc& hint) {
    const auto described = bias.data.ndims == 0 ? BackwardWeights::desc(src, weights, dst)
                                                : BackwardWeights::desc(src, weights, bias, dst);
    return {described, attr, engine, hint};
  }
};

float to_float(float value) {
  return value;
}
float to_float(std::uint16_t bf16) {
  return std::bit_cast<float>(std::uint32_t{bf16} << 16);
}
template <typename T>
T rounded(float value) {
  if constexpr (std::is_same_v<T, float>) return value;
  // To the nearest, ties to even. No value here is so large that rounding carries it to infinity and past it.
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<T>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// Adds one value a channel to [batch, channels, ...], whose channels are in blocks, last of all or first.
template <typename T>
void add_bias_to(const memory& values, const float* bias) {
  const memory::desc format = values.get_desc();
  const auto& blocking = format.data.format_desc.blocking;
  const Dims dims = format.dims();
  const bool blocked = blocking.inner_nblks == 1;
  const auto block = static_cast<std::ptrdiff_t>(blocked ? blocking.inner_blks[0] : 1);
  const std::ptrdiff_t blocks = (dims[1] + block - 1) / block;
  const std::ptrdiff_t places = std::accumulate(dims.begin() + 2, dims.end(), memory::dim{1}, std::multiplies<>());
  const bool last = !blocked && blocking.strides[1] == 1 && places > 1;
  T* const data = static_cast<T*>(values.get_data_handle());
  // What is added at each place: a block of channels, all of them, or one.
  const std::ptrdiff_t wide = last || places == 1 ? dims[1] : block;
  const std::ptrdiff_t groups = last || places == 1 ? 1 : blocks;
#pragma omp parallel for collapse(2)
  for (std::ptrdiff_t n = 0; n < dims[0]; ++n) {
    for (std::ptrdiff_t group = 0; group < groups; ++group) {
      T* const from = data + n * blocking.strides[0] + (groups > 1 ? group * blocking.strides[1] : 0);
      const std::ptrdiff_t in_use = std::min(wide, dims[1] - group * wide);
      for (std::ptrdiff_t place = 0; place < places; ++place) {
        T* const at = from + place * wide;
        for (std::ptrdiff_t c = 0; c < in_use; ++c) at[c] = rounded<T>(to_float(at[c]) + bias[group * wide + c]);
      }
    }
  }
}

void add_bias(const memory& values, const memory& bias) {
  const auto* own = static_cast<const float*>(bias.get_data_handle());
  values.get_desc().data_type() == Type::bf16 ? add_bias_to<std::uint16_t>(values, own)
                                              : add_bias_to<float>(values, own);
}

}  // namespace

// Lowers layer after layer to operations, forwards and then, in reverse, backwards.
class Graph::Builder {
 public:
  Builder(std::span<const Layer> layers, const SampleFormat& input, const GraphOptions& options)
      : layers_(layers.begin(), layers.end()),
        shapes_(tensor_shapes(layers, input.input)),
        options_(options),
        type_(options.precision == Precision::kBF16 ? Type::bf16 : Type::f32),
        values_(layers.size() + 1),
        backward_of_(layers.size()) {
    place_relus();
    add_input(input);
    for (std::size_t i = 0; i < layers_.size(); ++i) add_layer(i);
    add_output();
    for (std::size_t i = layers_.size(); i-- > 0;) {
      if (backward_of_[i]) backward_of_[i]();
    }
    backward_of_.clear();
    allocate_weights();
    allocate_scratch();
    facts_.memory_bytes = arena_.size_bytes();
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

  std::span<float> plain(const memory& values) const {
    return {static_cast<float*>(values.get_data_handle()), values.get_desc().get_size() / sizeof(float)};
  }
  const memory& outputs() const { return outputs_; }
  const memory& output_gradients() const { return output_gradients_; }
  std::span<float> weights() const { return weights_; }
  std::span<float> gradients() const { return gradients_; }
  std::span<const std::size_t> tensor_values() const { return tensor_values_; }
  const GraphFacts& facts() const { return facts_; }

  std::vector<float> read(const memory& from) {
    const memory::desc plain_format = plain_of(from.get_desc().dims());
    std::vector<float> values(plain_format.get_size() / sizeof(float));
    memory to(plain_format, engine_, values.data());
    dnnl::reorder(from, to).execute(stream_, const_cast<memory&>(from), to);
    return values;
  }
  void write(memory to, std::span<const float> values) {
    memory from(plain_of(to.get_desc().dims()), engine_, const_cast<float*>(values.data()));
    dnnl::reorder(from, to).execute(stream_, from, to);
  }
  const memory& weight(std::size_t tensor) const { return parameters_[tensor].weight; }
  const memory& gradient(std::size_t tensor) const { return parameters_[tensor].gradient; }

 private:
  struct Parameter {
    memory weight;      // f32, in the format that the forward pass likes
    memory gradient;    // the same
    double spread = 0;  // standard deviation of the first values; 0: all are `constant`
    float constant = 0;
  };

  // ---- memory

  memory allocated(const memory::desc& format) { return {format, engine_, arena_.take(format.get_size())}; }
  memory unplaced(const memory::desc& format) { return {format, engine_, DNNL_MEMORY_NONE}; }

  Dims dims_of(std::size_t tensor) const {
    Dims dims{static_cast<memory::dim>(options_.batch_size)};
    for (const std::size_t extent : shapes_[tensor]) dims.push_back(static_cast<memory::dim>(extent));
    return dims;
  }

  // ---- operations

  primitive_attr attributes() const {
    primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attr;
  }
  primitive_attr attributes_with_relu(bool relu) const {
    primitive_attr attr = attributes();
    if (relu) {
      dnnl::post_ops after;
      after.append_eltwise(1, algorithm::eltwise_relu, 0, 0);
      attr.set_post_ops(after);
    }
    return attr;
  }

  // All operations share one scratch memory, as they never run at a time.
  template <typename Primitive, typename Description>
  void add(Operations& operations, const Description& description, Args args) {
    const memory::desc scratch = description.scratchpad_desc();
    if (scratch.get_size() > 0) {
      args[DNNL_ARG_SCRATCHPAD] = unplaced(scratch);
      scratchpads_.push_back(args[DNNL_ARG_SCRATCHPAD]);
    }
    operations.push_back({Primitive(description), std::move(args), {}});
  }

  void add_reorder(Operations& operations, const memory& from, const memory& to, primitive_attr attr = {}) {
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::reorder::primitive_desc description(engine_, from.get_desc(), engine_, to.get_desc(), attr);
    add<dnnl::reorder>(operations, description, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    ++facts_.reorders;
  }

  // The same values in the format that an operation wants: reordered if they are not.
  memory in_format(Operations& operations, const memory& values, const memory::desc& format) {
    if (values.get_desc() == format) return values;
    memory other = allocated(format);
    add_reorder(operations, values, other);
    return other;
  }

  void both(const std::function<void(Operations&)>& lower) {
    lower(forward_);
    lower(evaluate_);
  }

  void add_binary(Operations& operations, const memory& a, const memory& b, const memory& sum, bool relu) {
    const dnnl::binary::primitive_desc description({algorithm::binary_add, a.get_desc(), b.get_desc(), sum.get_desc()},
                                                   attributes_with_relu(relu), engine_);
    add<dnnl::binary>(operations, description, {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, sum}});
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

  // ---- parameters

  std::size_t add_parameter(const memory::desc& format, double spread, float constant) {
    const memory::desc own = with_type(format, Type::f32);
    parameters_.push_back({.weight = unplaced(own), .gradient = unplaced(own), .spread = spread, .constant = constant});
    return parameters_.size() - 1;
  }
  // The weight as an operation wants it. Converted before the forward pass, from the f32 original, wherever it is used.
  memory weight_in(std::size_t parameter, const memory::desc& format) {
    const memory& weight = parameters_[parameter].weight;
    if (weight.get_desc() == format) return weight;
    for (const auto& [owner, known] : converted_) {
      if (owner == parameter && known.get_desc() == format) return known;
    }
    const memory other = allocated(format);
    add_reorder(convert_, weight, other);
    converted_.emplace_back(parameter, other);
    return other;
  }
  // Where an operation writes a gradient, in its own format, and what brings it into the weight's.
  memory parameter_gradient(std::size_t parameter, const memory::desc& format) {
    const memory& gradient = parameters_[parameter].gradient;
    return gradient.get_desc() == format ? gradient : allocated(format);
  }
  void finish_parameter_gradient(std::size_t parameter, const memory& part) {
    const memory& gradient = parameters_[parameter].gradient;
    if (gradient.get() != part.get()) add_reorder(backward_, part, gradient);
  }

  void allocate_weights() {
    std::size_t values = 0;
    for (const Parameter& parameter : parameters_) {
      // To the next cache line, so that no two tensors share one.
      tensor_values_.push_back((parameter.weight.get_desc().get_size() / sizeof(float) + 15) / 16 * 16);
      values += tensor_values_.back();
      const Dims dims = parameter.weight.get_desc().dims();
      facts_.weights +=
          static_cast<std::size_t>(std::accumulate(dims.begin(), dims.end(), memory::dim{1}, std::multiplies<>()));
    }
    weights_ = {reinterpret_cast<float*>(arena_.take(values * sizeof(float))), values};
    gradients_ = {reinterpret_cast<float*>(arena_.take(values * sizeof(float))), values};
    std::size_t at = 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      parameters_[i].weight.set_data_handle(weights_.data() + at);
      parameters_[i].gradient.set_data_handle(gradients_.data() + at);
      at += tensor_values_[i];
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) draw(i);
  }

  // In the plain order of the axes, so that the values depend on no format.
  void draw(std::size_t parameter) {
    const Parameter& own = parameters_[parameter];
    std::vector<float> values(plain_of(own.weight.get_desc().dims()).get_size() / sizeof(float), own.constant);
    if (own.spread > 0) {
      Random random(key_of(options_.seed, parameter, 0x7765696768747321ULL));
      for (float& value : values) {
        // Box and Muller, 1958.
        const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
        value = static_cast<float>(own.spread * radius * std::cos(2 * std::numbers::pi * random.unit()));
      }
    }
    write(own.weight, values);
  }

  void allocate_scratch() {
    std::size_t most = 0;
    for (const memory& scratch : scratchpads_) most = std::max(most, scratch.get_desc().get_size());
    std::byte* const place = arena_.take(most);
    for (memory& scratch : scratchpads_) scratch.set_data_handle(place);
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
    const Reach reach{Dims(axes, static_cast<memory::dim>(layer.stride)),
                      Dims(axes, static_cast<memory::dim>(layer.padding))};
    const memory::desc bias_format = layer.bias ? plain_of({static_cast<memory::dim>(layer.channels)}) : memory::desc();
    const bool bias_within = options_.fusion && Kind::kFuses;
    const auto forward =
        Kind::forward(any_of(src_dims, type_), any_of(weight_dims, type_), bias_within ? bias_format : memory::desc(),
                      any_of(dst_dims, type_), reach, attributes_with_relu(bias_within && relu_behind_[i]), engine_);
    const double inputs = static_cast<double>(
        std::accumulate(weight_dims.begin() + 1, weight_dims.end(), memory::dim{1}, std::multiplies<>()));
    const std::size_t weight = add_parameter(forward.weights_desc(), std::sqrt((layer.relu ? 2.0 : 1.0) / inputs), 0);
    const std::size_t bias = layer.bias ? add_parameter(bias_format, 0, 0) : 0;

    const memory src = source_in(layer.input, forward.src_desc());
    const memory dst = allocated(forward.dst_desc());
    Args args{{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weight_in(weight, forward.weights_desc())}, {DNNL_ARG_DST, dst}};
    if (layer.bias && bias_within) args[DNNL_ARG_BIAS] = parameters_[bias].weight;
    both([&](Operations& operations) { add<typename Kind::Forward>(operations, forward, args); });
    if (layer.bias && !bias_within) add_bias(parameters_[bias].weight, dst);
    if (relu_behind_[i] && !bias_within) add_relu(dst);
    values_[i + 1].data = dst;

    backward_of_[i] = [=, this] {
      const Layer& own = layers_[i];
      const memory& gradient = values_[i + 1].gradient;
      if (relu_behind_[i]) add_relu_backward(dst, gradient);
      const auto backward_weights =
          Kind::backward_weights(any_of(src_dims, type_), any_of(weight_dims, Type::f32), bias_format,
                                 any_of(dst_dims, type_), reach, attributes(), engine_, forward);
      const memory gradient_here = in_format(backward_, gradient, backward_weights.diff_dst_desc());
      const memory part = parameter_gradient(weight, backward_weights.diff_weights_desc());
      // Where the input was converted for the forward pass, that is what it looks like.
      const memory& stored = src.get_desc() == backward_weights.src_desc() ? src : values_[own.input].data;
      const memory source = own.input == 0 ? source_in(0, backward_weights.src_desc())
                                           : in_format(backward_, stored, backward_weights.src_desc());
      Args weight_args{{DNNL_ARG_SRC, source}, {DNNL_ARG_DIFF_DST, gradient_here}, {DNNL_ARG_DIFF_WEIGHTS, part}};
      if (own.bias) weight_args[DNNL_ARG_DIFF_BIAS] = parameters_[bias].gradient;
      add<typename Kind::BackwardWeights>(backward_, backward_weights, weight_args);
      finish_parameter_gradient(weight, part);
      if (own.input == 0) return;

      const auto backward_data = Kind::backward_data(any_of(src_dims, type_), any_of(weight_dims, type_),
                                                     any_of(dst_dims, type_), reach, attributes(), engine_, forward);
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
    both([&](Operations& operations) { operations.push_back({{}, {}, [=] { loadline::add_bias(values, bias); }}); });
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
              {DNNL_ARG_SCALE, parameters_[scale].weight},
              {DNNL_ARG_SHIFT, parameters_[shift].weight}};
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
                         {DNNL_ARG_SCALE, parameters_[scale].weight},
                         {DNNL_ARG_SHIFT, parameters_[shift].weight},
                         {DNNL_ARG_DIFF_DST, gradient},
                         {DNNL_ARG_DIFF_SRC, target},
                         {DNNL_ARG_DIFF_SCALE, parameters_[scale].gradient},
                         {DNNL_ARG_DIFF_SHIFT, parameters_[shift].gradient}};
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

  void run(const Operations& operations) {
    for (const Operation& operation : operations) {
      if (operation.other) {
        operation.other();
      } else {
        operation.primitive.execute(stream_, operation.args);
      }
    }
    stream_.wait();
  }

  std::vector<Layer> layers_;
  std::vector<std::vector<std::size_t>> shapes_;
  GraphOptions options_;
  Type type_;
  std::vector<char> relu_behind_;  // of each layer
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  Arena arena_;
  GraphFacts facts_;

  memory input_;
  std::vector<memory> inputs_;  // converted
  std::vector<Value> values_;
  memory outputs_;
  memory output_gradients_;
  std::vector<Parameter> parameters_;
  std::vector<std::pair<std::size_t, memory>> converted_;
  std::vector<memory> scratchpads_;
  std::vector<std::size_t> tensor_values_;
  std::span<float> weights_;
  std::span<float> gradients_;

  Operations copy_;      // the input, as the first layer wants it
  Operations convert_;   // weights, after they have changed
  Operations forward_;   // in training
  Operations evaluate_;  // otherwise
  Operations backward_;
  std::vector<std::function<void()>> backward_of_;  // adds a layer's operations to backward_
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
