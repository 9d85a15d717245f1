#include "harness/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "harness/plan/conditions.h"
#include "harness/plan/find.h"
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

DType dtype_of(const std::string& name) {
  return name == "u8" ? DType::kU8 : name == "bf16" ? DType::kBF16 : DType::kF32;
}

Order order_of(const std::string& name) {
  return name == "sequential" ? Order::kSequential : name == "shuffled" ? Order::kShuffled : Order::kPageShuffled;
}

Mode mode_of(const std::string& name) {
  return name == "io" ? Mode::kIo : name == "full" ? Mode::kFull : Mode::kSynthetic;
}

Sequences sequences_of(const std::string& asked, const Workload& workload) {
  for (const Sequences sequences :
       {Sequences::kConsecutive, Sequences::kDocuments, Sequences::kPadded, Sequences::kPacked}) {
    if (asked == name(sequences)) return sequences;
  }
  return asked == "auto" && workload.text ? Sequences::kPadded : Sequences::kRandom;
}

// Tokens stay what they are: only what was asked for beside the standard is left, for whoever refuses it.
TransformOptions transform_of_tokens(const RunOptions& options) {
  if (options.normalise == "on") throw usage_error("--normalise on: tokens cannot be normalised");
  const bool standard = options.dtype == RunOptions().dtype;
  return {.dtype = standard ? DType::kI32 : dtype_of(options.dtype),
          .layout = options.layout == "nhwc" ? Layout::kNHWC : Layout::kNCHW,
          .mean = options.mean,
          .stddev = options.stddev,
          .crop_padding = options.crop_padding.value_or(0),
          .flip = options.flip == "on",
          .seed = options.seed};
}

TransformOptions transform_of(const RunOptions& options, const Workload& workload) {
  if (workload.tokens) return transform_of_tokens(options);
  TransformOptions transform{.dtype = dtype_of(options.dtype),
                             .layout = options.layout == "nhwc" ? Layout::kNHWC : Layout::kNCHW};
  const bool is_float = transform.dtype != DType::kU8;
  const bool normalise = options.normalise == "on" || (options.normalise == "auto" && is_float);
  if (normalise && !is_float) {
    throw usage_error("--normalise on: dtype u8 cannot be normalised, f32 and bf16 can");
  }
  if (!normalise && !(options.mean.empty() && options.stddev.empty())) {
    throw usage_error(is_float ? "--mean and --std: they contradict --normalise off"
                               : "--mean and --std: dtype u8 cannot be normalised, f32 and bf16 can");
  }
  if (normalise) {
    transform.mean = options.mean.empty() ? workload.mean : options.mean;
    transform.stddev = options.stddev.empty() ? workload.stddev : options.stddev;
  }
  transform.crop_padding = options.crop_padding.value_or(workload.crop_padding);
  transform.flip = options.flip == "on" || (options.flip == "auto" && workload.flip);
  transform.seed = options.seed;
  return transform;
}

PhotoOptions photo_of(const RunOptions& options, const TransformOptions& transform) {
  PhotoOptions photo{.crop = options.crop == "centre" ? PhotoCrop::kCentre
                             : options.crop == "none" ? PhotoCrop::kNone
                                                      : PhotoCrop::kRandomResized,
                     .flip = transform.flip,
                     .dtype = transform.dtype,
                     .layout = transform.layout,
                     .mean = transform.mean,
                     .stddev = transform.stddev,
                     .seed = transform.seed,
                     .decoder = options.decoder == "opencv" ? PhotoDecoder::kOpenCv : PhotoDecoder::kJpeg,
                     .turn_upright = options.turn_upright,
                     .allow_scaled_dct = options.scaled_dct};
  set_image_size(photo, options.image_size);
  return photo;
}

void place_compute(const RunOptions& options, const PlanContext& context, Cell& cell) {
  const ComputeKind& kind = *parse_compute(cell.compute).kind;
  const bool heeds = kind.heeds_setting && kind.heeds_threads;
  const Threads threads =
      place_threads(options.placement, heeds ? options.compute_threads : 1,
                    {.cpus = context.cpus, .in_force = context.threads_in_force, .nodes = context.nodes});
  cell.compute_threads = threads.compute;
  cell.placement = threads.placement;
  if (cell.dataset.in_memory) {
    cell.dataset.memory = {.nodes = cell.placement.data_nodes, .replicated = cell.placement.replicates()};
  }
}

// Where the samples lie is known to the loader alone.
void use_script(const RunOptions& options, Cell& cell) {
  for (const std::string& loader : options.loaders) {
    const LoaderKind& kind = loader_named(loader);
    if (!kind.external) {
      throw usage_error(fmt::format("--workload {}: it has no data for loader {}, name a workload or --data",
                                    kScriptWorkload, loader));
    }
    if (cell.dataset.format == "auto") cell.data = kind.origin.path;
    cell.dataset.format = kScriptFormat;
  }
}

Cell base_cell(const RunOptions& options, const Workload& workload, std::size_t batch_size,
               const PlanContext& context) {
  Cell cell{.workload = std::string(workload.name)};
  cell.data =
      options.data.empty() ? default_path(workload, context.data_directory) : std::filesystem::path(options.data);
  if (options.data.empty()) {
    cell.how_to_get_it = workload.how_to_get_it;
    if (const auto gap = cell.how_to_get_it.find("{}"); gap != std::string::npos) {
      cell.how_to_get_it.replace(gap, 2, cell.data.string());
    }
  }
  cell.dataset = {.format = options.format,
                  .split = options.split == "test" ? Split::kTest : Split::kTrain,
                  .labels = options.labels == "coarse" ? LabelKind::kCoarse : LabelKind::kFine,
                  .read = options.read == "uring"  ? FileRead::kUring
                          : options.read == "mmap" ? FileRead::kMmap
                                                   : FileRead::kPread,
                  .ahead = {.requests = options.reads_in_flight, .bytes = options.read_ahead << 20},
                  .in_memory = options.in_memory,
                  .hdf5_images = options.hdf5_images,
                  .hdf5_labels = options.hdf5_labels,
                  .crops = options.crops,
                  .crop_edge = options.crop_edge};
  if (workload.tokens) {
    cell.dataset.sequence_length = options.sequence_length;
    cell.dataset.sequences = sequences_of(options.sequences, workload);
    cell.dataset.token_bytes = options.token_type == "u16" ? 2 : options.token_type == "u32" ? 4 : 0;
    cell.dataset.tokenizer = options.tokenizer;
    cell.dataset.text_key = options.text_key;
    cell.dataset.documents = options.documents == "lines"   ? TextDocuments::kLines
                             : options.documents == "files" ? TextDocuments::kFiles
                                                            : TextDocuments::kAuto;
  }
  if (workload.name == kScriptWorkload && options.data.empty()) use_script(options, cell);
  cell.classes = workload.classes;
  cell.transform = transform_of(options, workload);
  cell.photo = photo_of(options, cell.transform);
  cell.volume = {
      .edge = options.crop_edge, .rotate = options.rotate == "on", .dtype = cell.transform.dtype, .seed = options.seed};
  cell.on_corrupt = options.on_corrupt == "skip" ? OnCorrupt::kSkip : OnCorrupt::kFail;
  cell.kernels = options.kernels;
  cell.sampler = {.batch_size = batch_size,
                  .seed = options.seed,
                  .order = order_of(options.order),
                  .page_samples = options.page_samples,
                  .window_samples = options.window_samples,
                  .rank = options.rank,
                  .world_size = options.world_size,
                  .drop_last = options.drop_last,
                  .bucket_batches = options.bucket_batches};
  cell.compute = options.compute.empty() ? std::string(workload.compute) : options.compute;
  cell.precision = options.precision == "bf16" ? Precision::kBF16 : Precision::kF32;
  cell.fusion = options.fusion == "on";
  place_compute(options, context, cell);
  cell.prefetch = options.prefetch;
  cell.in_order = options.delivery == "in-order";
  cell.cache = options.cache == "cold"   ? CacheState::kCold
               : options.cache == "warm" ? CacheState::kWarm
                                         : CacheState::kAsIs;
  cell.threads_in_force = context.threads_in_force;
  if (options.stores != "auto") cell.stores = options.stores == "cached" ? Stores::kCached : Stores::kStreaming;
  return cell;
}

std::vector<std::size_t> worker_counts(const RunOptions& options, const PlanContext& context, const Cell& cell) {
  if (!options.workers.empty()) return options.workers;
  const auto& own = cell.placement.worker_cpus;
  const std::size_t most = own.empty() ? context.threads_in_force : std::min(own.size(), context.threads_in_force);
  if (most == 1) return {1};
  return {1, most};
}

// A loader that reads HDF5 has a copy of the data in it: beside a dataset that was named, or in the data directory.
void use_hdf5(Cell& cell, Access access, const RunOptions& options, const PlanContext& context) {
  if (cell.dataset.sequence_length > 0) {
    throw usage_error(
        fmt::format("--loader {}: it reads HDF5, and tokens and text are stored in their own files", *cell.loader));
  }
  cell.dataset.access = access;
  if (has_hdf5_name(cell.data)) return;
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
  cell.how_to_get_it =
      fmt::format("loadline data convert {} {}{}{}{}", original.string(), cell.data.string(),
                  test ? " --split test" : "", coarse ? " --labels coarse" : "", chunks ? " --chunk 64" : "");
  cell.dataset.format = "auto";
  cell.dataset.read = FileRead::kPread;
  cell.dataset.split = Split::kTrain;
  cell.dataset.labels = LabelKind::kFine;
}

// 0 workers are for external loaders alone; beside those, the others are run with all other numbers.
void check_worker_counts(const RunOptions& options) {
  if (std::ranges::find(options.workers, 0) == options.workers.end()) return;
  for (const std::string& loader : options.loaders) {
    const LoaderKind& kind = loader_named(loader);
    if (kind.may_do_without || (kind.has_workers && options.workers.size() > 1)) continue;
    if (!kind.has_workers && options.loaders.size() > 1) continue;
    throw usage_error(fmt::format("--workers 0: loader {} wants at least 1", loader));
  }
}

void append_loader_cells(const Cell& base, const RunOptions& options, const PlanContext& context,
                         std::vector<Cell>& cells) {
  check_worker_counts(options);
  const auto workers = worker_counts(options, context, base);
  for (const std::string& loader : options.loaders) {
    Cell cell = base;
    cell.loader = loader;
    const LoaderKind& kind = loader_named(loader);
    if (kind.access) use_hdf5(cell, *kind.access, options, context);
    if (!kind.has_workers) {
      cells.push_back(cell);
      continue;
    }
    for (const std::size_t count : workers) {
      if (count == 0 && !kind.may_do_without) continue;
      cell.workers = count;
      cells.push_back(cell);
    }
  }
}

Error too_many(std::size_t cells, const RunOptions& options) {
  return usage_error(
      fmt::format("--max-cells {}: these combinations make {} cells or more; request fewer, leave some out with "
                  "--exclude, or raise the limit",
                  options.max_cells, cells));
}

// What only a step that computes heeds is refused where there is none.
void check_compute_knobs(const RunOptions& options) {
  const RunOptions standard;
  const std::string_view idle = options.precision != standard.precision ? "precision"
                                : options.fusion != standard.fusion     ? "fusion"
                                : options.compute_threads               ? "compute-threads"
                                                                        : "";
  if (idle.empty()) return;
  for (const std::string& workload : options.workloads) {
    const std::string compute =
        options.compute.empty() ? std::string(workload_named(workload).compute) : options.compute;
    const ComputeKind& kind = *parse_compute(compute).kind;
    if (kind.heeds_setting && !kind.heeds_threads && options.compute_threads) {
      throw usage_error(fmt::format("--compute-threads: compute {} always uses one thread", kind.name));
    }
    if (kind.heeds_setting) continue;
    throw usage_error(
        fmt::format("--{}: compute {} computes nothing; use one that does, such as --compute cnn", idle, kind.name));
  }
}

void check(const RunOptions& options) {
  if (options.rank >= options.world_size) {
    throw usage_error(fmt::format("--rank {}: want a rank below --world-size {}", options.rank, options.world_size));
  }
  if (!options.data.empty() && options.workloads.size() > 1) {
    throw usage_error(fmt::format("--data {}: one path cannot be the data of {} workloads; name one with --workload",
                                  options.data, options.workloads.size()));
  }
  if (!options.compute.empty()) parse_compute(options.compute);
  check_compute_knobs(options);
  const auto has = [&](std::string_view mode) { return std::ranges::find(options.modes, mode) != options.modes.end(); };
  if (!options.compute.empty() && !has("synthetic") && !has("full")) {
    throw usage_error("--compute: the chosen modes have no compute; synthetic and full do");
  }
  const std::string_view judged = options.au                                           ? "au"
                                  : options.check_verdict && options.find != kFindBest ? "check-verdict"
                                                                                       : "";
  if (!judged.empty() && !(has("synthetic") && has("full"))) {
    throw usage_error(
        fmt::format("--{}: it needs SYNTHETIC and FULL trials; add synthetic and full to --mode", judged));
  }
  check_find(options);
  const bool any_workers = (has("io") || has("full")) && std::ranges::any_of(options.loaders, [](const auto& loader) {
                             return loader_named(loader).has_workers;
                           });
  const std::string_view own = options.stores != "auto" ? "stores" : options.delivery != "in-order" ? "delivery" : "";
  const std::string_view idle = !options.workers.empty() ? "workers" : options.prefetch ? "prefetch" : own;
  if (!any_workers && !idle.empty()) {
    throw usage_error(fmt::format("--{}: nothing that --loader and --mode choose has workers", idle));
  }
  const bool all_external =
      std::ranges::all_of(options.loaders, [](const auto& loader) { return loader_named(loader).external; });
  if (all_external && !own.empty()) {
    throw usage_error(fmt::format(
        "--{}: it applies only to the loaders that `loadline list` shows, and --loader chooses none of them", own));
  }
  for (const std::string& loader : options.loaders) {
    if (!options.in_memory || !loader_named(loader).access) continue;
    throw usage_error(fmt::format("--in-memory: loader {} always reads from the file", loader));
  }
  if (options.in_memory && options.cache == "cold") {
    throw usage_error(
        "--cache cold: with --in-memory all samples are read before a trial begins; give only one of the two");
  }
  if (options.placement == Placement::kNumaReplicate && !options.in_memory) {
    throw usage_error(fmt::format(
        "--placement {0}: only samples in memory can be copied to each node; add --in-memory, or use --placement numa",
        options.placement));
  }
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
  if (options.order == "page-shuffled" && options.window_samples < options.page_samples) {
    throw usage_error(fmt::format("--window-samples {}: want at least one page, --page-samples is {}",
                                  options.window_samples, options.page_samples));
  }
}

// What one value of an axis heeds and another does not is left alone where it is not heeded.
RunOptions heeded(RunOptions options) {
  const RunOptions standard;
  const auto varies = [&](std::string_view option) {
    return std::ranges::find(options.axes, option, &Axis::option) != options.axes.end();
  };
  if (varies("order") && options.order != "page-shuffled") {
    options.page_samples = standard.page_samples;
    options.window_samples = standard.window_samples;
  }
  if (varies("read") && options.read != "uring") {
    options.reads_in_flight = standard.reads_in_flight;
    options.read_ahead = standard.read_ahead;
  }
  if (varies("compute") && !parse_compute(options.compute).kind->heeds_setting) {
    options.precision = standard.precision;
    options.fusion = standard.fusion;
    options.compute_threads.reset();
  }
  return options;
}

// Every combination of the values of the axes, the last axis changing first.
std::vector<RunOptions> combinations_of(const RunOptions& options) {
  std::size_t count = 1;
  for (const Axis& axis : options.axes) {
    count *= axis.values.size();
    // Long before the cells of them all would fill the memory.
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

// A step that is somebody else's knows the batches of its own loader.
std::optional<std::string> source_of_resident(const RunOptions& options, const Cell& cell) {
  if (!parse_compute(cell.compute).kind->external) return std::nullopt;
  const auto found =
      std::ranges::find_if(options.loaders, [](const auto& name) { return loader_named(name).external; });
  return found == options.loaders.end() ? std::nullopt : std::optional(*found);
}

// All cells of one combination, but for OVERHEAD.
void append_cells(const RunOptions& options, const PlanContext& context, std::vector<Cell>& cells) {
  check(options);
  for (const std::string& workload_name : options.workloads) {
    const Workload& workload = workload_named(workload_name);
    const auto batch_sizes = options.batch_sizes.empty() ? std::vector{workload.batch_size} : options.batch_sizes;
    for (const std::size_t batch_size : batch_sizes) {
      const Cell base = base_cell(options, workload, batch_size, context);
      for (const std::string& mode : options.modes) {
        Cell cell = base;
        cell.mode = mode_of(mode);
        if (cell.mode == Mode::kIo) cell.compute = "drain";
        if (uses_loader(cell.mode)) {
          append_loader_cells(cell, options, context, cells);
        } else {
          cell.resident_of = source_of_resident(options, cell);
          cells.push_back(cell);
        }
      }
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

// Cells with the same key stay together: IO and FULL of one configuration say more than either. SYNTHETIC goes with
// each FULL that it belongs to.
void keep_part(const PlanPart& part, std::vector<Cell>& cells) {
  using P = SettingPart;
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
    throw usage_error(fmt::format("--part {}/{}: it is empty, as there are only {} configurations to divide",
                                  part.index + 1, part.count, groups.size()));
  }
  std::erase_if(cells, [&](const Cell& cell) {
    if (any_loader && !cell.loader) return !steps.contains(step(cell));
    return groups.at(loading(cell) + (any_loader ? "" : step(cell))) % part.count != part.index;
  });
}

// Leaves of all combinations those that are asked for, each once.
void choose(const RunOptions& options, std::vector<Cell>& cells) {
  remove_equal_cells(cells);
  const auto excluded = conditions_of("--exclude", options.exclude);
  const auto wanted = conditions_of("--filter", options.filter);
  std::erase_if(cells, [&](const Cell& cell) {
    const bool keep =
        wanted.empty() || std::ranges::any_of(wanted, [&](const auto& one) { return hold(one, cell, true); });
    return !keep || std::ranges::any_of(excluded, [&](const auto& one) { return hold(one, cell, false); });
  });
  if (cells.empty()) throw usage_error("--exclude and --filter: they leave no cell to run");
  if (!options.part.empty()) keep_part(part_of(options.part), cells);
  if (cells.size() > options.max_cells) throw too_many(cells.size(), options);
}

// Where an outside loader finds its samples is its own matter.
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
  using P = SettingPart;
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
  choose(options, plan.cells);
  if (!options.stage.empty()) read_copies(options.stage, plan.cells);
  // What the harness costs a batch depends on neither data nor loader: batches of one byte, once a run.
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
  const std::size_t slots = *last_level_cache_bytes / 2 / std::max<std::size_t>(slot_bytes, 1);
  const std::size_t in_hand = workers + 1;
  return std::clamp(slots > in_hand ? slots - in_hand : 0, kFewest, kMost);
}

}  // namespace loadline
