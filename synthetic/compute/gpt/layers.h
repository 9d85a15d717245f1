// What a language model computes besides matrix products, forward and backward, over plain f32 values in rows.
// Threads: those of OpenMP; any number of them gives the same values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace loadline {

// A matrix of `columns` columns, with weights and gradients of one value per column.
struct NormShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
};

// out = (in - mean) / deviation * gain + offset, row by row (Ba, Kiros, Hinton: "Layer normalization", 2016). Keeps
// the mean and the inverse deviation of each row for the backward pass.
void layer_norm(const NormShape& shape, const float* in, const float* gain, const float* offset, float* out,
                float* means, float* inverses);
// Adds d(loss)/d(in) to `in_gradient`, and writes those of gain and offset.
void layer_norm_backward(const NormShape& shape, const float* in, const float* gain, const float* means,
                         const float* inverses, const float* out_gradient, float* in_gradient, float* gain_gradient,
                         float* offset_gradient);

// The tanh form of GELU (Hendrycks, Gimpel, 2016), as in GPT-2.
void gelu(std::span<const float> in, std::span<float> out);
// `gradient`: that of the output before, that of the input afterwards.
void gelu_backward(std::span<const float> in, std::span<float> gradient);

// In each square matrix, multiplies row i by `scale` and takes the softmax over columns 0 to i; the others become 0.
// In place.
void causal_softmax(std::span<float> values, std::size_t edge, float scale);
// `gradients`: those of the probabilities before, those of the input afterwards.
void causal_softmax_backward(std::span<const float> probabilities, std::span<float> gradients, std::size_t edge,
                             float scale);

void add_to(std::span<float> sum, std::span<const float> values);
// Adds one value per column to every row.
void add_row(std::span<float> values, std::span<const float> row);
// Writes the sum of each column.
void sum_columns(std::span<const float> values, std::span<float> sums);

struct HeadShape {
  std::size_t batch = 0;
  std::size_t length = 0;
  std::size_t heads = 0;
  std::size_t width = 0;  // values of one head
};

// Copy between part `part` of [batch, length, parts, heads, width] and [batch, heads, length, width].
void split_heads(const HeadShape& shape, const float* rows, std::size_t parts, std::size_t part, float* heads);
void merge_heads(const HeadShape& shape, const float* heads, float* rows, std::size_t parts, std::size_t part);

struct TokenShapes {
  std::size_t batch = 0;
  std::size_t length = 0;      // of a sample without its last token
  std::size_t width = 0;       // values per token
  std::size_t vocabulary = 0;  // tokens are below it
};

// Adds the embeddings of each token and of its place. A token below 0 counts as 0.
void embed(const TokenShapes& shape, const std::int32_t* samples, const float* of_tokens, const float* of_places,
           float* out);
// Adds to the gradients of tokens and writes those of places.
void embed_backward(const TokenShapes& shape, const std::int32_t* samples, const float* gradient, float* of_tokens,
                    float* of_places);

struct NextTokenLoss {
  double sum = 0;          // sum over tokens
  std::size_t tokens = 0;  // how many were predicted
};

// Softmax cross-entropy of [batch * length, vocabulary] against the token after each. With `gradients`, replaces the
// outputs by d(mean loss)/d(output). Tokens below 0 are not predicted.
NextTokenLoss next_token_loss(const TokenShapes& shape, const std::int32_t* samples, float* outputs, bool gradients);

}  // namespace loadline
