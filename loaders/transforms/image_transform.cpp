#include "loaders/transforms/image_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "loaders/error.h"
#include "loaders/random.h"
#include "loaders/transforms/normalisation.h"

namespace loadline {
namespace {

// Augmented rows are staged on the stack of the assembling thread: small enough to stay in its first-level cache
// until they are converted.
constexpr std::size_t kStageBytes = 16384;

void check(const ImageShape& stored, const TransformOptions& options) {
  if (stored.channels != 1 && stored.channels != 3) {
    throw usage_error(fmt::format("images of {} channels: want 1 or 3", stored.channels));
  }
  const bool augments = options.crop_padding > 0 || options.flip;
  if (augments && stored.channels * stored.width > kStageBytes) {
    throw usage_error(
        fmt::format("crop and flip: rows of {} bytes are wider than {}", stored.channels * stored.width, kStageBytes));
  }
  if (options.crop_padding > std::min(stored.height, stored.width)) {
    throw usage_error(fmt::format("crop padding {}: more than the {} x {} image itself", options.crop_padding,
                                  stored.height, stored.width));
  }
}

}  // namespace

ImageTransform::ImageTransform(const ImageShape& stored, const TransformOptions& options, const Kernels& kernels)
    : shape_(stored),
      options_(options),
      kernels_(kernels),
      affine_(affine_of(options.dtype, stored.channels, options.mean, options.stddev)) {
  check(stored, options);
}

Stores ImageTransform::effective(Stores stores) const {
  const bool interleaves_bytes =
      options_.layout == Layout::kNHWC && shape_.channels == 3 && options_.dtype == DType::kU8;
  const bool whole_lines = sample_bytes() % 64 == 0 && shape_.pixels() * size_bytes(options_.dtype) % 64 == 0;
  return kernels_.has_streaming && whole_lines && !interleaves_bytes ? stores : Stores::kCached;
}

void ImageTransform::apply(const std::byte* stored, std::uint64_t epoch, SampleIndex index, std::byte* out,
                           Stores stores) const {
  const auto* image = reinterpret_cast<const std::uint8_t*>(stored);
  if (options_.crop_padding == 0 && !options_.flip) {
    return convert_rows(image, shape_.pixels(), 0, shape_.height, out, stores);
  }
  const Augmentation how = augmentation(epoch, index);
  // Bytes in the stored order need no conversion, and so no stage.
  const bool as_stored = options_.dtype == DType::kU8 && (shape_.channels == 1 || options_.layout == Layout::kNCHW);
  if (as_stored && stores == Stores::kCached) {
    for (std::size_t c = 0; c < shape_.channels; ++c) {
      const std::size_t at = c * shape_.pixels();
      augment_plane(image + at, how, 0, shape_.height, reinterpret_cast<std::uint8_t*>(out) + at);
    }
    return;
  }
  alignas(64) std::array<std::uint8_t, kStageBytes> stage;
  const std::size_t band = std::min(shape_.height, kStageBytes / (shape_.channels * shape_.width));
  for (std::size_t first = 0; first < shape_.height; first += band) {
    const std::size_t rows = std::min(band, shape_.height - first);
    for (std::size_t c = 0; c < shape_.channels; ++c) {
      augment_plane(image + c * shape_.pixels(), how, first, rows, stage.data() + c * rows * shape_.width);
    }
    convert_rows(stage.data(), rows * shape_.width, first, rows, out, stores);
  }
}

ImageTransform::Augmentation ImageTransform::augmentation(std::uint64_t epoch, SampleIndex index) const {
  Random random(key_of(options_.seed, epoch, index));
  Augmentation how;
  const auto padding = static_cast<std::ptrdiff_t>(options_.crop_padding);
  if (padding > 0) {
    const auto offsets = static_cast<std::uint32_t>(2 * padding + 1);
    how.down = static_cast<std::ptrdiff_t>(random.below(offsets)) - padding;
    how.right = static_cast<std::ptrdiff_t>(random.below(offsets)) - padding;
  }
  how.flip = options_.flip && random.below(2) == 1;
  return how;
}

void ImageTransform::augment_plane(const std::uint8_t* plane, const Augmentation& how, std::size_t first_row,
                                   std::size_t rows, std::uint8_t* out) const {
  const auto count = static_cast<std::ptrdiff_t>(rows);
  const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(first_row) + how.down;
  const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(-from, 0, count);
  const std::ptrdiff_t end =
      std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(shape_.height) - from, begin, count);
  const auto width = static_cast<std::ptrdiff_t>(shape_.width);
  std::memset(out, 0, static_cast<std::size_t>(begin * width));
  if (end > begin) {
    kernels_.move_rows(plane + (from + begin) * width, static_cast<std::size_t>(end - begin), shape_.width, how.right,
                       how.flip, out + begin * width);
  }
  std::memset(out + end * width, 0, static_cast<std::size_t>((count - end) * width));
}

void ImageTransform::convert_rows(const std::uint8_t* in, std::size_t plane_stride, std::size_t first_row,
                                  std::size_t rows, std::byte* out, Stores stores) const {
  const KernelLoops& loops = kernels_.loops(stores);
  const std::size_t count = rows * shape_.width;
  auto* u8 = reinterpret_cast<std::uint8_t*>(out);
  auto* f32 = reinterpret_cast<float*>(out);
  auto* bf16 = reinterpret_cast<std::uint16_t*>(out);
  if (options_.layout == Layout::kNHWC && shape_.channels == 3) {
    const std::size_t at = 3 * first_row * shape_.width;
    switch (options_.dtype) {
      case DType::kU8: return loops.interleave_u8(in, plane_stride, count, u8 + at);
      case DType::kF32: return loops.interleave_f32(in, plane_stride, count, affine_.data(), f32 + at);
      case DType::kBF16: return loops.interleave_bf16(in, plane_stride, count, affine_.data(), bf16 + at);
      case DType::kI32: return;  // affine_of() has refused it
    }
  }
  for (std::size_t c = 0; c < shape_.channels; ++c) {
    const std::uint8_t* plane = in + c * plane_stride;
    const std::size_t at = c * shape_.pixels() + first_row * shape_.width;
    switch (options_.dtype) {
      case DType::kU8: loops.copy(plane, count, u8 + at); break;
      case DType::kF32: loops.to_f32(plane, count, affine_[c], f32 + at); break;
      case DType::kBF16: loops.to_bf16(plane, count, affine_[c], bf16 + at); break;
      case DType::kI32: break;
    }
  }
}

}  // namespace loadline
