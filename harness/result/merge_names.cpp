#include "harness/result/merge_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/plan/settings.h"

namespace loadline {
namespace {

using P = SettingPart;

// Whether the cells have several values of the setting. `where_it_applies`: cells without a value do not count, such as
// those whose element type has no mean.
bool vary(const std::vector<const Cell*>& cells, const SettingRow& row, bool where_it_applies) {
  std::set<std::string> values;
  for (const Cell* cell : cells) values.insert(text_of(row.read(*cell)));
  if (where_it_applies) values.erase("");
  return values.size() > 1;
}

// Adds the settings of these parts that distinguish cells, or the cells of ceilings.
void add_distinctions(const std::vector<const Cell*>& cells, std::span<const SettingPart> parts, bool where_they_apply,
                      std::set<std::string>& axes) {
  for (const SettingRow& row : settings()) {
    if (std::ranges::find(parts, row.part) == parts.end()) continue;
    if (vary(cells, row, where_they_apply)) axes.emplace(row.name);
  }
}

// The same for cells whose names are alike.
void tell_apart(const std::vector<const Cell*>& alike, std::span<const SettingPart> parts,
                std::set<std::string>& axes) {
  if (alike.size() < 2) return;
  const std::size_t before = axes.size();
  add_distinctions(alike, parts, true, axes);
  if (axes.size() == before) add_distinctions(alike, parts, false, axes);
}

// The settings that vary within a workload and a mode: parts that were run with one value each have no axis for it.
std::set<std::string> varied_settings(const Result& result) {
  std::map<std::pair<std::string, Mode>, std::vector<const Cell*>> groups;
  for (const CellResult& cell : result.cells) groups[{cell.cell.workload, cell.cell.mode}].push_back(&cell.cell);
  std::set<std::string> varied;
  for (const auto& [group, cells] : groups) {
    add_distinctions(cells, std::array{P::kSubject, P::kStorage, P::kOrder, P::kLoading, P::kCompute}, true, varied);
  }
  // Every name has these.
  for (const char* const named : {"workload", "loader", "workers", "batch_size"}) varied.erase(named);
  return varied;
}

}  // namespace

void name_apart(Result& merged) {
  std::set<std::string> axes = varied_settings(merged);
  for (const CellResult& cell : merged.cells) axes.insert(cell.cell.axes.begin(), cell.cell.axes.end());
  for (std::size_t before = axes.size() + 1; before != axes.size();) {
    before = axes.size();
    std::vector<std::string> in_order;
    for (const SettingRow& row : settings()) {
      if (axes.contains(std::string(row.name))) in_order.emplace_back(row.name);
    }
    std::map<std::string, std::vector<const Cell*>> cells_by_name;
    for (CellResult& cell : merged.cells) {
      cell.cell.axes = in_order;
      cells_by_name[cell.cell.name()].push_back(&cell.cell);
    }
    std::map<std::string, std::vector<const Cell*>> ceilings_by_id;
    for (CeilingResult& ceiling : merged.ceilings) {
      const Cell& cell = merged.cells[ceiling.cell].cell;
      const bool of_batches = ceiling.ceiling.kind->scope == CeilingScope::kBatch;
      if (!of_batches) continue;
      ceiling.ceiling.further = axes_text(cell, {P::kSubject, P::kOrder});
      ceilings_by_id[ceiling.ceiling.id()].push_back(&cell);
    }
    for (const auto& [name, alike] : cells_by_name) tell_apart(alike, kAllParts, axes);
    for (const auto& [id, alike] : ceilings_by_id) tell_apart(alike, std::array{P::kSubject, P::kOrder}, axes);
    for (CellResult& check : merged.checks) check.cell.axes = in_order;
  }
}

}  // namespace loadline
