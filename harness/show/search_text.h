// A search, as text.
#pragma once

#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// The last probe of a search, on one line: "probe 3: 412.0 k samples/s: AU 90.6 ± 0.4 %, enough".
std::string probe_text(const Search& search);

// What was searched for and what was found, in one or two sentences. Empty without a search, or if it was stopped.
std::string search_text(const Result& result, const Judgement& judgement);

}  // namespace loadline
