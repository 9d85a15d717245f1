// What a training step does on the GPU besides matrix products. Each function launches one kernel and returns; the
// caller asks the CUDA runtime whether the launch succeeded. All pointers are to device memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loaders/tensor.h"

struct CUstream_st;

namespace loadline::cuda {

using StreamHandle = CUstream_st*;

// A matrix in the device's memory, row after row without gaps. Borrows it.
struct Matrix {
  void* data = nullptr;
  DType dtype = DType::kF32;
  std::size_t rows = 0;
  std::size_t columns = 0;

  std::size_t elements() const { return rows * columns; }
};

// All weights of a network and the state of their updates, in arrays of `count`.
struct Weights {
  float* values = nullptr;
  float* velocities = nullptr;
  float* gradients = nullptr;
  void* rounded = nullptr;  // the values as bf16; null: not needed
  std::size_t count = 0;
};

void zero(StreamHandle stream, float* values, std::size_t count);
// Uniform in [-bound, bound), and the same on every device for the same seed.
void draw(StreamHandle stream, float* values, std::size_t count, std::uint64_t seed, float bound);
// Rounds `values` to `rounded`.
void round_weights(StreamHandle stream, const Weights& weights);
// u8 becomes [0, 1]. `to` is f32 or bf16.
void convert(StreamHandle stream, const Matrix& from, const Matrix& to);

// Adds bias[column] to each value; then, with `relu`, replaces negative values by 0. f32 or bf16.
void add_bias(StreamHandle stream, const Matrix& values, const float* bias, bool relu);
void relu(StreamHandle stream, const Matrix& values);
// Zeroes the gradients of values that relu() left at 0. Both f32 or both bf16.
void relu_backward(StreamHandle stream, const Matrix& gradients, const Matrix& values);
// Writes the sum of each column of the gradients to sums[column].
void column_sums(StreamHandle stream, const Matrix& gradients, float* sums);
// Both in one pass.
void relu_backward_and_column_sums(StreamHandle stream, const Matrix& gradients, const Matrix& values, float* sums);

// For each row of f32 logits, whose first `classes` columns count: the loss, and the gradient of the mean loss over
// all rows, 0 in the other columns. A label that is not a class makes both NaN.
void softmax_cross_entropy(StreamHandle stream, const Matrix& logits, std::size_t classes, const std::int32_t* labels,
                           const Matrix& gradients, float* losses);
// *result = the mean; always summed in the same order.
void mean(StreamHandle stream, const float* values, std::size_t count, float* result);

// Stochastic gradient descent: velocity = momentum * velocity + gradient; value -= rate * velocity.
void update(StreamHandle stream, const Weights& weights, float rate, float momentum);

}  // namespace loadline::cuda
