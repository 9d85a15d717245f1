// Conditions on the settings of a cell, by which --exclude and --filter choose.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/plan/settings.h"

namespace loadline {

// "workers>1": one setting against one value.
struct Condition {
  enum class Relation : std::uint8_t { kEqual, kUnequal, kLess, kLessEqual, kGreater, kGreaterEqual };

  const SettingRow* setting = nullptr;
  Relation relation = Relation::kEqual;
  std::string value;
};

// Conditions that have to hold together.
using Conjunction = std::vector<Condition>;

// "loader=serial workers>1": separated by spaces, by one of = != < <= > >=, of which the last four compare numbers. A
// setting goes by its name in the result or that of its option. Throws usage Error that begins with `option`.
Conjunction parse_conditions(std::string_view option, std::string_view text);

// Whether all of them hold. One on a setting that does not apply to the cell counts as `where_absent`.
bool hold(const Conjunction& conditions, const Cell& cell, bool where_absent);

}  // namespace loadline
