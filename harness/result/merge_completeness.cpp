#include "harness/result/merge_completeness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/result/counted.h"

namespace loadline {
namespace {

// The shares of the sweeps that were divided by one number.
struct SweepShares {
  std::set<std::string> given;
  std::optional<std::size_t> configurations;

  // `of` is "/3". Shares are empty, and so not missing, where there are fewer configurations than shares.
  bool all_present(const std::string& of) const {
    for (std::size_t i = 1; given.contains(fmt::format("{}{}", i, of)); ++i) {
      if (fmt::format("/{}", i) == of || i == configurations) return true;
    }
    return false;
  }
};

}  // namespace

bool all_shares(const std::vector<MergePart>& parts) {
  std::map<std::string, SweepShares> by_number;
  for (const MergePart& part : parts) {
    if (lacks_shares(part.result)) return false;
    const std::string& one = part.result.options.part;
    if (one.empty()) continue;
    SweepShares& shares = by_number[one.substr(std::min(one.find('/'), one.size()))];  // files may say anything
    shares.given.insert(one);
    shares.configurations = std::max(shares.configurations, part.result.divided_configurations);
  }
  return std::ranges::all_of(by_number, [](const auto& entry) { return entry.second.all_present(entry.first); });
}

bool has_all_trials(const Result& merged) {
  if (merged.options.until_ci || merged.options.check_verdict) return false;
  const auto has_its = [&](const auto& measured, std::size_t trials) {
    return measured.error || trials >= merged.options.trials;
  };
  return std::ranges::all_of(merged.cells,
                             [&](const CellResult& cell) { return has_its(cell, count_of(cell.trials)); }) &&
         std::ranges::all_of(merged.ceilings,
                             [&](const CeilingResult& ceiling) { return has_its(ceiling, ceiling.trials.size()); });
}

bool lacks_shares(const Result& merged) {
  if (merged.merged_from.empty() || merged.status == Status::kComplete) return false;
  // Without that number, as in files of older versions, only trials that are all there show what else is missing.
  return merged.divided_configurations || has_all_trials(merged);
}

}  // namespace loadline
