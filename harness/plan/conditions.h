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

  std::string text;  // the whole
  const SettingRow* setting = nullptr;
  Relation relation = Relation::kEqual;
  std::string value;
};

// Conditions that must all hold.
using Conjunction = std::vector<Condition>;

// "loader=serial workers>1": conditions separated by spaces, each with one of = != < <= > >=. The last four compare
// numbers. A setting has the name, and the value the word, that the result or its option gives it. Throws usage Error
// that begins with `option`.
Conjunction parse_conditions(std::string_view option, std::string_view text);

// Whether all conditions hold. A condition on a setting that does not apply to the cell counts as `where_absent`.
bool hold(const Conjunction& conditions, const Cell& cell, bool where_absent);

// Throws usage Error that begins with `option` unless each condition holds for at least one cell that it applies to:
// otherwise it has a slip, and only the cells that it does not apply to would meet it.
void check_any_meets(std::string_view option, const Conjunction& conditions, std::span<const Cell> cells);

}  // namespace loadline
