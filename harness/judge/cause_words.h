// Causes in words. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "harness/judge/causes.h"
#include "harness/judge/tried.h"
#include "harness/result/result.h"

namespace loadline {

// One sentence per named cause, each with a leading space: what the cause took, and what to do. `in`: which trials
// that was in, such as " in FULL"; empty: all of them. `more_reads`: from more_reads_of().
std::string causes_text(const Causes& causes, std::string_view more_reads, std::size_t workers,
                        std::string_view in = "");

// The same, without ranges and advice, of those causes alone that are outside the run: other processes, a quota and a
// hypervisor. With them, no figure is of the loader and the compute alone.
std::string outside_causes_text(const Causes& causes, std::string_view in = "");

// How a cell like this one, with this access to its data, can keep more reads in flight, unless the run tried more
// workers without a gain: "keep more reads in flight with more --workers".
std::string more_reads_of(const Cell& cell, Access access, const std::optional<Tried>& more_workers = std::nullopt);

}  // namespace loadline
