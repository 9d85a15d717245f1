#include "harness/cli/known_values.h"

#include <array>
#include <string>
#include <vector>

#include "harness/cli/baselines.h"
#include "harness/cli/made_kinds.h"
#include "harness/judge/changes.h"
#include "harness/judge/metrics.h"
#include "harness/plan/settings.h"
#include "synthetic/compute/compute.h"
#include "synthetic/convert/convert.h"

namespace loadline {
namespace {

template <typename Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> choice_names() {
  std::vector<std::string> names;
  for (const SettingRow* row : choices()) names.emplace_back(row->name);
  return names;
}

constexpr std::array kKnownValues{KnownValues{"--metric", [] { return names_in(metrics()); }},
                                  KnownValues{"--by", [] { return names_in(settings()); }},
                                  KnownValues{"--across", choice_names},
                                  KnownValues{"--baseline", baseline_names},
                                  KnownValues{"--save-baseline", baseline_names},
                                  KnownValues{"TARGET", [] { return names_in(convert_formats()); }},
                                  KnownValues{"--compute", [] { return names_in(loadline::computes()); }},
                                  KnownValues{"kind", [] { return names_in(made_kinds()); }},
                                  KnownValues{"name", baseline_names},
                                  KnownValues{"names", baseline_names}};

}  // namespace

std::span<const KnownValues> known_values() {
  return kKnownValues;
}

}  // namespace loadline
