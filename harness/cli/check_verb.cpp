#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/screen.h"
#include "harness/cli/verbs.h"
#include "harness/judge/phrase.h"
#include "harness/machine/threads.h"
#include "harness/measure/apart.h"
#include "harness/measure/prepare.h"
#include "harness/measure/trial.h"
#include "harness/measure/within_run.h"
#include "harness/plan/workloads.h"
#include "harness/show/columns.h"
#include "loaders/check_loader.h"
#include "loaders/datasets/script.h"
#include "loaders/error.h"
#include "loaders/printable.h"
#include "loaders/system/affinity.h"
#include "synthetic/clock.h"

namespace loadline {
namespace {

// Cells with one batch size and each number of workers.
std::vector<Cell> cells_of(const RunRequest& request, const CheckRequest& checking) {
  RunOptions options = request.options;
  options.modes = {"io"};
  options.loaders = {checking.loader};
  // Contents identify a sample only if it is as stored.
  options.crop_padding = 0;
  options.flip = "off";
  const auto want_one = [](std::string_view option, std::size_t values) {
    if (values > 1) throw usage_error(fmt::format("--{}: want one, got {}", option, values));
  };
  if (loaders_in(checking.loader).size() > 1) {
    throw usage_error(fmt::format("check: want one loader, got '{}'", checking.loader));
  }
  want_one("workload", options.workloads.size());
  want_one("batch-size", options.batch_sizes.size());
  for (const Axis& axis : options.axes) want_one(axis.option, axis.values.size());
  if (!options.workers.empty() && !loader_named(checking.loader).has_workers) {
    throw usage_error(fmt::format("--workers: loader {} has none", checking.loader));
  }
  if (checking.epochs == 0) throw usage_error("--epochs 0: want at least 1");
  Plan plan = make_plan(
      options, {.threads_in_force = threads_in_force(), .cpus = affinity_cpus(), .data_directory = data_directory()});
  std::erase_if(plan.cells, [](const Cell& cell) { return !cell.loader; });
  return plan.cells;
}

std::string recognition_text(Recognition recognition) {
  switch (recognition) {
    case Recognition::kIndices: return "samples are identified by the indices that it reports";
    case Recognition::kContents: return "samples are identified by their contents";
    case Recognition::kLabels:
      return "samples cannot be identified because it reports no indices and their contents are unknown: labels were "
             "counted";
    case Recognition::kCounts:
      return "samples cannot be identified because it reports neither indices nor labels and their contents are "
             "unknown: samples were counted";
  }
  return "";
}

std::string delivery_text(const LoaderKind& kind, const LoaderCheck& check) {
  std::string text = fmt::format("{}: {}", kind.name, kind.summary);
  if (!kind.origin.version.empty()) text += fmt::format(" {}", kind.origin.version);
  if (check.delivered) {
    text += fmt::format(", {} {} labels, {} indices", text_of(*check.delivered),
                        check.delivered->labels ? "with" : "without", check.delivered->indices ? "with" : "without");
  }
  return text + '\n';
}

std::size_t product_of(const std::vector<std::size_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

// Indices do not show how much data comes with them.
std::string size_text(const LoaderCheck& check, const SampleFormat& own) {
  if (check.recognition != Recognition::kIndices || !check.delivered || !own.target.empty()) return "";
  const std::size_t values = product_of(check.delivered->shape);
  const std::size_t own_values = product_of(own.input);
  if (values == own_values) return "";
  return fmt::format("  its samples have {} each, those of loadline's own loaders have {}\n", plural(values, "value"),
                     own_values);
}

std::string epochs_text(const LoaderCheck& check) {
  std::string text;
  for (const CheckedEpoch& epoch : check.epochs) {
    const std::string workers = epoch.workers == 0 ? "" : fmt::format("{}, ", plural(epoch.workers, "worker"));
    text += fmt::format("  {}epoch {}: {} in {} batch{}\n", workers, epoch.epoch, plural(epoch.samples, "sample"),
                        epoch.batches, epoch.batches == 1 ? "" : "es");
  }
  return text;
}

// What a check without faults has shown.
std::string success_text(bool recognised, const Sampler& sampler) {
  const SamplerOptions& options = sampler.options();
  const std::size_t share =
      options.samples / options.world_size + (options.rank < options.samples % options.world_size ? 1 : 0);
  const bool all = options.world_size == 1;
  const bool short_batch = sampler.samples_per_epoch() < share;
  if (!recognised) {
    return all && !short_batch ? "the counts match the dataset" : "each epoch has as many samples as it should";
  }
  return fmt::format("each sample{} comes once per epoch, with its own label if it has one{}",
                     all ? "" : " of this share", short_batch ? ", without the short last batch" : "");
}

// Requests a stop once `limit` seconds have passed, and when a stop is requested of `outer`.
class StopAfter {
 public:
  StopAfter(const std::stop_token& outer, const std::optional<double>& limit)
      : forward_(outer, [this] { stop_.request_stop(); }) {
    if (limit) timer_ = std::jthread([this, limit](const std::stop_token& ended) { wait(*limit, ended); });
  }

  std::stop_token token() const { return stop_.get_token(); }
  bool time_is_up() const { return time_is_up_.load(); }

 private:
  void wait(double limit, const std::stop_token& ended) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, ended, std::chrono::duration<double>(limit), [] { return false; });
    if (ended.stop_requested()) return;
    time_is_up_.store(true);
    stop_.request_stop();
  }

  std::stop_source stop_;
  std::atomic<bool> time_is_up_{false};
  std::stop_callback<std::function<void()>> forward_;
  std::jthread timer_;  // ends before the others do
};

// Guarded, if the loader may never return.
LoaderCheck checked(const CellRig& rig, const LoaderKind& kind, const LoaderCheckOptions& options,
                    const std::optional<double>& time_limit, const Interrupt& interrupt) {
  LoaderCheck check;
  const auto run = [&](const std::stop_token& token) {
    const StopAfter stop(token, time_limit);
    LoaderCheckOptions own = options;
    own.stop = stop.token();
    try {
      check = check_loader(kind, rig.assembler(), rig.sampler(), own);
    } catch (const Error&) {
      if (token.stop_requested() || !stop.time_is_up()) throw;
      throw Error(fmt::format("checking {} was stopped at the time limit of {}: not all epochs were checked", kind.name,
                              time_text(*time_limit)));
    }
  };
  const auto began = std::chrono::steady_clock::now();
  const auto overdue = [&] {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return time_limit && took.count() >= *time_limit;
  };
  const std::string hung =
      run_guarded(kind.hang, run,
                  {.who = fmt::format("loader {}", kind.name),
                   .stop = interrupt.token(),
                   .overdue = overdue,
                   .patience = kPatience,
                   .give_up = [&](const std::string& why) { end_process_stuck(why, interrupt.signal()); }});
  if (!hung.empty()) print_error(hung);
  if (interrupt.signal() != 0) throw Error(fmt::format("checking {} was interrupted", kind.name));
  return check;
}

void check(const RunRequest& request, const CheckRequest& checking, const Interrupt& interrupt) {
  const std::vector<Cell> cells = cells_of(request, checking);
  const Cell& cell = cells.front();
  const LoaderKind& kind = loader_named(checking.loader);
  if (cell.dataset.format == kScriptFormat) {
    throw usage_error(
        fmt::format("check {}: name the dataset that it reads with --workload or --data, to compare its batches with",
                    checking.loader));
  }
  const auto dataset = open_for(cell);
  const CellRig rig(cell, *dataset, std::nullopt);
  LoaderCheckOptions options{.workers = {},
                             .epochs = checking.epochs,
                             .loader = {.prefetch = std::max<std::size_t>(1, rig.slots().prefetch),
                                        .threads_in_force = cell.threads_in_force,
                                        .data = cell.data,
                                        .test_split = cell.dataset.split == Split::kTest},
                             .stop = {}};
  for (const Cell& each : cells) options.workers.push_back(each.workers);
  const LoaderCheck found = checked(rig, kind, options, request.options.time_limit, interrupt);

  std::string text = delivery_text(kind, found) + epochs_text(found);
  if (!found.epochs.empty()) text += fmt::format("  {}\n", recognition_text(found.recognition));
  text += size_text(found, rig.assembler().sample_format());
  for (const std::string& fault : found.faults) text += fmt::format("{}\n", printable(fault));
  put_text(stdout, text);
  if (!found.faults.empty()) {
    throw Error(fmt::format("loader {} does not deliver {}: {}", kind.name, cell.data.string(),
                            plural(found.faults.size(), "fault")));
  }
  const bool recognised = found.recognition == Recognition::kIndices || found.recognition == Recognition::kContents;
  put_text(stdout, fmt::format("ok: {}\n", success_text(recognised, rig.sampler())));
}

}  // namespace

int check_verb(const RunRequest& request, const CheckRequest& checking) {
  const Interrupt interrupt;
  try {
    check(request, checking, interrupt);
  } catch (const Error& error) {
    if (interrupt.signal() == 0) throw;
    print_error(error.what());
    return kExitSignal + interrupt.signal();
  }
  return kExitOk;
}

}  // namespace loadline
