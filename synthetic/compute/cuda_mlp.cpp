#include "synthetic/compute/cuda_mlp.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "loaders/random.h"

namespace loadline::cuda {
namespace {

constexpr std::size_t kHidden = 512;
constexpr float kMomentum = 0.9F;

// Tensor cores need rows of whole 16 bytes; logits beyond the classes have no gradient and are ignored.
constexpr std::size_t kLogitsMultiple = 8;

// A step moves the first layer's outputs by the rate times a sample's squared length, which is about the number of
// its values: wide samples would diverge at a rate that suits narrow ones.
float rate_for(std::size_t inputs) {
  return std::min(0.01F, 4.0F / static_cast<float>(inputs));
}

template <std::size_t... kIndex>
std::array<DeviceMemory, sizeof...(kIndex)> memory_of(std::array<std::size_t, sizeof...(kIndex)> sizes_bytes,
                                                      std::index_sequence<kIndex...> /*which*/) {
  return {DeviceMemory(sizes_bytes[kIndex], "what the layers make of a batch")...};
}

}  // namespace

std::array<Mlp::Layer, Mlp::kLayers> Mlp::layers_of(const Shape& shape) {
  const std::size_t logits = (shape.classes + kLogitsMultiple - 1) / kLogitsMultiple * kLogitsMultiple;
  Layer first{.inputs = shape.inputs, .outputs = kHidden};
  Layer second{.inputs = kHidden, .outputs = kHidden, .first_weight = first.end()};
  Layer third{.inputs = kHidden, .outputs = logits, .first_weight = second.end()};
  return {first, second, third};
}

Mlp::Mlp(const Shape& shape, StreamHandle stream)
    : shape_(shape),
      stream_(stream),
      dtype_(shape.precision == Precision::kBF16 ? DType::kBF16 : DType::kF32),
      layers_(layers_of(shape)),
      blas_(stream),
      values_(count() * sizeof(float), "the weights"),
      velocities_(count() * sizeof(float), "the weights' velocities"),
      gradients_(count() * sizeof(float), "the weights' gradients"),
      rounded_(dtype_ == DType::kBF16 ? count() * size_bytes(dtype_) : 1, "the weights in bf16"),
      converted_(shape.input_dtype == dtype_ ? 1 : shape.batch_size * shape.inputs * size_bytes(dtype_),
                 "a converted batch"),
      outputs_(
          memory_of({shape.batch_size * kHidden * size_bytes(dtype_), shape.batch_size * kHidden * size_bytes(dtype_),
                     shape.batch_size * layers_.back().outputs * sizeof(float)},
                    std::make_index_sequence<kLayers>())),
      output_gradients_(
          memory_of({shape.batch_size * kHidden * size_bytes(dtype_), shape.batch_size * kHidden * size_bytes(dtype_),
                     shape.batch_size * layers_.back().outputs * size_bytes(dtype_)},
                    std::make_index_sequence<kLayers>())),
      losses_(shape.batch_size * sizeof(float), "the losses"),
      weights_{.values = values_.as<float>(),
               .velocities = velocities_.as<float>(),
               .gradients = gradients_.as<float>(),
               .rounded = dtype_ == DType::kBF16 ? rounded_.data() : nullptr,
               .count = count()} {
  reset();
}

void Mlp::reset() {
  zero(stream_, weights_.values, weights_.count);
  zero(stream_, weights_.velocities, weights_.count);
  for (std::size_t i = 0; i < kLayers; ++i) {
    const Layer& layer = layers_[i];
    // He et al.: "Delving deep into rectifiers", ICCV 2015; the variance of a uniform value is a third of bound^2.
    const float bound = std::sqrt(6.0F / static_cast<float>(layer.inputs));
    draw(stream_, weights_.values + layer.first_weight, layer.inputs * layer.outputs, key_of(shape_.seed, i), bound);
  }
  if (weights_.rounded != nullptr) round_weights(stream_, weights_);
  check_launches();
}

Matrix Mlp::matrix_of(const Layer& layer) const {
  void* data = weights_.rounded != nullptr ? static_cast<void*>(rounded_.as<std::uint16_t>() + layer.first_weight)
                                           : values_.as<float>() + layer.first_weight;
  return {data, dtype_, layer.inputs, layer.outputs};
}

Matrix Mlp::gradient_of(const Layer& layer) const {
  return {gradients_.as<float>() + layer.first_weight, DType::kF32, layer.inputs, layer.outputs};
}

Matrix Mlp::output(std::size_t layer) const {
  return {outputs_[layer].data(), is_last(layer) ? DType::kF32 : dtype_, input_.rows, layers_[layer].outputs};
}

Matrix Mlp::output_gradient(std::size_t layer) const {
  return {output_gradients_[layer].data(), dtype_, input_.rows, layers_[layer].outputs};
}

void Mlp::forward(const Matrix& input, const std::int32_t* labels, float* loss) {
  input_ = input;
  if (input.dtype != dtype_) {
    input_ = {converted_.data(), dtype_, input.rows, input.columns};
    convert(stream_, input, input_);
  }
  Matrix values = input_;
  for (std::size_t i = 0; i < kLayers; ++i) {
    const Matrix result = output(i);
    blas_.multiply(values, Read::kAsItIs, matrix_of(layers_[i]), Read::kAsItIs, result);
    const bool with_relu = !is_last(i);
    add_bias(stream_, result, bias_of(layers_[i]), with_relu && shape_.fusion);
    if (with_relu && !shape_.fusion) relu(stream_, result);
    values = result;
  }
  softmax_cross_entropy(stream_, values, shape_.classes, labels, output_gradient(kLayers - 1), losses_.as<float>());
  mean(stream_, losses_.as<float>(), input_.rows, loss);
  check_launches();
}

void Mlp::backward() {
  for (std::size_t i = kLayers; i-- > 0;) {
    const Matrix gradient = output_gradient(i);
    float* bias_gradient = bias_gradient_of(layers_[i]);
    if (is_last(i)) {
      column_sums(stream_, gradient, bias_gradient);
    } else if (shape_.fusion) {
      relu_backward_and_column_sums(stream_, gradient, output(i), bias_gradient);
    } else {
      relu_backward(stream_, gradient, output(i));
      column_sums(stream_, gradient, bias_gradient);
    }
    const Matrix values = i == 0 ? input_ : output(i - 1);
    blas_.multiply(values, Read::kTransposed, gradient, Read::kAsItIs, gradient_of(layers_[i]));
    if (i > 0) {
      blas_.multiply(gradient, Read::kAsItIs, matrix_of(layers_[i]), Read::kTransposed, output_gradient(i - 1));
    }
  }
  check_launches();
}

void Mlp::update() {
  cuda::update(stream_, weights_, rate_for(shape_.inputs), kMomentum);
  check_launches();
}

}  // namespace loadline::cuda
