#include "synthetic/compute/cuda_mlp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "loaders/random.h"
#include "tests/synthetic/compute/cuda_device.h"

namespace loadline::cuda {
namespace {

constexpr std::size_t kInputs = 24;
constexpr std::size_t kClasses = 10;
constexpr std::size_t kMlpBatch = 32;
constexpr std::uint64_t kSeed = 7;

struct Samples {
  std::vector<float> values;  // kInputs for each sample
  std::vector<std::int32_t> labels;
};

// The values whose index is the label modulo kClasses set a class apart.
Samples separable(std::size_t count, Random& random) {
  Samples samples;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t label = random.below(kClasses);
    samples.labels.push_back(static_cast<std::int32_t>(label));
    for (std::size_t k = 0; k < kInputs; ++k) {
      // In 128ths, which every element type can hold. As u8 they are value * 128, which the network divides by 255.
      const double value = (random.unit() + (k % kClasses == label ? 1 : 0)) / 2;
      samples.values.push_back(static_cast<float>(std::floor(value * 128) / 128));
    }
  }
  return samples;
}

// The values as a batch of this type holds them.
std::vector<std::byte> encoded(const std::vector<float>& values, DType dtype) {
  std::vector<std::byte> bytes(values.size() * size_bytes(dtype));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::byte* at = bytes.data() + i * size_bytes(dtype);
    if (dtype == DType::kU8) *at = static_cast<std::byte>(values[i] * 128);
    if (dtype == DType::kF32) std::memcpy(at, &values[i], 4);
    const auto upper_half = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(values[i]) >> 16);
    if (dtype == DType::kBF16) std::memcpy(at, &upper_half, 2);
  }
  return bytes;
}

// The same network as in textbooks, in double precision.
class Reference {
 public:
  Reference() {
    for (std::size_t l = 0; l < 3; ++l) {
      const float bound = std::sqrt(6.0F / static_cast<float>(kWidths[l]));
      weights_[l].resize(kWidths[l] * kWidths[l + 1]);
      for (std::size_t i = 0; i < weights_[l].size(); ++i) {
        const std::uint64_t bits = mix64(key_of(kSeed, l) + (i + 1) * 0x9e3779b97f4a7c15ULL);
        weights_[l][i] = (2 * (static_cast<double>(bits >> 40) * 0x1p-24) - 1) * static_cast<double>(bound);
      }
      biases_[l].resize(kWidths[l + 1]);
      weight_velocities_[l].resize(weights_[l].size());
      bias_velocities_[l].resize(biases_[l].size());
    }
  }

  // Takes one step; returns the mean loss before it.
  double step(const Samples& samples, double scale) {
    const std::size_t rows = samples.labels.size();
    std::array<std::vector<double>, 4> values;
    for (const float value : samples.values) values[0].push_back(static_cast<double>(value) * scale);
    for (std::size_t l = 0; l < 3; ++l) values[l + 1] = forward(l, values[l], rows);
    double loss = 0;
    std::vector<double> gradient = loss_gradient(values[3], samples.labels, loss);
    for (std::size_t l = 3; l-- > 0;) gradient = backward(l, values[l], gradient, rows);
    return loss;
  }

 private:
  static constexpr std::array<std::size_t, 4> kWidths{kInputs, 512, 512, kClasses + 6};

  std::vector<double> forward(std::size_t l, const std::vector<double>& values, std::size_t rows) const {
    const std::size_t out = kWidths[l + 1];
    std::vector<double> result;
    for (std::size_t row = 0; row < rows; ++row) {
      result.insert(result.end(), biases_[l].begin(), biases_[l].end());
      for (std::size_t i = 0; i < kWidths[l]; ++i) {
        const double value = values[row * kWidths[l] + i];
        for (std::size_t j = 0; j < out; ++j) result[row * out + j] += value * weights_[l][i * out + j];
      }
    }
    if (l < 2) std::ranges::transform(result, result.begin(), [](double value) { return std::max(0.0, value); });
    return result;
  }

  static std::vector<double> loss_gradient(const std::vector<double>& logits, const std::vector<std::int32_t>& labels,
                                           double& loss) {
    std::vector<double> gradient(logits.size());
    const auto rows = static_cast<double>(labels.size());
    for (std::size_t row = 0; row < labels.size(); ++row) {
      const double* of_row = &logits[row * kWidths[3]];
      double sum = 0;
      for (std::size_t c = 0; c < kClasses; ++c) sum += std::exp(of_row[c]);
      const auto label = static_cast<std::size_t>(labels[row]);
      loss += (std::log(sum) - of_row[label]) / rows;
      for (std::size_t c = 0; c < kClasses; ++c) {
        gradient[row * kWidths[3] + c] = (std::exp(of_row[c]) / sum - (c == label ? 1 : 0)) / rows;
      }
    }
    return gradient;
  }

  // Takes the step of one layer; returns the gradient with respect to its input.
  std::vector<double> backward(std::size_t l, const std::vector<double>& values, const std::vector<double>& gradient,
                               std::size_t rows) {
    const std::size_t in = kWidths[l];
    const std::size_t out = kWidths[l + 1];
    std::vector<double> by_weight(in * out);
    std::vector<double> by_bias(out);
    std::vector<double> by_value(rows * in);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t j = 0; j < out; ++j) by_bias[j] += gradient[row * out + j];
      for (std::size_t i = 0; i < in; ++i) {
        const double value = values[row * in + i];
        double sum = 0;
        for (std::size_t j = 0; j < out; ++j) {
          by_weight[i * out + j] += value * gradient[row * out + j];
          sum += gradient[row * out + j] * weights_[l][i * out + j];
        }
        by_value[row * in + i] = value > 0 ? sum : 0;
      }
    }
    descend(weights_[l], weight_velocities_[l], by_weight);
    descend(biases_[l], bias_velocities_[l], by_bias);
    return by_value;
  }

  static void descend(std::vector<double>& values, std::vector<double>& velocities, const std::vector<double>& by) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      velocities[i] = 0.9 * velocities[i] + by[i];
      values[i] -= 0.01 * velocities[i];
    }
  }

  std::array<std::vector<double>, 3> weights_;
  std::array<std::vector<double>, 3> biases_;
  std::array<std::vector<double>, 3> weight_velocities_;
  std::array<std::vector<double>, 3> bias_velocities_;
};

// The network on the device. The test feeds it and reads its loss.
class Trained {
 public:
  Trained(DType dtype, Precision precision, bool fusion)
      : dtype_(dtype),
        mlp_({.inputs = kInputs,
              .input_dtype = dtype,
              .classes = kClasses,
              .batch_size = kMlpBatch,
              .precision = precision,
              .fusion = fusion,
              .seed = kSeed},
             stream_.handle()) {}

  double step(const Samples& samples) {
    const auto bytes = encoded(samples.values, dtype_);
    stream_.copy_to_device(input_.data(), bytes.data(), bytes.size());
    stream_.copy_to_device(labels_.data(), samples.labels.data(), samples.labels.size() * sizeof(std::int32_t));
    mlp_.forward({input_.data(), dtype_, samples.labels.size(), kInputs}, labels_.as<std::int32_t>(),
                 loss_.as<float>());
    mlp_.backward();
    mlp_.update();
    float loss = 0;
    stream_.copy_to_host(&loss, loss_.data(), sizeof(loss));
    stream_.drain();
    return static_cast<double>(loss);
  }

 private:
  DType dtype_;
  Stream stream_;
  Mlp mlp_;
  DeviceMemory input_{kMlpBatch * kInputs * sizeof(float), "a test"};
  DeviceMemory labels_{kMlpBatch * sizeof(std::int32_t), "a test"};
  DeviceMemory loss_{sizeof(float), "a test"};
};

using CudaMlp = test::OnDevice;

TEST_F(CudaMlp, HasTheLossOfTheSameNetworkInDoublePrecision) {
  for (const DType dtype : {DType::kU8, DType::kF32, DType::kBF16}) {
    for (const Precision precision : {Precision::kF32, Precision::kBF16}) {
      for (const bool fusion : {true, false}) {
        Random random(3);
        Reference reference;
        Trained trained(dtype, precision, fusion);
        const double tolerance = precision == Precision::kF32 ? 1e-4 : 0.03;
        const double scale = dtype == DType::kU8 ? 128.0 / 255 : 1;
        for (int i = 0; i < 8; ++i) {
          const Samples samples = separable(i == 5 ? 13 : kMlpBatch, random);  // one batch is short
          EXPECT_NEAR(trained.step(samples), reference.step(samples, scale), tolerance)
              << "step " << i << ", " << name(dtype) << " in " << name(precision) << (fusion ? "" : ", not fused");
        }
      }
    }
  }
}

TEST_F(CudaMlp, LearnsASeparableSet) {
  for (const Precision precision : {Precision::kF32, Precision::kBF16}) {
    Random random(4);
    Trained trained(DType::kF32, precision, true);
    const double first = trained.step(separable(kMlpBatch, random));
    double last = first;
    for (int i = 0; i < 200; ++i) last = trained.step(separable(kMlpBatch, random));
    EXPECT_LT(last, first / 4) << name(precision);
  }
}

TEST_F(CudaMlp, GivesANaNLossForALabelThatIsNotAClass) {
  Random random(5);
  for (const std::int32_t label : {-1, 10, 15, 1 << 30}) {
    Trained trained(DType::kF32, Precision::kF32, true);
    Samples samples = separable(kMlpBatch, random);
    samples.labels[3] = label;
    EXPECT_TRUE(std::isnan(trained.step(samples))) << label;
  }
}

}  // namespace
}  // namespace loadline::cuda
