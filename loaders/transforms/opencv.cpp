#include "loaders/transforms/opencv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "loaders/error.h"
#include "loaders/storage/inflate.h"
#include "loaders/system/module.h"
#include "loaders/transforms/opencv_module.h"

namespace loadline {

// Null if the program was not linked with the module's code.
extern "C" [[gnu::weak]] const OpenCvFunctions* loadline_opencv_functions();

namespace {

const OpenCvFunctions& opencv() {
  static const OpenCvFunctions& functions = []() -> const OpenCvFunctions& {
    const auto get = loadline_opencv_functions != nullptr
                         ? &loadline_opencv_functions
                         : reinterpret_cast<decltype(&loadline_opencv_functions)>(load_module(
                               "loadline_opencv.so", "loadline_opencv_functions", "decodes images other than JPEG"));
    const OpenCvFunctions& found = *get();
    if (found.version != OpenCvFunctions::kVersion) {
      throw Error(fmt::format("cannot use loadline_opencv.so: it has version {} of its interface, want {}",
                              found.version, OpenCvFunctions::kVersion));
    }
    return found;
  }();
  return functions;
}

std::size_t big_endian_at(std::span<const std::byte> bytes, std::size_t at) {
  std::size_t value = 0;
  for (const std::byte byte : bytes.subspan(at, 4)) value = value << 8U | std::to_integer<std::size_t>(byte);
  return value;
}

bool looks_like_png(std::span<const std::byte> encoded) {
  constexpr std::array kMagic{std::byte{0x89}, std::byte{'P'}, std::byte{'N'}, std::byte{'G'}};
  return encoded.size() >= kMagic.size() && std::ranges::equal(encoded.first(kMagic.size()), kMagic);
}

// OpenCV allocates all pixels that a header claims before it looks for them.
void refuse_impossible_png(std::span<const std::byte> encoded) {
  constexpr std::size_t kWidth = 16;  // in the header that begins every PNG; height and depth follow
  constexpr std::size_t kMostPixels = std::size_t{1} << 28U;
  constexpr std::size_t kMostPixelsAPngByte = 8 * kMostInflation;  // pixels of one bit
  if (encoded.size() < kWidth + 8) return;
  const std::size_t width = big_endian_at(encoded, kWidth);
  const std::size_t height = big_endian_at(encoded, kWidth + 4);
  if (width * height <= std::min(kMostPixels, kMostPixelsAPngByte * encoded.size())) return;
  throw Error(fmt::format(
      "cannot decode PNG: its header claims {} x {} pixels, more than its {} bytes can hold, or more than {}", width,
      height, encoded.size(), kMostPixels));
}

// libpng would refuse it too, but inside OpenCV it prints why to stderr. Damage to chunks that the pixels do not need
// is left to libpng, which ignores it.
void refuse_damaged_png(std::span<const std::byte> encoded) {
  constexpr std::size_t kSignature = 8;
  constexpr std::size_t kAround = 12;  // length and type before the contents of a chunk, and their checksum after them
  constexpr std::array kEnd{std::byte{'I'}, std::byte{'E'}, std::byte{'N'}, std::byte{'D'}};
  for (std::size_t at = kSignature;;) {
    const std::size_t left = encoded.size() - std::min(at, encoded.size());
    const std::size_t length = left < kAround ? 0 : big_endian_at(encoded, at);
    if (left < kAround || length > left - kAround) throw Error("cannot decode PNG: it is cut short");
    const auto checked = encoded.subspan(at + 4, 4 + length);               // its type and contents
    const bool is_needed = (checked[0] & std::byte{0x20}) == std::byte{0};  // a capital letter
    if (is_needed && crc32_of(checked) != big_endian_at(encoded, at + 8 + length)) {
      throw Error(fmt::format("cannot decode PNG: the checksum of its chunk at byte {} is wrong (corrupt)", at));
    }
    if (std::ranges::equal(checked.first(kEnd.size()), kEnd)) return;
    at += kAround + length;
  }
}

void check_region(const ImageSize& size, const Region& region) {
  if (contains(size, region)) return;
  throw usage_error(fmt::format("OpenCV: region {} x {} at ({}, {}) of an image of {} x {} pixels", region.width,
                                region.height, region.left, region.top, size.width, size.height));
}

}  // namespace

void OpenCvDecoder::Destroy::operator()(OpenCvImage* image) const {
  opencv().destroy(image);
}

void OpenCvDecoder::load() {
  opencv();
}

ImageSize OpenCvDecoder::open(std::span<const std::byte> encoded, bool turn) {
  deep_ = false;
  return open_as_asked(encoded, turn);
}

ImageSize OpenCvDecoder::open_deep(std::span<const std::byte> encoded, bool turn) {
  deep_ = true;
  return open_as_asked(encoded, turn);
}

ImageSize OpenCvDecoder::open_as_asked(std::span<const std::byte> encoded, bool turn) {
  if (encoded.empty()) throw Error("cannot decode image: 0 bytes");
  if (looks_like_png(encoded)) {
    refuse_impossible_png(encoded);
    refuse_damaged_png(encoded);
  }
  size_ = {};
  if (!image_) image_.reset(opencv().make());
  const char* why = image_ ? opencv().decode(image_.get(), encoded.data(), encoded.size(), turn, &deep_, &size_)
                           : "not enough memory";
  if (why != nullptr) throw Error(fmt::format("cannot decode image: {}", why));
  return size_;
}

RgbView OpenCvDecoder::decode(const Region& region) {
  check_region(size_, region);
  RgbView view;
  const char* why = opencv().view(image_.get(), &region, &view);
  if (why != nullptr) throw Error(fmt::format("cannot decode image: {}", why));
  return view;
}

DeepRgbView OpenCvDecoder::decode_deep(const Region& region) {
  check_region(size_, region);
  DeepRgbView view;
  const char* why = opencv().deep_view(image_.get(), &region, &view);
  if (why != nullptr) throw Error(fmt::format("cannot decode image: {}", why));
  return view;
}

std::span<const std::byte> OpenCvDecoder::resized_jpeg(const Region& region, const ImageSize& size, int quality) {
  check_region(size_, region);
  const std::byte* encoded = nullptr;
  std::size_t bytes = 0;
  const char* why = opencv().resized_jpeg(image_.get(), &region, &size, quality, &encoded, &bytes);
  if (why != nullptr) throw Error(fmt::format("cannot encode a JPEG image: {}", why));
  return {encoded, bytes};
}

std::span<const std::byte> OpenCvDecoder::png(std::span<const std::byte> planes, const ImageShape& shape) {
  if (!image_) image_.reset(opencv().make());
  const std::byte* encoded = nullptr;
  std::size_t bytes = 0;
  const char* why = image_ ? opencv().png(image_.get(), planes.data(), &shape, &encoded, &bytes) : "not enough memory";
  if (why != nullptr) throw Error(fmt::format("cannot encode a PNG image: {}", why));
  return {encoded, bytes};
}

}  // namespace loadline
