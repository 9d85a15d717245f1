#include "harness/measure/assemblers.h"

#include <fmt/format.h>

#include <string_view>

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

}  // namespace

// Dataset and workload do not fit each other, so the message names both.
std::unique_ptr<Assembler> make_assembler(const Cell& cell, const Dataset& dataset) {
  try {
    if (const auto* tokens = dataset.as_tokens()) return make_token_assembler(cell, *tokens);
    if (const auto* text = dataset.as_text()) return make_text_assembler(cell, *text);
    if (cell.dataset.sequence_length > 0) throw usage_error("it holds neither tokens nor text");
    if (dataset.info().encoded) {
      if (cell.transform.crop_padding != 0) {
        throw usage_error("--crop-padding: it applies to images of one size; photographs have --crop");
      }
      return std::make_unique<PhotoAssembler>(dataset, PhotoTransform(cell.photo, kernels_named(cell.kernels)),
                                              cell.on_corrupt);
    }
    if (const auto* volume = dataset.as_volume()) return make_volume_assembler(cell, *volume);
    return std::make_unique<ImageAssembler>(
        dataset, ImageTransform(dataset.info().shape, cell.transform, kernels_named(cell.kernels)));
  } catch (const Error& error) {
    const bool other = dataset.info().encoded && cell.workload != "photos";
    throw Error(fmt::format("cannot use {} for workload {}: {}{}", cell.data.string(), cell.workload, error.what(),
                            other ? "; for photographs, use --workload photos" : ""),
                error.kind());
  }
}

}  // namespace loadline
