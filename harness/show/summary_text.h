// A run at a glance, as text.
#pragma once

#include <cstddef>
#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// The summary never exceeds this many columns.
inline constexpr std::size_t kSummaryColumns = 80;
// Nor, as long as that leaves room to say what to do, these lines for one workload, with its warnings and the result,
// unless an option requested more.
inline constexpr std::size_t kSummaryLines = 15;

// The machine, a table, the verdict and the recommendation, in at most `width` or kSummaryColumns columns. Where one
// workload would exceed kSummaryLines, the verdict has fewer figures, and then the recommendation leaves out what it is
// not as fast as. Searches and checked predictions, which an option requested, come in addition. figures_text() has
// everything.
std::string summary_text(const Result& result, const Judgement& judgement, std::size_t width = kSummaryColumns);

// "warnings: few-trials, wide-spread", the names of the warnings; empty without any.
std::string warning_names_text(const Judgement& judgement);

// Where to find the rest: "result: result.json (details: `loadline report`)".
std::string result_text(const std::string& file);

}  // namespace loadline
