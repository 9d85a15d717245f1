// A walk, for people. Pure functions, safe from any thread.
#pragma once

#include <string>

#include "harness/judge/walk.h"
#include "harness/show/wrap.h"

namespace loadline {

// What a step is: of the first its setting, of any other what changed, or that nothing did.
std::string step_text(const WalkStep& step);

// A line for each workload, from the first result to the last, and one for each step that made it slower. Before them
// the steps that lack it.
std::string verdict_text(const Walk& walk);

// The verdicts, then of each workload a table with a row a step, and what there is beside it.
std::string walk_text(const Walk& walk, std::size_t width = kUnlimited);

// The same for a ticket.
std::string walk_markdown(const Walk& walk);

}  // namespace loadline
