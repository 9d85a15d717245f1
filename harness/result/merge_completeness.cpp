#include "harness/result/merge_completeness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
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

// Whether it is a merge of an older version, which lacks shares without saying which it has.
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
  if (std::ranges::any_of(parts, has_unknown_shares)) return false;
  std::map<std::string, SweepShares> by_number;
  for (const MergePart& part : parts) {
    for (const std::string& one : sweep_shares_of(part.result)) {
      SweepShares& shares = by_number[one.substr(std::min(one.find('/'), one.size()))];  // files may say anything
      shares.given.insert(one);
      shares.configurations = std::max(shares.configurations, part.result.divided_configurations);
    }
  }
  return std::ranges::all_of(by_number, [](const auto& entry) { return entry.second.all_present(entry.first); });
}

std::string known_shares(const std::vector<MergePart>& parts) {
  if (std::ranges::any_of(parts, has_unknown_shares)) return "";
  std::vector<std::string> all;
  for (const MergePart& part : parts) {
    for (std::string& share : sweep_shares_of(part.result)) {
      if (std::ranges::find(all, share) == all.end()) all.push_back(std::move(share));
    }
  }
  return fmt::format("{}", fmt::join(all, ","));
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
  // Without either, as in files of older versions, only trials that are all there show what else is missing.
  return !merged.options.part.empty() || merged.divided_configurations || has_all_trials(merged);
}

}  // namespace loadline
