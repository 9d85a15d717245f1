// Which cells stand against which. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/judge/metrics.h"
#include "harness/result/result.h"

namespace loadline {

// A result with the name that it goes by in sentences. Borrows it.
struct Named {
  std::string name;
  const Result& result;
};

// OVERHEAD is nobody's change, and some metrics are of one mode.
bool is_compared(const Cell& cell, const Metric& metric);

using CellPairs = std::vector<std::pair<std::size_t, std::size_t>>;  // indices in Result::cells: base, changed

// Of two results.
struct Matching {
  CellPairs pairs;  // in the order of the base
  std::vector<std::size_t> gone;
  std::vector<std::size_t> added;
};

// Cells are matched by all their settings but those that tell where the data lies and what the machine makes of them,
// whatever their names. One that is left is matched with the only one that differs from it in its cache state alone.
// Throws Error where cells of one result differ in nothing that counts.
Matching match_cells(const Named& base, const Named& changed, const Metric& metric);

// Two cells of one result, and what they have of the setting along which it is compared.
struct AlongPair {
  std::size_t base = 0;
  std::size_t changed = 0;
  std::string base_value;
  std::string changed_value;
};

// Cells that are equal in all that was varied but one setting: each value against `base_value`, or where that is empty,
// against the first in the file. A cell to which another setting does not apply, as workers do not to the serial
// loader, stands beside those of all its values. Throws usage Error for an unknown setting or value, and where no two
// cells differ in it alone; Error where two that would stand against the same one have the same value.
std::vector<AlongPair> match_along(const Named& file, std::string_view setting, std::string_view base_value,
                                   const Metric& metric);

}  // namespace loadline
