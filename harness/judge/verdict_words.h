// Figures of a verdict in words. A part of verdict.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/judge/verdict_class.h"

namespace loadline {

// "thread-pool with 2 workers".
std::string loader_words(const Evidence& evidence);

// "waits 38 ± 5 % of the time".
std::string waits_words(const Estimate& stall);

// What removing all of the stall gains: "faster loading gives at most 1.2 % more throughput".
std::string gain_words(const Estimate& stall);

// Which end of an interval matters, where the loader's own rate was not measured.
enum class SupplyEnd : std::uint8_t { kLow, kHigh };

// "0.61 ± 0.01 times as fast as the compute"; where L was not measured, "at least" or "at most" that much, by the end
// that matters, and only that end if the interval contains 1. Empty if that is too noisy to state.
std::string supply_words(const Figures& figures, SupplyEnd end, std::string_view compute);

// "by itself is 0.61 ± 0.01 times as fast as the compute". By itself nothing reads its batches: the sink of IO, which a
// table shows beside this, reads them and may make it slower.
std::string alone_words(const Figures& figures, SupplyEnd end, std::string_view compute = "the compute");

}  // namespace loadline
