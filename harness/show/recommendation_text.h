// What to use, as text. Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// Which configurations a recommendation is compared with.
enum class OthersShown : std::uint8_t { kAll, kAsFast };

// For each workload that has more than one configuration: what to use, which loaders are as good, how the `others`
// compare, and the command line to use; or the fastest so far, and how many trials would decide.
std::string recommendation_text(const Result& result, const Judgement& judgement,
                                OthersShown others = OthersShown::kAll);

// " 2 workers are enough: ...", for a headline whose number of workers was varied; otherwise empty.
std::string workers_sentence(const Headline& headline);

// The command line that measures one cell of the result again, with these options instead of its own.
std::string command_text(const Result& result, const RunOptions& options, const CellResult& cell);

// "about 12 trials would decide (--trials)": what it would take to recommend something.
std::string more_trials_text(const Result& result, const Headline& headline);

}  // namespace loadline
