// Conditions on the settings of a cell, for --exclude and --filter.
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

// Conditions that must all hold.
using Conjunction = std::vector<Condition>;

// "loader=serial workers>1": conditions separated by spaces, each with one of = != < <= > >=. The last four compare
// numbers. A setting has the name that the result or its option gives it. Throws usage Error that begins with
// `option`.
Conjunction parse_conditions(std::string_view option, std::string_view text);

// Whether all conditions hold. A condition on a setting that does not apply to the cell counts as `where_absent`.
bool hold(const Conjunction& conditions, const Cell& cell, bool where_absent);

}  // namespace loadline
