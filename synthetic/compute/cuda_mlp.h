// A network of three layers, trained on the GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "synthetic/compute/compute.h"
#include "synthetic/compute/cuda_blas.h"
#include "synthetic/compute/cuda_kernels.h"
#include "synthetic/compute/cuda_resources.h"

namespace loadline::cuda {

// Layers of 512, 512 and one logit per class, with ReLU between. Its functions launch work on one stream and return;
// one step is forward(), backward(), update() in this order. One thread. They throw Error.
class Mlp {
 public:
  struct Shape {
    std::size_t inputs = 0;  // values of a sample
    DType input_dtype = DType::kF32;
    std::size_t classes = 0;
    std::size_t batch_size = 0;  // samples, at most
    Precision precision = Precision::kF32;
    bool fusion = true;
    std::uint64_t seed = 1;
  };

  // The most inputs that it accepts.
  static constexpr std::size_t kMostInputs = std::size_t{1} << 22;

  // The stream must outlive it.
  Mlp(const Shape& shape, StreamHandle stream);

  // Sets the weights back to their initial values.
  void reset();
  // input: one row per sample. Writes the mean loss of the batch to `loss`. Input and labels must stay until
  // backward() has run.
  void forward(const Matrix& input, const std::int32_t* labels, float* loss);
  void backward();
  void update();

 private:
  struct Layer {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::size_t first_weight = 0;  // inputs x outputs weights, followed by the bias

    std::size_t first_bias() const { return first_weight + inputs * outputs; }
    std::size_t end() const { return first_bias() + outputs; }
  };
  static constexpr std::size_t kLayers = 3;

  static std::array<Layer, kLayers> layers_of(const Shape& shape);
  std::size_t count() const { return layers_.back().end(); }
  Matrix matrix_of(const Layer& layer) const;
  Matrix gradient_of(const Layer& layer) const;
  float* bias_of(const Layer& layer) const { return values_.as<float>() + layer.first_bias(); }
  float* bias_gradient_of(const Layer& layer) const { return gradients_.as<float>() + layer.first_bias(); }
  bool is_last(std::size_t layer) const { return layer + 1 == kLayers; }
  // A layer's output for the current batch, and the gradient of the loss with respect to it. Logits are f32, for the
  // loss.
  Matrix output(std::size_t layer) const;
  Matrix output_gradient(std::size_t layer) const;

  Shape shape_;
  StreamHandle stream_;
  DType dtype_;  // of multiplied matrices
  std::array<Layer, kLayers> layers_;
  Blas blas_;
  DeviceMemory values_;
  DeviceMemory velocities_;
  DeviceMemory gradients_;
  DeviceMemory rounded_;
  DeviceMemory converted_;
  std::array<DeviceMemory, kLayers> outputs_;
  std::array<DeviceMemory, kLayers> output_gradients_;
  DeviceMemory losses_;
  Weights weights_;
  Matrix input_;  // of the current batch
};

}  // namespace loadline::cuda
