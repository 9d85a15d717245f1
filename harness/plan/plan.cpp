#include "harness/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "harness/plan/base_cell.h"
#include "harness/plan/command.h"
#include "harness/plan/conditions.h"
#include "harness/plan/find.h"
#include "harness/plan/refusals.h"
#include "harness/plan/script_workload.h"
#include "harness/plan/settings.h"
#include "loaders/datasets/formats.h"
#include "loaders/datasets/script.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/random.h"
#include "loaders/storage/staged_copy.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

using P = SettingPart;

Mode mode_of(const std::string& name) {
  return name == "io" ? Mode::kIo : name == "full" ? Mode::kFull : Mode::kSynthetic;
}

std::vector<std::size_t> worker_counts(const RunOptions& options, const PlanContext& context, const Cell& cell) {
  if (!options.workers.empty()) return options.workers;
  const auto& own = cell.placement.worker_cpus;
  const std::size_t most = own.empty() ? context.threads_in_force : std::min(own.size(), context.threads_in_force);
  if (most == 1) return {1};
  return {1, most};
}

// A loader that reads HDF5 uses a copy of the data: next to a given dataset, or in the data directory.
void use_hdf5(Cell& cell, Access access, const RunOptions& options, const PlanContext& context) {
  if (cell.dataset.sequence_length > 0) {
    throw usage_error(
        fmt::format("--loader {}: it reads HDF5, but tokens and text have files of their own", *cell.loader));
  }
  cell.dataset.access = access;
  if (is_hdf5(cell.data)) return;
  const std::filesystem::path original = cell.data;
  std::string name = options.data.empty() ? cell.workload : original.filename().string();
  if (name.empty()) name = original.parent_path().filename().string();  // behind a trailing slash
  const auto directory = options.data.empty()          ? context.data_directory
                         : original.filename().empty() ? original.parent_path().parent_path()
                                                       : original.parent_path();
  const bool test = cell.dataset.split == Split::kTest;
  const bool coarse = cell.dataset.labels == LabelKind::kCoarse;
  const bool chunks = access == Access::kChunks;
  cell.data = directory /
              fmt::format("{}{}{}{}.h5", name, test ? "-test" : "", coarse ? "-coarse" : "", chunks ? "-chunks" : "");
  cell.how_to_get_it = fmt::format("loadline data convert {} {}{}{}{}", shell_quoted(original.string()),
                                   shell_quoted(cell.data.string()), test ? " --split test" : "",
                                   coarse ? " --labels coarse" : "", chunks ? " --chunk 64" : "");
  cell.dataset.format = "auto";
  cell.dataset.read = FileRead::kPread;
  cell.dataset.split = Split::kTrain;
  cell.dataset.labels = LabelKind::kFine;
}

// `again`: the base differs from an earlier one only in its batch size.
void append_loader_cells(const Cell& base, bool again, const RunOptions& options, const PlanContext& context,
                         std::vector<Cell>& cells) {
  check_worker_counts(options);
  const auto workers = worker_counts(options, context, base);
  for (const std::string& loader : options.loaders) {
    Cell cell = base;
    cell.loader = loader;
    const LoaderKind& kind = loader_named(loader);
    if (again && !kind.uses_batch_size) continue;
    if (kind.access) use_hdf5(cell, *kind.access, options, context);
    if (!kind.has_workers) {
      cells.push_back(cell);
      continue;
    }
    if (!kind.uses_prefetch) cell.prefetch.reset();
    for (const std::size_t count : workers) {
      if (count == 0 && !kind.may_do_without) continue;
      cell.workers = count;
      // Of several values of --prefetch the first one has made it.
      const auto is_it = [&](const Cell& other) { return key_of(other) == key_of(cell); };
      if (kind.uses_prefetch || std::ranges::none_of(cells, is_it)) cells.push_back(cell);
    }
  }
}

Error too_many(std::size_t cells, const RunOptions& options) {
  return usage_error(
      fmt::format("--max-cells {}: these combinations make {} cells or more; request fewer, leave some out with "
                  "--exclude, or raise the limit",
                  options.max_cells, cells));
}

// Resets settings that have no effect with this value of an axis, but have with another.
RunOptions heeded(RunOptions options) {
  const RunOptions standard;
  const auto any_value = [&](std::string_view option, const auto& heeds) {
    const auto axis = std::ranges::find(options.axes, option, &Axis::option);
    return axis != options.axes.end() && std::ranges::any_of(axis->values, heeds);
  };
  const auto varies_to = [&](std::string_view option, std::string_view value) {
    return any_value(option, [&](const std::string& one) { return one == value; });
  };
  const auto only_others_heed = [&](bool ComputeKind::*heeds) {
    const auto does = [&](const std::string& compute) { return parse_compute(compute).kind->*heeds; };
    return any_value("compute", does) && !does(options.compute);
  };
  if (options.order != "page-shuffled" && varies_to("order", "page-shuffled")) {
    options.page_samples = standard.page_samples;
    options.window_samples = standard.window_samples;
  }
  if (options.read != "uring" && varies_to("read", "uring")) {
    options.reads_in_flight = standard.reads_in_flight;
    options.read_ahead = standard.read_ahead;
  }
  if (only_others_heed(&ComputeKind::heeds_precision)) options.precision = standard.precision;
  if (only_others_heed(&ComputeKind::heeds_fusion)) options.fusion = standard.fusion;
  if (only_others_heed(&ComputeKind::heeds_threads)) options.compute_threads.reset();
  return options;
}

// Every combination of the values of the axes, the last axis changing first.
std::vector<RunOptions> combinations_of(const RunOptions& options) {
  std::size_t count = 1;
  for (const Axis& axis : options.axes) {
    count *= axis.values.size();
    // Stops long before the cells would fill the memory.
    if (count > options.max_cells) throw too_many(count, options);
  }
  std::vector<RunOptions> combinations{options};
  for (const Axis& axis : options.axes) {
    const OptionRow& row = row_named(run_options(), "axis", axis.option);
    std::vector<RunOptions> longer;
    for (const RunOptions& combination : combinations) {
      for (const std::string& value : axis.values) {
        RunOptions one = combination;
        write_option(one, row, value);
        one.axes = options.axes;
        longer.push_back(std::move(one));
      }
    }
    combinations = std::move(longer);
  }
  for (RunOptions& combination : combinations) combination = heeded(std::move(combination));
  return combinations;
}

// An external step knows the batches of its own loader.
std::optional<std::string> source_of_resident(const RunOptions& options, const Cell& cell) {
  if (!parse_compute(cell.compute).kind->external) return std::nullopt;
  const auto found =
      std::ranges::find_if(options.loaders, [](const auto& name) { return loader_named(name).external; });
  return found == options.loaders.end() ? std::nullopt : std::optional(*found);
}

// Whether any loader makes batches of the sizes that are asked for.
bool uses_batch_sizes(const RunOptions& options) {
  return std::ranges::any_of(options.loaders, [](const auto& name) { return loader_named(name).uses_batch_size; });
}

// All cells of one combination, except OVERHEAD.
void append_cells(const RunOptions& options, const PlanContext& context, std::vector<Cell>& cells) {
  check_options(options);
  for (const std::string& workload_name : options.workloads) {
    const Workload& workload = workload_named(workload_name);
    const auto batch_sizes = options.batch_sizes.empty() ? std::vector{workload.batch_size} : options.batch_sizes;
    bool again = false;
    for (const std::size_t batch_size : batch_sizes) {
      const Cell base = base_cell(options, workload, batch_size, context);
      for (const std::string& mode : options.modes) {
        Cell cell = base;
        cell.mode = mode_of(mode);
        if (cell.mode == Mode::kIo) cell.compute = "drain";
        if (uses_loader(cell.mode)) {
          append_loader_cells(cell, again, options, context, cells);
        } else if (!again || uses_batch_sizes(options)) {
          cell.resident_of = source_of_resident(options, cell);
          cells.push_back(cell);
        }
      }
      again = true;
    }
  }
}

void remove_equal_cells(std::vector<Cell>& cells) {
  std::unordered_set<std::string> known;
  std::erase_if(cells, [&](const Cell& cell) { return !known.insert(key_of(cell)).second; });
}

std::vector<Conjunction> conditions_of(std::string_view option, const std::vector<std::string>& texts) {
  std::vector<Conjunction> conditions;
  for (const std::string& text : texts) conditions.push_back(parse_conditions(option, text));
  return conditions;
}

struct PlanPart {
  std::size_t index;  // from 0
  std::size_t count;
};

PlanPart part_of(const std::string& text) {
  const auto slash = text.find('/');
  const auto number = [&](std::string_view digits) {
    std::size_t value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status == std::errc{} && end == digits.data() + digits.size() && value > 0) return value;
    throw usage_error(fmt::format("--part: want I/N with I from 1 to N, such as 1/4, got '{}'", text));
  };
  const std::string_view whole = text;
  const PlanPart part{.index = number(whole.substr(0, slash)) - 1,
                      .count = number(slash == std::string::npos ? "" : whole.substr(slash + 1))};
  if (part.index < part.count) return part;
  throw usage_error(fmt::format("--part: want I/N with I from 1 to N, such as 1/4, got '{}'", text));
}

// Cells with the same key stay together, because IO and FULL of one configuration say more together. SYNTHETIC goes
// with each FULL that it belongs to. Returns the number of configurations in all parts.
std::size_t keep_part(const PlanPart& part, std::vector<Cell>& cells) {
  const auto loading = [](const Cell& cell) {
    return key_of(cell, {P::kSubject, P::kStorage, P::kOrder, P::kLoading, P::kMachine});
  };
  const auto step = [](const Cell& cell) { return key_of(cell, {P::kSubject, P::kCompute}); };
  const bool any_loader = std::ranges::any_of(cells, [](const Cell& cell) { return cell.loader.has_value(); });
  std::unordered_map<std::string, std::size_t> groups;
  std::unordered_set<std::string> steps;
  std::unordered_set<std::string> subjects;
  for (const Cell& cell : cells) {
    if (any_loader && !cell.loader) continue;
    const std::size_t group =
        groups.emplace(loading(cell) + (any_loader ? "" : step(cell)), groups.size()).first->second;
    if (group % part.count == part.index) steps.insert(step(cell));
  }
  if (part.index >= groups.size()) {
    throw usage_error(fmt::format(
        "--part {}/{}: it is empty because there {} to divide", part.index + 1, part.count,
        groups.size() == 1 ? "is only one configuration" : fmt::format("are only {} configurations", groups.size())));
  }
  std::erase_if(cells, [&](const Cell& cell) {
    if (any_loader && !cell.loader) return !steps.contains(step(cell));
    return groups.at(loading(cell) + (any_loader ? "" : step(cell))) % part.count != part.index;
  });
  return groups.size();
}

// Keeps the requested ones of all combinations, each once.
void choose(const RunOptions& options, Plan& plan) {
  std::vector<Cell>& cells = plan.cells;
  remove_equal_cells(cells);
  const auto excluded = conditions_of("--exclude", options.exclude);
  const auto wanted = conditions_of("--filter", options.filter);
  for (const Conjunction& one : wanted) check_any_meets("--filter", one, cells);
  for (std::size_t i = 0; i < excluded.size(); ++i) {
    const bool idle = std::ranges::none_of(cells, [&](const Cell& cell) { return hold(excluded[i], cell, false); });
    if (idle) plan.idle_exclusions.push_back(options.exclude[i]);
  }
  std::erase_if(cells, [&](const Cell& cell) {
    const bool keep =
        wanted.empty() || std::ranges::any_of(wanted, [&](const auto& one) { return hold(one, cell, true); });
    return !keep || std::ranges::any_of(excluded, [&](const auto& one) { return hold(one, cell, false); });
  });
  if (cells.empty()) throw usage_error("--exclude and --filter: they leave no cell to run");
  if (!options.part.empty()) plan.divided_configurations = keep_part(part_of(options.part), cells);
  if (cells.size() > options.max_cells) throw too_many(cells.size(), options);
}

// An external loader finds its samples itself.
void read_copies(const std::string& directory, std::vector<Cell>& cells) {
  for (Cell& cell : cells) {
    if (cell.dataset.format == kScriptFormat) continue;
    cell.staged_from = cell.data;
    cell.data = staged_path(cell.staged_from, directory);
  }
}

}  // namespace

std::string_view name(Mode mode) {
  switch (mode) {
    case Mode::kIo: return "IO";
    case Mode::kSynthetic: return "SYNTHETIC";
    case Mode::kFull: return "FULL";
    case Mode::kOverhead: return "OVERHEAD";
  }
  return "";
}

std::string_view name(CacheState state) {
  switch (state) {
    case CacheState::kWarm: return "warm";
    case CacheState::kCold: return "cold";
    case CacheState::kAsIs: return "as-is";
  }
  return "";
}

std::string Cell::name() const {
  if (mode == Mode::kOverhead) return "OVERHEAD";
  std::string text = fmt::format("{}/{}", workload, loadline::name(mode));
  if (loader) text += fmt::format("/{}", *loader);
  if (workers > 0) text += fmt::format("/workers:{}", workers);
  return fmt::format("{}/batch:{}{}", text, sampler.batch_size,
                     axes_text(*this, {P::kSubject, P::kStorage, P::kOrder, P::kLoading, P::kCompute}));
}

Plan make_plan(const RunOptions& asked, const PlanContext& context) {
  const RunOptions options = asked.find == kFindBest ? with_best_grid(asked, context.threads_in_force) : asked;
  Plan plan{.options = options};
  for (const RunOptions& combination : combinations_of(options)) append_cells(combination, context, plan.cells);
  for (Cell& cell : plan.cells) {
    for (const Axis& axis : options.axes) cell.axes.push_back(key_of(row_named(run_options(), "axis", axis.option)));
  }
  choose(options, plan);
  if (!options.stage.empty()) read_copies(options.stage, plan.cells);
  // The harness's cost per batch depends on neither data nor loader: batches of one byte, once per run.
  Cell overhead = plan.cells.front();
  overhead.mode = Mode::kOverhead;
  overhead.compute = "drain";
  overhead.loader.reset();
  overhead.resident_of.reset();
  overhead.workers = 0;
  overhead.sampler.batch_size = 1;
  plan.cells.push_back(overhead);
  return plan;
}

std::vector<std::size_t> round_order(std::uint64_t seed, std::uint64_t round, std::size_t cells) {
  std::vector<std::size_t> order(cells);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(key_of(seed, round, 0x6f72646572ULL));  // apart from the streams of sampler and transform
  for (std::size_t i = cells; i > 1; --i) std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  return order;
}

std::vector<std::size_t> pair_order(std::uint64_t seed, std::uint64_t round, std::size_t pairs) {
  Random random(key_of(seed, round, 0x7061697273ULL));  // apart from that of round_order()
  std::vector<std::size_t> order;
  for (const std::size_t pair : round_order(seed, round, pairs)) {
    const std::size_t second_side_first = random.below(2);
    order.push_back(pair + second_side_first * pairs);
    order.push_back(pair + (1 - second_side_first) * pairs);
  }
  return order;
}

std::size_t suitable_prefetch(std::optional<std::uint64_t> last_level_cache_bytes, std::size_t slot_bytes,
                              std::size_t workers) {
  constexpr std::size_t kFewest = 2;
  constexpr std::size_t kMost = 16;
  if (!last_level_cache_bytes) return kMost / 2;
  const std::size_t slots = *last_level_cache_bytes / 5 / std::max<std::size_t>(slot_bytes, 1);
  const std::size_t in_hand = workers + 1;
  return std::clamp(slots > in_hand ? slots - in_hand : 0, kFewest, kMost);
}

}  // namespace loadline
