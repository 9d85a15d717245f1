// The weight tensors of a GPT: their order, sizes and initial values.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "loaders/random.h"
#include "synthetic/compute/gpt/model.h"

namespace loadline {

// The tensors of a layer, in order. The embeddings of tokens and places come before the first layer, the final
// normalisation after the last.
enum LayerTensor : std::size_t {
  kNorm1Gain,
  kNorm1Offset,
  kAttentionIn,
  kAttentionInOffset,
  kAttentionOut,
  kAttentionOutOffset,
  kNorm2Gain,
  kNorm2Offset,
  kDenseIn,
  kDenseInOffset,
  kDenseOut,
  kDenseOutOffset,
  kLayerTensors
};
inline constexpr std::size_t kTokenTensor = 0;
inline constexpr std::size_t kPlaceTensor = 1;
inline constexpr std::size_t kFirstLayerTensor = 2;
inline constexpr std::size_t kGrowth = 4;  // times the width, between the dense layers

// All tensors in memory order, back to back.
std::vector<GptTensor> tensors_of(const GptShape& shape);

// The values of all tensors together.
std::size_t values_in(const std::vector<GptTensor>& tensors);

// Fills `out` with normal values of the tensor's mean and deviation.
void draw_normal(Random& random, const GptTensor& tensor, std::span<float> out);

}  // namespace loadline
