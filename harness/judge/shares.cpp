#include "harness/judge/shares.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "harness/plan/settings.h"

namespace loadline {
namespace {

const Configuration* with_full(const Judgement& judgement, std::size_t full) {
  const auto found = std::ranges::find(judgement.configurations, full, &Configuration::full);
  return found == judgement.configurations.end() ? nullptr : &*found;
}

std::string step_of(const Result& result, std::size_t synthetic) {
  return key_of(result.cells[synthetic].cell, {SettingPart::kSubject, SettingPart::kCompute});
}

}  // namespace

std::optional<Shares> shares_between(const Result& base, const Judgement& base_judgement, std::size_t base_full,
                                     const Result& changed, const Judgement& changed_judgement,
                                     std::size_t changed_full) {
  const Configuration* const before = with_full(base_judgement, base_full);
  const Configuration* const after = with_full(changed_judgement, changed_full);
  if (before == nullptr || after == nullptr || !before->synthetic || !after->synthetic) return std::nullopt;
  const auto s1 = rates_of(base.cells[*before->synthetic]);
  const auto s2 = rates_of(changed.cells[*after->synthetic]);
  const auto f1 = rates_of(base.cells[base_full]);
  const auto f2 = rates_of(changed.cells[changed_full]);
  if (s1.empty() || s2.empty() || f1.empty() || f2.empty()) return std::nullopt;
  const Ratio compute = log_welch_ratio(s1, s2);
  const std::array<std::span<const double>, 2> over{f2, s1};
  const std::array<std::span<const double>, 2> under{f1, s2};
  return Shares{.compute = {compute.value, compute.ci95},
                .loading = log_product(1, over, under),
                .other_step = step_of(base, *before->synthetic) != step_of(changed, *after->synthetic),
                .before = {before->verdict.stall, before->verdict.bound},
                .after = {after->verdict.stall, after->verdict.bound}};
}

}  // namespace loadline
