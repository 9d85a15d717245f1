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
  std::size_t width = 64;  // values that stand for a token
  std::size_t heads = 4;   // that the width is shared out to
  std::size_t vocabulary = 256;
  std::size_t length = 256;  // tokens that a sample has to predict
  std::size_t batch_size = 1;
};

// A tensor of weights.
struct GptTensor {
  std::string_view name;  // "tokens", "attention in", ...
  std::size_t values = 0;
  float deviation = 0;  // of the values it begins with
  float mean = 0;       // of these
};

// Tokens and places are embedded; each layer is masked attention and two dense layers with GELU between, each behind a
// layer normalisation and beside what went in; the outputs are products with the embeddings of all tokens (Radford et
// al.: "Language models are unsupervised multitask learners", 2019). Weights begin as there. Everything is allocated,
// and every kernel generated, by the constructor. Threads: those of OpenMP; one caller at a time.
class Gpt {
 public:
  // `fusion`: offsets are added within the products before them. Throws Error where oneDNN has no such product on this
  // CPU, or memory is refused.
  Gpt(const GptShape& shape, Precision precision, bool fusion, std::uint64_t seed);
  Gpt(const Gpt&) = delete;
  Gpt& operator=(const Gpt&) = delete;
  ~Gpt();

  // `samples`: [batch_size, length + 1], each below the vocabulary; those below 0 are not predicted. Keeps what
  // backward() needs if there are to be `gradients`. Borrows the samples until backward().
  NextTokenLoss forward(const std::int32_t* samples, bool gradients);
  // Of the mean loss of the last forward(), into gradients().
  void backward();

  // All tensors, back to back.
  std::span<float> weights();
  std::span<const float> gradients() const;
  std::span<const GptTensor> tensors() const;
  std::vector<std::size_t> tensor_values() const;

  // About what one takes.
  static std::size_t memory_bytes(const GptShape& shape, Precision precision);

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace loadline
