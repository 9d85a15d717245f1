#include "harness/measure/pairs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "loaders/error.h"

namespace loadline {
namespace {

std::vector<Cell> cells_of(const RunOptions& options, const PlanContext& context) {
  std::vector<Cell> cells = make_plan(options, context).cells;
  std::erase_if(cells, [](const Cell& cell) { return cell.mode == Mode::kOverhead; });
  return cells;
}

std::string names_of(const std::vector<Cell>& cells) {
  std::vector<std::string> names;
  for (const Cell& cell : cells) names.push_back(cell.name());
  return fmt::format("{}", fmt::join(names, ", "));
}

Result half_of(const Result& both, std::ptrdiff_t begin, const RunOptions& options) {
  Result side = both;
  const auto half = static_cast<std::ptrdiff_t>(both.cells.size() / 2);
  side.cells.assign(both.cells.begin() + begin * half, both.cells.begin() + (begin + 1) * half);
  side.options = options;
  return side;
}

}  // namespace

Plan plan_pairs(const RunOptions& base, const RunOptions& changed, const PlanContext& context) {
  Plan plan{.options = base};
  plan.options.given.insert(changed.given.begin(), changed.given.end());
  plan.options.ceilings = "off";
  plan.cells = cells_of(base, context);
  const std::vector<Cell> others = cells_of(changed, context);
  if (!std::ranges::equal(plan.cells, others, {}, &Cell::mode, &Cell::mode)) {
    throw usage_error(fmt::format(
        "--base and --new: both sides need equally many cells of the same modes, to form pairs, got {} and {}",
        names_of(plan.cells), names_of(others)));
  }
  plan.cells.insert(plan.cells.end(), others.begin(), others.end());
  return plan;
}

PairedResults split_sides(const Result& both, const RunOptions& base, const RunOptions& changed,
                          const std::string& changed_run_id) {
  PairedResults sides{.base = half_of(both, 0, base), .changed = half_of(both, 1, changed)};
  sides.changed.run_id = changed_run_id;
  return sides;
}

}  // namespace loadline
