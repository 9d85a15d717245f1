// A small language model in the manner of GPT-2, forward and backward, on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "synthetic/compute/compute.h"
#include "synthetic/compute/gpt/layers.h"

namespace loadline {

struct GptShape {
  std::size_t layers = 2;
  std::size_t width = 64;  // values per token
  std::size_t heads = 4;   // the width is divided among them
  std::size_t vocabulary = 256;
  std::size_t length = 256;  // tokens that a sample predicts
  std::size_t batch_size = 1;
};

// A tensor of weights.
struct GptTensor {
  std::string_view name;  // "tokens", "attention in", ...
  std::size_t values = 0;
  float deviation = 0;  // of the initial values
  float mean = 0;       // of the initial values
};

// Tokens and places are embedded. Each layer has masked attention and two dense layers with GELU between; each of
// these two blocks follows a layer normalisation and has a residual connection. Outputs are products with the
// embeddings of all tokens (Radford et al.: "Language models are unsupervised multitask learners", 2019, which also
// has the initial weights). The constructor allocates everything and generates every kernel. Threads: those of
// OpenMP; one caller at a time.
class Gpt {
 public:
  // `fusion`: add offsets within the preceding products. Throws Error if oneDNN lacks a product on this CPU, or
  // memory is refused.
  Gpt(const GptShape& shape, Precision precision, bool fusion, std::uint64_t seed);
  Gpt(const Gpt&) = delete;
  Gpt& operator=(const Gpt&) = delete;
  ~Gpt();

  // `samples`: [batch_size, length + 1], each below the vocabulary; those below 0 are not predicted. With
  // `gradients`, keeps what backward() needs. Borrows the samples until backward().
  NextTokenLoss forward(const std::int32_t* samples, bool gradients);
  // Writes the gradient of the last forward()'s mean loss to gradients().
  void backward();

  // All tensors, back to back.
  std::span<float> weights();
  std::span<const float> gradients() const;
  std::span<const GptTensor> tensors() const;
  std::vector<std::size_t> tensor_values() const;

  // About how many bytes of memory one takes.
  static std::size_t memory_bytes(const GptShape& shape, Precision precision);

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace loadline
