#include "loaders/transforms/opencv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "loaders/error.h"

namespace loadline {

namespace {

// OpenCV makes room for all pixels that a header claims before it looks for them.
void refuse_impossible_png(std::span<const std::byte> encoded) {
  constexpr std::array kMagic{std::byte{0x89}, std::byte{'P'}, std::byte{'N'}, std::byte{'G'}};
  constexpr std::size_t kWidth = 16;  // of the header, which every PNG begins with; the height follows, the depth then
  constexpr std::size_t kMostPixels = std::size_t{1} << 28U;
  constexpr std::size_t kMostPixelsAByte = 8 * 1032;  // of one bit each, by what Deflate can do at best
  if (encoded.size() < kWidth + 8 || !std::ranges::equal(encoded.first(kMagic.size()), kMagic)) return;
  const auto number = [&](std::size_t at) {
    std::size_t value = 0;
    for (const std::byte byte : encoded.subspan(at, 4)) value = value << 8U | std::to_integer<std::size_t>(byte);
    return value;
  };
  const std::size_t width = number(kWidth);
  const std::size_t height = number(kWidth + 4);
  if (width * height <= std::min(kMostPixels, kMostPixelsAByte * encoded.size())) return;
  throw Error(
      fmt::format("cannot decode PNG: its header claims {} x {} pixels, which its {} bytes cannot hold, or more "
                  "than {}",
                  width, height, encoded.size(), kMostPixels));
}

}  // namespace

struct OpenCvDecoder::Images {
  cv::Mat bgr;
  cv::Mat rgb;
};

// The threads are the loader's: OpenCV would start as many again for each of them. It is a setting of the process, the
// same from whichever thread.
OpenCvDecoder::OpenCvDecoder() : images_(std::make_unique<Images>()) {
  cv::setNumThreads(0);
}
OpenCvDecoder::~OpenCvDecoder() = default;
OpenCvDecoder::OpenCvDecoder(OpenCvDecoder&&) noexcept = default;
OpenCvDecoder& OpenCvDecoder::operator=(OpenCvDecoder&&) noexcept = default;

ImageSize OpenCvDecoder::open(std::span<const std::byte> encoded, bool turn) {
  if (encoded.empty()) throw Error("cannot decode image: 0 bytes");
  if (encoded.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(fmt::format("cannot decode image: {} bytes: more than OpenCV can take", encoded.size()));
  }
  refuse_impossible_png(encoded);
  // OpenCV asks for bytes it may write; it does not.
  auto* bytes = const_cast<std::byte*>(encoded.data());
  const cv::Mat buffer(1, static_cast<int>(encoded.size()), CV_8UC1, bytes);
  const int flags = turn ? cv::IMREAD_COLOR : cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION;
  // What it has no decoder for it leaves as it was: the image before this one.
  images_->bgr.release();
  try {
    cv::imdecode(buffer, flags, &images_->bgr);
  } catch (const cv::Exception& error) {
    // It says so by the condition in its own code.
    if (error.err.find("CV_IO_MAX") != std::string::npos) {
      throw Error("cannot decode image: its header claims more pixels than OpenCV decodes");
    }
    if (error.code == cv::Error::StsNoMem) {
      throw Error("cannot decode image: its header claims more pixels than there is memory for");
    }
    throw Error(fmt::format("cannot decode image: {}", error.err));
  }
  const cv::Mat& image = images_->bgr;
  if (image.empty()) throw Error("cannot decode image: damaged, or of no format that OpenCV knows");
  return {.height = static_cast<std::size_t>(image.rows), .width = static_cast<std::size_t>(image.cols)};
}

RgbView OpenCvDecoder::decode(const Region& region) {
  const cv::Mat& image = images_->bgr;
  const ImageSize size{.height = static_cast<std::size_t>(image.rows), .width = static_cast<std::size_t>(image.cols)};
  if (!contains(size, region)) {
    throw usage_error(fmt::format("OpenCV: region {} x {} at ({}, {}) of an image of {} x {} pixels", region.width,
                                  region.height, region.left, region.top, size.width, size.height));
  }
  const cv::Rect part(static_cast<int>(region.left), static_cast<int>(region.top), static_cast<int>(region.width),
                      static_cast<int>(region.height));
  cv::cvtColor(image(part), images_->rgb, cv::COLOR_BGR2RGB);
  return {.pixels = images_->rgb.ptr<std::uint8_t>(),
          .size = {.height = region.height, .width = region.width},
          .row_bytes = images_->rgb.step[0]};
}

}  // namespace loadline
