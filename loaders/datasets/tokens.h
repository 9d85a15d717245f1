// Tokens: one long row of whole numbers, of which samples are sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "loaders/datasets/one_piece.h"
#include "loaders/storage/mapping.h"
#include "loaders/system/memory.h"
#include "loaders/system/numa.h"

namespace loadline {

// Neighbouring tokens.
struct TokenRun {
  std::size_t first = 0;
  std::size_t count = 0;

  bool operator==(const TokenRun&) const = default;
};

// A row of tokens, mapped or in memory; info().tokens says how many. A sample is a sequence and the token after it, as
// many an epoch as the options make; labels would all be 0.
class TokenDataset final : public OnePiece<Dataset> {
 public:
  // `starts`: the first token of each document and the end of the last; empty: they were not asked for.
  TokenDataset(DatasetInfo info, std::unique_ptr<MappedFile> file, std::vector<std::uint64_t> starts);
  // The same with all tokens copied into memory.
  TokenDataset(const TokenDataset& from, NodeMemory memory);

  const TokenDataset* as_tokens() const override { return this; }
  // All of them, little-endian, info().tokens->token_bytes each.
  std::span<const std::byte> bytes() const {
    return own_memory() ? std::span(own_memory()->here(bytes_.data()), bytes_.size()) : bytes_;
  }
  // Where sample `index` lies: at most sequence_length + 1 tokens, fewer only at the end of a document. A pure function
  // of its arguments; `seed` and `epoch` matter to random places alone. Any thread.
  TokenRun place(SampleIndex index, std::uint64_t seed, std::uint64_t epoch) const;

  // A sequence cannot be told by its number alone. Throws Error.
  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override;
  // Blocks of neighbouring tokens, as they are stored, in order.
  bool visit(const std::function<bool(StoredSample)>& visitor) const override;

 private:
  std::span<const std::byte> bytes_;
  std::vector<std::uint64_t> starts_;
  std::vector<SampleIndex> ends_;  // behind the last sample of each document
};

// A copy in memory, which lies at `place`. Throws Error when the memory is refused.
std::unique_ptr<TokenDataset> copy_tokens(const TokenDataset& dataset, const MemoryPlace& place = {});

}  // namespace loadline
