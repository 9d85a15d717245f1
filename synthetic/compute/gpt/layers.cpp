#include "synthetic/compute/gpt/layers.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace loadline {
namespace {

constexpr float kNormEpsilon = 1e-5F;
constexpr float kGeluScale = 0.7978845608F;  // sqrt(2 / pi)
constexpr float kGeluCube = 0.044715F;
// Columns per thread: one cache line.
constexpr std::ptrdiff_t kColumnsAtATime = 16;

std::ptrdiff_t length_of(std::size_t value) {
  return static_cast<std::ptrdiff_t>(value);
}

// Divides blocks of columns among the threads.
template <typename Work>
void for_each_columns(std::size_t columns, const Work& work) {
  const std::ptrdiff_t blocks = (length_of(columns) + kColumnsAtATime - 1) / kColumnsAtATime;
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t block = 0; block < blocks; ++block) {
    const std::ptrdiff_t first = block * kColumnsAtATime;
    work(first, std::min(first + kColumnsAtATime, length_of(columns)));
  }
}

// e^x within a few units in the last place, as straight-line code that compilers vectorise, unlike the library's. NaN
// stays NaN.
inline float exponential(float x) {
  constexpr float kRound = 12582912.0F;  // 1.5 x 2^23: its lowest bit counts units
  const float limited = std::min(std::max(x, -87.0F), 88.0F);
  const float power = limited * 1.44269504F;
  const float shifted = power + kRound;
  const float whole = shifted - kRound;
  const float part = power - whole;
  float sum = 1.5252734e-5F;
  sum = sum * part + 1.5403530e-4F;
  sum = sum * part + 1.3333558e-3F;
  sum = sum * part + 9.6181291e-3F;
  sum = sum * part + 5.5504109e-2F;
  sum = sum * part + 2.4022651e-1F;
  sum = sum * part + 6.9314718e-1F;
  sum = sum * part + 1.0F;
  return sum * std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + 127U) << 23U);
}

inline float hyperbolic_tangent(float x) {
  return 1 - 2 / (exponential(2 * x) + 1);
}

// Writes the largest value to `greatest`, replaces each value by the exponential of its difference from that, and
// returns their sum.
float exponentials(float* values, std::size_t count, float& greatest) {
  float most = values[0];
#pragma omp simd reduction(max : most)
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, values[i]);
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = exponential(values[i] - most);
    sum += values[i];
  }
  greatest = most;
  return sum;
}

}  // namespace

void layer_norm(const NormShape& shape, const float* in, const float* gain, const float* offset, float* out,
                float* means, float* inverses) {
  const auto columns = static_cast<float>(shape.columns);
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t row = 0; row < length_of(shape.rows); ++row) {
    const float* const x = in + row * length_of(shape.columns);
    float* const y = out + row * length_of(shape.columns);
    float sum = 0;
    for (std::size_t i = 0; i < shape.columns; ++i) sum += x[i];
    const float mean = sum / columns;
    float squares = 0;
    for (std::size_t i = 0; i < shape.columns; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const float inverse = 1.0F / std::sqrt(squares / columns + kNormEpsilon);
    for (std::size_t i = 0; i < shape.columns; ++i) y[i] = (x[i] - mean) * inverse * gain[i] + offset[i];
    means[row] = mean;
    inverses[row] = inverse;
  }
}

void layer_norm_backward(const NormShape& shape, const float* in, const float* gain, const float* means,
                         const float* inverses, const float* out_gradient, float* in_gradient, float* gain_gradient,
                         float* offset_gradient) {
  const auto columns = static_cast<float>(shape.columns);
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t row = 0; row < length_of(shape.rows); ++row) {
    const std::ptrdiff_t at = row * length_of(shape.columns);
    float slopes = 0;
    float products = 0;
    for (std::ptrdiff_t i = 0; i < length_of(shape.columns); ++i) {
      const float slope = out_gradient[at + i] * gain[i];
      slopes += slope;
      products += slope * (in[at + i] - means[row]) * inverses[row];
    }
    for (std::ptrdiff_t i = 0; i < length_of(shape.columns); ++i) {
      const float slope = out_gradient[at + i] * gain[i];
      const float normal = (in[at + i] - means[row]) * inverses[row];
      in_gradient[at + i] += inverses[row] * (slope - slopes / columns - normal * products / columns);
    }
  }
  for_each_columns(shape.columns, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    std::fill(gain_gradient + first, gain_gradient + last, 0.0F);
    std::fill(offset_gradient + first, offset_gradient + last, 0.0F);
    for (std::ptrdiff_t row = 0; row < length_of(shape.rows); ++row) {
      const std::ptrdiff_t at = row * length_of(shape.columns);
      for (std::ptrdiff_t i = first; i < last; ++i) {
        gain_gradient[i] += out_gradient[at + i] * (in[at + i] - means[row]) * inverses[row];
        offset_gradient[i] += out_gradient[at + i];
      }
    }
  });
}

void gelu(std::span<const float> in, std::span<float> out) {
  const float* const from = in.data();
  float* const to = out.data();
#pragma omp parallel for simd schedule(static)
  for (std::ptrdiff_t i = 0; i < length_of(in.size()); ++i) {
    const float x = from[i];
    to[i] = 0.5F * x * (1 + hyperbolic_tangent(kGeluScale * (x + kGeluCube * x * x * x)));
  }
}

void gelu_backward(std::span<const float> in, std::span<float> gradient) {
  const float* const from = in.data();
  float* const to = gradient.data();
#pragma omp parallel for simd schedule(static)
  for (std::ptrdiff_t i = 0; i < length_of(in.size()); ++i) {
    const float x = from[i];
    const float bend = hyperbolic_tangent(kGeluScale * (x + kGeluCube * x * x * x));
    const float slope = kGeluScale * (1 + 3 * kGeluCube * x * x);
    to[i] *= 0.5F * (1 + bend) + 0.5F * x * (1 - bend * bend) * slope;
  }
}

void causal_softmax(std::span<float> values, std::size_t edge, float scale) {
  const auto rows = length_of(values.size() / edge);
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    float* const x = values.data() + row * length_of(edge);
    const std::size_t seen = static_cast<std::size_t>(row) % edge + 1;
    for (std::size_t i = 0; i < seen; ++i) x[i] *= scale;
    float greatest = 0;
    const float share = 1 / exponentials(x, seen, greatest);
    for (std::size_t i = 0; i < seen; ++i) x[i] *= share;
    std::fill(x + seen, x + edge, 0.0F);
  }
}

void causal_softmax_backward(std::span<const float> probabilities, std::span<float> gradients, std::size_t edge,
                             float scale) {
  const auto rows = length_of(probabilities.size() / edge);
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const float* const p = probabilities.data() + row * length_of(edge);
    float* const g = gradients.data() + row * length_of(edge);
    const std::size_t seen = static_cast<std::size_t>(row) % edge + 1;
    float sum = 0;
    for (std::size_t i = 0; i < seen; ++i) sum += p[i] * g[i];
    for (std::size_t i = 0; i < seen; ++i) g[i] = scale * p[i] * (g[i] - sum);
    std::fill(g + seen, g + edge, 0.0F);
  }
}

void add_to(std::span<float> sum, std::span<const float> values) {
  float* const out = sum.data();
  const float* const in = values.data();
#pragma omp parallel for simd schedule(static)
  for (std::ptrdiff_t i = 0; i < length_of(sum.size()); ++i) out[i] += in[i];
}

void add_row(std::span<float> values, std::span<const float> row) {
  const auto rows = length_of(values.size() / row.size());
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    float* const out = values.data() + i * length_of(row.size());
    for (std::size_t k = 0; k < row.size(); ++k) out[k] += row[k];
  }
}

void sum_columns(std::span<const float> values, std::span<float> sums) {
  const std::size_t rows = values.size() / sums.size();
  for_each_columns(sums.size(), [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    std::fill(sums.begin() + first, sums.begin() + last, 0.0F);
    for (std::size_t row = 0; row < rows; ++row) {
      const float* const in = values.data() + row * sums.size();
      for (std::ptrdiff_t i = first; i < last; ++i) sums[static_cast<std::size_t>(i)] += in[i];
    }
  });
}

void split_heads(const HeadShape& shape, const float* rows, std::size_t parts, std::size_t part, float* heads) {
  const std::size_t row_values = parts * shape.heads * shape.width;
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t i = 0; i < length_of(shape.batch * shape.heads); ++i) {
    const std::size_t sample = static_cast<std::size_t>(i) / shape.heads;
    const std::size_t head = static_cast<std::size_t>(i) % shape.heads;
    const float* in = rows + sample * shape.length * row_values + (part * shape.heads + head) * shape.width;
    float* out = heads + static_cast<std::size_t>(i) * shape.length * shape.width;
    for (std::size_t at = 0; at < shape.length; ++at, in += row_values, out += shape.width) {
      std::copy(in, in + shape.width, out);
    }
  }
}

void merge_heads(const HeadShape& shape, const float* heads, float* rows, std::size_t parts, std::size_t part) {
  const std::size_t row_values = parts * shape.heads * shape.width;
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t i = 0; i < length_of(shape.batch * shape.heads); ++i) {
    const std::size_t sample = static_cast<std::size_t>(i) / shape.heads;
    const std::size_t head = static_cast<std::size_t>(i) % shape.heads;
    const float* in = heads + static_cast<std::size_t>(i) * shape.length * shape.width;
    float* out = rows + sample * shape.length * row_values + (part * shape.heads + head) * shape.width;
    for (std::size_t at = 0; at < shape.length; ++at, in += shape.width, out += row_values) {
      std::copy(in, in + shape.width, out);
    }
  }
}

void embed(const TokenShapes& shape, const std::int32_t* samples, const float* of_tokens, const float* of_places,
           float* out) {
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t row = 0; row < length_of(shape.batch * shape.length); ++row) {
    const std::size_t sample = static_cast<std::size_t>(row) / shape.length;
    const std::size_t place = static_cast<std::size_t>(row) % shape.length;
    const std::int32_t token = std::max(samples[sample * (shape.length + 1) + place], 0);
    const float* const a = of_tokens + static_cast<std::size_t>(token) * shape.width;
    const float* const b = of_places + place * shape.width;
    float* const sum = out + static_cast<std::size_t>(row) * shape.width;
    for (std::size_t i = 0; i < shape.width; ++i) sum[i] = a[i] + b[i];
  }
}

void embed_backward(const TokenShapes& shape, const std::int32_t* samples, const float* gradient, float* of_tokens,
                    float* of_places) {
  // The same token occurs in many rows, so threads divide the columns, and each walks through all rows of its
  // columns.
  for_each_columns(shape.width, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::size_t place = 0; place < shape.length; ++place) {
      float* const sums = of_places + place * shape.width;
      std::fill(sums + first, sums + last, 0.0F);
    }
    for (std::size_t sample = 0; sample < shape.batch; ++sample) {
      for (std::size_t place = 0; place < shape.length; ++place) {
        const std::int32_t token = std::max(samples[sample * (shape.length + 1) + place], 0);
        const float* const in = gradient + (sample * shape.length + place) * shape.width;
        float* const a = of_tokens + static_cast<std::size_t>(token) * shape.width;
        float* const b = of_places + place * shape.width;
        for (std::ptrdiff_t i = first; i < last; ++i) {
          a[i] += in[i];
          b[i] += in[i];
        }
      }
    }
  });
}

NextTokenLoss next_token_loss(const TokenShapes& shape, const std::int32_t* samples, float* outputs, bool gradients) {
  const auto rows = length_of(shape.batch * shape.length);
  const auto target_of = [&](std::ptrdiff_t row) {
    const auto at = static_cast<std::size_t>(row);
    return samples[at / shape.length * (shape.length + 1) + at % shape.length + 1];
  };
  NextTokenLoss loss;
  for (std::ptrdiff_t row = 0; row < rows; ++row) loss.tokens += target_of(row) >= 0 ? 1 : 0;
  const float share = 1.0F / static_cast<float>(std::max<std::size_t>(loss.tokens, 1));
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    float* const out = outputs + row * length_of(shape.vocabulary);
    const std::int32_t target = target_of(row);
    if (target < 0) {
      std::fill(out, out + shape.vocabulary, 0.0F);
      continue;
    }
    const float logit = out[target];
    float greatest = 0;
    const float all = exponentials(out, shape.vocabulary, greatest);
    sum += std::log(all) + greatest - logit;
    if (!gradients) continue;
    const float scale = share / all;
    for (std::size_t i = 0; i < shape.vocabulary; ++i) out[i] *= scale;
    out[target] -= share;
  }
  loss.sum = sum;
  return loss;
}

}  // namespace loadline
