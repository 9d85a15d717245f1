#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/error.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

constexpr std::size_t kCacheLineBytes = 64;
// Sequences are at random places: their first lines are prefetched while earlier ones are copied. The hardware
// prefetches the rest of each.
constexpr std::size_t kRunsAhead = 4;
constexpr std::size_t kLinesAhead = 4;

// Converts stored tokens, which may begin at any byte of a mapping, to i32. Returns whether i32 can hold all.
template <typename Stored>
bool widen_tokens(const std::byte* stored, std::size_t count, std::int32_t* out) {
  std::int32_t bits = 0;  // of all tokens: a branch for each would prevent vector instructions
  for (std::size_t i = 0; i < count; ++i) {
    Stored token{};
    std::memcpy(&token, stored + i * sizeof token, sizeof token);
    out[i] = static_cast<std::int32_t>(token);
    bits |= out[i];
  }
  return bits >= 0;
}

class TokenFiller final : public Filler {
 public:
  TokenFiller(const TokenDataset& dataset, std::uint64_t seed, std::size_t batch_size)
      : dataset_(dataset), seed_(seed), runs_(batch_size) {}

  void fill(Slot& slot, Stores /*stores*/) override {
    const TokenShape& shape = *dataset_.info().tokens;
    const std::size_t places = shape.sequence_length;
    const auto runs = std::span(runs_).first(slot.count);
    for (std::size_t i = 0; i < slot.count; ++i) runs[i] = dataset_.place(slot.indices[i], seed_, slot.epoch);
    for (std::size_t i = 0; i < std::min(kRunsAhead, slot.count); ++i) prefetch_run(runs[i], shape);
    auto* out = reinterpret_cast<std::int32_t*>(slot.data.data());
    slot.tokens = 0;
    for (std::size_t i = 0; i < slot.count; ++i, out += places + 1) {
      if (i + kRunsAhead < slot.count) prefetch_run(runs[i + kRunsAhead], shape);
      const std::byte* stored = dataset_.bytes().data() + runs[i].first * shape.token_bytes;
      if (shape.token_bytes == 2) {
        widen_tokens<std::uint16_t>(stored, runs[i].count, out);
      } else if (!widen_tokens<std::uint32_t>(stored, runs[i].count, out)) {
        throw too_large(slot.indices[i], runs[i], out);
      }
      std::fill(out + runs[i].count, out + places + 1, kNoToken);
      slot.tokens += runs[i].count - 1;
      slot.labels[i] = 0;
    }
    slot.token_places = slot.count * places;
    slot.stores = Stores::kCached;
    dataset_.check_intact();
  }

  void ask_for(std::uint64_t epoch, std::span<const SampleIndex> indices, PagesAhead& pages) override {
    const std::size_t token_bytes = dataset_.info().tokens->token_bytes;
    for (const SampleIndex index : indices) {
      const TokenRun run = dataset_.place(index, seed_, epoch);
      pages.ask(dataset_.bytes().subspan(run.first * token_bytes, run.count * token_bytes));
    }
  }

 private:
  void prefetch_run(const TokenRun& run, const TokenShape& shape) const {
    const std::byte* first = dataset_.bytes().data() + run.first * shape.token_bytes;
    const std::size_t bytes = std::min(run.count * shape.token_bytes, kLinesAhead * kCacheLineBytes);
    for (std::size_t at = 0; at < bytes; at += kCacheLineBytes) __builtin_prefetch(first + at, 0, 2);
  }

  // As i32 the first such token of the run is negative, like padding.
  Error too_large(SampleIndex index, const TokenRun& run, const std::int32_t* tokens) const {
    const std::int32_t* token = std::find_if(tokens, tokens + run.count, [](std::int32_t one) { return one < 0; });
    return Error(fmt::format("cannot read {}: token {} of the file is {}, want 0 to {}", dataset_.describe(index),
                             run.first + static_cast<std::size_t>(token - tokens), static_cast<std::uint32_t>(*token),
                             std::numeric_limits<std::int32_t>::max()));
  }

  const TokenDataset& dataset_;
  std::uint64_t seed_;
  std::vector<TokenRun> runs_;  // of the current batch
};

}  // namespace

TokenAssembler::TokenAssembler(const TokenDataset& dataset, std::uint64_t seed)
    : Assembler(dataset), tokens_(dataset), seed_(seed), length_(dataset.info().tokens->sequence_length) {}

SampleFormat TokenAssembler::sample_format() const {
  return {.dtype = DType::kI32, .layout = Layout::kNCHW, .input = {length_ + 1}, .target = {}};
}

std::unique_ptr<Filler> TokenAssembler::make_filler(std::size_t batch_size) const {
  return std::make_unique<TokenFiller>(tokens_, seed_, batch_size);
}

}  // namespace loadline
