// What the machine did during trials that makes their figures less meaningful.
#pragma once

#include <vector>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// Adds such warnings of one cell: about stolen time, slots on other NUMA nodes, and what the monitor saw. Those about
// the quota, the CPU set and a stopped process are in cell_warnings.cpp.
void warn_of_machine_meanwhile(const Result& result, const CellResult& cell, std::vector<Warning>& warnings);

}  // namespace loadline
