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

// From the values of a sample to 512 to 512 to a logit for each class, with ReLU between. Its functions launch work on
// one stream and return; called in the order forward(), backward(), update() they are one step. One thread. They throw
// Error.
class Mlp {
 public:
  struct Shape {
    std::size_t inputs = 0;  // values of a sample
    DType input_dtype = DType::kF32;
    std::size_t classes = 0;
    std::size_t batch_size = 0;  // samples, at the most
    Precision precision = Precision::kF32;
    bool fusion = true;
    std::uint64_t seed = 1;
  };

  // Of that many inputs and no more.
  static constexpr std::size_t kMostInputs = std::size_t{1} << 22;

  // The stream must outlive it.
  Mlp(const Shape& shape, StreamHandle stream);

  // Sets the weights to those of a network never trained.
  void reset();
  // input: a row a sample. Writes the mean loss of the batch to `loss`. Input and labels must stay until
  // backward() has run.
  void forward(const Matrix& input, const std::int32_t* labels, float* loss);
  void backward();
  void update();

 private:
  struct Layer {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::size_t first_weight = 0;  // of inputs x outputs; the bias comes behind them

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
  // What a layer makes of the batch under way, and the loss's gradient by it. Logits are f32, to be read by the loss.
  Matrix output(std::size_t layer) const;
  Matrix output_gradient(std::size_t layer) const;

  Shape shape_;
  StreamHandle stream_;
  DType dtype_;  // of what is multiplied
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
  Matrix input_;  // of the batch under way
};

}  // namespace loadline::cuda
