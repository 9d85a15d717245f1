#include "harness/judge/across.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/judge/changes.h"
#include "harness/judge/judgement.h"
#include "harness/plan/settings.h"
#include "loaders/error.h"

namespace loadline {
namespace {

using P = SettingPart;

// The cells of one configuration that have no partner yet: indices in Result::cells.
struct Trio {
  std::optional<std::size_t> io;
  std::optional<std::size_t> synthetic;
  std::optional<std::size_t> full;

  // The cell whose settings represent the configuration.
  std::size_t cell() const { return full ? *full : io ? *io : *synthetic; }
  std::optional<std::size_t> of(Mode mode) const {
    return mode == Mode::kFull ? full : mode == Mode::kIo ? io : mode == Mode::kSynthetic ? synthetic : std::nullopt;
  }
};

using Trios = std::vector<Trio>;

// What is left of one workload on one side.
struct LeftOver {
  Trios loading;    // configurations with a loader
  Trios computing;  // SYNTHETIC that belongs to none of them
};

std::map<std::string, LeftOver> units_of(const Result& result, const std::vector<std::size_t>& cells) {
  std::map<std::string, std::size_t> io;
  std::map<std::string, std::size_t> synthetic;
  for (const std::size_t i : cells) {
    const Cell& cell = result.cells[i].cell;
    if (cell.mode == Mode::kIo) io.emplace(loading_key(cell), i);
    if (cell.mode == Mode::kSynthetic) synthetic.emplace(step_key(cell), i);
  }
  const auto found_in = [](const std::map<std::string, std::size_t>& known, const std::string& key) {
    const auto found = known.find(key);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  };
  std::map<std::string, LeftOver> left;
  std::set<std::size_t> taken;
  const auto take = [&](const Trio& trio, Trios& trios) {
    for (const auto cell : {trio.io, trio.synthetic, trio.full}) {
      if (cell) taken.insert(*cell);
    }
    trios.push_back(trio);
  };
  for (const std::size_t i : cells) {
    const Cell& cell = result.cells[i].cell;
    if (cell.mode != Mode::kFull) continue;
    take({.io = found_in(io, loading_key(cell)), .synthetic = found_in(synthetic, step_key(cell)), .full = i},
         left[cell.workload].loading);
  }
  for (const std::size_t i : cells) {
    const Cell& cell = result.cells[i].cell;
    if (taken.contains(i)) continue;
    if (cell.mode == Mode::kIo) take({.io = i, .synthetic = {}, .full = {}}, left[cell.workload].loading);
    if (cell.mode == Mode::kSynthetic) take({.io = {}, .synthetic = i, .full = {}}, left[cell.workload].computing);
  }
  return left;
}

std::optional<double> mean_rate(const Result& result, const Trio& trio, Mode mode) {
  const auto cell = trio.of(mode);
  if (!cell || result.cells[*cell].trials.empty()) return std::nullopt;
  return summarize(rates_of(result.cells[*cell])).mean;
}

// The two sides of a workload, and what may differ between partners.
class Sides {
 public:
  Sides(const Result& base, const Result& changed, std::span<const std::string> across)
      : base_(base), changed_(changed), across_(across) {}

  void match(const Trios& base, const Trios& changed) {
    if (base.empty() || changed.empty()) return;
    // For IO alone nothing says which compute goes with it.
    const auto has_step = [](const Trio& trio) { return trio.full || trio.synthetic; };
    with_step_ = std::ranges::all_of(base, has_step) && std::ranges::all_of(changed, has_step);
    if (!across_.empty()) {
      const bool none_has_workers = !any_has_workers(base_, base) || !any_has_workers(changed_, changed);
      match_by(key_rows([&](const SettingRow& row) {
                 return is_named(row.name) || (none_has_workers && is_only_for_workers(row.name));
               }),
               base, changed);
    } else if (base.size() == 1 && changed.size() == 1) {
      pair(base.front(), changed.front(), MatchedBy::kConfiguration);
    } else if (base.size() == 1 || changed.size() == 1 ? !match_one_of_several(base, changed)
                                                       : !match_by_common_axes(base, changed)) {
      pair_best(base, changed);
    }
  }

  const std::vector<Match>& pairs() const { return pairs_; }

 private:
  using Rows = std::vector<const SettingRow*>;
  using Groups = std::map<std::string, Trios>;

  // The choices in which partners must agree: all except those in `may_differ`.
  template <typename MayDiffer>
  Rows key_rows(const MayDiffer& may_differ) const {
    std::vector<std::string_view> free;
    for (const SettingRow* row : choices()) {
      if (may_differ(*row) || (row->part == P::kCompute && !with_step_)) free.push_back(row->name);
    }
    Rows rows;
    for (const SettingRow* row : choices()) {
      const bool is_free = std::ranges::any_of(
          free, [&](std::string_view name) { return row->name == name || follows(row->name, name); });
      if (!is_free) rows.push_back(row);
    }
    return rows;
  }

  static bool is_only_for_workers(std::string_view setting) {
    return setting == "prefetch" || setting == "delivery" || setting == "stores";
  }

  static bool any_has_workers(const Result& result, const Trios& trios) {
    return std::ranges::any_of(trios, [&](const Trio& trio) { return result.cells[trio.cell()].cell.workers > 0; });
  }

  bool is_named(std::string_view setting) const { return std::ranges::find(across_, setting) != across_.end(); }

  static Groups groups_of(const Result& result, const Trios& trios, const Rows& rows) {
    Groups groups;
    for (const Trio& trio : trios) {
      std::string key;
      for (const SettingRow* row : rows) key += text_of(row->read(result.cells[trio.cell()].cell)) + '\n';
      groups[key].push_back(trio);
    }
    return groups;
  }

  void match_by(const Rows& rows, const Trios& base, const Trios& changed) {
    const Groups others = groups_of(changed_, changed, rows);
    for (const auto& [key, trios] : groups_of(base_, base, rows)) {
      const auto found = others.find(key);
      if (found == others.end()) continue;
      if (trios.size() == 1 && found->second.size() == 1) {
        pair(trios.front(), found->second.front(), MatchedBy::kAxes);
      } else {
        pair_best(trios, found->second);
      }
    }
  }

  static std::set<std::string> values_of(const Result& result, const Trios& trios, const SettingRow& row) {
    std::set<std::string> values;
    for (const Trio& trio : trios) values.insert(text_of(row.read(result.cells[trio.cell()].cell)));
    return values;
  }

  // Returns whether there were partners, each the only one that agrees with the other.
  bool match_by_common_axes(const Trios& base, const Trios& changed) {
    const Rows rows = key_rows([&](const SettingRow& row) {
      const auto ours = values_of(base_, base, row);
      const auto theirs = values_of(changed_, changed, row);
      return std::ranges::none_of(ours, [&](const std::string& value) { return theirs.contains(value); });
    });
    const Groups ours = groups_of(base_, base, rows);
    const Groups theirs = groups_of(changed_, changed, rows);
    const auto is_ambiguous = [](const auto& group) { return group.second.size() > 1; };
    const bool any = std::ranges::any_of(ours, [&](const auto& group) { return theirs.contains(group.first); });
    if (!any || std::ranges::any_of(ours, is_ambiguous) || std::ranges::any_of(theirs, is_ambiguous)) return false;
    match_by(rows, base, changed);
    return true;
  }

  // The choices with several values in cells of that workload and mode.
  Rows varied_rows(const Result& result, const Cell& like) const {
    Rows rows;
    for (const SettingRow* row : choices()) {
      if (row->part == P::kCompute && !with_step_) continue;
      const bool varies = std::ranges::any_of(result.cells, [&](const CellResult& one) {
        return one.cell.workload == like.workload && one.cell.mode == like.mode &&
               row->read(one.cell) != row->read(like);
      });
      if (varies) rows.push_back(row);
    }
    return rows;
  }

  // Returns whether exactly one of the several is the counterpart of the one.
  bool match_one_of_several(const Trios& base, const Trios& changed) {
    const bool one_in_base = base.size() == 1;
    const Trio& one = one_in_base ? base.front() : changed.front();
    const Trios& several = one_in_base ? changed : base;
    const Cell& its = (one_in_base ? base_ : changed_).cells[one.cell()].cell;
    const Result& other = one_in_base ? changed_ : base_;
    const Rows rows = varied_rows(other, other.cells[several.front().cell()].cell);
    const auto agrees = [&](const Trio& trio) {
      const Cell& cell = other.cells[trio.cell()].cell;
      return std::ranges::all_of(rows, [&](const SettingRow* row) { return row->read(cell) == row->read(its); });
    };
    if (std::ranges::count_if(several, agrees) != 1) return false;
    const Trio& counterpart = *std::ranges::find_if(several, agrees);
    pair(one_in_base ? one : counterpart, one_in_base ? counterpart : one, MatchedBy::kAxes);
    return true;
  }

  // Of those that have a cell in this mode. Where none has trials in it, since all failed, another mode tells which
  // was the fastest. nullptr: none has such a cell.
  static const Trio* fastest(const Result& result, const Trios& trios, Mode mode) {
    std::vector<const Trio*> candidates;
    for (const Trio& trio : trios) {
      if (trio.of(mode)) candidates.push_back(&trio);
    }
    for (const Mode by : {mode, Mode::kFull, Mode::kIo}) {
      const auto rate = [&](const Trio* trio) { return mean_rate(result, *trio, by).value_or(0); };
      const auto best = std::ranges::max_element(candidates, {}, rate);
      if (best != candidates.end() && rate(*best) > 0) return *best;
    }
    return candidates.empty() ? nullptr : candidates.front();
  }

  void pair_fastest(const Trios& base, const Trios& changed, Mode mode, std::initializer_list<Mode> modes) {
    const Trio* const ours = fastest(base_, base, mode);
    const Trio* const theirs = fastest(changed_, changed, mode);
    if (ours == nullptr || theirs == nullptr) return;
    for (const Mode each : modes) pair_mode(*ours, *theirs, each, MatchedBy::kBest, mode);
  }

  // IO and FULL each decide by their fastest, which need not be the same configuration. A step goes with its FULL.
  void pair_best(const Trios& base, const Trios& changed) {
    pair_fastest(base, changed, Mode::kIo, {Mode::kIo});
    pair_fastest(base, changed, Mode::kFull, {Mode::kSynthetic, Mode::kFull});
    const auto has_full = [](const Trio& trio) { return trio.full.has_value(); };
    if (std::ranges::none_of(base, has_full) || std::ranges::none_of(changed, has_full)) {
      pair_fastest(base, changed, Mode::kSynthetic, {Mode::kSynthetic});
    }
  }

  void pair(const Trio& base, const Trio& changed, MatchedBy by) {
    for (const Mode mode : {Mode::kIo, Mode::kSynthetic, Mode::kFull}) pair_mode(base, changed, mode, by);
  }

  void pair_mode(const Trio& base, const Trio& changed, Mode mode, MatchedBy by, std::optional<Mode> best_in = {}) {
    const auto ours = base.of(mode);
    const auto theirs = changed.of(mode);
    // Several configurations may share a SYNTHETIC.
    if (!ours || !theirs || ours_.contains(*ours) || theirs_.contains(*theirs)) return;
    ours_.insert(*ours);
    theirs_.insert(*theirs);
    pairs_.push_back({.base = *ours, .changed = *theirs, .by = by, .best_in = best_in});
  }

  const Result& base_;
  const Result& changed_;
  std::span<const std::string> across_;
  bool with_step_ = true;
  std::vector<Match> pairs_;
  std::set<std::size_t> ours_;  // that have a partner now
  std::set<std::size_t> theirs_;
};

std::map<std::string, std::size_t> count_configurations(const Result& result, const Metric& metric) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [workload, units] : units_of(result, indices_of_compared(result, metric))) {
    counts[workload] = units.loading.empty() ? units.computing.size() : units.loading.size();
  }
  return counts;
}

// Whether its workload, seen by what matched its pairs, has a counterpart or is compared by the fastest. `pairs` of the
// workload only.
std::optional<OneOfSeveral> one_of_several(OneOfSeveral one, const Result& base, const std::vector<Match>& pairs) {
  const auto matched = [&](MatchedBy by) { return std::ranges::find(pairs, by, &Match::by) != pairs.end(); };
  if (pairs.empty() || matched(MatchedBy::kConfiguration)) return std::nullopt;
  if (matched(MatchedBy::kBest)) return one;
  for (const Mode mode : {Mode::kSynthetic, Mode::kIo, Mode::kFull}) {
    const auto pair =
        std::ranges::find(pairs, mode, [&](const Match& each) { return base.cells[each.base].cell.mode; });
    if (pair != pairs.end()) one.counterpart = one.several_in_base ? pair->base : pair->changed;
  }
  return one;
}

}  // namespace

std::vector<OneOfSeveral> ones_of_several(const Named& base, const Named& changed, const Metric& metric,
                                          const Matching& matching) {
  std::vector<OneOfSeveral> ones;
  const auto theirs = count_configurations(changed.result, metric);
  for (const auto& [workload, count] : count_configurations(base.result, metric)) {
    const auto found = theirs.find(workload);
    const std::size_t other = found == theirs.end() ? 0 : found->second;
    if (std::min(count, other) != 1 || count == other) continue;
    std::vector<Match> pairs;
    for (const Match& pair : matching.pairs) {
      if (base.result.cells[pair.base].cell.workload == workload) pairs.push_back(pair);
    }
    const OneOfSeveral begun{.workload = workload,
                             .several_in_base = count > other,
                             .several = std::max(count, other),
                             .counterpart = std::nullopt};
    if (auto one = one_of_several(begun, base.result, pairs)) ones.push_back(*std::move(one));
  }
  return ones;
}

void match_across(const Result& base, const Result& changed, std::span<const std::string> across, Matching& matching) {
  for (const std::string& setting : across) {
    const SettingRow& row = setting_named("--across", setting);
    const auto allowed = choices();
    if (std::ranges::find(allowed, &row) != allowed.end()) continue;
    throw usage_error(fmt::format("--across {}: partners may not differ in this setting", setting));
  }
  const auto ours = units_of(base, matching.gone);
  const auto theirs = units_of(changed, matching.added);
  Sides sides(base, changed, across);
  for (const auto& [workload, left] : ours) {
    const auto found = theirs.find(workload);
    if (found == theirs.end()) continue;
    sides.match(left.loading, found->second.loading);
    sides.match(left.computing, found->second.computing);
  }
  std::set<std::size_t> first;
  std::set<std::size_t> second;
  for (const Match& pair : sides.pairs()) {
    first.insert(pair.base);
    second.insert(pair.changed);
    matching.pairs.push_back(pair);
  }
  std::erase_if(matching.gone, [&](std::size_t i) { return first.contains(i); });
  std::erase_if(matching.added, [&](std::size_t i) { return second.contains(i); });
  std::ranges::sort(matching.pairs, {}, &Match::base);
}

}  // namespace loadline
