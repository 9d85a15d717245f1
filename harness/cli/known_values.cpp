#include "harness/cli/known_values.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "harness/cli/baselines.h"
#include "harness/cli/made_kinds.h"
#include "harness/judge/changes.h"
#include "harness/judge/metrics.h"
#include "harness/plan/settings.h"
#include "loaders/datasets/datasets.h"
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

// Arguments that precede the value on the line.
using Arguments = std::span<const std::string>;

std::vector<std::string> readable_formats(Arguments /*arguments*/) {
  std::vector<std::string> names = names_in(dataset_formats());
  names.emplace_back("auto");
  return names;
}

// Formats that `data make` can write: those of the kind, if it is named.
std::vector<std::string> made_formats(Arguments arguments) {
  const auto kinds = made_kinds();
  const auto kind = arguments.empty() ? kinds.end() : std::ranges::find(kinds, arguments.front(), &MadeKind::name);
  if (kind == kinds.end()) return names_in(convert_formats());
  std::vector<std::string> names(kind->own.begin(), kind->own.end());
  names.insert(names.end(), kind->others.begin(), kind->others.end());
  return names;
}

std::vector<std::string> kept_baselines(Arguments /*arguments*/) {
  return baseline_names();
}

std::vector<std::string> choice_names(Arguments /*arguments*/) {
  std::vector<std::string> names;
  for (const SettingRow* row : choices()) names.emplace_back(row->name);
  return names;
}

constexpr std::array kKnownValues{KnownValues{"--metric", [](Arguments) { return names_in(metrics()); }},
                                  KnownValues{"--by", [](Arguments) { return names_in(settings()); }},
                                  KnownValues{"--across", choice_names},
                                  KnownValues{"--baseline", kept_baselines},
                                  KnownValues{"--save-baseline", kept_baselines},
                                  KnownValues{"--as", made_formats},
                                  KnownValues{"--from-format", readable_formats},
                                  KnownValues{"TARGET", [](Arguments) { return names_in(convert_formats()); }},
                                  KnownValues{"--compute", [](Arguments) { return names_in(loadline::computes()); }},
                                  KnownValues{"kind", [](Arguments) { return names_in(made_kinds()); }},
                                  KnownValues{"name", kept_baselines},
                                  KnownValues{"names", kept_baselines}};

}  // namespace

std::span<const KnownValues> known_values() {
  return kKnownValues;
}

}  // namespace loadline
