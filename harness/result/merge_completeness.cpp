#include "harness/result/merge_completeness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/plan/options.h"
#include "harness/result/counted.h"
#include "harness/result/merge_paths.h"
#include "loaders/listed.h"

namespace loadline {
namespace {

// One of `of` shares of a sweep.
struct SweepShare {
  std::size_t index = 0;  // from 1
  std::size_t of = 0;
};

// Of "2/3". Files may say anything: what is no share is one of no shares, and so never makes a whole.
SweepShare sweep_share_of(std::string_view text) {
  const auto number = [](std::string_view digits) {
    std::size_t value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return status == std::errc{} && end == digits.data() + digits.size() ? value : 0;
  };
  const std::size_t slash = std::min(text.find('/'), text.size());
  return {number(text.substr(0, slash)), number(text.substr(std::min(slash + 1, text.size())))};
}

// What is there of a sweep that was divided into `of` shares.
struct DividedSweep {
  const Result* result;     // the first that is a share of it
  std::string_view source;  // its file
  std::size_t of = 0;
  std::set<std::size_t> present;
  std::optional<std::size_t> configurations;

  // Shares are empty, and so not missing, where there are fewer configurations than shares.
  std::size_t wanted() const { return std::min(of, configurations.value_or(of)); }
  std::size_t missing() const {
    return wanted() - static_cast<std::size_t>(std::distance(present.begin(), present.upper_bound(wanted())));
  }
  bool is_whole() const { return of > 0 && missing() == 0; }
};

// Whether both options have the same value, as far as that says what is swept: "mn" and "./mn" are the same data.
bool same_swept(const Result& a, const Result& b, const OptionRow& row) {
  if (row.name == "data" && !a.options.data.empty() && !b.options.data.empty()) return same_data_option(a, b);
  return read_option(a.options, row) == read_option(b.options, row);
}

// The name of the first option in which the sweeps of two results differ; nullopt for the same sweep.
std::optional<std::string_view> sweep_difference(const Result& a, const Result& b) {
  for (const OptionRow& row : run_options()) {
    if (makes_sweep(row) && !same_swept(a, b, row)) return row.name;
  }
  return std::nullopt;
}

// Adds the shares that a result is, or has, to those of its sweep.
void add_shares(const Result& result, std::string_view source, std::vector<DividedSweep>& sweeps) {
  for (const std::string& text : sweep_shares_of(result)) {
    const SweepShare share = sweep_share_of(text);
    auto sweep = std::ranges::find_if(sweeps, [&](const DividedSweep& known) {
      return known.of == share.of && !sweep_difference(*known.result, result);
    });
    if (sweep == sweeps.end()) {
      sweep = sweeps.insert(sweep,
                            {.result = &result, .source = source, .of = share.of, .present = {}, .configurations = {}});
    }
    if (share.index > 0) sweep->present.insert(share.index);
    // An absent number is less than any.
    sweep->configurations = std::max(sweep->configurations, result.divided_configurations);
  }
}

// Whether the result has all cells of the sweep, divided or not.
bool has_whole_of(const DividedSweep& sweep, const Result& result) {
  return result.options.part.empty() && !lacks_shares(result) && !sweep_difference(*sweep.result, result);
}

// Those that no part has as a whole.
std::vector<DividedSweep> divided_sweeps_of(const std::vector<MergePart>& parts) {
  std::vector<DividedSweep> sweeps;
  for (const MergePart& part : parts) add_shares(part.result, part.source, sweeps);
  std::erase_if(sweeps, [&](const DividedSweep& sweep) {
    return std::ranges::any_of(parts, [&](const MergePart& part) { return has_whole_of(sweep, part.result); });
  });
  return sweeps;
}

// "shares 2/3 and 3/3 are missing"; names the first few of many. Empty if none is known to be missing.
std::string missing_text(const std::vector<DividedSweep>& sweeps) {
  constexpr std::size_t kMostNames = 8;
  std::vector<std::string> names;
  std::size_t missing = 0;
  for (const DividedSweep& sweep : sweeps) {
    missing += sweep.missing();
    for (std::size_t i = 1; i <= sweep.wanted() && names.size() < kMostNames; ++i) {
      if (!sweep.present.contains(i)) names.push_back(fmt::format("{}/{}", i, sweep.of));
    }
  }
  if (names.empty()) return "";
  if (missing > names.size()) names.push_back(fmt::format("{} more", missing - names.size()));
  return missing == 1 ? fmt::format("share {} is missing", names.front())
                      : fmt::format("shares {} are missing", listed(names));
}

// Whether the cell has all trials that its interval, or the limit to them, asked for. OVERHEAD has no interval.
bool ended_by_its_interval(const CellResult& cell) {
  return cell.stopped == Stopped::kInterval || cell.stopped == Stopped::kMaxTrials || cell.stopped == Stopped::kTrials;
}

// Whether it is a merge that lacks shares without saying which it has: of different sweeps, or of an older version.
bool has_unknown_shares(const MergePart& part) {
  return lacks_shares(part.result) && part.result.options.part.empty();
}

}  // namespace

std::vector<std::string> sweep_shares_of(const Result& result) {
  std::vector<std::string> shares;
  std::istringstream text(result.options.part);
  for (std::string share; std::getline(text, share, ',');) shares.push_back(share);
  return shares;
}

bool all_shares(const std::vector<MergePart>& parts) {
  return std::ranges::none_of(parts, has_unknown_shares) &&
         std::ranges::all_of(divided_sweeps_of(parts), &DividedSweep::is_whole);
}

std::string missing_shares(const std::vector<MergePart>& parts) {
  if (std::ranges::any_of(parts, has_unknown_shares)) return "";
  std::vector<DividedSweep> sweeps = divided_sweeps_of(parts);
  std::erase_if(sweeps, [](const DividedSweep& sweep) { return sweep.is_whole(); });
  for (const DividedSweep& sweep : sweeps) {
    const DividedSweep& first = sweeps.front();
    if (const auto option = sweep_difference(*first.result, *sweep.result)) {
      return fmt::format("the shares are of different sweeps: {} has another --{} than {}", sweep.source, *option,
                         first.source);
    }
  }
  return missing_text(sweeps);
}

std::string missing_shares(const Result& merged) {
  std::vector<DividedSweep> sweeps;
  add_shares(merged, "", sweeps);
  return missing_text(sweeps);
}

std::string known_shares(const std::vector<MergePart>& parts) {
  if (std::ranges::any_of(parts, has_unknown_shares)) return "";
  std::vector<std::string> all;
  for (const MergePart& part : parts) {
    const bool is_share = !sweep_shares_of(part.result).empty();
    if (is_share && sweep_difference(parts.front().result, part.result)) return "";
    for (std::string& share : sweep_shares_of(part.result)) {
      if (std::ranges::find(all, share) == all.end()) all.push_back(std::move(share));
    }
  }
  return fmt::format("{}", fmt::join(all, ","));
}

bool has_all_trials(const Result& merged) {
  if (merged.options.check_verdict) return false;
  const bool until_ci = merged.options.until_ci.has_value();
  // A ceiling has a trial in each round of a cell that it bounds.
  std::vector<std::size_t> wanted(merged.ceilings.size(), merged.options.trials);
  for (const CellResult& cell : merged.cells) {
    const bool has_its = until_ci ? ended_by_its_interval(cell) : count_of(cell.trials) >= merged.options.trials;
    if (!has_its && !cell.error) return false;
    for (const std::size_t bound : cell.bounds) {
      if (until_ci) wanted[bound] = std::max(wanted[bound], cell.trials.size());
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const CeilingResult& ceiling = merged.ceilings[i];
    if (!ceiling.error && ceiling.trials.size() < wanted[i]) return false;
  }
  return true;
}

bool lacks_shares(const Result& merged) {
  if (merged.merged_from.empty() || merged.status == Status::kComplete) return false;
  // Without either, as in files of older versions, only trials that are all there show what else is missing.
  return !merged.options.part.empty() || merged.divided_configurations || has_all_trials(merged);
}

}  // namespace loadline
