// The tensors of weights of a GPT: their order, their sizes and the values they begin with.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "loaders/random.h"
#include "synthetic/compute/gpt/model.h"

namespace loadline {

// Of a layer, in this order; those of tokens and places come before the first, those of the last normalisation behind
// the last.
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
inline constexpr std::size_t kGrowth = 4;  // of the width, between the dense layers

// All of them, in the order in which they lie back to back.
std::vector<GptTensor> tensors_of(const GptShape& shape);

// Of all of them together.
std::size_t values_in(const std::vector<GptTensor>& tensors);

// Fills `out` with normal values of the tensor's mean and deviation.
void draw_normal(Random& random, const GptTensor& tensor, std::span<float> out);

}  // namespace loadline
