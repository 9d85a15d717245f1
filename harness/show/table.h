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

// One line per warning.
std::string warning_text(const Judgement& judgement);

// What failed and why, as one sentence: "cifar10/IO/hdf5/workers:1/batch:32 and 3 other cells: cannot read ...". Empty
// where nothing failed.
std::string failure_text(const Result& result);

// The warnings except those that only repeat that sentence.
std::string warnings_beside(std::string_view failure, const Result& result, const Judgement& judgement);

// ", fingerprint 0123456789abcdef", and of how many samples if not of all; empty without a fingerprint.
std::string fingerprint_text(const DatasetFacts& facts);

// The machine, the program and the data, in a few lines.
std::string setting_text(const Result& result);

}  // namespace loadline
