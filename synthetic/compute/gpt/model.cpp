#include "synthetic/compute/gpt/model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "loaders/random.h"
#include "loaders/system/memory.h"
#include "synthetic/compute/gpt/product.h"
#include "synthetic/compute/gpt/tensors.h"

namespace loadline {
namespace {

// How many values of each kind a pass keeps or uses, in memory order.
struct Extents {
  explicit Extents(const GptShape& shape)
      : rows(shape.batch_size * shape.length),
        narrow(rows * shape.width),
        wide(kGrowth * narrow),
        scores(rows * shape.heads * shape.length),
        outputs(rows * shape.vocabulary) {}

  // Per layer: inputs and outputs of its halves and normalisations, queries, keys and values, merged heads; the dense
  // layer before and after GELU; probabilities; means and deviations.
  std::size_t kept() const { return 8 * narrow + 2 * wide + scores + 4 * rows; }
  std::size_t all(std::size_t layers) const {
    // End of the stream, last normalisation, outputs, gradients and scratch.
    return layers * kept() + 2 * narrow + 2 * rows + outputs + 3 * narrow + 3 * narrow + 4 * narrow + wide + scores;
  }

  std::size_t rows;
  std::size_t narrow;
  std::size_t wide;
  std::size_t scores;
  std::size_t outputs;
};

}  // namespace

class Gpt::Parts {
 public:
  Parts(const GptShape& shape, Precision precision, bool fusion, std::uint64_t seed)
      : shape_(shape),
        extents_(shape),
        tensors_(tensors_of(shape)),
        fusion_(fusion),
        weights_(values_in(tensors_) * sizeof(float)),
        gradients_(values_in(tensors_) * sizeof(float)),
        memory_(extents_.all(shape.layers) * sizeof(float)),
        engine_(precision, std::max({extents_.wide, extents_.scores, extents_.outputs, 3 * extents_.narrow,
                                     shape.vocabulary * shape.width, kGrowth * shape.width * shape.width})) {
    place_values();
    make_products();
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      Random random(key_of(seed, i));
      draw_normal(random, tensors_[i], weights().subspan(offsets_[i], tensors_[i].values));
    }
  }

  NextTokenLoss forward(const std::int32_t* samples, bool gradients) {
    samples_ = samples;
    embed(tokens(), samples, weight(kTokenTensor), weight(kPlaceTensor), layers_.front().in);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      forward_layer(i, i + 1 < layers_.size() ? layers_[i + 1].in : end_);
    }
    const std::size_t last = tensors_.size() - 2;
    layer_norm(norm(), end_, weight(last), weight(last + 1), last_normal_, last_means_, last_inverses_);
    product(kLogits).run(last_normal_, weight(kTokenTensor), outputs_);
    return next_token_loss(tokens(), samples, outputs_, gradients);
  }

  void backward() {
    const std::size_t last = tensors_.size() - 2;
    std::fill(slope_, slope_ + extents_.narrow, 0.0F);
    product(kLogitsData).run(outputs_, weight(kTokenTensor), normal_slope_);
    product(kLogitsWeights).run(outputs_, last_normal_, gradient(kTokenTensor));
    layer_norm_backward(norm(), end_, weight(last), last_means_, last_inverses_, normal_slope_, slope_, gradient(last),
                        gradient(last + 1));
    for (std::size_t i = layers_.size(); i-- > 0;) {
      backward_dense(i);
      backward_attention(i);
    }
    embed_backward(tokens(), samples_, slope_, gradient(kTokenTensor), gradient(kPlaceTensor));
  }

  std::span<float> weights() {
    return {reinterpret_cast<float*>(weights_.bytes().data()), weights_.bytes().size() / sizeof(float)};
  }
  std::span<float> gradients() {
    return {reinterpret_cast<float*>(gradients_.bytes().data()), gradients_.bytes().size() / sizeof(float)};
  }
  const std::vector<GptTensor>& tensors() const { return tensors_; }

 private:
  // What a layer keeps for the backward pass.
  struct Layer {
    float* in;  // the stream
    float* normal1;
    float* heads[3];  // queries, keys, values: [batch, heads, length, width of a head]
    float* probabilities;
    float* merged;
    float* middle;  // the stream after attention
    float* normal2;
    float* dense;  // before GELU
    float* bent;   // after GELU
    float* means1;
    float* inverses1;
    float* means2;
    float* inverses2;
  };

  enum ProductName : std::size_t {
    kQueriesKeysValues,
    kScores,
    kMixed,
    kAttended,
    kDenseUp,
    kDenseDown,
    kLogits,
    kLogitsData,
    kLogitsWeights,
    kDenseDownData,
    kDenseDownWeights,
    kDenseUpData,
    kDenseUpWeights,
    kAttendedData,
    kAttendedWeights,
    kProbabilitySlopes,
    kValueSlopes,
    kQuerySlopes,
    kKeySlopes,
    kStreamData,
    kStreamWeights,
  };

  void place_values() {
    std::size_t offset = 0;
    for (const GptTensor& tensor : tensors_) {
      offsets_.push_back(offset);
      offset += tensor.values;
    }
    auto* next = reinterpret_cast<float*>(memory_.bytes().data());
    const auto take = [&](std::size_t values) { return std::exchange(next, next + values); };
    const std::size_t narrow = extents_.narrow;
    const std::size_t rows = extents_.rows;
    for (std::size_t i = 0; i < shape_.layers; ++i) {
      layers_.push_back({.in = take(narrow),
                         .normal1 = take(narrow),
                         .heads = {take(narrow), take(narrow), take(narrow)},
                         .probabilities = take(extents_.scores),
                         .merged = take(narrow),
                         .middle = take(narrow),
                         .normal2 = take(narrow),
                         .dense = take(extents_.wide),
                         .bent = take(extents_.wide),
                         .means1 = take(rows),
                         .inverses1 = take(rows),
                         .means2 = take(rows),
                         .inverses2 = take(rows)});
    }
    end_ = take(narrow);
    last_normal_ = take(narrow);
    last_means_ = take(rows);
    last_inverses_ = take(rows);
    outputs_ = take(extents_.outputs);
    slope_ = take(narrow);
    normal_slope_ = take(narrow);
    added_ = take(narrow);
    together_ = take(3 * narrow);
    head_slopes_[0] = take(narrow);
    head_slopes_[1] = take(narrow);
    head_slopes_[2] = take(narrow);
    mixed_ = take(narrow);
    wide_slope_ = take(extents_.wide);
    score_slope_ = take(extents_.scores);
  }

  // In the order of ProductName.
  void make_products() {
    const std::size_t n = extents_.rows;
    const std::size_t c = shape_.width;
    const std::size_t t = shape_.length;
    const std::size_t d = c / shape_.heads;
    const std::size_t groups = shape_.batch_size * shape_.heads;
    const std::size_t v = shape_.vocabulary;
    const ProductShape shapes[] = {
        {.rows = n, .inner = c, .columns = 3 * c, .adds_row = fusion_},
        {.batch = groups, .rows = t, .inner = d, .columns = t, .right_turned = true},
        {.batch = groups, .rows = t, .inner = t, .columns = d},
        {.rows = n, .inner = c, .columns = c, .adds_row = fusion_},
        {.rows = n, .inner = c, .columns = kGrowth * c, .adds_row = fusion_},
        {.rows = n, .inner = kGrowth * c, .columns = c, .adds_row = fusion_},
        {.rows = n, .inner = c, .columns = v, .right_turned = true},
        {.rows = n, .inner = v, .columns = c},
        {.rows = v, .inner = n, .columns = c, .left_turned = true},
        {.rows = n, .inner = c, .columns = kGrowth * c, .right_turned = true},
        {.rows = kGrowth * c, .inner = n, .columns = c, .left_turned = true},
        {.rows = n, .inner = kGrowth * c, .columns = c, .right_turned = true},
        {.rows = c, .inner = n, .columns = kGrowth * c, .left_turned = true},
        {.rows = n, .inner = c, .columns = c, .right_turned = true},
        {.rows = c, .inner = n, .columns = c, .left_turned = true},
        {.batch = groups, .rows = t, .inner = d, .columns = t, .right_turned = true},
        {.batch = groups, .rows = t, .inner = t, .columns = d, .left_turned = true},
        {.batch = groups, .rows = t, .inner = t, .columns = d},
        {.batch = groups, .rows = t, .inner = t, .columns = d, .left_turned = true},
        {.rows = n, .inner = 3 * c, .columns = c, .right_turned = true},
        {.rows = c, .inner = n, .columns = 3 * c, .left_turned = true},
    };
    for (const ProductShape& shape : shapes) products_.emplace_back(engine_, shape);
  }

  void forward_layer(std::size_t index, float* out) {
    const Layer& layer = layers_[index];
    const auto w = [&](LayerTensor tensor) { return weight(tensor_of(index, tensor)); };
    layer_norm(norm(), layer.in, w(kNorm1Gain), w(kNorm1Offset), layer.normal1, layer.means1, layer.inverses1);
    multiply(kQueriesKeysValues, layer.normal1, w(kAttentionIn), w(kAttentionInOffset), together_, 3 * shape_.width);
    for (std::size_t part = 0; part < 3; ++part) split_heads(heads(), together_, 3, part, layer.heads[part]);
    product(kScores).run(layer.heads[0], layer.heads[1], layer.probabilities);
    causal_softmax({layer.probabilities, extents_.scores}, shape_.length, scale());
    product(kMixed).run(layer.probabilities, layer.heads[2], mixed_);
    merge_heads(heads(), mixed_, layer.merged, 1, 0);
    multiply(kAttended, layer.merged, w(kAttentionOut), w(kAttentionOutOffset), layer.middle, shape_.width);
    add_to({layer.middle, extents_.narrow}, {layer.in, extents_.narrow});

    layer_norm(norm(), layer.middle, w(kNorm2Gain), w(kNorm2Offset), layer.normal2, layer.means2, layer.inverses2);
    multiply(kDenseUp, layer.normal2, w(kDenseIn), w(kDenseInOffset), layer.dense, kGrowth * shape_.width);
    gelu({layer.dense, extents_.wide}, {layer.bent, extents_.wide});
    multiply(kDenseDown, layer.bent, w(kDenseOut), w(kDenseOutOffset), out, shape_.width);
    add_to({out, extents_.narrow}, {layer.middle, extents_.narrow});
  }

  // From d(loss)/d(stream after the layer) to that after its attention, both in slope_.
  void backward_dense(std::size_t index) {
    const Layer& layer = layers_[index];
    const auto w = [&](LayerTensor tensor) { return weight(tensor_of(index, tensor)); };
    const auto g = [&](LayerTensor tensor) { return gradient(tensor_of(index, tensor)); };
    const std::size_t c = shape_.width;
    product(kDenseDownData).run(slope_, w(kDenseOut), wide_slope_);
    product(kDenseDownWeights).run(layer.bent, slope_, g(kDenseOut));
    sum_columns({slope_, extents_.narrow}, {g(kDenseOutOffset), c});
    gelu_backward({layer.dense, extents_.wide}, {wide_slope_, extents_.wide});
    product(kDenseUpData).run(wide_slope_, w(kDenseIn), normal_slope_);
    product(kDenseUpWeights).run(layer.normal2, wide_slope_, g(kDenseIn));
    sum_columns({wide_slope_, extents_.wide}, {g(kDenseInOffset), kGrowth * c});
    layer_norm_backward(norm(), layer.middle, w(kNorm2Gain), layer.means2, layer.inverses2, normal_slope_, slope_,
                        g(kNorm2Gain), g(kNorm2Offset));
  }

  void backward_attention(std::size_t index) {
    const Layer& layer = layers_[index];
    const auto w = [&](LayerTensor tensor) { return weight(tensor_of(index, tensor)); };
    const auto g = [&](LayerTensor tensor) { return gradient(tensor_of(index, tensor)); };
    const std::size_t c = shape_.width;
    product(kAttendedData).run(slope_, w(kAttentionOut), added_);
    product(kAttendedWeights).run(layer.merged, slope_, g(kAttentionOut));
    sum_columns({slope_, extents_.narrow}, {g(kAttentionOutOffset), c});
    split_heads(heads(), added_, 1, 0, mixed_);
    product(kProbabilitySlopes).run(mixed_, layer.heads[2], score_slope_);
    product(kValueSlopes).run(layer.probabilities, mixed_, head_slopes_[2]);
    causal_softmax_backward({layer.probabilities, extents_.scores}, {score_slope_, extents_.scores}, shape_.length,
                            scale());
    product(kQuerySlopes).run(score_slope_, layer.heads[1], head_slopes_[0]);
    product(kKeySlopes).run(score_slope_, layer.heads[0], head_slopes_[1]);
    for (std::size_t part = 0; part < 3; ++part) merge_heads(heads(), head_slopes_[part], together_, 3, part);
    product(kStreamData).run(together_, w(kAttentionIn), normal_slope_);
    product(kStreamWeights).run(layer.normal1, together_, g(kAttentionIn));
    sum_columns({together_, 3 * extents_.narrow}, {g(kAttentionInOffset), 3 * c});
    layer_norm_backward(norm(), layer.in, w(kNorm1Gain), layer.means1, layer.inverses1, normal_slope_, slope_,
                        g(kNorm1Gain), g(kNorm1Offset));
  }

  // With an offset per column, added within the product or in a separate pass.
  void multiply(ProductName name, const float* left, const float* right, const float* row, float* out,
                std::size_t columns) {
    product(name).run(left, right, out, row);
    if (!fusion_) add_row({out, extents_.rows * columns}, {row, columns});
  }

  const Product& product(ProductName name) const { return products_[name]; }
  static std::size_t tensor_of(std::size_t layer, LayerTensor tensor) {
    return kFirstLayerTensor + layer * kLayerTensors + tensor;
  }
  float* weight(std::size_t tensor) { return weights().data() + offsets_[tensor]; }
  float* gradient(std::size_t tensor) { return gradients().data() + offsets_[tensor]; }
  NormShape norm() const { return {extents_.rows, shape_.width}; }
  TokenShapes tokens() const { return {shape_.batch_size, shape_.length, shape_.width, shape_.vocabulary}; }
  HeadShape heads() const { return {shape_.batch_size, shape_.length, shape_.heads, shape_.width / shape_.heads}; }
  float scale() const {
    const std::size_t head_width = shape_.width / shape_.heads;
    return 1 / std::sqrt(static_cast<float>(head_width));
  }

  GptShape shape_;
  Extents extents_;
  std::vector<GptTensor> tensors_;
  bool fusion_;
  std::vector<std::size_t> offsets_;
  HugeMemory weights_;
  HugeMemory gradients_;
  HugeMemory memory_;
  ProductEngine engine_;
  std::vector<Product> products_;
  const std::int32_t* samples_ = nullptr;

  std::vector<Layer> layers_;
  float* end_ = nullptr;  // of the stream
  float* last_normal_ = nullptr;
  float* last_means_ = nullptr;
  float* last_inverses_ = nullptr;
  float* outputs_ = nullptr;  // and then their gradients
  float* slope_ = nullptr;    // d(loss)/d(stream)
  float* normal_slope_ = nullptr;
  float* added_ = nullptr;
  float* together_ = nullptr;  // queries, keys and values of all heads by row, or their gradients
  float* head_slopes_[3] = {};
  float* mixed_ = nullptr;  // the output of a layer's heads, or its gradient
  float* wide_slope_ = nullptr;
  float* score_slope_ = nullptr;
};

Gpt::Gpt(const GptShape& shape, Precision precision, bool fusion, std::uint64_t seed)
    : parts_(std::make_unique<Parts>(shape, precision, fusion, seed)) {}
Gpt::~Gpt() = default;

NextTokenLoss Gpt::forward(const std::int32_t* samples, bool gradients) {
  return parts_->forward(samples, gradients);
}
void Gpt::backward() {
  parts_->backward();
}
std::span<float> Gpt::weights() {
  return parts_->weights();
}
std::span<const float> Gpt::gradients() const {
  return parts_->gradients();
}
std::span<const GptTensor> Gpt::tensors() const {
  return parts_->tensors();
}

std::vector<std::size_t> Gpt::tensor_values() const {
  std::vector<std::size_t> values;
  for (const GptTensor& tensor : parts_->tensors()) values.push_back(tensor.values);
  return values;
}

std::size_t Gpt::memory_bytes(const GptShape& shape, Precision precision) {
  const Extents extents(shape);
  const std::size_t rounded =
      precision == Precision::kBF16 ? std::max({extents.wide, extents.scores, extents.outputs}) : 0;
  return (extents.all(shape.layers) + 2 * values_in(tensors_of(shape)) + rounded) * sizeof(float);
}

}  // namespace loadline
