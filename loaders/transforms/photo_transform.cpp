#include "loaders/transforms/photo_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "loaders/error.h"
#include "loaders/random.h"
#include "loaders/transforms/crop.h"
#include "loaders/transforms/normalisation.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

constexpr std::size_t kChannels = 3;

// Far beyond what anybody trains on, and near enough that no size in bytes overflows.
constexpr std::size_t kLongestSide = 65535;

void check(const PhotoOptions& options) {
  const auto [height, width] = options.size;
  const RandomCropRange& range = options.random_crop;
  if (height > kLongestSide || width > kLongestSide) {
    throw usage_error(fmt::format("image size {} x {}: want at most {} each", width, height, kLongestSide));
  }
  if (!(range.least_area > 0 && range.least_area <= range.most_area && range.most_area <= 1)) {
    throw usage_error(fmt::format("area of a random crop from {} to {}: want 0 < from <= to <= 1", range.least_area,
                                  range.most_area));
  }
  if (!(range.least_ratio > 0 && range.least_ratio <= range.most_ratio && std::isfinite(range.most_ratio))) {
    throw usage_error(
        fmt::format("ratio of a random crop from {} to {}: want 0 < from <= to", range.least_ratio, range.most_ratio));
  }
  if (options.crop == PhotoCrop::kCentre && options.shorter_side < std::max(height, width)) {
    throw usage_error(fmt::format("centre crop of {} x {} from a shorter side of {}: want no more than that", width,
                                  height, options.shorter_side));
  }
}

Window window_of(const Region& region) {
  return {.top = static_cast<double>(region.top),
          .left = static_cast<double>(region.left),
          .height = static_cast<double>(region.height),
          .width = static_cast<double>(region.width)};
}

struct Span {
  std::size_t first = 0;
  std::size_t count = 0;
};

// A rounding remainder from scaling and turning touches no pixel.
constexpr double kNothing = 1e-6;

// The pixels of a row or column that an interval touches, plus `margin` more on either side if they exist.
Span touched(double begin, double extent, std::size_t margin, std::size_t pixels) {
  const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(begin + kNothing)));
  const auto end = static_cast<std::size_t>(std::ceil(begin + extent - kNothing)) + margin;
  const std::size_t from = std::min(first, pixels - 1) - std::min({first, pixels - 1, margin});
  return {from, std::max(std::min(end, pixels), from + 1) - from};
}

Region touched(const Window& window, std::size_t margin, const ImageSize& size) {
  const Span rows = touched(window.top, window.height, margin, size.height);
  const Span columns = touched(window.left, window.width, margin, size.width);
  return {.top = rows.first, .left = columns.first, .height = rows.count, .width = columns.count};
}

Window divided(const Window& window, std::size_t divisor) {
  const auto by = static_cast<double>(divisor);
  return {.top = window.top / by, .left = window.left / by, .height = window.height / by, .width = window.width / by};
}

Window within(const Window& window, const Region& region) {
  return {.top = window.top - static_cast<double>(region.top),
          .left = window.left - static_cast<double>(region.left),
          .height = window.height,
          .width = window.width};
}

}  // namespace

PhotoTransform::PhotoTransform(const PhotoOptions& options, const Kernels& kernels)
    : options_(options),
      resize_(options.size, options.dtype, options.layout,
              affine_of(options.dtype, kChannels, options.mean, options.stddev), kernels) {
  check(options);
  // Loaded before any trial rather than during one. If OpenCV decodes only formats other than JPEG, the first such
  // image loads it.
  if (options.decoder == PhotoDecoder::kOpenCv) OpenCvDecoder::load();
}

void PhotoTransform::apply(PhotoWorker& worker, std::span<const std::byte> encoded, std::uint64_t epoch,
                           SampleIndex index, std::byte* out, Stores stores) const {
  std::optional<InStage> decoding(WorkerStage::kDecode);
  const bool jpeg = looks_like_jpeg(encoded);
  // Whichever library decodes it: OpenCV would show a truncated image as if nothing were wrong.
  const JpegHeader header = jpeg ? worker.jpeg_.open(encoded) : JpegHeader{};
  if (!jpeg || options_.decoder == PhotoDecoder::kOpenCv) {
    const bool deep = options_.dtype == DType::kF32;
    const ImageSize size = deep ? worker.opencv_.open_deep(encoded, options_.turn_upright)
                                : worker.opencv_.open(encoded, options_.turn_upright);
    const Augmentation how = augmentation(size, epoch, index);
    const Region region = touched(how.window, margin(), size);
    if (worker.opencv_.is_deep()) {
      const DeepRgbView pixels = worker.opencv_.decode_deep(region);
      decoding.reset();
      return resize_.apply(pixels, within(how.window, region), how.flip, out);
    }
    const RgbView pixels = worker.opencv_.decode(region);
    decoding.reset();
    return resize_.apply(pixels, within(how.window, region), how.flip, worker.resize_, out, stores);
  }
  const Orientation turn = options_.turn_upright ? header.orientation : Orientation::kUpright;
  const Augmentation how = augmentation(turned(header.size, turn), epoch, index);
  const JpegScale scale = scale_for(how.window);
  const Window stored = divided(stored_window(how.window, header.size, turn), divisor(scale));
  const Region region = touched(stored, margin(), scaled(header.size, scale));
  const RgbView pixels = worker.jpeg_.decode(region, scale);
  decoding.reset();
  const Window window = upright_window(within(stored, region), pixels.size, turn);
  resize_.apply(upright(pixels, turn, worker.turned_), window, how.flip, worker.resize_, out, stores);
}

PhotoTransform::Augmentation PhotoTransform::augmentation(const ImageSize& upright, std::uint64_t epoch,
                                                          SampleIndex index) const {
  Random random(key_of(options_.seed, epoch, index));
  Augmentation how;
  switch (options_.crop) {
    case PhotoCrop::kRandomResized: how.window = window_of(random_crop(upright, options_.random_crop, random)); break;
    case PhotoCrop::kCentre: how.window = centre_crop(upright, options_.shorter_side, options_.size); break;
    case PhotoCrop::kNone: how.window = window_of(whole(upright)); break;
  }
  how.flip = options_.flip && random.below(2) == 1;
  return how;
}

// A centre crop is cut from the resized image, so its edges blend with pixels beyond them. A random crop is cut from
// the image itself.
std::size_t PhotoTransform::margin() const {
  return options_.crop == PhotoCrop::kCentre ? 1 : 0;
}

JpegScale PhotoTransform::scale_for(const Window& window) const {
  if (!options_.allow_scaled_dct) return JpegScale::kFull;
  for (const JpegScale scale : {JpegScale::kEighth, JpegScale::kQuarter, JpegScale::kHalf}) {
    const auto by = static_cast<double>(divisor(scale));
    if (window.height >= by * static_cast<double>(options_.size.height) &&
        window.width >= by * static_cast<double>(options_.size.width)) {
      return scale;
    }
  }
  return JpegScale::kFull;
}

}  // namespace loadline
