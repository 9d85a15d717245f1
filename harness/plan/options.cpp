#include "harness/plan/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/plan/find.h"
#include "harness/plan/option_units.h"
#include "harness/plan/script_workload.h"
#include "harness/plan/word_lists.h"
#include "harness/plan/workloads.h"
#include "loaders/datasets/dataset.h"
#include "loaders/listed.h"
#include "loaders/loader.h"
#include "loaders/names.h"
#include "loaders/transforms/kernels.h"

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
  return words_of(kSplits);
}
Words label_names() {
  return words_of(kEveryLabels);
}
Words dtype_names() {
  return words_of(kDTypes);
}
Words token_type_names() {
  return {"auto", "u16", "u32"};
}
Words sequences_names() {
  return words_or_auto(kSequences);
}
Words documents_names() {
  return words_of(kEveryDocuments);
}
Words layout_names() {
  return words_of(kLayouts);
}
Words switch_names() {
  return {"auto", "on", "off"};
}
Words crop_names() {
  return words_of(kPhotoCrops);
}
Words decoder_names() {
  return words_of(kDecoders);
}
Words on_corrupt_names() {
  return words_of(kOnCorrupt);
}
Words read_names() {
  return words_of(kFileReads);
}
Words order_names() {
  return words_of(kOrders);
}
Words stores_names() {
  return words_or_auto(kEveryStore);
}
Words on_off_names() {
  return words_of(kSwitch);
}
Words precision_names() {
  return words_of(kPrecisions);
}
Words find_names() {
  Words names = names_of(find_kinds());
  names.push_back(kFindBest);
  return names;
}
Words delivery_names() {
  return words_of(kDeliveries);
}
Words cache_names() {
  return words_of(kCacheStates);
}

using O = RunOptions;
constexpr std::string_view kWhat = "What to run (lists: every combination; all; ranges such as 1:64:*2)";
constexpr std::string_view kData = "Data";
constexpr std::string_view kTransform = "Transform";
constexpr std::string_view kSampler = "Order of samples";
constexpr std::string_view kPipeline = "Loader and compute";
constexpr std::string_view kSweep = "Choice of combinations";
constexpr std::string_view kTrials = "Trials";
constexpr std::string_view kMachine = "The machine during the run";
constexpr std::string_view kVerdict = "Verdict";
constexpr std::string_view kOutput = "Output";

constexpr double kMostSeed = 9007199254740992;  // 2^53: what JSON readers keep exact

// An option with one value that may be given several.
constexpr OptionRow axis(OptionRow row) {
  row.axis = true;
  return row;
}

using Conditions = std::vector<std::string>;

// What meets any of the conditions is left out.
Conditions either_of(const Conditions& earlier, const Conditions& later) {
  Conditions all = earlier;
  for (const std::string& one : later) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
  }
  return all;
}

// What is kept has to meet one of each list. The parts of a condition, which spaces separate, must all hold.
Conditions one_of_each(const Conditions& earlier, const Conditions& later) {
  if (earlier == later) return earlier;
  Conditions all;
  for (const std::string& one : earlier) {
    for (const std::string& other : later) all.push_back(fmt::format("{} {}", one, other));
  }
  return all;
}

// A list of conditions, of which every one that the user gives counts.
constexpr OptionRow adding_up(OptionRow row, decltype(OptionRow::together) together) {
  row.together = together;
  return row;
}

// An option that applies only to these kinds of data.
constexpr OptionRow only(DataKinds data, OptionRow row) {
  row.data = data;
  return row;
}

const std::array kOptionRows{
    OptionRow{"workload", kWhat, "NAME,...", "named pairings of dataset, transform, batch size and compute",
              &O::workloads, workload_names},
    OptionRow{"mode", kWhat, "MODE,...", "trials: loader alone, compute alone, both", &O::modes, mode_names},
    OptionRow{
        "loader", kWhat, "NAME,...",
        "loaders that `loadline list` shows, plug-ins by path, such as ./libmine.so:key=value, or, with python3 -m "
        "loadline, functions as FILE.py:FUNCTION",
        &O::loaders, loader_names},
    OptionRow{"workers", kWhat, "N,...", "worker threads of loaders that have them", &O::workers, nullptr, 0,
              kMostWorkers},
    OptionRow{"batch-size", kWhat, "N,...", "samples per batch", &O::batch_sizes, nullptr, 1},

    OptionRow{"data", kData, "PATH", "directory or file of the dataset", &O::data},
    only(kOwnData, OptionRow{"stage", kData, "DIR",
                             "first copy the data to this directory, once per node, and read the copy; an identical "
                             "earlier copy is reused",
                             &O::stage}),
    only(kOwnData, OptionRow{"format", kData, "NAME", "format of the data", &O::format, format_names}),
    only(kOwnData, OptionRow{"split", kData, "NAME", "part of the dataset", &O::split, split_names}),
    only(kOwnData,
         OptionRow{"labels", kData, "KIND", "labels of CIFAR-100: 100 classes or 20", &O::labels, label_names}),
    axis(only(kOwnData,
              OptionRow{"read", kData, "HOW",
                        "how to read the files of an image folder: by calls with read-ahead, mapped, or by io_uring",
                        &O::read, read_names})),
    axis(
        only(kOwnData, OptionRow{"reads-in-flight", kData, "N",
                                 "uring: files requested at a time, per worker; for flow-graph by all workers together",
                                 &O::reads_in_flight, nullptr, 1, 4096})),
    axis(only(kOwnData, OptionRow{"read-ahead", kData, "MIB",
                                  "uring: memory limit for files that flow-graph has requested but not yet decoded",
                                  &O::read_ahead, nullptr, 1, 1 << 20})),
    axis(OptionRow{"cache", kData, "STATE",
                   "what the page cache holds when a trial begins: all of the data, nothing, or whatever is there",
                   &O::cache, cache_names}),
    axis(only(kOwnData,
              OptionRow{"in-memory", kData, "", "copy all samples into huge-page memory first", &O::in_memory})),

    only(kOwnData, OptionRow{"hdf5-images", kData, "NAME", "dataset of images in an HDF5 file", &O::hdf5_images}),
    only(kOwnData, OptionRow{"hdf5-labels", kData, "NAME", "dataset of labels in an HDF5 file", &O::hdf5_labels}),
    only(kVolumeData, OptionRow{"crops", kData, "N", "volumes: crops per epoch", &O::crops, nullptr, 1, 4e9}),
    only(kTokenData,
         OptionRow{"token-type", kData, "NAME", "tokens: stored type; auto: as the index says, or u16 without an index",
                   &O::token_type, token_type_names}),
    only(kTextData,
         OptionRow{"tokenizer", kData, "FILE|bytes|auto",
                   "text: a SentencePiece model, or one token per byte; auto: the *.model next to the data, else bytes",
                   &O::tokenizer}),
    only(kTextData, OptionRow{"text-key", kData, "NAME", "text: name of the JSON Lines member that holds the document",
                              &O::text_key}),
    only(kTextData, OptionRow{"documents", kData, "KIND",
                              "text: whether a line or a file is a document; auto: a line of one file and of files "
                              "named train or val, and otherwise a file",
                              &O::documents, documents_names}),

    axis(only(kOwnData, OptionRow{"dtype", kTransform, "TYPE", "element type of the batch", &O::dtype, dtype_names})),
    axis(
        only(kOwnData, OptionRow{"layout", kTransform, "NAME", "order of the batch's axes", &O::layout, layout_names})),
    only(kOwnData, OptionRow{"normalise", kTransform, "auto|on|off",
                             "(value / 255 - mean) / std; auto: for float types", &O::normalise, switch_names}),
    only(kOwnData,
         OptionRow{"mean", kTransform, "X,...", "mean of each channel, for values in [0, 1]", &O::mean, nullptr, -1e6}),
    only(kOwnData, OptionRow{"std", kTransform, "X,...", "standard deviation of each channel, at least 1e-06",
                             &O::stddev, nullptr, 1e-6}),
    axis(only(kOwnData, OptionRow{"crop-padding", kTransform, "PIXELS", "random crop after zero padding on each side",
                                  &O::crop_padding})),
    axis(only(kOwnData, OptionRow{"flip", kTransform, "auto|on|off",
                                  "mirror half of the samples; auto: as the workload does", &O::flip, switch_names})),
    axis(only(kPhotoData, OptionRow{"image-size", kTransform, "PIXELS", "photographs: height and width of the output",
                                    &O::image_size, nullptr, 1, 16384})),
    axis(only(kPhotoData, OptionRow{"crop", kTransform, "KIND",
                                    "photographs: the part that is resized to the image size", &O::crop, crop_names})),
    axis(only(kPhotoData, OptionRow{"decoder", kTransform, "NAME",
                                    "photographs: libjpeg-turbo for the needed part, or OpenCV for the whole image",
                                    &O::decoder, decoder_names})),
    axis(only(kPhotoData, OptionRow{"turn-upright", kTransform, "", "photographs: apply the orientation in EXIF",
                                    &O::turn_upright})),
    axis(only(kPhotoData, OptionRow{"scaled-dct", kTransform, "",
                                    "photographs: decode at 1/2, 1/4 or 1/8 where that still exceeds the output; "
                                    "pixels differ from full decoding",
                                    &O::scaled_dct})),
    only(kPhotoData | kTextData, OptionRow{"on-corrupt", kTransform, "fail|skip",
                                           "what to do with photographs and documents that cannot be decoded",
                                           &O::on_corrupt, on_corrupt_names}),
    axis(only(kVolumeData, OptionRow{"crop-edge", kTransform, "VALUES", "volumes: length, breadth and height of a crop",
                                     &O::crop_edge, nullptr, 1, 4096})),
    axis(only(kVolumeData,
              OptionRow{"rotate", kTransform, "on|off",
                        "volumes: turn each crop by one of the 24 right-angle rotations", &O::rotate, on_off_names})),
    axis(
        only(kTokenData | kTextData, OptionRow{"sequence-length", kTransform, "TOKENS",
                                               "tokens: how many each sample predicts; text: the most that it predicts",
                                               &O::sequence_length, nullptr, 1, 1 << 24})),
    axis(only(kTokenData | kTextData,
              OptionRow{"sequences", kTransform, "KIND",
                        "tokens: samples from random places [auto], back to back, or back to back within documents; "
                        "text: one document per sample, padded [auto], or rows packed with documents",
                        &O::sequences, sequences_names})),
    axis(OptionRow{"kernels", kTransform, "LEVEL",
                   "CPU instruction set of the inner loops; auto: the fastest on this CPU", &O::kernels, kernel_names}),

    axis(only(kOwnData,
              OptionRow{"order", kSampler, "NAME", "order of the samples in an epoch", &O::order, order_names})),
    axis(only(kOwnData,
              OptionRow{"page-samples", kSampler, "N", "page-shuffled: neighbouring samples that stay together",
                        &O::page_samples, nullptr, 1})),
    axis(only(kOwnData, OptionRow{"window-samples", kSampler, "N", "page-shuffled: samples that are shuffled together",
                                  &O::window_samples, nullptr, 1})),
    OptionRow{"seed", kSampler, "N", "seed of sample order, augmentation and the order of trials", &O::seed, nullptr, 0,
              kMostSeed},
    OptionRow{"rank", kSampler, "N", "this process's share of the samples", &O::rank},
    OptionRow{"world-size", kSampler, "N", "number of shares that the samples are divided into", &O::world_size,
              nullptr, 1},
    OptionRow{"rank-timeout", kSampler, "SECONDS",
              "how long a rank may stay silent or keep the others waiting before the run ends without it",
              &O::rank_timeout, nullptr, 0.1, 86'400},
    axis(only(kOwnData,
              OptionRow{"drop-last", kSampler, "", "leave out the short last batch of an epoch", &O::drop_last})),
    axis(only(kTextData, OptionRow{"bucket-batches", kSampler, "N",
                                   "padded text: successive batches whose documents are sorted by length; 0: off",
                                   &O::bucket_batches, nullptr, 0, 1 << 20})),

    axis(OptionRow{"prefetch", kPipeline, "BATCHES",
                   "batches that may be ready ahead of the consumer; unset: as many as fit the last-level cache",
                   &O::prefetch, nullptr, 1, 1e6}),
    axis(OptionRow{"delivery", kPipeline, "NAME", "hand over batches in the sampler's order or as they complete",
                   &O::delivery, delivery_names}),
    axis(OptionRow{"stores", kPipeline, "KIND",
                   "how workers write batches: through the caches or past them; auto: all pick the faster way together",
                   &O::stores, stores_names}),
    axis(OptionRow{"compute", kPipeline, "NAME[:KEY=VALUE,...]",
                   "the training step: one that `loadline list` shows or, with python3 -m loadline, a function as "
                   "FILE.py:FUNCTION",
                   &O::compute}),
    axis(OptionRow{"precision", kPipeline, "TYPE", "element type that the training step computes in", &O::precision,
                   precision_names}),
    axis(OptionRow{"fusion", kPipeline, "on|off", "fuse operations of the training step that can share one pass",
                   &O::fusion, on_off_names}),
    axis(OptionRow{"compute-threads", kPipeline, "N",
                   "threads of the training step; unset: one per CPU that the placement leaves to it",
                   &O::compute_threads, nullptr, 1, kMostWorkers}),
    axis(OptionRow{"placement", kPipeline, "shared|split|numa|numa:replicate|pin:LIST",
                   "CPUs of workers and compute: all for both; the last ones for the compute only; by NUMA node, with "
                   "slots on the compute's node and --in-memory data spread over the workers' nodes or copied to each; "
                   "or the compute on the listed CPUs, such as pin:0-3,8",
                   &O::placement}),

    adding_up(OptionRow{"exclude", kSweep, "CONDITIONS,...",
                        "leave out cells that meet all of these conditions, such as 'loader=serial batch_size>64'; "
                        "may be repeated: each leaves out cells",
                        &O::exclude},
              either_of),
    adding_up(OptionRow{"filter", kSweep, "CONDITIONS,...",
                        "keep only cells that meet all of the conditions that apply to them; may be repeated: cells "
                        "have to meet each",
                        &O::filter},
              one_of_each),
    OptionRow{"part", kSweep, "I/N",
              "run only the I-th of N shares of the cells, from 1, as the tasks of a job array do", &O::part},
    OptionRow{"max-cells", kSweep, "N", "refuse a run with more cells than this", &O::max_cells, nullptr, 1},

    OptionRow{"trials", kTrials, "N", "trials of each cell", &O::trials, nullptr, 1, 1e5},
    OptionRow{"trial-seconds", kTrials, "SECONDS",
              "length of a trial, rounded up to whole batches, or to whole epochs whose last batch is smaller",
              &O::trial_seconds, nullptr, 1e-3, 1e6},
    OptionRow{"trial-batches", kTrials, "N", "length of a trial in batches, in place of seconds", &O::trial_batches,
              nullptr, 1},
    OptionRow{"warm-up-batches", kTrials, "N",
              "batches before the clock of a trial starts; unset: every slot once, the compute's launch queue, and "
              "until the loader has settled",
              &O::warm_up_batches},
    OptionRow{"time-limit", kTrials, kDurationValue,
              "time for the whole run, such as 20m: as many trials as fit; unset: all of them", &O::time_limit, nullptr,
              1e-3, 1e7},
    OptionRow{"until-ci", kTrials, kShareValue,
              "target half-width of the 95 % interval, as a share of the mean, such as 1%: a pilot of --trials trials "
              "(at least 5) of each cell sets how many fresh trials it needs; figures come from the fresh trials; "
              "unset: --trials",
              &O::until_ci, nullptr, 1e-4, 1},
    OptionRow{"max-trials", kTrials, "N", "limit for a cell with --until-ci, pilot included", &O::max_trials, nullptr,
              2, 1e5},
    OptionRow{"first-epoch-seconds", kTrials, "SECONDS", "how long to measure the first epoch; 0: not at all",
              &O::first_epoch_seconds, nullptr, 0, 1e6},
    OptionRow{"ceilings", kTrials, "on|off", "measure the machine's limits in each round", &O::ceilings, on_off_names},

    OptionRow{
        "monitor", kMachine, kDurationValue,
        "sample CPUs, memory, storage, network and GPUs throughout the run, once per period, such as 200ms; unset: off",
        &O::monitor, nullptr, 0.01, kMostMonitorPeriod},
    OptionRow{"counters", kMachine, "",
              "count instructions, cycles, cache and TLB misses, page faults and context switches of each trial",
              &O::counters},

    OptionRow{"au", kVerdict, kShareValue,
              "accelerator utilisation that every configuration must reach, such as 90%; unset: not checked", &O::au,
              nullptr, 1e-6, 1},
    OptionRow{"check-verdict", kVerdict, "", "measure what the verdict predicts, and say how far off it was",
              &O::check_verdict},
    OptionRow{"find", kVerdict, "WHAT",
              "search for the highest compute rate or number of devices that one loader feeds at --au, the fewest "
              "workers that do, or the fastest combination of loader, workers, prefetch and batch size",
              &O::find, find_names},

    OptionRow{"output", kOutput, "FILE", "result file; - for stdout", &O::output},
    OptionRow{"quiet", kOutput, "", "print no progress and no table; only write the result file", &O::quiet},
};

}  // namespace

std::span<const OptionRow> run_options() {
  return kOptionRows;
}

std::string key_of(const OptionRow& row) {
  std::string key(row.name);
  std::ranges::replace(key, '-', '_');
  return key;
}

std::string kernels_in(const RunOptions& options) {
  const auto axis = std::ranges::find(options.axes, "kernels", &Axis::option);
  const std::vector<std::string> asked = axis == options.axes.end() ? std::vector{options.kernels} : axis->values;
  std::vector<std::string> names;
  for (const std::string& one : asked) {
    const std::string_view name = kernels_named(one).name;
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return listed(names);
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

bool makes_sweep(const OptionRow& row) {
  const bool is_about_cells = row.group == kWhat || row.group == kData || row.group == kTransform ||
                              row.group == kSampler || row.group == kPipeline || row.group == kSweep;
  return is_about_cells && row.name != "part" && row.name != "max-cells" && row.name != "stage" &&
         row.name != "rank-timeout";
}

bool is_for_training(const OptionRow& row) {
  return row.group != kSweep && row.group != kTrials && row.group != kMachine && row.group != kVerdict &&
         row.name != "mode" && row.name != "rank-timeout";
}

}  // namespace loadline
