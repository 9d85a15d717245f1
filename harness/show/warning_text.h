// What went wrong in a run, as text.
#pragma once

#include <string>
#include <string_view>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// One line per warning.
std::string warning_text(const Judgement& judgement);

// What failed and why, as one sentence: "cifar10/IO/hdf5/workers:1/batch:32 and 3 other cells: cannot read ...". Empty
// where nothing failed.
std::string failure_text(const Result& result);

// The warnings except those that only repeat that sentence.
std::string warnings_beside(std::string_view failure, const Result& result, const Judgement& judgement);

}  // namespace loadline
