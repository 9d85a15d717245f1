#include "harness/plan/refusals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/find.h"
#include "harness/plan/placement.h"
#include "harness/plan/script_workload.h"
#include "harness/plan/workloads.h"
#include "loaders/error.h"
#include "loaders/listed.h"
#include "loaders/loader.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

// "cnn and gpt use it".
std::string users_of(bool ComputeKind::*heeds) {
  std::vector<std::string> names;
  for (const ComputeKind& kind : computes()) {
    if (kind.*heeds) names.emplace_back(kind.name);
  }
  if (names.empty()) return "no compute of this build uses it";
  return fmt::format("{} {} it", listed(names), names.size() == 1 ? "uses" : "use");
}

// Refuses options of the training step that the compute ignores.
void check_compute_knobs(const RunOptions& options) {
  struct Knob {
    std::string_view option;
    bool turned;
    bool ComputeKind::*heeds;
  };
  const RunOptions standard;
  const std::array knobs{Knob{"precision", options.precision != standard.precision, &ComputeKind::heeds_precision},
                         Knob{"fusion", options.fusion != standard.fusion, &ComputeKind::heeds_fusion},
                         Knob{"compute-threads", options.compute_threads.has_value(), &ComputeKind::heeds_threads}};
  if (std::ranges::none_of(knobs, &Knob::turned)) return;
  for (const std::string& workload : options.workloads) {
    const std::string compute =
        options.compute.empty() ? std::string(workload_named(workload).compute) : options.compute;
    const ComputeKind& kind = *parse_compute(compute).kind;
    for (const Knob& knob : knobs) {
      if (!knob.turned || kind.*knob.heeds) continue;
      throw usage_error(fmt::format("--{}: compute {} ignores it; {}", knob.option, kind.external ? compute : kind.name,
                                    users_of(knob.heeds)));
    }
  }
}

void check_workloads(const RunOptions& options) {
  DataKinds kinds = 0;
  for (const std::string& workload : options.workloads) {
    // With a path, loadline opens the data itself.
    const bool opened = workload == kScriptWorkload && !options.data.empty();
    kinds |= opened ? kOwnData : kinds_of(workload_named(workload));
  }
  check_heeded(
      options, kinds,
      fmt::format("workload{} {}", options.workloads.size() == 1 ? "" : "s", fmt::join(options.workloads, ", ")));
}

bool has_mode(const RunOptions& options, std::string_view mode) {
  return std::ranges::find(options.modes, mode) != options.modes.end();
}

// Refuses what only trials with a compute can answer, if there are none.
void check_modes(const RunOptions& options) {
  if (!options.compute.empty() && !has_mode(options, "synthetic") && !has_mode(options, "full")) {
    throw usage_error("--compute: the chosen modes have no compute; synthetic and full do");
  }
  const std::string_view judged = options.au                                           ? "au"
                                  : options.check_verdict && options.find != kFindBest ? "check-verdict"
                                                                                       : "";
  if (!judged.empty() && !(has_mode(options, "synthetic") && has_mode(options, "full"))) {
    throw usage_error(
        fmt::format("--{}: it needs SYNTHETIC and FULL trials; add synthetic and full to --mode", judged));
  }
}

// Refuses options that none of the loaders uses.
void check_loader_options(const RunOptions& options) {
  const auto any_loader = [&](auto uses) {
    return std::ranges::any_of(options.loaders, [&](const std::string& loader) { return uses(loader_named(loader)); });
  };
  const bool any_workers = (has_mode(options, "io") || has_mode(options, "full")) &&
                           any_loader([](const LoaderKind& kind) { return kind.has_workers; });
  const std::string_view own = options.stores != "auto" ? "stores" : options.delivery != "in-order" ? "delivery" : "";
  const std::string_view idle = !options.workers.empty() ? "workers" : options.prefetch ? "prefetch" : own;
  if (!any_workers && !idle.empty()) {
    const bool functions = any_loader([](const LoaderKind& kind) { return kind.may_do_without; });
    throw usage_error(fmt::format("--{}: no cell that --loader and --mode choose has workers{}", idle,
                                  functions ? "; a function in Python has them if it has a parameter workers" : ""));
  }
  if (options.prefetch && !any_loader([](const LoaderKind& kind) { return kind.has_workers && kind.uses_prefetch; })) {
    throw usage_error(
        "--prefetch: no loader that --loader names uses it; functions in Python set how far their loaders read ahead");
  }
  if (!own.empty() && !any_loader([](const LoaderKind& kind) { return !kind.external; })) {
    throw usage_error(fmt::format(
        "--{}: it applies only to the loaders that `loadline list` shows, and --loader chooses none of them", own));
  }
}

// Refuses what contradicts samples in memory, and what needs them.
void check_in_memory(const RunOptions& options) {
  for (const std::string& loader : options.loaders) {
    if (!options.in_memory || !loader_named(loader).access) continue;
    throw usage_error(fmt::format("--in-memory: loader {} always reads from the file", loader));
  }
  if (options.in_memory && options.cache == "cold") {
    throw usage_error("--cache cold: --in-memory reads all samples before a trial begins; give only one of the two");
  }
  if (options.placement == Placement::kNumaReplicate && !options.in_memory) {
    throw usage_error(fmt::format(
        "--placement {0}: only samples in memory can be copied to each node; add --in-memory, or use --placement numa",
        options.placement));
  }
}

// Refuses options that refine a choice that was not made.
void check_refinements(const RunOptions& options) {
  const RunOptions standard;
  if (options.read != "uring") {
    const std::string_view unheeded = options.reads_in_flight != standard.reads_in_flight ? "reads-in-flight"
                                      : options.read_ahead != standard.read_ahead         ? "read-ahead"
                                                                                          : "";
    if (!unheeded.empty()) {
      throw usage_error(fmt::format("--{}: it applies to --read uring, not to {}", unheeded, options.read));
    }
  }
  if (options.order != "page-shuffled") {
    const std::string_view unheeded = options.page_samples != standard.page_samples       ? "page-samples"
                                      : options.window_samples != standard.window_samples ? "window-samples"
                                                                                          : "";
    if (!unheeded.empty()) {
      throw usage_error(fmt::format("--{}: it applies to --order page-shuffled, not to {}", unheeded, options.order));
    }
  }
  if (options.trial_batches && options.trial_seconds != standard.trial_seconds) {
    throw usage_error("--trial-seconds: it contradicts --trial-batches; give only one of the two");
  }
  if (!options.until_ci && options.max_trials != standard.max_trials) {
    throw usage_error("--max-trials: it applies to --until-ci; otherwise --trials sets the number");
  }
  // The pilot is --trials; where nobody asked for a number, it may be cut.
  if (options.until_ci && options.given.contains("trials") && options.max_trials < options.trials) {
    throw usage_error(
        fmt::format("--max-trials {}: want at least --trials, which is {}", options.max_trials, options.trials));
  }
  if (options.order == "page-shuffled" && options.window_samples < options.page_samples) {
    throw usage_error(fmt::format("--window-samples {}: want at least one page of --page-samples, which is {}",
                                  options.window_samples, options.page_samples));
  }
}

}  // namespace

void check_heeded(const RunOptions& options, DataKinds kinds, const std::string& held) {
  for (const OptionRow& row : run_options()) {
    if ((row.data & kinds) != 0 || !options.given.contains(row.name)) continue;
    throw usage_error(fmt::format("--{}: it applies to {}, not to {}", row.name, words_of(row.data), held));
  }
}

void check_options(const RunOptions& options) {
  if (options.rank >= options.world_size) {
    throw usage_error(fmt::format("--rank {}: want a rank below --world-size {}", options.rank, options.world_size));
  }
  if (!options.data.empty() && options.workloads.size() > 1) {
    throw usage_error(fmt::format("--data {}: one path cannot be the data of {} workloads; name one with --workload",
                                  options.data, options.workloads.size()));
  }
  check_workloads(options);
  if (!options.compute.empty()) parse_compute(options.compute);
  check_compute_knobs(options);
  check_modes(options);
  check_find(options);
  check_loader_options(options);
  check_in_memory(options);
  check_refinements(options);
}

// Only external loaders take 0 workers; in the same run as one of them, other loaders use the other numbers.
void check_worker_counts(const RunOptions& options) {
  if (std::ranges::find(options.workers, 0) == options.workers.end()) return;
  const bool any_takes_it = std::ranges::any_of(
      options.loaders, [](const std::string& loader) { return loader_named(loader).may_do_without; });
  for (const std::string& loader : options.loaders) {
    const LoaderKind& kind = loader_named(loader);
    if (!kind.has_workers || (any_takes_it && (kind.may_do_without || options.workers.size() > 1))) continue;
    throw usage_error(fmt::format("--workers 0: loader {} wants at least 1", loader));
  }
}

}  // namespace loadline
