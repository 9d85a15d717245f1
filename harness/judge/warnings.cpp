#include "harness/judge/warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "harness/judge/cell_warnings.h"
#include "harness/judge/machine_warnings.h"
#include "harness/judge/phrase.h"
#include "harness/judge/python_words.h"
#include "harness/judge/tried.h"
#include "harness/judge/verdict.h"
#include "harness/machine/machine.h"
#include "harness/result/memory_words.h"
#include "loaders/datasets/script.h"
#include "loaders/listed.h"

namespace loadline {
namespace {

using Warnings = std::vector<Warning>;

constexpr double kBusyLoadPerCpu = 1.0;  // less may be the end of a build that is over

// What a warning counts, where that is not cells, and what to do about it.
struct Kind {
  std::string_view id;
  std::string_view things;
  std::string_view advice;
};

// Sorted. A warning without a row counts cells, and its message says all (documentation_test.py names these).
constexpr Kind kWarningKinds[] = {
    {"batch-size-ignored", "loaders", "make batches of the size that the parameter batch_size asks for"},
    {"cache-reclaimed", "cells", "free memory, raise the limit, or use less data"},
    {"ceiling-beaten", "cells", "please report it, with the result"},
    {"ceiling-failed", "ceilings", ""},
    {"cell-failed", "cells", "fix the cause and run again"},
    {"cpus-changed", "cells", "run again where nobody changes quotas, CPU sets or affinities"},
    {"dataset-fits-cache", "datasets", "use more data where storage matters"},
    {"few-trials", "cells", "measure 5 or more (--trials)"},
    {"format-differs", "loaders", ""},
    {"loader-not-idle", "cells", "use a loader whose iterator ends its workers when it is dropped"},
    {"machine-busy", "", "stop what else runs, wait a minute, run again"},
    {"memory-short", "", "request less, or give the process more"},
    {"other-readers", "cells", "run again without them, or with the data on a separate device"},
    {"outlier-trial", "trials", "a stall is a finding, but if something else ran, run again"},
    {"part-of-epoch", "cells", "let cold trials last an epoch (--trial-seconds)"},
    {"samples-skipped", "cells", "see `skipped` in the result, and repair or remove the files"},
    {"slots-not-placed", "cells",
     "free memory on that node, or let the process call mbind() (CAP_SYS_NICE in a container)"},
    {"slots-on-other-node", "cells", "use --placement numa"},
    {"stolen", "cells", "run again on a quieter host, or on CPUs of your own"},
    {"suspended", "cells", "run again without stopping the process"},
    {"swapping", "cells", "free memory, or give the process more"},
    {"throttled", "cells", "use fewer --workers, or give the process a larger quota"},
    {"wide-spread", "cells", "use a quieter machine or longer trials (--trial-seconds)"},
    {"workers-exceed-cpus", "", "use fewer --workers unless they wait for storage, or give the process more CPUs"},
};

void warn_of_build(const Build& build, Warnings& warnings) {
  if (build.sanitizer) {
    warnings.push_back(
        {"sanitizer-build",
         fmt::format("this program was built with the {} sanitizer, so its times mean nothing", *build.sanitizer)});
  } else if (build.build_type && *build.build_type != "Release") {
    warnings.push_back(
        {"debug-build",
         fmt::format("this program was built as {}, not Release, so its times are too long", *build.build_type)});
  }
}

void warn_of_machine(const Machine& machine, Warnings& warnings) {
  const auto load = machine.load_average_1_minute;
  const double cpus = cpus_in_force(machine);
  if (load && *load > kBusyLoadPerCpu * cpus) {
    warnings.push_back(
        {"machine-busy", fmt::format("the load average was {:.2f} at the start, with {:.4g} CPU{} in force: other work "
                                     "may have slowed the trials",
                                     *load, cpus, cpus == 1 ? "" : "s")});
  }
  if (machine.transparent_huge_pages == "never") {
    warnings.push_back(
        {"no-huge-pages", "transparent huge pages are off: slots use small pages and cost more address translations"});
  }
}

void warn_of_memory(const Result& result, Warnings& warnings) {
  if (!result.memory || !is_short(*result.memory)) return;
  warnings.push_back(
      {"memory-short",
       fmt::format("{}: if memory runs short, the system drops cached files first and may then kill the run",
                   memory_words(*result.memory))});
}

void warn_of_hosts(const Machine& machine, Warnings& warnings) {
  const auto hosts = hosts_of(machine);
  if (hosts.size() < 2) return;
  warnings.push_back({"several-hosts", fmt::format("the trials ran on {}: differences between these hosts widen the "
                                                   "intervals, or show as differences between cells",
                                                   listed(hosts))});
}

void warn_of_builds(const Result& result, Warnings& warnings) {
  if (result.other_builds.empty()) return;
  warnings.push_back(
      {"several-builds", fmt::format("{} measured some of the trials and {} the others: differences between the builds "
                                     "widen the intervals, or show as differences between cells",
                                     listed(result.other_builds), name_of(result.environment.build))});
}

bool any_loads(const Result& result, std::size_t dataset, CacheState state) {
  return std::ranges::any_of(
      result.cells, [&](const CellResult& cell) { return cell.dataset == dataset && starts(cell.cell, state); });
}

bool any_warm_trial_read_storage(const Result& result, std::size_t dataset) {
  return std::ranges::any_of(result.cells, [&](const CellResult& cell) {
    return cell.dataset == dataset && starts(cell.cell, CacheState::kWarm) &&
           std::ranges::any_of(cell.trials, came_from_storage);
  });
}

void warn_of_dataset(const Result& result, std::size_t dataset, Warnings& warnings) {
  const bool warm = any_loads(result, dataset, CacheState::kWarm);
  const Machine& machine = result.environment.machine;
  const DatasetFacts& facts = result.datasets[dataset];
  if (facts.info.format == kScriptFormat) return;  // its samples lie where only the loader knows
  const std::size_t bytes = facts.info.all_bytes();
  const bool may_stay = warm || any_loads(result, dataset, CacheState::kAsIs);
  if (may_stay && bytes > 0 && machine.last_level_cache_bytes && bytes < *machine.last_level_cache_bytes) {
    warnings.push_back(
        {"dataset-fits-cache", fmt::format("the {} bytes of samples in {} fit the last-level cache of "
                                           "{} bytes: IO measures that cache",
                                           bytes, facts.path.string(), *machine.last_level_cache_bytes)});
  }
  const auto resident_pages = facts.before.resident_pages;
  const bool seen = any_warm_trial_read_storage(result, dataset);
  if (warm && facts.info.access != Access::kResident && resident_pages && *resident_pages < facts.before.pages &&
      (seen || !shows_what_it_reads(facts))) {
    warnings.push_back(
        {"not-resident", fmt::format("the page cache held {} of {} of {} before the trials{}: IO {} storage too",
                                     *resident_pages, plural(facts.before.pages, "page"), facts.path.string(),
                                     facts.fingerprint_samples ? "" : ", although all had just been read",
                                     seen ? "measures" : "may measure")});
  }
}

// Loaders can only be compared on the same samples.
void warn_of_samples(const Result& result, Warnings& warnings) {
  for (const CellResult& cell : result.cells) {
    const auto first = std::ranges::find(result.cells, cell.cell.workload,
                                         [](const CellResult& other) { return other.cell.workload; });
    const DatasetFacts& expected = result.datasets[first->dataset];
    const DatasetFacts& facts = result.datasets[cell.dataset];
    if (!samples_differ(facts, expected) || cell.cell.mode == Mode::kOverhead) continue;
    warnings.push_back(
        {"samples-differ",
         fmt::format("{} reads different samples or labels from {}: they cannot be used to compare loaders of {}",
                     facts.path.string(), expected.path.string(), cell.cell.workload)});
    return;
  }
}

void warn_of_overhead(const Result& result, Warnings& warnings) {
  const auto cost = overhead_seconds_per_batch(result);
  if (!cost) return;
  for (const CellResult& cell : result.cells) {
    const auto step = seconds_per_batch(cell);
    if (!step || *step >= kOverheadMargin * *cost || cell.cell.mode == Mode::kOverhead) continue;
    warnings.push_back(
        {"step-too-short",
         fmt::format("a batch of {} takes {}, less than {:.0f} times the harness's own {}: use larger batches",
                     cell.cell.name(), duration(*step), kOverheadMargin, duration(*cost)),
         *cost / *step});
  }
}

// Whether the run shows that the workers of each configuration wait for something other than a CPU.
std::vector<bool> waiting_workers(const Result& result, const Judgement& judgement) {
  const std::size_t cpus = result.environment.machine.threads_in_force;
  std::vector<bool> wait(judgement.configurations.size());
  for (const Mode mode : {Mode::kIo, Mode::kFull}) {
    const auto tried = alternatives_of(result, judgement.configurations, mode);
    for (std::size_t i = 0; i < tried.size(); ++i) wait[i] = wait[i] || gained_beyond_cpus(tried[i], cpus);
  }
  return wait;
}

void warn_of_workers(const Result& result, const Judgement& judgement, Warnings& warnings) {
  const std::vector<bool> wait = waiting_workers(result, judgement);
  std::size_t most = 0;
  for (std::size_t i = 0; i < wait.size(); ++i) {
    if (!wait[i]) most = std::max(most, judgement.configurations[i].workers);
  }
  const std::size_t threads = result.environment.machine.threads_in_force;
  if (most <= threads) return;
  warnings.push_back({"workers-exceed-cpus", fmt::format("up to {} share {}: they take turns unless they wait",
                                                         plural(most, "worker"), plural(threads, "CPU"))});
}

void warn_of_ceilings(const Result& result, const Judgement& judgement, Warnings& warnings) {
  for (const CeilingResult& ceiling : result.ceilings) {
    if (ceiling.error) {
      warnings.push_back({"ceiling-failed", fmt::format("{}: {}", ceiling.ceiling.id(), *ceiling.error)});
    }
  }
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const auto& found = judgement.cells[i].load_line;
    if (!found || !found->ceiling || !beaten(found->line) || !telling_share(found->line.efficiency)) continue;
    // An external loader may do less per batch than the kernels do.
    const Cell& cell = result.cells[i].cell;
    if (std::ranges::find(result.loaders, cell.loader.value_or(""), &ExternalLoader::loader) != result.loaders.end()) {
      continue;
    }
    warnings.push_back({"ceiling-beaten",
                        fmt::format("{} reaches {} of the ceiling {}: that ceiling's kernel is too weak to be a limit, "
                                    "unless other work slowed it",
                                    cell.name(), percent(found->line.efficiency), found->name),
                        found->line.efficiency.value});
  }
}

// Bytes of one sample; nullopt where the element type is not known here.
std::optional<std::size_t> bytes_of(const DeliveredFormat& format) {
  const auto type = std::ranges::find(kDeliveredTypes, format.dtype, &DeliveredType::name);
  if (type == kDeliveredTypes.end()) return std::nullopt;
  std::size_t bytes = type->bytes;
  for (const std::size_t extent : format.shape) bytes *= extent;
  return bytes;
}

void warn_of_formats(const Result& result, Warnings& warnings) {
  for (const ExternalLoader& loader : result.loaders) {
    const auto delivered = loader.delivered ? bytes_of(*loader.delivered) : std::nullopt;
    const auto cell = std::ranges::find(result.cells, std::optional(loader.loader),
                                        [](const CellResult& each) { return each.cell.loader; });
    if (!delivered || cell == result.cells.end()) continue;
    if (result.datasets[cell->dataset].info.format == kScriptFormat) continue;  // nothing else is delivered
    const std::size_t own = cell->slot_bytes / cell->cell.sampler.batch_size;
    if (own == *delivered) continue;
    DeliveredFormat in_own_type = *loader.delivered;
    in_own_type.dtype = name(cell->cell.transform.dtype);
    const bool same_shape = bytes_of(in_own_type) == own;
    warnings.push_back(
        {"format-differs",
         fmt::format("{} delivers samples of {}, {} bytes each, while those of SYNTHETIC and of other loaders have {}: "
                     "they move different amounts for the same samples; {}",
                     loader.loader, text_of(*loader.delivered), *delivered, own,
                     same_shape ? "use the --dtype that it delivers" : "let it deliver samples of their shape")});
  }
}

// The first cell whose loader in Python took a batch size and made other batches. A short last batch of each epoch is
// no reason.
void warn_of_other_batches(const Result& result, const ExternalLoader& loader, Warnings& warnings) {
  constexpr double kMostOff = 0.25;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.loader != std::optional(loader.loader)) continue;
    if (result.datasets[cell.dataset].info.format != kScriptFormat) continue;
    const double mean = mean_batch(cell);
    const auto wanted = static_cast<double>(cell.cell.sampler.batch_size);
    if (mean == 0 || std::abs(mean - wanted) <= kMostOff * wanted) continue;
    warnings.push_back(
        {"batch-size-ignored", fmt::format("{} delivered batches of {:.3g} samples on average where batches of {} were "
                                           "requested: the rows show the requested size",
                                           loader.loader, mean, cell.cell.sampler.batch_size)});
    return;
  }
}

// Every such cell has a size of its own, whatever was asked for.
void warn_of_batch_sizes(const Result& result, Warnings& warnings) {
  const std::vector<std::size_t>& asked = result.options.batch_sizes;
  for (const ExternalLoader& loader : result.loaders) {
    const auto own = loader.delivered ? loader.delivered->batch_size : std::nullopt;
    if (!own) warn_of_other_batches(result, loader, warnings);
    if (!own || asked.empty() || asked == std::vector{*own}) continue;
    warnings.push_back({"batch-size-ignored",
                        fmt::format("{} delivers batches of {} whatever --batch-size says ({}): its function has "
                                    "no parameter batch_size",
                                    loader.loader, plural(*own, "sample"), fmt::join(asked, ","))});
  }
}

std::string folded_message(const std::vector<const Warning*>& same) {
  const auto [least, most] = std::ranges::minmax_element(same, {}, &Warning::severity);
  const Warning& worst = **std::ranges::max_element(same, {}, &Warning::severity);
  const auto kind = std::ranges::find(kWarningKinds, worst.id, &Kind::id);
  const bool known = kind != std::end(kWarningKinds);
  std::string message = worst.message;
  if (same.size() > 1) {
    message = fmt::format("{} {}, the {}: {}", same.size(), known ? kind->things : "cells",
                          (*least)->severity < (*most)->severity ? "worst" : "first", message);
  }
  if (known && !worst.stopped && !kind->advice.empty()) message += fmt::format("; {}", kind->advice);
  if (worst.until_ci) message = with_until_ci(message);
  return worst.in_python ? in_python(message) : message;
}

}  // namespace

std::vector<Warning> warnings_of(const Result& result, const Judgement& judgement) {
  Warnings warnings;
  warn_of_build(result.environment.build, warnings);
  warn_of_machine(result.environment.machine, warnings);
  warn_of_memory(result, warnings);
  warn_of_hosts(result.environment.machine, warnings);
  warn_of_builds(result, warnings);
  for (std::size_t i = 0; i < result.datasets.size(); ++i) warn_of_dataset(result, i, warnings);
  warn_of_samples(result, warnings);
  warn_of_formats(result, warnings);
  warn_of_batch_sizes(result, warnings);
  warn_of_workers(result, judgement, warnings);
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const CellResult& cell = result.cells[i];
    warn_of_cell(result, cell, judgement.cells[i], warnings);
    warn_of_machine_meanwhile(result, cell, warnings);
  }
  warn_of_overhead(result, warnings);
  warn_of_ceilings(result, judgement, warnings);
  return warnings;
}

std::vector<Warning> folded(const std::vector<Warning>& warnings) {
  std::vector<std::vector<const Warning*>> kinds;
  for (const Warning& warning : warnings) {
    const auto same = std::ranges::find_if(kinds, [&](const auto& kind) { return kind.front()->id == warning.id; });
    (same == kinds.end() ? kinds.emplace_back() : *same).push_back(&warning);
  }
  std::vector<Warning> lines;
  for (const auto& same : kinds) lines.push_back({same.front()->id, folded_message(same)});
  return lines;
}

}  // namespace loadline
