// Causes in words. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/judge/causes.h"
#include "harness/judge/storage_remedy.h"
#include "harness/judge/tried.h"
#include "harness/result/result.h"

namespace loadline {

// One sentence per named cause, each with a leading space: what the cause took, and what to do. `in`: which trials
// that was in, such as " in FULL"; empty: all of them. `more_reads`: from more_reads_text().
std::string causes_text(const Causes& causes, std::string_view more_reads, std::size_t workers,
                        std::string_view in = "");

// The same, without ranges and advice, of those causes alone that are outside the run: other processes, a quota and a
// hypervisor. With them, no figure is of the loader and the compute alone.
std::string outside_causes_text(const Causes& causes, std::string_view in = "");

// How a cell can keep more reads in flight: "keep more reads in flight with more --workers".
struct MoreReads {
  std::string how;    // empty: the run tried all that there is
  std::string tried;  // "4 workers were no faster in this run", where `how` is empty
};

// For data with this access. Workers that wait for free slots need slots, not more of them.
MoreReads more_reads_of(const CellResult& cell, Access access, const Alternatives& tried = {});

// In one clause. Where nothing is left to try: "4 workers were no faster in this run, so use faster storage or ...",
// with the words of `otherwise`.
std::string more_reads_text(const MoreReads& more, StorageRemedy otherwise);

}  // namespace loadline
