#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cfloat>

#include "synthetic/compute/cuda_kernels.h"

namespace loadline::cuda {
namespace {

constexpr unsigned kThreads = 256;
// Kernels take several values per thread if there are many; this many blocks fill any device.
constexpr std::size_t kMostBlocks = 4096;
constexpr unsigned kTileColumns = 32;
constexpr unsigned kTileRows = kThreads / kTileColumns;

__device__ float load(const float* from, std::size_t at) {
  return from[at];
}
__device__ float load(const __nv_bfloat16* from, std::size_t at) {
  return __bfloat162float(from[at]);
}
__device__ float load(const std::uint8_t* from, std::size_t at) {
  return static_cast<float>(from[at]) / 255.0F;
}
__device__ void store(float* to, std::size_t at, float value) {
  to[at] = value;
}
__device__ void store(__nv_bfloat16* to, std::size_t at, float value) {
  to[at] = __float2bfloat16(value);
}

__device__ std::size_t first_index() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::size_t index_step() {
  return std::size_t{gridDim.x} * blockDim.x;
}

__device__ float larger(float a, float b) {
  return a < b ? b : a;
}
__device__ float sum(float a, float b) {
  return a + b;
}

// Combines one value per thread; every thread gets the result. All threads of the block must call it.
template <typename Combine>
__device__ float over_block(float value, Combine combine) {
  __shared__ float values[kThreads];
  values[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + half]);
    __syncthreads();
  }
  const float result = values[0];
  __syncthreads();  // before the next call writes
  return result;
}

// The finalizer of SplitMix64, as in loaders/random.h for the host.
__device__ std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

__global__ void draw_kernel(float* values, std::size_t count, std::uint64_t seed, float bound) {
  for (std::size_t i = first_index(); i < count; i += index_step()) {
    const std::uint64_t bits = mix(seed + (i + 1) * 0x9e3779b97f4a7c15ULL);
    const float unit = static_cast<float>(bits >> 40) * 0x1p-24F;
    values[i] = (2 * unit - 1) * bound;
  }
}

template <typename From, typename To>
__global__ void convert_kernel(const From* from, To* to, std::size_t count) {
  for (std::size_t i = first_index(); i < count; i += index_step()) store(to, i, load(from, i));
}

// Here and below a NaN passes the comparison, so that the loss shows it.
template <typename T>
__global__ void add_bias_kernel(T* values, const float* bias, std::size_t count, std::size_t columns, bool relu) {
  for (std::size_t i = first_index(); i < count; i += index_step()) {
    const float value = load(values, i) + bias[i % columns];
    store(values, i, relu && value < 0 ? 0.0F : value);
  }
}

template <typename T>
__global__ void relu_kernel(T* values, std::size_t count) {
  for (std::size_t i = first_index(); i < count; i += index_step()) {
    if (load(values, i) < 0) store(values, i, 0.0F);
  }
}

template <typename T>
__global__ void relu_backward_kernel(T* gradients, const T* values, std::size_t count) {
  for (std::size_t i = first_index(); i < count; i += index_step()) {
    if (load(values, i) <= 0) store(gradients, i, 0.0F);
  }
}

// A block takes kTileColumns columns, and kTileRows rows of them at a time. values: null without a ReLU.
template <typename T>
__global__ void column_sums_kernel(T* gradients, const T* values, std::size_t rows, std::size_t columns, float* sums) {
  const unsigned lane = threadIdx.x % kTileColumns;
  const unsigned stripe = threadIdx.x / kTileColumns;
  const std::size_t column = std::size_t{blockIdx.x} * kTileColumns + lane;
  float total = 0;
  for (std::size_t row = stripe; row < rows && column < columns; row += kTileRows) {
    const std::size_t i = row * columns + column;
    float gradient = load(gradients, i);
    if (values != nullptr && load(values, i) <= 0) {
      gradient = 0;
      store(gradients, i, gradient);
    }
    total += gradient;
  }
  __shared__ float totals[kThreads];
  totals[threadIdx.x] = total;
  __syncthreads();
  if (stripe != 0 || column >= columns) return;
  for (unsigned other = 1; other < kTileRows; ++other) total += totals[other * kTileColumns + lane];
  sums[column] = total;
}

// A block takes a row.
template <typename T>
__global__ void softmax_cross_entropy_kernel(const float* logits, std::size_t rows, std::size_t columns,
                                             std::size_t classes, const std::int32_t* labels, T* gradients,
                                             float* losses) {
  const std::size_t row = blockIdx.x;
  logits += row * columns;
  gradients += row * columns;
  float highest = -FLT_MAX;
  for (std::size_t c = threadIdx.x; c < classes; c += kThreads) highest = larger(highest, logits[c]);
  highest = over_block(highest, larger);
  float powers = 0;
  for (std::size_t c = threadIdx.x; c < classes; c += kThreads) powers += expf(logits[c] - highest);
  powers = over_block(powers, sum);

  const std::int32_t label = labels[row];
  const bool known = label >= 0 && static_cast<std::size_t>(label) < classes;
  const float invalid = nanf("");
  const float share = 1.0F / static_cast<float>(rows);
  for (std::size_t c = threadIdx.x; c < columns; c += kThreads) {
    float gradient = 0;
    if (c < classes) {
      const float wanted = c == static_cast<std::size_t>(label) ? 1.0F : 0.0F;
      gradient = known ? (expf(logits[c] - highest) / powers - wanted) * share : invalid;
    }
    store(gradients, c, gradient);
  }
  if (threadIdx.x == 0) losses[row] = known ? logf(powers) + highest - logits[label] : invalid;
}

__global__ void mean_kernel(const float* values, std::size_t count, float* result) {
  float total = 0;
  for (std::size_t i = threadIdx.x; i < count; i += kThreads) total += values[i];
  total = over_block(total, sum);
  if (threadIdx.x == 0) *result = total / static_cast<float>(count);
}

__global__ void update_kernel(Weights weights, float rate, float momentum) {
  auto* rounded = static_cast<__nv_bfloat16*>(weights.rounded);
  for (std::size_t i = first_index(); i < weights.count; i += index_step()) {
    const float velocity = momentum * weights.velocities[i] + weights.gradients[i];
    const float value = weights.values[i] - rate * velocity;
    weights.velocities[i] = velocity;
    weights.values[i] = value;
    if (rounded != nullptr) store(rounded, i, value);
  }
}

template <typename... Parameters, typename... Arguments>
void launch(StreamHandle stream, std::size_t blocks, void (*kernel)(Parameters...), Arguments... arguments) {
  kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(arguments...);
}

std::size_t blocks_for(std::size_t count, std::size_t each) {
  return count / each + (count % each == 0 ? 0 : 1);
}

// For kernels that process all values.
std::size_t blocks_over(std::size_t count) {
  const std::size_t blocks = blocks_for(count, kThreads);
  return blocks < kMostBlocks ? blocks : kMostBlocks;
}

// Calls `use` with a pointer of the matrix's own type.
template <typename Use>
void as_float_type(const Matrix& matrix, Use use) {
  if (matrix.dtype == DType::kBF16) {
    use(static_cast<__nv_bfloat16*>(matrix.data));
  } else {
    use(static_cast<float*>(matrix.data));
  }
}

template <typename T>
void sum_columns(StreamHandle stream, T* gradients, const T* values, const Matrix& shape, float* sums) {
  launch(stream, blocks_for(shape.columns, kTileColumns), column_sums_kernel<T>, gradients, values, shape.rows,
         shape.columns, sums);
}

}  // namespace

void zero(StreamHandle stream, float* values, std::size_t count) {
  cudaMemsetAsync(values, 0, count * sizeof(float), stream);
}

void draw(StreamHandle stream, float* values, std::size_t count, std::uint64_t seed, float bound) {
  launch(stream, blocks_over(count), draw_kernel, values, count, seed, bound);
}

void round_weights(StreamHandle stream, const Weights& weights) {
  launch(stream, blocks_over(weights.count), convert_kernel<float, __nv_bfloat16>, weights.values,
         static_cast<__nv_bfloat16*>(weights.rounded), weights.count);
}

void convert(StreamHandle stream, const Matrix& from, const Matrix& to) {
  as_float_type(to, [&]<typename To>(To* result) {
    const std::size_t count = from.elements();
    if (from.dtype == DType::kU8) {
      launch(stream, blocks_over(count), convert_kernel<std::uint8_t, To>, static_cast<const std::uint8_t*>(from.data),
             result, count);
      return;
    }
    as_float_type(from, [&]<typename From>(From* values) {
      launch(stream, blocks_over(count), convert_kernel<From, To>, values, result, count);
    });
  });
}

void add_bias(StreamHandle stream, const Matrix& values, const float* bias, bool relu) {
  as_float_type(values, [&]<typename T>(T* data) {
    launch(stream, blocks_over(values.elements()), add_bias_kernel<T>, data, bias, values.elements(), values.columns,
           relu);
  });
}

void relu(StreamHandle stream, const Matrix& values) {
  as_float_type(values, [&]<typename T>(T* data) {
    launch(stream, blocks_over(values.elements()), relu_kernel<T>, data, values.elements());
  });
}

void relu_backward(StreamHandle stream, const Matrix& gradients, const Matrix& values) {
  as_float_type(gradients, [&]<typename T>(T* data) {
    launch(stream, blocks_over(values.elements()), relu_backward_kernel<T>, data, static_cast<const T*>(values.data),
           values.elements());
  });
}

void column_sums(StreamHandle stream, const Matrix& gradients, float* sums) {
  as_float_type(gradients, [&]<typename T>(T* data) {
    sum_columns(stream, data, static_cast<const T*>(nullptr), gradients, sums);
  });
}

void relu_backward_and_column_sums(StreamHandle stream, const Matrix& gradients, const Matrix& values, float* sums) {
  as_float_type(gradients, [&]<typename T>(T* data) {
    sum_columns(stream, data, static_cast<const T*>(values.data), gradients, sums);
  });
}

void softmax_cross_entropy(StreamHandle stream, const Matrix& logits, std::size_t classes, const std::int32_t* labels,
                           const Matrix& gradients, float* losses) {
  as_float_type(gradients, [&]<typename T>(T* data) {
    launch(stream, logits.rows, softmax_cross_entropy_kernel<T>, static_cast<const float*>(logits.data), logits.rows,
           logits.columns, classes, labels, data, losses);
  });
}

void mean(StreamHandle stream, const float* values, std::size_t count, float* result) {
  launch(stream, 1, mean_kernel, values, count, result);
}

void update(StreamHandle stream, const Weights& weights, float rate, float momentum) {
  launch(stream, blocks_over(weights.count), update_kernel, weights, rate, momentum);
}

}  // namespace loadline::cuda
