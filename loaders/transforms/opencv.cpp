#include "loaders/transforms/opencv.h"

#include <fmt/format.h>

#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "loaders/error.h"

namespace loadline {

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
  // OpenCV asks for bytes it may write; it does not.
  auto* bytes = const_cast<std::byte*>(encoded.data());
  const cv::Mat buffer(1, static_cast<int>(encoded.size()), CV_8UC1, bytes);
  const int flags = turn ? cv::IMREAD_COLOR : cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION;
  // What it has no decoder for it leaves as it was: the image before this one.
  images_->bgr.release();
  try {
    cv::imdecode(buffer, flags, &images_->bgr);
  } catch (const cv::Exception& error) {
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
