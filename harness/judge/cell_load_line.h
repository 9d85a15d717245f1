// How near a cell came to the lowest of its ceilings, in figures and in words. Pure functions, safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// Samples per second of each trial; by default its own units per second.
std::vector<double> rates_of(const CeilingResult& ceiling, double samples_per_unit = 1);

// What the one consumer of IO can read.
bool is_drain(const Ceiling& ceiling);
// What the storage of the data delivers.
bool is_device(const Ceiling& ceiling);

// The compute of a FULL cell is a bound of it too: what it takes alone, in `synthetic`, is the most it takes; null: it
// was not measured. std::nullopt without trials or ceilings.
std::optional<CellLoadLine> load_line_of(const Result& result, const CellResult& cell, const CellResult* synthetic);

// With a space before it. Nothing without a load line, where the compute is it, or where it is too noisy.
// `beside_full`: of IO with FULL beside it.
std::string load_line_sentence(const Result& result, const CellResult& cell, const std::optional<CellLoadLine>& found,
                               bool beside_full);

// What the trials took of what a device gives to such reads, the most that any of its ceilings says: in samples, which
// in random order are filled behind the reading, and in bytes that came from the device, of which samples at random
// places need more than they hold. std::nullopt where none was measured.
std::optional<double> device_share_of(const Result& result, const CellResult& cell);

}  // namespace loadline
