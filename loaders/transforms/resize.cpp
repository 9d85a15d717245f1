#include "loaders/transforms/resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::size_t kRowLineBytes = 64;
constexpr double kOne = 32768;  // a kernel weight of 1

struct Tap {
  std::size_t first = 0;    // pixel of the source
  std::int16_t weight = 0;  // of the pixel after it, in units of 1 / kOne; 0 if there is none
};

// `index`-th of `count` pixels spread over [begin, begin + extent) of a source of `pixels`.
Tap tap_of(std::size_t index, std::size_t count, double begin, double extent, std::size_t pixels) {
  const double scale = extent / static_cast<double>(count);
  const double centre = begin + (static_cast<double>(index) + 0.5) * scale - 0.5;
  const auto last = static_cast<double>(pixels - 1);
  const double position = std::clamp(centre, 0.0, last);
  const double first = std::floor(position);
  const double weight = std::nearbyint((position - first) * kOne);
  // Too close to the next pixel for a weight of 16 bits.
  if (weight >= kOne) return {static_cast<std::size_t>(first) + 1, 0};
  return {static_cast<std::size_t>(first), static_cast<std::int16_t>(weight)};
}

template <typename T>
void grow(std::vector<T>& values, std::size_t count) {
  if (values.size() < count) values.resize(count);
}

}  // namespace

BilinearResize::BilinearResize(ImageSize out, DType dtype, Layout layout, std::vector<Affine> affine,
                               const Kernels& kernels)
    : out_(out),
      dtype_(dtype),
      layout_(layout),
      affine_(std::move(affine)),
      kernels_(kernels),
      padded_width_((out.width + kResizeStep - 1) / kResizeStep * kResizeStep) {
  if (out.pixels() == 0) throw usage_error(fmt::format("resize to {} x {}: no pixels", out.width, out.height));
}

Stores BilinearResize::effective(Stores stores) const {
  const bool interleaves_bytes = layout_ == Layout::kNHWC && dtype_ == DType::kU8;
  const std::size_t together = layout_ == Layout::kNHWC ? 3 : 1;
  const bool whole_lines = together * out_.width * size_bytes(dtype_) % kRowLineBytes == 0;
  return kernels_.has_streaming && whole_lines && !interleaves_bytes ? stores : Stores::kCached;
}

void BilinearResize::apply(const RgbView& in, bool flip, ResizeScratch& scratch, std::byte* out, Stores stores) const {
  const Window all{.height = static_cast<double>(in.size.height), .width = static_cast<double>(in.size.width)};
  apply(in, all, flip, scratch, out, stores);
}

// Rows are blended before columns: source pixels are neighbours there, and the gather, which costs more, happens once
// per output row instead of once for each of the two source rows.
void BilinearResize::apply(const RgbView& in, const Window& window, bool flip, ResizeScratch& scratch, std::byte* out,
                           Stores stores) const {
  prepare(in, window, flip, scratch);
  const KernelLoops& loops = kernels_.loops(effective(stores));
  for (std::size_t y = 0; y < out_.height; ++y) {
    const Tap tap = tap_of(y, out_.height, window.top, window.height, in.size.height);
    const std::uint8_t* upper = in.row(tap.first);
    const std::uint8_t* lower = tap.weight == 0 ? upper : upper + in.row_bytes;
    kernels_.resize.blend_rows(upper, lower, in.size.width, tap.weight, scratch.blended_.data());
    kernels_.resize.sample_columns(scratch.blended_.data(), scratch.first_.data(), scratch.weights_.data(),
                                   padded_width_, scratch.planes_.data(), padded_width_);
    convert_row(scratch.planes_.data(), y, out, loops);
  }
}

// No kernels: 16-bit photographs are rare, and decoding them takes far longer than this.
void BilinearResize::apply(const DeepRgbView& in, const Window& window, bool flip, std::byte* out) const {
  if (dtype_ != DType::kF32) throw usage_error("resize of 16 bits: its output is f32");
  constexpr float kDeepOfAByte = 257;  // 65535 / 255
  auto* const values = reinterpret_cast<float*>(out);
  for (std::size_t y = 0; y < out_.height; ++y) {
    const Tap down = tap_of(y, out_.height, window.top, window.height, in.size.height);
    const std::uint16_t* const upper = in.row(down.first);
    const std::uint16_t* const lower = down.weight == 0 ? upper : in.row(down.first + 1);
    const auto below = static_cast<float>(down.weight / kOne);
    for (std::size_t x = 0; x < out_.width; ++x) {
      const std::size_t column = flip ? out_.width - 1 - x : x;
      const Tap across = tap_of(column, out_.width, window.left, window.width, in.size.width);
      const std::size_t left = 3 * across.first;
      const std::size_t right = across.weight == 0 ? left : left + 3;
      const auto beside = static_cast<float>(across.weight / kOne);
      for (std::size_t c = 0; c < 3; ++c) {
        const auto mix = [&](const std::uint16_t* row) {
          const auto first = static_cast<float>(row[left + c]);
          return first + beside * (static_cast<float>(row[right + c]) - first);
        };
        const float top = mix(upper);
        const float value = top + below * (mix(lower) - top);
        const std::size_t at =
            layout_ == Layout::kNHWC ? 3 * (y * out_.width + x) + c : c * out_.pixels() + y * out_.width + x;
        values[at] = value * (affine_[c].scale / kDeepOfAByte) + affine_[c].bias;
      }
    }
  }
}

void BilinearResize::prepare(const RgbView& in, const Window& window, bool flip, ResizeScratch& scratch) const {
  grow(scratch.first_, padded_width_);
  grow(scratch.weights_, 4 * padded_width_);
  grow(scratch.blended_, 4 * (in.size.width + 1));  // one more pixel, which is read with weight 0
  grow(scratch.planes_, 3 * padded_width_);
  for (std::size_t x = 0; x < padded_width_; ++x) {
    // The padding repeats the last column.
    const std::size_t column = std::min(x, out_.width - 1);
    const Tap tap =
        tap_of(flip ? out_.width - 1 - column : column, out_.width, window.left, window.width, in.size.width);
    scratch.first_[x] = static_cast<std::uint32_t>(tap.first);
    std::fill_n(scratch.weights_.begin() + static_cast<std::ptrdiff_t>(4 * x), 4, tap.weight);
  }
}

void BilinearResize::convert_row(const std::uint8_t* planes, std::size_t row, std::byte* out,
                                 const KernelLoops& loops) const {
  const std::size_t width = out_.width;
  auto* u8 = reinterpret_cast<std::uint8_t*>(out);
  auto* f32 = reinterpret_cast<float*>(out);
  auto* bf16 = reinterpret_cast<std::uint16_t*>(out);
  if (layout_ == Layout::kNHWC) {
    const std::size_t at = 3 * row * width;
    switch (dtype_) {
      case DType::kU8: return loops.interleave_u8(planes, padded_width_, width, u8 + at);
      case DType::kF32: return loops.interleave_f32(planes, padded_width_, width, affine_.data(), f32 + at);
      case DType::kBF16: return loops.interleave_bf16(planes, padded_width_, width, affine_.data(), bf16 + at);
      case DType::kI32: return;  // affine_of() has refused it
    }
  }
  for (std::size_t c = 0; c < 3; ++c) {
    const std::uint8_t* plane = planes + c * padded_width_;
    const std::size_t at = c * out_.pixels() + row * width;
    switch (dtype_) {
      case DType::kU8: loops.copy(plane, width, u8 + at); break;
      case DType::kF32: loops.to_f32(plane, width, affine_[c], f32 + at); break;
      case DType::kBF16: loops.to_bf16(plane, width, affine_[c], bf16 + at); break;
      case DType::kI32: break;
    }
  }
}

}  // namespace loadline
