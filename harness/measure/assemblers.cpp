#include "harness/measure/assemblers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/plan/command.h"
#include "harness/plan/data_kinds.h"
#include "harness/plan/workloads.h"
#include "loaders/error.h"
#include "loaders/transforms/kernels.h"

namespace loadline {
namespace {

void refuse_image_options(const Cell& cell, std::string_view samples) {
  const std::string_view unheeded = cell.transform.crop_padding != 0                                  ? "--crop-padding"
                                    : cell.transform.flip                                             ? "--flip on"
                                    : cell.transform.layout != Layout::kNCHW                          ? "--layout nhwc"
                                    : !(cell.transform.mean.empty() && cell.transform.stddev.empty()) ? "--mean, --std"
                                                                                                      : "";
  if (!unheeded.empty()) throw usage_error(fmt::format("{}: it applies to images, not to {}", unheeded, samples));
}

std::unique_ptr<Assembler> make_token_assembler(const Cell& cell, const TokenDataset& dataset) {
  if (cell.dataset.sequence_length == 0) throw usage_error("it holds tokens; use --workload tokens");
  refuse_image_options(cell, "sequences of tokens");
  if (cell.transform.dtype != DType::kI32) {
    throw usage_error(fmt::format("--dtype {}: tokens are i32 in a batch", name(cell.transform.dtype)));
  }
  return std::make_unique<TokenAssembler>(dataset, cell.sampler.seed);
}

std::unique_ptr<Assembler> make_text_assembler(const Cell& cell, const TextDataset& dataset) {
  if (cell.dataset.sequence_length == 0) throw usage_error("it holds text; use --workload text");
  refuse_image_options(cell, "text");
  if (cell.transform.dtype != DType::kI32) {
    throw usage_error(fmt::format("--dtype {}: tokens are i32 in a batch", name(cell.transform.dtype)));
  }
  return std::make_unique<TextAssembler>(dataset, cell.on_corrupt);
}

std::unique_ptr<Assembler> make_volume_assembler(const Cell& cell, const VolumeDataset& dataset) {
  refuse_image_options(cell, "crops of a volume");
  return std::make_unique<VolumeAssembler>(dataset, VolumeTransform(cell.volume, kernels_named(cell.kernels)));
}

// The cell's workload; null if the table does not have it.
const Workload* own_workload(const Cell& cell) {
  const auto own = std::ranges::find(workloads(), cell.workload, &Workload::name);
  return own == workloads().end() ? nullptr : &*own;
}

// "; use --workload fashion-mnist or mnist": those with as many channels and classes; without such workloads, the first
// with as many channels and more classes. Empty if there is none.
std::string workloads_for(const DatasetInfo& info) {
  std::vector<std::string_view> equal;
  std::vector<std::string_view> larger;
  for (const Workload& workload : workloads()) {
    if (workload.mean.size() != info.shape.channels || workload.classes < info.classes) continue;
    (workload.classes == info.classes ? equal : larger).push_back(workload.name);
  }
  if (!equal.empty()) return fmt::format("; use --workload {}", fmt::join(equal, " or "));
  return larger.empty() ? "" : fmt::format("; use --workload {}", larger.front());
}

// Pixels keep the size and the channels of each image.
std::string storing_advice(const Cell& cell) {
  return fmt::format("or store their pixels: loadline data convert {} DST.h5 --decode",
                     shell_quoted(cell.data.string()));
}

// What is wrong if the images do not have the channels that the workload's own mean and std are for; empty if nothing
// is, or if the transform refuses that many channels anyway.
std::string channels_fault(const Cell& cell, const DatasetInfo& info) {
  const std::size_t channels = info.shape.channels;
  const Workload* own = own_workload(cell);
  const std::vector<double>& mean = info.encoded ? cell.photo.mean : cell.transform.mean;
  if (own == nullptr || mean.empty() || mean != own->mean || mean.size() == channels) return "";
  if (channels != 1 && channels != 3) return "";
  if (info.encoded) {
    return fmt::format(
        "{} normalises {}, but encoded images have {} in a batch, grey ones too; give --image-size PIXELS with --mean "
        "and --std for {} or --normalise off, {}",
        own->name, plural(mean.size(), "channel"), channels, plural(channels, "channel"), storing_advice(cell));
  }
  std::string advice = workloads_for(info);
  if (advice.empty()) {
    advice = fmt::format("; give --mean and --std for {}, or --normalise off", plural(channels, "channel"));
  }
  return fmt::format("{} normalises {}, but these images have {}{}", own->name, plural(mean.size(), "channel"),
                     channels, advice);
}

// What is wrong if the images say that they have the classes of another workload, and fewer than the cell's; empty if
// nothing is. Images of other numbers of classes have no workload of their own.
std::string classes_fault(const Cell& cell, const DatasetInfo& info) {
  const Workload* own = own_workload(cell);
  if (own == nullptr || own->photographs || !info.classes_stated || info.classes >= own->classes) return "";
  const bool has_its_own = std::ranges::any_of(workloads(), [&](const Workload& workload) {
    return workload.mean.size() == info.shape.channels && workload.classes == info.classes;
  });
  if (!has_its_own) return "";
  return fmt::format("it has {} classes, not {}{}", info.classes, own->classes, workloads_for(info));
}

// Before the other ways out, because it is the likeliest.
std::string hint_of(const Cell& cell, const Dataset& dataset) {
  if (!dataset.info().encoded || cell.transform.crop_padding != 0) return "";  // padding_fault() says what to use
  const Workload* own = own_workload(cell);
  if (own != nullptr && own->photographs) return "";
  const auto of_photographs = std::ranges::find_if(workloads(), &Workload::photographs);
  return fmt::format(" (for photographs, use --workload {})", of_photographs->name);
}

// The padding is often the workload's own, so the message says how to go without it.
std::string padding_fault(const Cell& cell) {
  const std::string fault =
      fmt::format("--crop-padding {} pads pixels, but these images are encoded", cell.transform.crop_padding);
  const Workload* own = own_workload(cell);
  if (own != nullptr && own->photographs) return fmt::format("{}; use --crop", fault);
  return fmt::format("{}; use --crop-padding 0 --image-size PIXELS, {}", fault, storing_advice(cell));
}

// What is wrong with data of this kind for a workload of the table; empty if nothing is.
std::string kind_fault(const Cell& cell, const DatasetInfo& info) {
  const Workload* own = own_workload(cell);
  if (own == nullptr || kinds_of(info) == kOutsideData) return "";
  if (info.volume && !own->volumes) {
    const auto of_volumes = std::ranges::find_if(workloads(), &Workload::volumes);
    return fmt::format("it holds volumes; use --workload {}", of_volumes->name);
  }
  if (!info.labelled() || !own->volumes) return "";
  return fmt::format("it holds images, not volumes{}", info.encoded ? "" : workloads_for(info));
}

// What is wrong with data whose format belongs to another workload of images; empty if nothing is. Images in other
// formats may be measured with any such workload, unless they say that they have the classes of another one.
std::string format_fault(const Cell& cell, const DatasetInfo& info) {
  const Workload* own = own_workload(cell);
  const auto of_format = std::ranges::find(workloads(), info.format, &Workload::name);
  if (own == nullptr || of_format == workloads().end() || own == &*of_format || !info.labelled()) return "";
  return fmt::format("its format is {0}; use --workload {0}", info.format);
}

// Dataset and workload do not fit each other, so the message names both.
Error misfit(const Cell& cell, const Dataset& dataset, const std::string& why, Error::Kind kind) {
  return Error(fmt::format("cannot use {} for workload {}{}: {}", cell.data.string(), cell.workload,
                           hint_of(cell, dataset), why),
               kind);
}

}  // namespace

void check_kind(const Cell& cell, const Dataset& dataset) {
  const std::string why = kind_fault(cell, dataset.info());
  if (!why.empty()) throw misfit(cell, dataset, why, Error::Kind::kUsage);
  const std::string format = format_fault(cell, dataset.info());
  if (format.empty()) return;
  throw usage_error(fmt::format("cannot use {} for workload {}: {}", cell.data.string(), cell.workload, format));
}

std::unique_ptr<Assembler> make_assembler(const Cell& cell, const Dataset& dataset) {
  check_kind(cell, dataset);
  try {
    if (const auto* tokens = dataset.as_tokens()) return make_token_assembler(cell, *tokens);
    if (const auto* text = dataset.as_text()) return make_text_assembler(cell, *text);
    if (cell.dataset.sequence_length > 0) throw usage_error("it holds neither tokens nor text");
    if (dataset.info().encoded) {
      if (cell.transform.crop_padding != 0) {
        throw usage_error(padding_fault(cell));
      }
      if (const std::string fault = channels_fault(cell, dataset.info()); !fault.empty()) throw usage_error(fault);
      return std::make_unique<PhotoAssembler>(dataset, PhotoTransform(cell.photo, kernels_named(cell.kernels)),
                                              cell.on_corrupt);
    }
    if (const auto* volume = dataset.as_volume()) return make_volume_assembler(cell, *volume);
    if (const std::string fault = channels_fault(cell, dataset.info()); !fault.empty()) throw usage_error(fault);
    if (const std::string fault = classes_fault(cell, dataset.info()); !fault.empty()) throw usage_error(fault);
    return std::make_unique<ImageAssembler>(
        dataset, ImageTransform(dataset.info().shape, cell.transform, kernels_named(cell.kernels),
                                dataset.info().stored_layout()));
  } catch (const Error& error) {
    throw misfit(cell, dataset, error.what(), error.kind());
  }
}

}  // namespace loadline
