#include "harness/plan/base_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "harness/plan/command.h"
#include "harness/plan/script_workload.h"
#include "harness/plan/settings.h"
#include "harness/plan/word_lists.h"
#include "loaders/datasets/script.h"
#include "loaders/error.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

DType dtype_of(const std::string& name) {
  return name == "u8" ? DType::kU8 : name == "bf16" ? DType::kBF16 : DType::kF32;
}

Sequences sequences_of(const std::string& asked, const Workload& workload) {
  const auto found = std::ranges::find(kSequences, asked, [](Sequences sequences) { return name(sequences); });
  if (found != kSequences.end()) return *found;
  return workload.text ? Sequences::kPadded : Sequences::kRandom;
}

// Tokens are not transformed: keeps only options that differ from the default, so that they can be refused.
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
    throw usage_error("--normalise on: dtype u8 cannot be normalised; f32 and bf16 can");
  }
  if (!normalise && !(options.mean.empty() && options.stddev.empty())) {
    throw usage_error(is_float ? "--mean and --std: they contradict --normalise off"
                               : "--mean and --std: dtype u8 cannot be normalised; f32 and bf16 can");
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

// Without what take_options() adds.
PhotoOptions photo_of(const TransformOptions& transform) {
  return {.flip = transform.flip,
          .dtype = transform.dtype,
          .layout = transform.layout,
          .mean = transform.mean,
          .stddev = transform.stddev};
}

// Settings that need more than their option: the workload, the machine or another option matters too.
constexpr std::array<std::string_view, 22> kWorkedOut{
    "workload",     "mode",       "loader",          "workers",   "batch_size",      "data",
    "format",       "compute",    "placement",       "documents", "compute_threads", "mean",
    "std",          "token_type", "text_key",        "tokenizer", "dtype",           "layout",
    "crop_padding", "flip",       "sequence_length", "sequences"};

// All other settings with an option take its value.
void take_options(RunOptions options, Cell& cell) {
  options.axes.clear();  // of which these options have one value
  for (const OptionRow& option : run_options()) {
    const std::string key = key_of(option);
    const auto setting = std::ranges::find(settings(), key, &SettingRow::name);
    if (setting == settings().end() || std::ranges::find(kWorkedOut, key) != kWorkedOut.end()) continue;
    setting->write(cell, read_option(options, option));
  }
}

void place_compute(const RunOptions& options, const PlanContext& context, Cell& cell) {
  const bool heeds = parse_compute(cell.compute).kind->heeds_threads;
  const Threads threads =
      place_threads(options.placement, heeds ? options.compute_threads : 1,
                    {.cpus = context.cpus, .in_force = context.threads_in_force, .nodes = context.nodes});
  cell.compute_threads = threads.compute;
  cell.placement = threads.placement;
  if (cell.dataset.in_memory) {
    cell.dataset.memory = {.nodes = cell.placement.data_nodes, .replicated = cell.placement.replicates()};
  }
}

// Only the loader knows where the samples are.
void use_script(const RunOptions& options, Cell& cell) {
  for (const std::string& loader : options.loaders) {
    const LoaderKind& kind = loader_named(loader);
    if (!kind.external) {
      throw usage_error(fmt::format("--workload {}: it has no data for loader {}; name another workload or give --data",
                                    kScriptWorkload, loader));
    }
    if (cell.dataset.format == "auto") cell.data = kind.origin.path;
    cell.dataset.format = kScriptFormat;
  }
}

}  // namespace

Cell base_cell(const RunOptions& options, const Workload& workload, std::size_t batch_size,
               const PlanContext& context) {
  Cell cell{.workload = std::string(workload.name)};
  cell.data =
      options.data.empty() ? default_path(workload, context.data_directory) : std::filesystem::path(options.data);
  if (options.data.empty()) {
    cell.how_to_get_it = workload.how_to_get_it;
    if (const auto gap = cell.how_to_get_it.find("{}"); gap != std::string::npos) {
      cell.how_to_get_it.replace(gap, 2, shell_quoted(cell.data.string()));
    }
  }
  cell.dataset.format = options.format;
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
  cell.photo = photo_of(cell.transform);
  cell.volume.dtype = cell.transform.dtype;
  cell.sampler.batch_size = batch_size;
  take_options(options, cell);
  cell.compute = options.compute.empty() ? std::string(workload.compute) : options.compute;
  place_compute(options, context, cell);
  cell.threads_in_force = context.threads_in_force;
  return cell;
}

}  // namespace loadline
