#include "harness/judge/matching.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include "harness/judge/across.h"
#include "harness/judge/tried.h"
#include "harness/plan/settings.h"
#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

// Cells with equal texts are the same configuration, wherever they were run.
std::string configuration_key(const Cell& cell, std::span<const std::string_view> except) {
  std::string key;
  for (const SettingRow& row : settings()) {
    if (row.part == SettingPart::kMachine || std::ranges::find(except, row.name) != except.end()) continue;
    key += text_of(row.read(cell));
    key += '\n';
  }
  return key;
}

constexpr std::array<std::string_view, 1> kWhereTheDataLies{"data"};
constexpr std::array<std::string_view, 2> kNorInWhichCache{"data", "cache"};

using Key = std::string (*)(const Cell& cell);

// Keys that tell cells apart; each is used where several cells of one result share the key before.
constexpr std::array<Key, 3> kKeys{
    [](const Cell& cell) { return configuration_key(cell, kWhereTheDataLies); },
    [](const Cell& cell) { return configuration_key(cell, {}); },
    [](const Cell& cell) { return key_of(cell); },
};

using Cells = std::vector<std::size_t>;  // indices in Result::cells

std::map<std::string, Cells> cells_by(Key key, const Result& result, const Cells& cells) {
  std::map<std::string, Cells> found;
  for (const std::size_t i : cells) found[key(result.cells[i].cell)].push_back(i);
  return found;
}

void refuse_twins(const Named& file, const Cells& cells) {
  if (cells.size() < 2) return;
  throw Error(fmt::format("{}: cells {} and {} have the same settings, so neither can be compared", file.name,
                          file.result.cells[cells[0]].cell.name(), file.result.cells[cells[1]].cell.name()));
}

void append(Cells& to, const Cells& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void match_settings(const Named& base, const Named& changed, const Cells& ours, const Cells& theirs, std::size_t level,
                    Matching& matching) {
  auto others = cells_by(kKeys[level], changed.result, theirs);
  for (const auto& [key, cells] : cells_by(kKeys[level], base.result, ours)) {
    const Cells partners = others.contains(key) ? others.extract(key).mapped() : Cells();
    if (partners.empty()) {
      append(matching.gone, cells);
    } else if (cells.size() == 1 && partners.size() == 1) {
      matching.pairs.push_back({.base = cells.front(), .changed = partners.front()});
    } else if (level + 1 < kKeys.size()) {
      match_settings(base, changed, cells, partners, level + 1, matching);
    } else {
      refuse_twins(base, cells);
      refuse_twins(changed, partners);
    }
  }
  for (const auto& [key, cells] : others) append(matching.added, cells);
}

// Matches cells without a counterpart that have one in another cache state.
void match_across_cache_states(const Result& base, const Result& changed, Matching& matching) {
  std::unordered_map<std::string, std::vector<std::size_t>> others;
  for (const std::size_t i : matching.added) {
    others[configuration_key(changed.cells[i].cell, kNorInWhichCache)].push_back(i);
  }
  std::unordered_map<std::string, std::size_t> wanted;
  for (const std::size_t i : matching.gone) ++wanted[configuration_key(base.cells[i].cell, kNorInWhichCache)];
  std::unordered_set<std::size_t> matched;
  std::erase_if(matching.gone, [&](std::size_t i) {
    const std::string key = configuration_key(base.cells[i].cell, kNorInWhichCache);
    const auto found = others.find(key);
    // If there are several candidates, nothing says which is meant.
    if (found == others.end() || found->second.size() > 1 || wanted.at(key) > 1) return false;
    matching.pairs.push_back({.base = i, .changed = found->second.front()});
    matched.insert(found->second.front());
    return true;
  });
  std::erase_if(matching.added, [&](std::size_t i) { return matched.contains(i); });
  std::ranges::sort(matching.pairs, {}, &Match::base);
}

// What decides, along a setting, with which cells a cell is compared.
struct Profile {
  std::size_t cell;
  std::string value;               // of the setting
  std::string applies;             // a character for each other setting: whether it applies
  std::vector<std::string> texts;  // their values
};

// The settings varied in a run tell its cells apart; all others follow from these, such as the storage that a loader
// implies, or the normalisation of a float type.
std::vector<const SettingRow*> compared_settings(const Result& result, const SettingRow& along) {
  std::set<std::string_view> varied{"workload", "mode", "loader", "workers", "batch_size"};
  for (const CellResult& cell : result.cells) varied.insert(cell.cell.axes.begin(), cell.cell.axes.end());
  std::vector<const SettingRow*> rows;
  for (const SettingRow& row : settings()) {
    if (row.name != along.name && varied.contains(row.name)) rows.push_back(&row);
  }
  return rows;
}

std::vector<Profile> profiles_of(const Result& result, const SettingRow& along, const Metric& metric) {
  const auto rows = compared_settings(result, along);
  std::vector<Profile> profiles;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Cell& cell = result.cells[i].cell;
    SettingValue value = along.read(cell);
    // Elsewhere 0 is not a number of workers but their absence.
    if (along.name == "workers" && cell.workers == 0 && takes_workers(result, cell)) value = std::size_t{0};
    if (!is_compared(cell, metric) || std::holds_alternative<std::monostate>(value)) continue;
    Profile& profile = profiles.emplace_back(Profile{.cell = i, .value = text_of(value), .applies = {}, .texts = {}});
    for (const SettingRow* row : rows) {
      const SettingValue other = row->read(cell);
      profile.applies += std::holds_alternative<std::monostate>(other) ? '-' : '+';
      profile.texts.push_back(text_of(other));
    }
  }
  return profiles;
}

// The values of these settings in a cell to which all of them apply.
std::string group_key(const Profile& profile, const std::string& applies) {
  std::string key;
  for (std::size_t i = 0; i < applies.size(); ++i) {
    if (applies[i] == '+') key += profile.texts[i];
    key += '\n';
  }
  return key;
}

bool is_part_of(const std::string& applies, const std::string& more) {
  for (std::size_t i = 0; i < applies.size(); ++i) {
    if (applies[i] == '+' && more[i] != '+') return false;
  }
  return applies != more;
}

using Group = std::vector<const Profile*>;

// Cells that differ in nothing but the setting; in the order of the file, as are the groups.
std::vector<Group> groups_of(const std::vector<Profile>& profiles) {
  // By which settings apply, of which there are few combinations; then by their values.
  std::map<std::string, std::map<std::string, Group>> groups;
  for (const Profile& profile : profiles) {
    groups[profile.applies][group_key(profile, profile.applies)].push_back(&profile);
  }
  std::vector<Group> all;
  for (const auto& [applies, members] : groups) {
    for (const auto& [key, exact] : members) {
      Group group = exact;
      for (const auto& [fewer, others] : groups) {
        if (!is_part_of(fewer, applies)) continue;
        const auto found = others.find(group_key(*exact.front(), fewer));
        if (found != others.end()) group.insert(group.end(), found->second.begin(), found->second.end());
      }
      std::ranges::sort(group, {}, &Profile::cell);
      all.push_back(std::move(group));
    }
  }
  std::ranges::sort(all, {}, [](const Group& group) { return group.front()->cell; });
  return all;
}

void add_group(const Named& file, const Group& group, std::string_view base_value, std::vector<AlongPair>& pairs) {
  const auto base = base_value.empty() ? group.begin() : std::ranges::find(group, base_value, &Profile::value);
  if (base == group.end()) return;
  std::map<std::string_view, std::size_t> known;
  for (const Profile* member : group) {
    const auto [other, is_new] = known.emplace(member->value, member->cell);
    if (!is_new) {
      throw Error(fmt::format("{}: cells {} and {} both have {}, so neither can be compared with the others", file.name,
                              file.result.cells[other->second].cell.name(), file.result.cells[member->cell].cell.name(),
                              member->value));
    }
    if (member == *base) continue;
    pairs.push_back(
        {.base = (*base)->cell, .changed = member->cell, .base_value = (*base)->value, .changed_value = member->value});
  }
}

void refuse_nothing_along(const Named& file, std::string_view setting, std::string_view base_value,
                          const std::vector<Profile>& profiles) {
  std::vector<std::string_view> values;
  for (const Profile& profile : profiles) {
    if (std::ranges::find(values, profile.value) == values.end()) values.push_back(profile.value);
  }
  if (!base_value.empty() && std::ranges::find(values, base_value) == values.end()) {
    throw unknown_name(fmt::format("--base-value: {} of {}", setting, file.name), base_value, values);
  }
  throw usage_error(fmt::format(
      "--by {}: no two cells of {} differ in this setting alone{}", setting, file.name,
      values.empty() ? ", which none of them has" : fmt::format("; there it is {}", fmt::join(values, ", "))));
}

}  // namespace

bool is_compared(const Cell& cell, const Metric& metric) {
  return cell.mode != Mode::kOverhead && (!metric.mode || *metric.mode == cell.mode);
}

std::vector<std::size_t> indices_of_compared(const Result& result, const Metric& metric) {
  std::vector<std::size_t> cells;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    if (is_compared(result.cells[i].cell, metric)) cells.push_back(i);
  }
  return cells;
}

std::vector<std::string> workloads_of(const Result& result, const Metric& metric) {
  std::vector<std::string> workloads;
  for (const CellResult& cell : result.cells) {
    const bool known = std::ranges::find(workloads, cell.cell.workload) != workloads.end();
    if (is_compared(cell.cell, metric) && !known) workloads.push_back(cell.cell.workload);
  }
  return workloads;
}

std::string_view name(MatchedBy by) {
  switch (by) {
    case MatchedBy::kSettings: return "settings";
    case MatchedBy::kConfiguration: return "configuration";
    case MatchedBy::kAxes: return "axes";
    case MatchedBy::kBest: return "best";
  }
  return "";
}

Matching match_cells(const Named& base, const Named& changed, const Metric& metric,
                     std::span<const std::string> across) {
  Matching matching;
  match_settings(base, changed, indices_of_compared(base.result, metric), indices_of_compared(changed.result, metric),
                 0, matching);
  std::ranges::sort(matching.gone);
  std::ranges::sort(matching.added);
  match_across_cache_states(base.result, changed.result, matching);
  match_across(base.result, changed.result, across, matching);
  if (across.empty()) matching.ones = ones_of_several(base, changed, metric, matching);
  return matching;
}

std::vector<AlongPair> match_along(const Named& file, std::string_view setting, std::string_view base_value,
                                   const Metric& metric) {
  const SettingRow& row = setting_named("--by", setting);
  const auto profiles = profiles_of(file.result, row, metric);
  std::vector<AlongPair> pairs;
  for (const Group& group : groups_of(profiles)) add_group(file, group, base_value, pairs);
  if (pairs.empty()) refuse_nothing_along(file, setting, base_value, profiles);
  return pairs;
}

}  // namespace loadline
