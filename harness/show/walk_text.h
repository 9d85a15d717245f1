// A walk, as text. Pure functions, safe from any thread.
#pragma once

#include <string>

#include "harness/judge/walk.h"
#include "harness/show/wrap.h"

namespace loadline {

// What a step is: the first step's setting; for any other step what changed, or that nothing did.
std::string step_text(const WalkStep& step);

// One line for each workload, from the first result to the last, one for each step that made it slower, and one where
// it became slower than the first by several steps; before them, the steps that lack a workload. A walk that is
// inconclusive, although it is not from the first result to the last, has lines for the comparisons that are.
std::string verdict_text(const Walk& walk);

// The verdicts, then for each workload a table with one row per step, and the differences and notes.
std::string walk_text(const Walk& walk, std::size_t width = kUnlimited);

// The same as Markdown, for a ticket.
std::string walk_markdown(const Walk& walk);

}  // namespace loadline
