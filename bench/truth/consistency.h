// Reads what is printed of a result as its reader does, and looks for pairs of statements that disagree: a verdict and
// the figures beside it, a goal that may be missed and a rate that keeps it, a recommendation and an alternative that
// is faster. It knows the words of harness/judge and harness/show and nothing of the figures behind them. Pure, safe
// from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadline::truth {

// A sentence for each pair, with the line that it is in; none where all statements agree. `text` is that of one result:
// the table, the verdicts and all that follows.
std::vector<std::string> contradictions(std::string_view text);

}  // namespace loadline::truth
