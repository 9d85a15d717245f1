// Tokens: one long row of whole numbers, from which sequences are cut as samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "loaders/datasets/one_piece.h"
#include "loaders/storage/mapping.h"
#include "loaders/system/numa.h"

namespace loadline {

// Neighbouring tokens.
struct TokenRun {
  std::size_t first = 0;
  std::size_t count = 0;

  bool operator==(const TokenRun&) const = default;
};

// A row of info().tokens->tokens tokens, mapped or in memory. A sample is a sequence and the token after it; the
// options decide how many an epoch has. Labels would all be 0.
class TokenDataset final : public OnePiece<Dataset> {
 public:
  // `starts`: the first token of each document and the end of the last; empty if documents were not requested.
  TokenDataset(DatasetInfo info, std::unique_ptr<MappedFile> file, std::vector<std::uint64_t> starts);
  // The same with all its tokens in `memory`.
  TokenDataset(const TokenDataset& from, NodeMemory memory);

  const TokenDataset* as_tokens() const override { return this; }
  // All tokens, little-endian, info().tokens->token_bytes each.
  std::span<const std::byte> bytes() const {
    return own_memory() ? std::span(own_memory()->here(bytes_.data()), bytes_.size()) : bytes_;
  }
  // Where sample `index` lies: at most sequence_length + 1 tokens, fewer only at the end of a document. A pure
  // function of its arguments; `seed` and `epoch` matter only for random places. Any thread.
  TokenRun place(SampleIndex index, std::uint64_t seed, std::uint64_t epoch) const;

  // Throws Error: its number alone does not determine a sequence.
  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override;
  // Visits blocks of neighbouring tokens as stored, in order.
  bool visit(const std::function<bool(StoredSample)>& visitor) const override;

 private:
  std::span<const std::byte> bytes_;
  std::vector<std::uint64_t> starts_;
  std::vector<SampleIndex> ends_;  // one beyond the last sample of each document
};

}  // namespace loadline
