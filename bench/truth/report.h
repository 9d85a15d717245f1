// The table as text, Markdown and JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/truth/tally.h"

namespace loadline::truth {

struct Header {
  std::size_t draws = 0;
  std::uint64_t seed = 0;
  std::uint64_t truth_batches = 0;
};

std::string text_table(const Tally& tally);
std::string markdown_table(const Tally& tally);
std::string json_text(const Header& header, const Tally& tally);
// The share of one target for each part of the draws.
std::string parts_text(const Tally& tally, std::string_view id);

// Whether all attainable targets are met.
bool all_met(const Tally& tally);

}  // namespace loadline::truth
