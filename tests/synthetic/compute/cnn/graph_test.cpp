#include "synthetic/compute/cnn/graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "loaders/random.h"
#include "synthetic/compute/cnn/loss.h"

namespace loadline {
namespace {

constexpr std::size_t kBatch = 3;

SampleFormat images(std::size_t channels, std::size_t edge) {
  return {.dtype = DType::kF32, .layout = Layout::kNCHW, .input = {channels, edge, edge}, .target = {}};
}

SampleFormat volumes(std::size_t channels, std::size_t edge) {
  return {.dtype = DType::kF32, .layout = Layout::kNCHW, .input = {channels, edge, edge, edge}, .target = {}};
}

std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(2 * random.unit() - 1);
  return values;
}

std::size_t count_of(const SampleFormat& sample) {
  return std::accumulate(sample.input.begin(), sample.input.end(), kBatch, std::multiplies<>());
}

// A network, an input, and a loss with a different weight for each output, so that no gradient cancels.
class Differentiated {
 public:
  Differentiated(std::vector<Layer> layers, const SampleFormat& sample, const GraphOptions& options)
      : graph_(layers, sample, options), input_(random_values(count_of(sample), 7)) {
    graph_.set_input(reinterpret_cast<const std::byte*>(input_.data()));
    weighting_ = random_values(graph_.outputs().size(), 11);
    for (std::size_t tensor = 0; tensor < graph_.tensor_values().size(); ++tensor) {
      // Moves weights away from zero, where max(x, 0) has its kink and new biases start.
      auto values = graph_.plain_weights(tensor);
      const auto shift = random_values(values.size(), 13 + tensor);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.1F * shift[i];
      graph_.set_plain_weights(tensor, values);
    }
  }

  double loss() {
    graph_.forward(true);
    double sum = 0;
    for (std::size_t i = 0; i < weighting_.size(); ++i) sum += double{graph_.outputs()[i]} * double{weighting_[i]};
    return sum;
  }

  // The gradient by the backward pass, and below it by differences of the loss.
  std::vector<float> gradient(std::size_t tensor) {
    loss();
    std::ranges::copy(weighting_, graph_.output_gradients().begin());
    graph_.backward();
    return graph_.plain_gradient(tensor);
  }
  double difference(std::size_t tensor, std::size_t at, float step) {
    const auto original = graph_.plain_weights(tensor);
    auto values = original;
    values[at] = original[at] + step;
    graph_.set_plain_weights(tensor, values);
    const double above = loss();
    values[at] = original[at] - step;
    graph_.set_plain_weights(tensor, values);
    const double below = loss();
    graph_.set_plain_weights(tensor, original);
    return (above - below) / (2 * double{step});
  }

  Graph& graph() { return graph_; }

 private:
  Graph graph_;
  std::vector<float> input_;
  std::vector<float> weighting_;
};

struct NetworkCase {
  std::string name;
  std::vector<Layer> layers;
  SampleFormat sample;
};

std::vector<NetworkCase> cases() {
  using Kind = LayerKind;
  return {
      {"Dense", {{.kind = Kind::kDense, .input = 0, .channels = 5}}, images(2, 4)},
      {"DenseOfDense",
       {{.kind = Kind::kDense, .input = 0, .channels = 20, .relu = true},
        {.kind = Kind::kDense, .input = 1, .channels = 4}},
       images(1, 4)},
      {"Convolution",
       {{.kind = Kind::kConvolution, .input = 0, .channels = 6, .kernel = 3, .padding = 1, .relu = true},
        {.kind = Kind::kConvolution, .input = 1, .channels = 16, .kernel = 5, .relu = true},
        {.kind = Kind::kDense, .input = 2, .channels = 3}},
       images(1, 8)},
      {"StridedConvolution",
       {{.kind = Kind::kConvolution, .input = 0, .channels = 16, .kernel = 3, .stride = 2, .padding = 1, .bias = false},
        {.kind = Kind::kConvolution, .input = 1, .channels = 4, .kernel = 3, .stride = 2, .padding = 1}},
       images(3, 8)},
      {"Pools",
       {{.kind = Kind::kConvolution, .input = 0, .channels = 8, .kernel = 3, .padding = 1, .relu = true},
        {.kind = Kind::kMaxPool, .input = 1, .kernel = 2, .stride = 2},
        {.kind = Kind::kGlobalAverage, .input = 2},
        {.kind = Kind::kDense, .input = 3, .channels = 3}},
       images(3, 8)},
      {"Normalisation",
       {{.kind = Kind::kConvolution, .input = 0, .channels = 16, .kernel = 3, .padding = 1, .bias = false},
        {.kind = Kind::kNormalisation, .input = 1, .relu = true},
        {.kind = Kind::kConvolution, .input = 2, .channels = 16, .kernel = 3, .padding = 1, .bias = false},
        {.kind = Kind::kNormalisation, .input = 3},
        {.kind = Kind::kDense, .input = 4, .channels = 2}},
       images(3, 6)},
      {"SumWithAShortcut",
       {{.kind = Kind::kConvolution, .input = 0, .channels = 16, .kernel = 3, .padding = 1, .relu = true},
        {.kind = Kind::kConvolution, .input = 1, .channels = 16, .kernel = 3, .padding = 1, .relu = true},
        {.kind = Kind::kConvolution, .input = 2, .channels = 16, .kernel = 3, .padding = 1},
        {.kind = Kind::kAdd, .input = 3, .second = 1, .relu = true},
        {.kind = Kind::kDense, .input = 4, .channels = 2}},
       images(3, 6)},
      {"ThinnedShortcut",
       {{.kind = Kind::kConvolution, .input = 0, .channels = 16, .kernel = 3, .padding = 1, .relu = true},
        {.kind = Kind::kShortcut, .input = 1, .channels = 32, .stride = 2},
        {.kind = Kind::kConvolution, .input = 1, .channels = 32, .kernel = 3, .stride = 2, .padding = 1},
        {.kind = Kind::kAdd, .input = 3, .second = 2, .relu = true},
        {.kind = Kind::kDense, .input = 4, .channels = 2}},
       images(3, 8)},
      {"TransposedAndConcat",
       {{.kind = Kind::kConvolution, .input = 0, .channels = 16, .kernel = 3, .padding = 1, .relu = true},
        {.kind = Kind::kMaxPool, .input = 1, .kernel = 2, .stride = 2},
        {.kind = Kind::kConvolution, .input = 2, .channels = 32, .kernel = 3, .padding = 1, .relu = true},
        {.kind = Kind::kTransposed, .input = 3, .channels = 16, .kernel = 2, .stride = 2},
        {.kind = Kind::kConcat, .input = 4, .second = 1},
        {.kind = Kind::kConvolution, .input = 5, .channels = 5, .kernel = 1}},
       volumes(4, 4)},
  };
}

struct GraphCase {
  NetworkCase network;
  bool fusion;
};

class GraphGradient : public testing::TestWithParam<GraphCase> {};

TEST_P(GraphGradient, EqualsTheDifferencesOfTheLoss) {
  const auto& [network, fusion] = GetParam();
  Differentiated subject(network.layers, network.sample, {.batch_size = kBatch, .fusion = fusion});
  ASSERT_GT(subject.graph().tensor_values().size(), 0U);
  for (std::size_t tensor = 0; tensor < subject.graph().tensor_values().size(); ++tensor) {
    const auto gradient = subject.gradient(tensor);
    double scale = 1e-3;
    for (const float value : gradient) scale = std::max(scale, std::abs(double{value}));
    Random random(tensor);
    int smooth = 0;
    for (int k = 0; k < 12; ++k) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(gradient.size()));
      const double difference = subject.difference(tensor, at, 1e-3F);
      // If another step size gives another answer, a value crossed the kink of max(x, 0), or of a maximum.
      if (std::abs(difference - subject.difference(tensor, at, 4e-3F)) > 0.01 * scale) continue;
      ++smooth;
      EXPECT_NEAR(gradient[at], difference, 0.03 * scale)
          << network.name << ", tensor " << tensor << ", value " << at << (fusion ? ", fused" : ", not fused");
    }
    EXPECT_GE(smooth, 3) << "too few places to hold anything to, in tensor " << tensor;
  }
}

std::vector<GraphCase> all_cases() {
  std::vector<GraphCase> all;
  for (const NetworkCase& network : cases()) {
    for (const bool fusion : {true, false}) all.push_back({network, fusion});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Networks, GraphGradient, testing::ValuesIn(all_cases()), [](const auto& param) {
  return param.param.network.name + (param.param.fusion ? "Fused" : "Apart");
});

class GraphOfNetwork : public testing::TestWithParam<NetworkCase> {};

TEST_P(GraphOfNetwork, GivesTheSameResultFusedAndNotFused) {
  const NetworkCase& network = GetParam();
  Differentiated fused(network.layers, network.sample, {.batch_size = kBatch, .fusion = true});
  Differentiated apart(network.layers, network.sample, {.batch_size = kBatch, .fusion = false});
  EXPECT_NEAR(fused.loss(), apart.loss(), 1e-4 * std::abs(fused.loss()) + 1e-4);
  for (std::size_t tensor = 0; tensor < fused.graph().tensor_values().size(); ++tensor) {
    const auto one = fused.gradient(tensor);
    const auto other = apart.gradient(tensor);
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_NEAR(one[i], other[i], 1e-3 * (1 + std::abs(one[i]))) << "tensor " << tensor << ", value " << i;
    }
  }
}

TEST_P(GraphOfNetwork, GivesAboutTheSameResultInBf16) {
  if (support_of(Precision::kBF16) == PrecisionSupport::kNone) GTEST_SKIP() << "this CPU has no bf16";
  const NetworkCase& network = GetParam();
  Differentiated whole(network.layers, network.sample, {.batch_size = kBatch});
  Differentiated half(network.layers, network.sample, {.batch_size = kBatch, .precision = Precision::kBF16});
  whole.loss();
  half.loss();
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < whole.graph().outputs().size(); ++i) {
    error += std::pow(whole.graph().outputs()[i] - half.graph().outputs()[i], 2);
    size += std::pow(whole.graph().outputs()[i], 2);
  }
  EXPECT_LT(std::sqrt(error / size), 0.03);
}

INSTANTIATE_TEST_SUITE_P(Networks, GraphOfNetwork, testing::ValuesIn(cases()),
                         [](const auto& param) { return param.param.name; });

TEST(Graph, ConvolvesAsCalculatedByHand) {
  // One channel and a kernel of ones: each output is the sum of the 3 x 3 values around it, with zeros outside.
  const std::vector<Layer> layers{
      {.kind = LayerKind::kConvolution, .input = 0, .channels = 1, .kernel = 3, .padding = 1}};
  Graph graph(layers, images(1, 2), {.batch_size = 1});
  graph.set_plain_weights(0, std::vector<float>(9, 1));
  graph.set_plain_weights(1, std::vector<float>{0.5F});
  const std::vector<float> input{1, 2, 3, 4};
  graph.set_input(reinterpret_cast<const std::byte*>(input.data()));
  graph.forward(true);
  EXPECT_EQ(std::vector<float>(graph.outputs().begin(), graph.outputs().end()),
            (std::vector<float>{10.5F, 10.5F, 10.5F, 10.5F}));
}

TEST(Graph, TakesBytesAsSharesOf255AndChannelsLast) {
  const std::vector<Layer> layers{{.kind = LayerKind::kDense, .input = 0, .channels = 1}};
  SampleFormat sample = images(2, 1);
  sample.dtype = DType::kU8;
  sample.input = {2, 1, 2};
  sample.layout = Layout::kNHWC;
  Graph graph(layers, sample, {.batch_size = 1});
  graph.set_plain_weights(0, std::vector<float>{1, 10, 100, 1000});  // channel 0 at x = 0 and 1, then channel 1
  const std::vector<std::uint8_t> input{255, 51, 0, 102};            // x = 0: channels 0 and 1, then x = 1
  graph.set_input(reinterpret_cast<const std::byte*>(input.data()));
  graph.forward(true);
  EXPECT_FLOAT_EQ(graph.outputs()[0], 1 * 1 + 100 * 0.2F + 10 * 0 + 1000 * 0.4F);
}

TEST(Graph, NormalisesByTheBatchInTrainingAndByTheRunningMeanOtherwise) {
  const std::vector<Layer> layers{{.kind = LayerKind::kNormalisation, .input = 0}};
  Graph graph(layers, images(1, 1), {.batch_size = 2});
  const std::vector<float> input{1, 3};  // mean 2, variance 1
  graph.set_input(reinterpret_cast<const std::byte*>(input.data()));
  graph.forward(true);
  EXPECT_NEAR(graph.outputs()[0], -1, 1e-4);
  EXPECT_NEAR(graph.outputs()[1], 1, 1e-4);
  graph.forward(false);  // remembered: mean 0.1 x 2, variance 0.9 + 0.1 x 1
  EXPECT_NEAR(graph.outputs()[0], 0.8, 1e-4);
  EXPECT_NEAR(graph.outputs()[1], 2.8, 1e-4);
}

TEST(Graph, DrawsTheSameWeightsFromTheSameSeed) {
  const std::vector<Layer> layers{{.kind = LayerKind::kDense, .input = 0, .channels = 64, .relu = true}};
  Graph one(layers, images(4, 8), {.batch_size = 2, .seed = 5});
  Graph again(layers, images(4, 8), {.batch_size = 7, .fusion = false, .seed = 5});
  Graph other(layers, images(4, 8), {.batch_size = 2, .seed = 6});
  EXPECT_EQ(one.plain_weights(0), again.plain_weights(0));
  EXPECT_NE(one.plain_weights(0), other.plain_weights(0));
  double squares = 0;
  for (const float value : one.plain_weights(0)) squares += double{value} * double{value};
  EXPECT_NEAR(squares / (64 * 256), 2.0 / 256, 2e-4) << "He's rule: variance 2 / inputs";
  EXPECT_EQ(one.plain_weights(1), std::vector<float>(64, 0)) << "biases begin at zero";
}

}  // namespace
}  // namespace loadline
