// Reads the text printed for a result as a user does, and looks for pairs of statements that disagree: a verdict and
// its figures, a goal that may be missed and a rate that keeps it, a recommendation and an alternative that is
// faster. It knows the words of harness/judge and harness/show, but not the figures behind them. Pure; safe from any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadline::truth {

// A sentence for each such pair, with its line; empty if all statements agree. `text` is the text of one result: the
// table, the verdicts and everything after them.
std::vector<std::string> contradictions(std::string_view text);

}  // namespace loadline::truth
