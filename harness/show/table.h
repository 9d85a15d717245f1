// A result, as text.
#pragma once

#include <string>
#include <string_view>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"
#include "harness/show/wrap.h"

namespace loadline {

// "12.3 M ± 0.2 M", "150.0 k ± 0.1 k", "987 ± 3"; without a deviation the mean alone; "-" where there is none.
std::string rate_text(const std::optional<Summary>& per_second);
// The same with one digit less: "987 ± 3 k" for "986.9 ± 3.1 k".
std::string short_rate_text(const std::optional<Summary>& per_second);
// An amount in any unit, with four digits: "0.01235", "12.35"; whole from 1,000 on, "24110"; and from a million on as a
// rate, "1.804 G".
std::string amount_text(double amount);

// The table of IO, SYNTHETIC and FULL, one row per configuration; with ceilings, also the share of them that IO
// reaches.
std::string table_text(const Result& result, const Judgement& judgement, std::size_t width = kUnlimited);

// What limits each workload, in one or two sentences, and how many workers are enough.
std::string verdict_text(const Judgement& judgement);

}  // namespace loadline
