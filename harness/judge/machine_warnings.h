// What the machine did during trials that makes their figures less meaningful.
#pragma once

#include <vector>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// Adds such warnings of one cell. The quota of the control group has a warning of its own (cell_warnings.cpp).
void warn_of_machine_meanwhile(const Result& result, const CellResult& cell, std::vector<Warning>& warnings);

}  // namespace loadline
