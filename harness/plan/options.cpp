#include "harness/plan/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "harness/plan/find.h"
#include "harness/plan/one_value.h"
#include "harness/plan/ranges.h"
#include "harness/plan/script_workload.h"
#include "harness/plan/workloads.h"
#include "loaders/datasets/dataset.h"
#include "loaders/loader.h"
#include "loaders/names.h"
#include "loaders/transforms/kernels.h"
#include "loaders/transforms/photo_transform.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

using Words = std::vector<std::string_view>;

Words workload_names() {
  return names_of(workloads());
}
Words loader_names() {
  return names_of(loaders());
}
Words mode_names() {
  return {"io", "synthetic", "full"};
}

Words format_names() {
  Words names = names_of(dataset_formats());
  names.insert(names.begin(), "auto");
  return names;
}

Words kernel_names() {
  Words names{"auto"};
  for (const Kernels* kernels : supported_kernels()) names.push_back(kernels->name);
  return names;
}

Words split_names() {
  return {"train", "test"};
}
Words label_names() {
  return {"fine", "coarse"};
}
Words dtype_names() {
  return {"u8", "f32", "bf16"};
}
Words token_type_names() {
  return {"auto", "u16", "u32"};
}
Words sequences_names() {
  return {"auto",
          name(Sequences::kRandom),
          name(Sequences::kConsecutive),
          name(Sequences::kDocuments),
          name(Sequences::kPadded),
          name(Sequences::kPacked)};
}
Words documents_names() {
  return {name(TextDocuments::kAuto), name(TextDocuments::kLines), name(TextDocuments::kFiles)};
}
Words layout_names() {
  return {"nchw", "nhwc"};
}
Words switch_names() {
  return {"auto", "on", "off"};
}
Words crop_names() {
  return {name(PhotoCrop::kRandomResized), name(PhotoCrop::kCentre), name(PhotoCrop::kNone)};
}
Words decoder_names() {
  return {name(PhotoDecoder::kJpeg), name(PhotoDecoder::kOpenCv)};
}
Words on_corrupt_names() {
  return {"fail", "skip"};
}
Words read_names() {
  return {name(FileRead::kPread), name(FileRead::kMmap), name(FileRead::kUring)};
}
Words order_names() {
  return {"shuffled", "page-shuffled", "sequential"};
}
Words stores_names() {
  return {"auto", "cached", "streaming"};
}
Words on_off_names() {
  return {"on", "off"};
}
Words precision_names() {
  return {name(Precision::kF32), name(Precision::kBF16)};
}
Words find_names() {
  Words names = names_of(find_kinds());
  names.push_back(kFindBest);
  return names;
}
Words delivery_names() {
  return {"in-order", "completion"};
}
Words cache_names() {
  return {"warm", "cold", "as-is"};
}
Words compute_names() {
  return names_of(computes());
}

using O = RunOptions;
constexpr std::string_view kWhat = "What to run (lists: every combination; all; ranges such as 1:64:*2)";
constexpr std::string_view kData = "Data";
constexpr std::string_view kTransform = "Transform";
constexpr std::string_view kSampler = "Order of samples";
constexpr std::string_view kPipeline = "Loader and compute";
constexpr std::string_view kSweep = "Which of the combinations";
constexpr std::string_view kTrials = "Trials";
constexpr std::string_view kMachine = "The machine meanwhile";
constexpr std::string_view kVerdict = "Verdict";
constexpr std::string_view kOutput = "Output";

constexpr double kMostSeed = 9007199254740992;  // 2^53: what JSON readers keep exact

// An option of one value that may be given several.
constexpr OptionRow axis(OptionRow row) {
  row.axis = true;
  return row;
}

// Placeholders whose numbers have units of their own: "20m" is 1200 seconds, "1%" is 0.01.
constexpr std::string_view kDuration = "DURATION";
constexpr std::string_view kShare = "SHARE";

constexpr double kMostPeriod = 3600;  // seconds, of --monitor

const std::array kOptionRows{
    OptionRow{"workload", kWhat, "NAME,...", "named pairings of dataset, transform, batch size and compute",
              &O::workloads, workload_names},
    OptionRow{"mode", kWhat, "MODE,...", "trials: loader alone, compute alone, both", &O::modes, mode_names},
    OptionRow{"loader", kWhat, "NAME,...",
              "plug-ins by path, such as ./libmine.so:key=value, or loaders that `loadline list` shows", &O::loaders,
              loader_names},
    OptionRow{"workers", kWhat, "N,...", "worker threads of a loader that has them", &O::workers, nullptr, 0,
              kMostWorkers},
    OptionRow{"batch-size", kWhat, "N,...", "samples a batch", &O::batch_sizes, nullptr, 1},

    OptionRow{"data", kData, "PATH", "directory or file of the dataset", &O::data},
    OptionRow{
        "stage", kData, "DIR",
        "copy the data to this directory first, once a node, and read the copy; an earlier one that is the same is "
        "used again",
        &O::stage},
    OptionRow{"format", kData, "NAME", "its format", &O::format, format_names},
    OptionRow{"split", kData, "NAME", "its part", &O::split, split_names},
    OptionRow{"labels", kData, "KIND", "labels of CIFAR-100: 100 classes or 20", &O::labels, label_names},
    axis(OptionRow{"read", kData, "HOW",
                   "how to read the files of an image folder: by calls with read-ahead, mapped, or by io_uring",
                   &O::read, read_names}),
    axis(OptionRow{"reads-in-flight", kData, "N",
                   "uring: files requested at a time, per worker; for flow-graph by all workers together",
                   &O::reads_in_flight, nullptr, 1, 4096}),
    axis(OptionRow{"read-ahead", kData, "MIB",
                   "uring: memory limit for files that flow-graph has requested but not yet decoded", &O::read_ahead,
                   nullptr, 1, 1 << 20}),
    axis(OptionRow{"cache", kData, "STATE",
                   "what the page cache holds when a trial begins: all of the data, nothing, or whatever is there",
                   &O::cache, cache_names}),
    axis(OptionRow{"in-memory", kData, "", "copy all samples into huge-page memory first", &O::in_memory}),

    OptionRow{"hdf5-images", kData, "NAME", "dataset of images in an HDF5 file", &O::hdf5_images},
    OptionRow{"hdf5-labels", kData, "NAME", "dataset of labels in an HDF5 file", &O::hdf5_labels},
    OptionRow{"crops", kData, "N", "volumes: crops in an epoch", &O::crops, nullptr, 1, 4e9},
    OptionRow{"token-type", kData, "NAME", "tokens: how they are stored; auto: as the index says, u16 without an index",
              &O::token_type, token_type_names},
    OptionRow{"tokenizer", kData, "FILE|bytes|auto",
              "text: a model of SentencePiece, or a token a byte; auto: the *.model beside it, else bytes",
              &O::tokenizer},
    OptionRow{"text-key", kData, "NAME", "text: member of each object of JSON lines that is the document",
              &O::text_key},
    OptionRow{"documents", kData, "KIND",
              "text: a line or a file each; auto: lines of one file and of files named train or val, else files",
              &O::documents, documents_names},

    axis(OptionRow{"dtype", kTransform, "TYPE", "element type of the batch", &O::dtype, dtype_names}),
    axis(OptionRow{"layout", kTransform, "NAME", "order of its axes", &O::layout, layout_names}),
    OptionRow{"normalise", kTransform, "auto|on|off", "(value / 255 - mean) / std; auto: for float types",
              &O::normalise, switch_names},
    OptionRow{"mean", kTransform, "X,...", "mean of each channel, of values in [0, 1]", &O::mean, nullptr, -1e6},
    OptionRow{"std", kTransform, "X,...", "standard deviation of each channel, above 0", &O::stddev, nullptr, 1e-6},
    axis(OptionRow{"crop-padding", kTransform, "PIXELS", "random crop after zero padding on each side",
                   &O::crop_padding}),
    axis(OptionRow{"flip", kTransform, "auto|on|off", "mirror half of the samples; auto: as the workload does",
                   &O::flip, switch_names}),
    axis(OptionRow{"image-size", kTransform, "PIXELS", "photographs: height and width of the output", &O::image_size,
                   nullptr, 1, 16384}),
    axis(OptionRow{"crop", kTransform, "KIND", "photographs: the part that is resized to the image size", &O::crop,
                   crop_names}),
    axis(OptionRow{"decoder", kTransform, "NAME",
                   "photographs: libjpeg-turbo on the part that is needed, or OpenCV on the whole image", &O::decoder,
                   decoder_names}),
    axis(OptionRow{"turn-upright", kTransform, "", "photographs: apply the orientation in EXIF", &O::turn_upright}),
    axis(OptionRow{
        "scaled-dct", kTransform, "",
        "photographs: decode at 1/2, 1/4 or 1/8 where that still exceeds the output; pixels differ from full decoding",
        &O::scaled_dct}),
    OptionRow{"on-corrupt", kTransform, "fail|skip", "what to do with photographs and documents that cannot be decoded",
              &O::on_corrupt, on_corrupt_names},
    axis(OptionRow{"crop-edge", kTransform, "VALUES", "volumes: length, breadth and height of a crop", &O::crop_edge,
                   nullptr, 1, 4096}),
    axis(OptionRow{"rotate", kTransform, "on|off", "volumes: turn each crop by one of the 24 right-angle rotations",
                   &O::rotate, on_off_names}),
    axis(OptionRow{"sequence-length", kTransform, "TOKENS", "tokens: how many each sample predicts; text: at most",
                   &O::sequence_length, nullptr, 1, 1 << 24}),
    axis(OptionRow{"sequences", kTransform, "KIND",
                   "tokens: samples from random places [auto], back to back, or back to back within documents; text: a "
                   "document each, padded [auto], or rows packed with documents",
                   &O::sequences, sequences_names}),
    axis(OptionRow{"kernels", kTransform, "LEVEL", "CPU level of the inner loops; auto: the fastest this CPU has",
                   &O::kernels, kernel_names}),

    axis(OptionRow{"order", kSampler, "NAME", "order of the samples of an epoch", &O::order, order_names}),
    axis(OptionRow{"page-samples", kSampler, "N", "page-shuffled: neighbouring samples that stay together",
                   &O::page_samples, nullptr, 1}),
    axis(OptionRow{"window-samples", kSampler, "N", "page-shuffled: samples that are mixed with each other",
                   &O::window_samples, nullptr, 1}),
    OptionRow{"seed", kSampler, "N", "seed of sample order, augmentation and the order of trials", &O::seed, nullptr, 0,
              kMostSeed},
    OptionRow{"rank", kSampler, "N", "this process's share of the samples", &O::rank},
    OptionRow{"world-size", kSampler, "N", "number of shares that the samples are divided into", &O::world_size,
              nullptr, 1},
    OptionRow{"rank-timeout", kSampler, "SECONDS",
              "how long a rank may stay silent or keep the others waiting before the run ends without it",
              &O::rank_timeout, nullptr, 0.1, 86'400},
    axis(OptionRow{"drop-last", kSampler, "", "leave out the short last batch of an epoch", &O::drop_last}),
    axis(OptionRow{"bucket-batches", kSampler, "N",
                   "padded text: batches in a row whose documents are sorted by length; 0: none", &O::bucket_batches,
                   nullptr, 0, 1 << 20}),

    axis(OptionRow{"prefetch", kPipeline, "BATCHES",
                   "batches that may be ready ahead of the consumer; unset: as many as fit the last-level cache",
                   &O::prefetch, nullptr, 1, 1e6}),
    axis(OptionRow{"delivery", kPipeline, "NAME", "hand over batches in the sampler's order or as they complete",
                   &O::delivery, delivery_names}),
    axis(OptionRow{"stores", kPipeline, "KIND",
                   "how workers write batches: through the caches or past them; auto: each worker picks the faster way",
                   &O::stores, stores_names}),
    axis(OptionRow{"compute", kPipeline, "NAME[:KEY=VALUE,...]", "the training step; `loadline list` shows the choices",
                   &O::compute}),
    axis(OptionRow{"precision", kPipeline, "TYPE", "element type that the training step computes in", &O::precision,
                   precision_names}),
    axis(OptionRow{"fusion", kPipeline, "on|off", "fuse operations of the training step that can share one pass",
                   &O::fusion, on_off_names}),
    axis(OptionRow{"compute-threads", kPipeline, "N",
                   "threads of the training step; unset: one per CPU that the placement leaves it", &O::compute_threads,
                   nullptr, 1, kMostWorkers}),
    axis(OptionRow{
        "placement", kPipeline, "shared|split|numa|numa:replicate|pin:LIST",
        "CPUs of workers and compute: all for both; the last ones for the compute alone; by NUMA node, with slots on "
        "that of the compute and --in-memory spread over those of the workers or copied to each; or those listed, "
        "such as pin:0-3,8",
        &O::placement}),

    OptionRow{"exclude", kSweep, "CONDITIONS,...",
              "leave out cells that meet all of these conditions, such as 'loader=serial batch_size>64'", &O::exclude},
    OptionRow{"filter", kSweep, "CONDITIONS,...", "keep only cells that meet all of the conditions that apply to them",
              &O::filter},
    OptionRow{"part", kSweep, "I/N",
              "run only the I-th of N shares of the cells, from 1, as the tasks of a job array do", &O::part},
    OptionRow{"max-cells", kSweep, "N", "refuse a run of more cells than this", &O::max_cells, nullptr, 1},

    OptionRow{"trials", kTrials, "N", "trials of each cell", &O::trials, nullptr, 1, 1e5},
    OptionRow{"trial-seconds", kTrials, "SECONDS", "length of a trial, rounded up to whole batches", &O::trial_seconds,
              nullptr, 1e-3, 1e6},
    OptionRow{"trial-batches", kTrials, "N", "length of a trial in batches, in place of seconds", &O::trial_batches,
              nullptr, 1},
    OptionRow{"warm-up-batches", kTrials, "N",
              "batches before the clock of a trial starts; unset: every slot once, and the compute's launch queue",
              &O::warm_up_batches},
    OptionRow{"time-limit", kTrials, kDuration,
              "time for the whole run, such as 20m: as many trials as fit; unset: all of them", &O::time_limit, nullptr,
              1e-3, 1e7},
    OptionRow{"until-ci", kTrials, kShare,
              "target half-width of the 95 % interval, as a share of the mean, such as 1%: a pilot of --trials trials "
              "(at least 5) of each cell sets how many fresh trials it needs; figures come from the fresh trials; "
              "unset: --trials",
              &O::until_ci, nullptr, 1e-4, 1},
    OptionRow{"max-trials", kTrials, "N", "limit for a cell with --until-ci, pilot included", &O::max_trials, nullptr,
              2, 1e5},
    OptionRow{"first-epoch-seconds", kTrials, "SECONDS", "how much of the first epoch to measure; 0: nothing",
              &O::first_epoch_seconds, nullptr, 0, 1e6},
    OptionRow{"ceilings", kTrials, "on|off", "measure in each round what this machine can do at best", &O::ceilings,
              on_off_names},

    OptionRow{"monitor", kMachine, kDuration,
              "sample CPUs, memory, storage, network and GPUs throughout the run, once in each period, such as 200ms; "
              "unset: do not",
              &O::monitor, nullptr, 0.01, kMostPeriod},
    OptionRow{"counters", kMachine, "",
              "count instructions, cycles, misses of caches and TLB, page faults and context switches of each trial",
              &O::counters},

    OptionRow{"au", kVerdict, kShare,
              "accelerator utilisation that every configuration must reach, such as 90%; unset: not checked", &O::au,
              nullptr, 1e-6, 1},
    OptionRow{"check-verdict", kVerdict, "", "measure what the verdict predicts, and say how far off it was",
              &O::check_verdict},
    OptionRow{"find", kVerdict, "WHAT",
              "search for the highest compute rate or number of devices that one loader feeds at --au, the fewest "
              "workers that do, or the fastest combination of loader, workers, prefetch and batch size",
              &O::find, find_names},

    OptionRow{"output", kOutput, "FILE", "result file; - for stdout", &O::output},
    OptionRow{"quiet", kOutput, "", "print no progress and no table; write the result file only", &O::quiet},
};

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

std::string range_text(const OptionRow& row, bool whole) {
  if (row.value == kDuration)
    return row.most == kMostPeriod ? std::string("a time from 10ms to 1h, such as 200ms")
                                   : "a time such as 90s, 20m or 1.5h";
  if (row.value == kShare) return fmt::format("a share from {} to {}, such as {}", row.least, row.most, "0.05 or 5%");
  const std::string kind = whole ? "whole number" : "number";
  if (row.most == 0) return fmt::format("a {} of at least {}", kind, row.least);
  return fmt::format("a {} from {} to {:.16g}", kind, row.least, row.most);
}

// As a number of its own type: a double cannot tell 2^53 from what follows it.
template <typename Number>
bool in_range(const OptionRow& row, Number value) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return false;
  }
  return value >= static_cast<Number>(row.least) && (row.most == 0 || value <= static_cast<Number>(row.most));
}

// What a number of this option is to be multiplied by for what stands behind it; none: nothing may stand there.
std::optional<double> unit_of(const OptionRow& row, std::string_view behind) {
  if (behind.empty()) return 1;
  if (row.value == kShare && behind == "%") return 0.01;
  if (row.value != kDuration) return std::nullopt;
  return behind == "ms"  ? std::optional(1e-3)
         : behind == "s" ? std::optional(1.0)
         : behind == "m" ? std::optional(60.0)
         : behind == "h" ? std::optional(3600.0)
                         : std::nullopt;
}

template <typename Number>
Number parse_number(const OptionRow& row, std::string_view text) {
  Number value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc{}) {
    const auto unit = unit_of(row, {end, static_cast<std::size_t>(text.data() + text.size() - end)});
    if constexpr (std::is_floating_point_v<Number>) value *= unit.value_or(0);
    if (unit && in_range(row, value)) return value;
  }
  throw usage_error(
      fmt::format("--{}: want {}, got '{}'", row.name, range_text(row, std::is_integral_v<Number>), text));
}

std::string parse_word(const OptionRow& row, std::string_view text) {
  if (row.choices == nullptr) return std::string(text);
  const Words words = row.choices();
  // What an external loader is, if anything, is found when it is opened; a result that names one is read without that.
  const bool external = row.name == "loader" && (may_name_external_loader(text) || known_loader(text) != nullptr);
  if (row.name == "workload" && text == kScriptWorkload) return std::string(text);
  if (!external && std::ranges::find(words, text) == words.end()) {
    throw unknown_name(fmt::format("--{}", row.name), text, words);
  }
  return std::string(text);
}

// A flag's value, as one of two words.
std::string_view parse_switch(const OptionRow& row, std::string_view text) {
  if (text == "true" || text == "on") return "on";
  if (text == "false" || text == "off") return "off";
  throw usage_error(fmt::format("--{}: want on or off, got '{}'", row.name, text));
}

// What was given as a list is told why it is none, rather than that it is no word or number.
void refuse_list(const OptionRow& row, std::string_view text) {
  const bool whole = std::holds_alternative<std::size_t O::*>(row.field) ||
                     std::holds_alternative<std::optional<std::size_t> O::*>(row.field);
  const bool may_have_commas = row.choices == nullptr && !whole;
  const auto why = why_one_value(row);
  if (why.empty() || may_have_commas || text.find(',') == std::string_view::npos) return;
  throw usage_error(fmt::format("--{}: want one value, got '{}': {}", row.name, text, why));
}

template <typename T>
void refuse_repetition(const OptionRow& row, const std::vector<T>& items) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (std::find(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(i), items[i]) ==
        items.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    throw usage_error(fmt::format("--{}: the list contains '{}' twice", row.name, items[i]));
  }
}

// "rows=4": goes on with the parameters of a loader, whose name would not begin so.
bool goes_on(std::string_view text) {
  const std::string_view key = text.substr(0, text.find_first_of("=,"));
  return key.size() < text.size() && text[key.size()] == '=' && key.find_first_of("/:") == std::string_view::npos;
}

// Computes, placements and external loaders have commas of their own: there an item begins with a word of the option
// only.
bool begins_item(const OptionRow& row, std::string_view text) {
  if (row.name == "loader") return !goes_on(text);
  const Words heads = row.name == "compute"     ? compute_names()
                      : row.name == "placement" ? Words{"shared", "split", "numa", "pin"}
                                                : Words{};
  if (heads.empty()) return true;
  if (row.name == "compute" && may_name_external_compute(text.substr(0, text.find(',')))) return true;
  return std::ranges::find(heads, text.substr(0, text.find_first_of(":,"))) != heads.end();
}

std::vector<std::string_view> items_of(const OptionRow& row, std::string_view text) {
  std::vector<std::string_view> items;
  std::size_t begin = 0;
  for (std::size_t comma = text.find(','); comma != std::string_view::npos; comma = text.find(',', comma + 1)) {
    if (!begins_item(row, text.substr(comma + 1))) continue;
    items.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  items.push_back(text.substr(begin));
  return items;
}

std::vector<std::size_t> parse_whole_numbers(const OptionRow& row, std::string_view text) {
  std::vector<std::size_t> numbers;
  for (const std::string_view item : items_of(row, text)) {
    // What is no range is refused by what the option takes.
    if (item.find(':') == std::string_view::npos) {
      numbers.push_back(parse_number<std::size_t>(row, item));
      continue;
    }
    for (const std::size_t number : expand_range(fmt::format("--{}", row.name), item)) {
      if (!in_range(row, number)) {
        throw usage_error(
            fmt::format("--{}: want {}, and the range '{}' has {}", row.name, range_text(row, true), item, number));
      }
      numbers.push_back(number);
    }
  }
  refuse_repetition(row, numbers);
  return numbers;
}

std::vector<double> parse_numbers(const OptionRow& row, std::string_view text) {
  std::vector<double> numbers;
  for (const std::string_view item : items_of(row, text)) numbers.push_back(parse_number<double>(row, item));
  return numbers;
}

std::vector<std::string> parse_words(const OptionRow& row, std::string_view text) {
  std::vector<std::string> words;
  if (text == "all" && row.choices != nullptr) {
    for (const std::string_view word : row.choices()) words.emplace_back(word);
    return words;
  }
  for (const std::string_view item : items_of(row, text)) words.push_back(parse_word(row, item));
  refuse_repetition(row, words);
  return words;
}

// The values that an axis is given, each as text.
std::vector<std::string> parse_axis(const OptionRow& row, std::string_view text) {
  if (std::holds_alternative<bool O::*>(row.field)) {
    if (text == "all") return {"off", "on"};
    std::vector<std::string> switches;
    for (const std::string_view item : items_of(row, text)) switches.emplace_back(parse_switch(row, item));
    refuse_repetition(row, switches);
    return switches;
  }
  const bool whole = std::holds_alternative<std::size_t O::*>(row.field) ||
                     std::holds_alternative<std::optional<std::size_t> O::*>(row.field);
  if (!whole) {
    std::vector<std::string> words = parse_words(row, text);
    // `auto` leaves to the tool what the others fix: beside all of them it would be one of them twice.
    if (text == "all") std::erase(words, "auto");
    return words;
  }
  std::vector<std::string> values;
  for (const std::size_t number : parse_whole_numbers(row, text)) values.push_back(fmt::format("{}", number));
  return values;
}

void write_one(RunOptions& options, const OptionRow& row, std::string_view text) {
  std::visit(Overloaded{
                 [&](bool O::*field) { options.*field = parse_switch(row, text) == "on"; },
                 [&](std::size_t O::*field) { options.*field = parse_number<std::size_t>(row, text); },
                 [&](std::optional<std::size_t> O::*field) { options.*field = parse_number<std::size_t>(row, text); },
                 [&](double O::*field) { options.*field = parse_number<double>(row, text); },
                 [&](std::optional<double> O::*field) { options.*field = parse_number<double>(row, text); },
                 [&](std::string O::*field) {
                   // An empty text is the absence of a value: a configuration would come back with the standard one.
                   if (text.empty() && !(O().*field).empty()) {
                     throw usage_error(fmt::format("--{}: want a value, got ''", row.name));
                   }
                   options.*field = parse_word(row, text);
                 },
                 [&](std::vector<std::size_t> O::*field) { options.*field = parse_whole_numbers(row, text); },
                 [&](std::vector<double> O::*field) { options.*field = parse_numbers(row, text); },
                 [&](std::vector<std::string> O::*field) { options.*field = parse_words(row, text); },
             },
             row.field);
}

OptionValue values_of(const Axis& axis, const OptionRow& row) {
  const bool of_words =
      std::holds_alternative<std::string O::*>(row.field) || std::holds_alternative<bool O::*>(row.field);
  if (of_words) return axis.values;
  std::vector<std::size_t> numbers;
  for (const std::string& value : axis.values) numbers.push_back(parse_number<std::size_t>(row, value));
  return numbers;
}

}  // namespace

std::span<const OptionRow> run_options() {
  return kOptionRows;
}

std::string key_of(const OptionRow& row) {
  std::string key(row.name);
  std::ranges::replace(key, '-', '_');
  return key;
}

bool is_for_ceilings(const OptionRow& row) {
  if (row.group == kPipeline || row.group == kVerdict || row.name == "mode" || row.name == "counters") {
    return false;
  }
  return (row.group != kTrials && row.group != kSweep) || row.name == "trials";
}

bool is_for_pairs(const OptionRow& row) {
  if (row.group == kVerdict || row.name == "part" || row.name == "stage" || row.name == "rank-timeout") return false;
  return row.group != kTrials || row.name == "trial-seconds" || row.name == "trial-batches" ||
         row.name == "warm-up-batches";
}

bool is_for_training(const OptionRow& row) {
  return row.group != kSweep && row.group != kTrials && row.group != kMachine && row.group != kVerdict &&
         row.name != "mode" && row.name != "rank-timeout";
}

OptionValue read_option(const RunOptions& options, const OptionRow& row) {
  for (const Axis& axis : options.axes) {
    if (axis.option == row.name) return values_of(axis, row);
  }
  const auto list = [](const auto& values) { return values.empty() ? OptionValue() : OptionValue(values); };
  return std::visit(Overloaded{
                        [&](std::optional<std::size_t> O::*field) {
                          return options.*field ? OptionValue(*(options.*field)) : OptionValue();
                        },
                        [&](std::optional<double> O::*field) {
                          return options.*field ? OptionValue(*(options.*field)) : OptionValue();
                        },
                        [&](std::string O::*field) { return list(options.*field); },
                        [&](std::vector<std::size_t> O::*field) { return list(options.*field); },
                        [&](std::vector<double> O::*field) { return list(options.*field); },
                        [&](std::vector<std::string> O::*field) { return list(options.*field); },
                        [&](auto field) { return OptionValue(options.*field); },
                    },
                    row.field);
}

void write_option(RunOptions& options, const OptionRow& row, std::string_view text) {
  if (!row.axis) {
    refuse_list(row, text);
    return write_one(options, row, text);
  }
  const auto values = parse_axis(row, text);
  std::erase_if(options.axes, [&](const Axis& axis) { return axis.option == row.name; });
  for (const std::string& value : values) {
    RunOptions scratch;
    write_one(scratch, row, value);
  }
  write_one(options, row, values.front());
  if (values.size() > 1) options.axes.push_back({std::string(row.name), values});
}

std::string standard_text(const OptionRow& row) {
  const RunOptions standard;
  const auto join = [](const auto& values) {
    std::string text;
    for (const auto& value : values) text += fmt::format("{}{}", text.empty() ? "" : ",", value);
    return text;
  };
  return std::visit(Overloaded{
                        [](std::monostate) { return std::string(); },
                        [](bool) { return std::string(); },
                        [](std::size_t value) { return fmt::format("{}", value); },
                        [](double value) { return fmt::format("{}", value); },
                        [](const std::string& value) { return value; },
                        [&](const auto& values) { return join(values); },
                    },
                    read_option(standard, row));
}

double parse_share(std::string_view name, std::string_view text, double least, double most) {
  return parse_number<double>({name, kOutput, kShare, "", &O::trial_seconds, nullptr, least, most}, text);
}

}  // namespace loadline
