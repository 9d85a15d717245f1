// What the machine did while trials ran that makes them mean less.
#pragma once

#include <vector>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// Adds those of one cell. What the quota of the control group takes has a warning of its own (warnings.cpp).
void warn_of_machine_meanwhile(const Result& result, const CellResult& cell, std::vector<Warning>& warnings);

}  // namespace loadline
