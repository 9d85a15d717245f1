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

const ImageShape& checked(const ImageShape& stored, const TransformOptions& options) {
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
  return stored;
}

}  // namespace

ImageTransform::ImageTransform(const ImageShape& stored, const TransformOptions& options, const Kernels& kernels,
                               Layout stored_layout)
    : shape_(checked(stored, options)),
      stored_layout_(stored.channels == 1 ? Layout::kNCHW : stored_layout),
      options_(options),
      kernels_(kernels),
      affine_(affine_of(options.dtype, stored.channels, options.mean, options.stddev)) {}

Stores ImageTransform::effective(Stores stores) const {
  const bool interleaves_bytes =
      options_.layout == Layout::kNHWC && !stored_as_pixels() && shape_.channels == 3 && options_.dtype == DType::kU8;
  const bool whole_lines = sample_bytes() % 64 == 0 && shape_.pixels() * size_bytes(options_.dtype) % 64 == 0;
  return kernels_.has_streaming && whole_lines && !interleaves_bytes ? stores : Stores::kCached;
}

void ImageTransform::apply(const std::byte* stored, std::uint64_t epoch, SampleIndex index, std::byte* out,
                           Stores stores) const {
  const auto* image = reinterpret_cast<const std::uint8_t*>(stored);
  const Band whole{.rows = shape_.height};
  if (options_.crop_padding == 0 && !options_.flip) return convert(image, shape_.pixels(), whole, out, stores);
  const Augmentation how = augmentation(epoch, index);
  // Bytes in the stored order need no conversion, and so no stage.
  const bool as_stored = options_.dtype == DType::kU8 && (shape_.channels == 1 || options_.layout == stored_layout_);
  if (as_stored && stores == Stores::kCached) return augment(image, how, whole, reinterpret_cast<std::uint8_t*>(out));
  alignas(64) std::array<std::uint8_t, kStageBytes> stage;
  const std::size_t most = std::min(shape_.height, kStageBytes / (shape_.channels * shape_.width));
  for (std::size_t first = 0; first < shape_.height; first += most) {
    const Band band{.first = first, .rows = std::min(most, shape_.height - first)};
    augment(image, how, band, stage.data());
    convert(stage.data(), band.rows * shape_.width, band, out, stores);
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

void ImageTransform::augment(const std::uint8_t* image, const Augmentation& how, const Band& band,
                             std::uint8_t* out) const {
  const std::size_t width = shape_.width;
  if (stored_as_pixels()) {
    return augment_rows(image, how, band, kernels_.rows.move_pixels, shape_.channels * width, out);
  }
  for (std::size_t c = 0; c < shape_.channels; ++c) {
    augment_rows(image + c * shape_.pixels(), how, band, kernels_.rows.move, width, out + c * band.rows * width);
  }
}

void ImageTransform::augment_rows(const std::uint8_t* in, const Augmentation& how, const Band& band, MoveRows* move,
                                  std::size_t row_bytes, std::uint8_t* out) const {
  const auto count = static_cast<std::ptrdiff_t>(band.rows);
  const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(band.first) + how.down;
  const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(-from, 0, count);
  const std::ptrdiff_t end =
      std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(shape_.height) - from, begin, count);
  const auto row = static_cast<std::ptrdiff_t>(row_bytes);
  std::memset(out, 0, static_cast<std::size_t>(begin * row));
  if (end > begin) {
    move(in + (from + begin) * row, static_cast<std::size_t>(end - begin), shape_.width, how.right, how.flip,
         out + begin * row);
  }
  std::memset(out + end * row, 0, static_cast<std::size_t>((count - end) * row));
}

void ImageTransform::convert(const std::uint8_t* in, std::size_t plane_stride, const Band& band, std::byte* out,
                             Stores stores) const {
  stored_as_pixels() ? convert_pixels(in, band, out, stores) : convert_planes(in, plane_stride, band, out, stores);
}

void ImageTransform::convert_planes(const std::uint8_t* in, std::size_t plane_stride, const Band& band, std::byte* out,
                                    Stores stores) const {
  const KernelLoops& loops = kernels_.loops(stores);
  const std::size_t first = band.first * shape_.width;  // pixel
  const std::size_t count = band.rows * shape_.width;
  auto* u8 = reinterpret_cast<std::uint8_t*>(out);
  auto* f32 = reinterpret_cast<float*>(out);
  auto* bf16 = reinterpret_cast<std::uint16_t*>(out);
  if (options_.layout == Layout::kNHWC && shape_.channels == 3) {
    const std::size_t at = 3 * first;
    switch (options_.dtype) {
      case DType::kU8: return loops.interleave_u8(in, plane_stride, count, u8 + at);
      case DType::kF32: return loops.interleave_f32(in, plane_stride, count, affine_.data(), f32 + at);
      case DType::kBF16: return loops.interleave_bf16(in, plane_stride, count, affine_.data(), bf16 + at);
      case DType::kI32: return;  // affine_of() has refused it
    }
  }
  for (std::size_t c = 0; c < shape_.channels; ++c) {
    const std::uint8_t* plane = in + c * plane_stride;
    const std::size_t at = c * shape_.pixels() + first;
    switch (options_.dtype) {
      case DType::kU8: loops.copy(plane, count, u8 + at); break;
      case DType::kF32: loops.to_f32(plane, count, affine_[c], f32 + at); break;
      case DType::kBF16: loops.to_bf16(plane, count, affine_[c], bf16 + at); break;
      case DType::kI32: break;
    }
  }
}

void ImageTransform::convert_pixels(const std::uint8_t* in, const Band& band, std::byte* out, Stores stores) const {
  const KernelLoops& loops = kernels_.loops(stores);
  const bool stay = options_.layout == Layout::kNHWC;
  const std::size_t count = band.rows * shape_.width;
  const std::size_t at = (stay ? 3 : 1) * band.first * shape_.width;
  const std::size_t plane = shape_.pixels();
  auto* u8 = reinterpret_cast<std::uint8_t*>(out);
  auto* f32 = reinterpret_cast<float*>(out);
  auto* bf16 = reinterpret_cast<std::uint16_t*>(out);
  const Affine* affine = affine_.data();
  switch (options_.dtype) {
    case DType::kU8: return stay ? loops.copy(in, 3 * count, u8 + at) : loops.split_u8(in, count, u8 + at, plane);
    case DType::kF32:
      return stay ? loops.pixels_f32(in, count, affine, f32 + at) : loops.split_f32(in, count, affine, f32 + at, plane);
    case DType::kBF16:
      return stay ? loops.pixels_bf16(in, count, affine, bf16 + at)
                  : loops.split_bf16(in, count, affine, bf16 + at, plane);
    case DType::kI32: return;
  }
}

}  // namespace loadline
