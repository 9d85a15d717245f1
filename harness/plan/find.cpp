#include "harness/plan/find.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/plan/script_workload.h"
#include "harness/plan/settings.h"
#include "loaders/loader.h"
#include "loaders/names.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

constexpr std::array kFindKinds{
    FindKind{"max-rate", "samples_per_second", true, false},
    FindKind{"max-devices", "devices", true, true},
    FindKind{"min-workers", "", false, true},
};

template <typename List>
void want_one(std::string_view kind, std::string_view option, const List& list) {
  if (list.size() == 1) return;
  throw usage_error(fmt::format("--find {}: want one --{}, got {}", kind, option, list.size()));
}

void check_workers(const FindKind& kind, const RunOptions& options) {
  const LoaderKind& loader = loader_named(options.loaders.front());
  if (kind.parameter.empty()) {
    if (loader.has_workers) return;
    throw usage_error(fmt::format("--find {}: loader {} has no workers", kind.name, loader.name));
  }
  if (!loader.has_workers || options.workers.size() == 1) return;
  throw usage_error(
      fmt::format("--find {}: give one number of --workers, or search for it with --find min-workers", kind.name));
}

void check_parameter(const FindKind& kind, const RunOptions& options) {
  if (kind.parameter.empty()) return;
  const ComputeKind& compute = *parse_compute(compute_text(options)).kind;
  const auto names = names_of(compute.parameters);
  if (std::ranges::find(names, kind.parameter) != names.end()) return;
  throw usage_error(fmt::format("--find {}: compute {} has no parameter {}", kind.name, compute.name, kind.parameter));
}

double to_five_digits(double value) {
  const double step = std::pow(10.0, std::floor(std::log10(value)) - 4);
  return step >= 1 ? std::round(value / step) * step : std::round(value * std::round(1 / step)) / std::round(1 / step);
}

// Candidates may differ only in how the same batches are loaded: anything else would change what is trained.
void check_best(const RunOptions& options) {
  want_one(kFindBest, "workload", options.workloads);
  for (const Axis& axis : options.axes) {
    const SettingPart part = setting_named("axis", key_of(row_named(run_options(), "axis", axis.option))).part;
    if (part == SettingPart::kLoading || part == SettingPart::kOrder) continue;
    throw usage_error(fmt::format("--find {}: --{}: want one, not a list", kFindBest, axis.option));
  }
  if (options.modes == std::vector<std::string>{"synthetic"}) {
    throw usage_error(fmt::format("--find {}: it needs FULL or IO trials; add full or io to --mode", kFindBest));
  }
}

}  // namespace

std::span<const FindKind> find_kinds() {
  return kFindKinds;
}

const FindKind& find_kind_named(std::string_view name) {
  return row_named(kFindKinds, "--find", name);
}

std::string compute_text(const RunOptions& options) {
  if (!options.compute.empty()) return options.compute;
  return std::string(workload_named(options.workloads.front()).compute);
}

void check_find(const RunOptions& options) {
  if (options.find.empty()) return;
  if (options.time_limit) {
    throw usage_error(fmt::format("--time-limit: --find {} cannot be limited in time", options.find));
  }
  if (options.find == kFindBest) return check_best(options);
  const FindKind& kind = find_kind_named(options.find);
  if (!options.au) throw usage_error(fmt::format("--find {}: it needs --au, the utilisation to maintain", kind.name));
  if (!options.axes.empty()) {
    throw usage_error(fmt::format("--find {}: --{}: want one, not a list", kind.name, options.axes.front().option));
  }
  want_one(kind.name, "workload", options.workloads);
  want_one(kind.name, "loader", options.loaders);
  if (!options.batch_sizes.empty()) want_one(kind.name, "batch-size", options.batch_sizes);
  check_workers(kind, options);
  check_parameter(kind, options);
}

RunOptions with_best_grid(const RunOptions& options, std::size_t cpus) {
  RunOptions grid = options;
  const bool any_workers =
      std::ranges::any_of(options.loaders, [](const auto& loader) { return loader_named(loader).has_workers; });
  if (!any_workers) return grid;
  if (grid.workers.empty()) {
    for (std::size_t count = 1; count < cpus; count *= 2) grid.workers.push_back(count);
    grid.workers.push_back(cpus);
  }
  const bool prefetch_given =
      grid.prefetch || std::ranges::find(grid.axes, "prefetch", &Axis::option) != grid.axes.end();
  if (!prefetch_given) write_option(grid, row_named(run_options(), "option", "prefetch"), "2,4,8");
  return grid;
}

RunOptions at_value(const RunOptions& options, double value) {
  const FindKind& kind = find_kind_named(options.find);
  RunOptions at = options;
  if (kind.parameter.empty()) {
    at.workers = {static_cast<std::size_t>(value)};
  } else {
    at.compute = with_parameter(compute_text(options), kind.parameter, value);
  }
  return at;
}

double least_of(const RunOptions& options) {
  const bool of_workers = find_kind_named(options.find).parameter.empty();
  return of_workers && loader_named(options.loaders.front()).may_do_without ? 0 : 1;
}

double most_of(const RunOptions& options, std::size_t cpus) {
  const FindKind& kind = find_kind_named(options.find);
  if (kind.parameter.empty()) {
    return static_cast<double>(options.workers.empty() ? cpus : *std::ranges::max_element(options.workers));
  }
  constexpr double kMost = 4096;  // for a parameter without a limit of its own
  return std::min(kMost,
                  row_named(parse_compute(compute_text(options)).kind->parameters, "parameter", kind.parameter).most);
}

std::string with_parameter(std::string_view compute, std::string_view parameter, double value) {
  const auto colon = compute.find(':');
  std::string text(compute.substr(0, colon));
  char separator = ':';
  const auto append = [&](std::string_view assignment) {
    text += separator;
    text += assignment;
    separator = ',';
  };
  const std::string replaced = fmt::format("{}={}", parameter, to_five_digits(value));
  bool found = false;
  std::string_view rest = colon == std::string_view::npos ? "" : compute.substr(colon + 1);
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view assignment = rest.substr(0, comma);
    const bool is_it = assignment.substr(0, assignment.find('=')) == parameter;
    append(is_it ? std::string_view(replaced) : assignment);
    found = found || is_it;
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  if (!found) append(replaced);
  return text;
}

}  // namespace loadline
