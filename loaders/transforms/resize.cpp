#include "loaders/transforms/resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::size_t kRowLineBytes = 64;
constexpr double kOne = 65536;  // of a Tap's weight
constexpr std::size_t kPixelValues = 3;

// Pixels of the output spread over a stretch of the source's rows or columns.
class Taps {
 public:
  Taps(std::size_t count, double begin, double extent, std::size_t pixels)
      : begin_(begin - 0.5), scale_(extent / static_cast<double>(count)), last_(static_cast<double>(pixels - 1)) {}

  Tap operator[](std::size_t index) const {
    const double centre = begin_ + (static_cast<double>(index) + 0.5) * scale_;
    const double position = std::clamp(centre, 0.0, last_);
    const auto first = static_cast<std::uint32_t>(position);
    // Twice as much and one, halved: rounded without a call of the library's, of which a sample would take hundreds.
    const auto weight = static_cast<std::uint32_t>((position - static_cast<double>(first)) * (2 * kOne) + 1) / 2;
    // Too close to the next pixel for a weight of 16 bits.
    if (weight >= 65536) return {first + 1, 0};
    return {first, static_cast<std::uint16_t>(weight)};
  }

 private:
  double begin_;
  double scale_;
  double last_;
};

// Rows of the output that are made together, and the rows of the source that they can look at. All of these stay in the
// first-level cache between the steps.
constexpr std::size_t kStripRows = 4;
constexpr std::size_t kMostSources = 2 * kStripRows;

// Which rows of the source have been sampled, and where: each is sampled once, when the first row of the output looks
// at it. Rows of the output look at ascending ones, two at a time, so that only the latest two are wanted again.
class SampledRows {
 public:
  // `memory` is for kSlots rows of so many lines.
  SampledRows(const RgbView& in, SampledLine* memory, std::size_t lines) : in_(in), memory_(memory), lines_(lines) {}

  static constexpr std::size_t kSlots = kMostSources + 2;

  // Where row `y` of the source will be after the next sample().
  const std::uint16_t* want(std::size_t y) {
    if (y == latest_) return slot(taken_ - 1);
    if (y == before_) return slot(taken_ - 2);
    before_ = latest_;
    latest_ = y;
    sources_[count_] = in_.row(y);
    targets_[count_] = slot(taken_++);
    return targets_[count_++];
  }

  void sample(const ResizeLoops& loops, const PlanLine* plan) {
    loops.sample_columns(plan, sources_.data(), count_, targets_.data());
    count_ = 0;
  }

 private:
  std::uint16_t* slot(std::size_t number) const { return memory_[number % kSlots * lines_].values; }

  const RgbView& in_;
  SampledLine* memory_;
  std::size_t lines_;
  std::array<const std::uint8_t*, kMostSources> sources_{};
  std::array<std::uint16_t*, kMostSources> targets_{};
  std::size_t count_ = 0;          // of these: wanted and not sampled
  std::size_t taken_ = 0;          // slots, since the beginning
  std::size_t latest_ = SIZE_MAX;  // row in the last of them
  std::size_t before_ = SIZE_MAX;  // row in the one before
};

constexpr std::size_t sampled_lines(std::size_t columns) {
  return (kPixelValues * columns + kSampledSlack + 31) / 32;
}

template <typename T>
void grow(std::vector<T>& values, std::size_t count) {
  if (values.size() < count) values.resize(count);
}

}  // namespace

BilinearResize::BilinearResize(ImageSize out, DType dtype, Layout layout, std::vector<Affine> affine,
                               const Kernels& kernels)
    : out_(out), dtype_(dtype), layout_(layout), affine_(std::move(affine)), kernels_(kernels) {
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

// Columns are sampled before rows are blended: a row of the source is sampled once at most, and what is blended is as
// narrow as the output.
void BilinearResize::apply(const RgbView& in, const Window& window, bool flip, ResizeScratch& scratch, std::byte* out,
                           Stores stores) const {
  prepare(in, window, flip, scratch);
  const KernelLoops& loops = kernels_.loops(effective(stores));
  const Taps rows(out_.height, window.top, window.height, in.size.height);
  const std::size_t values = kPixelValues * out_.width;
  SampledRows sampled(in, scratch.sampled_.data(), sampled_lines(out_.width));
  struct Blend {
    const std::uint16_t* first = nullptr;
    const std::uint16_t* next = nullptr;
    std::uint16_t next_weight = 0;
  };
  std::array<Blend, kStripRows> strip;
  const bool in_place = dtype_ == DType::kU8 && layout_ == Layout::kNHWC;
  for (std::size_t y = 0; y < out_.height; y += kStripRows) {
    const std::size_t count = std::min(kStripRows, out_.height - y);
    for (std::size_t i = 0; i < count; ++i) {
      const Tap tap = rows[y + i];
      strip[i].first = strip[i].next = sampled.want(tap.first);
      if (tap.next_weight != 0) strip[i].next = sampled.want(tap.first + 1);
      strip[i].next_weight = tap.next_weight;
    }
    sampled.sample(kernels_.resize, scratch.plan_.data());
    for (std::size_t i = 0; i < count; ++i) {
      const Blend& row = strip[i];
      std::uint8_t* pixels =
          in_place ? reinterpret_cast<std::uint8_t*>(out) + (y + i) * values : scratch.pixels_.data();
      kernels_.resize.blend_rows(row.first, row.next, row.next_weight, values, pixels);
      // Row by row: stores of a row go to the second-level cache while the next one is blended, those of many rows fill
      // the queue.
      if (!in_place) convert_row(pixels, y + i, out, loops);
    }
  }
}

// No kernels: 16-bit photographs are rare, and decoding them takes far longer than this.
void BilinearResize::apply(const DeepRgbView& in, const Window& window, bool flip, std::byte* out) const {
  if (dtype_ != DType::kF32) throw usage_error("resize of 16 bits: its output is f32");
  constexpr float kDeepOfAByte = 257;  // 65535 / 255
  auto* const values = reinterpret_cast<float*>(out);
  const Taps rows(out_.height, window.top, window.height, in.size.height);
  const Taps columns(out_.width, window.left, window.width, in.size.width);
  for (std::size_t y = 0; y < out_.height; ++y) {
    const Tap down = rows[y];
    const std::uint16_t* const upper = in.row(down.first);
    const std::uint16_t* const lower = down.next_weight == 0 ? upper : in.row(down.first + 1);
    const auto below = static_cast<float>(down.next_weight / kOne);
    for (std::size_t x = 0; x < out_.width; ++x) {
      const Tap across = columns[flip ? out_.width - 1 - x : x];
      const std::size_t left = kPixelValues * std::size_t{across.first};
      const std::size_t right = across.next_weight == 0 ? left : left + kPixelValues;
      const auto beside = static_cast<float>(across.next_weight / kOne);
      for (std::size_t c = 0; c < kPixelValues; ++c) {
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
  grow(scratch.columns_, out_.width);
  grow(scratch.plan_, plan_lines(out_.width));
  grow(scratch.sampled_, SampledRows::kSlots * sampled_lines(out_.width));
  grow(scratch.pixels_, kPixelValues * out_.width);
  const Taps columns(out_.width, window.left, window.width, in.size.width);
  for (std::size_t x = 0; x < out_.width; ++x) scratch.columns_[x] = columns[flip ? out_.width - 1 - x : x];
  kernels_.resize.plan_columns(scratch.columns_.data(), out_.width, in.size.width, scratch.plan_.data());
}

void BilinearResize::convert_row(const std::uint8_t* pixels, std::size_t row, std::byte* out,
                                 const KernelLoops& loops) const {
  const bool interleaved = layout_ == Layout::kNHWC;
  const std::size_t at = (interleaved ? kPixelValues : 1) * row * out_.width;
  const std::size_t plane = out_.pixels();
  const Affine* affine = affine_.data();
  auto* u8 = reinterpret_cast<std::uint8_t*>(out) + at;
  auto* f32 = reinterpret_cast<float*>(out) + at;
  auto* bf16 = reinterpret_cast<std::uint16_t*>(out) + at;
  switch (dtype_) {
    case DType::kU8: return loops.split_u8(pixels, out_.width, u8, plane);
    case DType::kF32:
      return interleaved ? loops.pixels_f32(pixels, out_.width, affine, f32)
                         : loops.split_f32(pixels, out_.width, affine, f32, plane);
    case DType::kBF16:
      return interleaved ? loops.pixels_bf16(pixels, out_.width, affine, bf16)
                         : loops.split_bf16(pixels, out_.width, affine, bf16, plane);
    case DType::kI32: return;  // which affine_of() refused
  }
}

}  // namespace loadline
