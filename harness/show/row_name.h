// The name of a row of a table, for a sentence below the table. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "harness/judge/judgement.h"

namespace loadline {

// The loader of configuration `row`, and of its batch size and axes as many as tell it from the others in `rows` with
// the same workload and task: "flow-graph x 2", "flow-graph x 2, batch 64, delivery:in-order". `rows`: indices of
// configurations.
std::string row_name(const Judgement& judgement, std::span<const std::size_t> rows, std::size_t row);

}  // namespace loadline
