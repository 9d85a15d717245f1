// Shared by the files of this folder that see oneDNN. Private to them: nothing outside may include it.
#pragma once

#include <cstddef>
#include <functional>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "loaders/tensor.h"

// In its own namespace, because its short names are those of oneDNN's documentation.
namespace loadline::onednn {

using dnnl::algorithm;
using dnnl::memory;
using dnnl::primitive_attr;
using dnnl::prop_kind;
using Dims = memory::dims;
using Type = memory::data_type;
using Args = std::unordered_map<int, memory>;
inline Type type_of(DType dtype) {
  return dtype == DType::kU8 ? Type::u8 : dtype == DType::kBF16 ? Type::bf16 : Type::f32;
}

inline memory::format_tag plain_tag(std::size_t axes) {
  using Tag = memory::format_tag;
  static constexpr Tag kTags[] = {Tag::a, Tag::ab, Tag::abc, Tag::abcd, Tag::abcde};
  return kTags[axes - 1];
}

inline memory::desc any_of(const Dims& dims, Type type) {
  return {dims, type, memory::format_tag::any};
}
inline memory::desc plain_of(const Dims& dims, Type type = Type::f32) {
  return {dims, type, plain_tag(dims.size())};
}
inline memory::desc with_type(memory::desc description, Type type) {
  description.data.data_type = memory::convert_to_c(type);
  return description;
}
// One operation in a sequence.
struct Operation {
  dnnl::primitive primitive;
  Args args;
  std::function<void()> other;  // runs instead of a primitive
};
using Operations = std::vector<Operation>;
// Adds one f32 value per channel to [batch, channels, ...] of f32 or bf16, in place, on OpenMP's threads.
void add_bias(const memory& values, const memory& bias);

// The strides and the padding of a layer that has weights, along each spatial axis.
struct FilterWindow {
  Dims strides;
  Dims padding;
};

// Convolution, its transposed form and the dense layer differ only in their types.
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
                      const memory::desc& dst, const FilterWindow& window, const primitive_attr& attr,
                      const dnnl::engine& engine) {
    const auto& [strides, padding] = window;
    const auto kind = prop_kind::forward_training;
    const auto described =
        bias.data.ndims == 0
            ? typename Forward::desc(kind, kAlgorithm, src, weights, dst, strides, padding, padding)
            : typename Forward::desc(kind, kAlgorithm, src, weights, bias, dst, strides, padding, padding);
    return typename Forward::primitive_desc(described, attr, engine);
  }
  static auto backward_data(const memory::desc& src, const memory::desc& weights, const memory::desc& dst,
                            const FilterWindow& window, const primitive_attr& attr, const dnnl::engine& engine,
                            const typename Forward::primitive_desc& hint) {
    return typename BackwardData::primitive_desc(
        {kAlgorithm, src, weights, dst, window.strides, window.padding, window.padding}, attr, engine, hint);
  }
  static auto backward_weights(const memory::desc& src, const memory::desc& weights, const memory::desc& bias,
                               const memory::desc& dst, const FilterWindow& window, const primitive_attr& attr,
                               const dnnl::engine& engine, const typename Forward::primitive_desc& hint) {
    const auto& [strides, padding] = window;
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
                                         const memory::desc& dst, const FilterWindow& /*window*/,
                                         const primitive_attr& attr, const dnnl::engine& engine) {
    const auto kind = prop_kind::forward_training;
    const auto described =
        bias.data.ndims == 0 ? Forward::desc(kind, src, weights, dst) : Forward::desc(kind, src, weights, bias, dst);
    return {described, attr, engine};
  }
  static BackwardData::primitive_desc backward_data(const memory::desc& src, const memory::desc& weights,
                                                    const memory::desc& dst, const FilterWindow& /*window*/,
                                                    const primitive_attr& attr, const dnnl::engine& engine,
                                                    const Forward::primitive_desc& hint) {
    return {{src, weights, dst}, attr, engine, hint};
  }
  static BackwardWeights::primitive_desc backward_weights(const memory::desc& src, const memory::desc& weights,
                                                          const memory::desc& bias, const memory::desc& dst,
                                                          const FilterWindow& /*window*/, const primitive_attr& attr,
                                                          const dnnl::engine& engine,
                                                          const Forward::primitive_desc& hint) {
    const auto described = bias.data.ndims == 0 ? BackwardWeights::desc(src, weights, dst)
                                                : BackwardWeights::desc(src, weights, bias, dst);
    return {described, attr, engine, hint};
  }
};

}  // namespace loadline::onednn
