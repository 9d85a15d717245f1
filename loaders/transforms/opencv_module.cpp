#include "loaders/transforms/opencv_module.h"

#include <limits>
#include <new>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

namespace loadline {

struct OpenCvImage {
  cv::Mat bgr;
  cv::Mat rgb;
  cv::Mat resized;
  std::vector<unsigned char> jpeg;
  cv::Mat merged;
  std::vector<unsigned char> png;
};

namespace {

// The thread's last failure.
const char* remembered(const char* why) {
  thread_local std::string text;
  try {
    text = why;
    return text.c_str();
  } catch (const std::bad_alloc&) {
    return "not enough memory";
  }
}

const char* reason(const cv::Exception& error) {
  // OpenCV's message quotes the condition in its own code.
  if (error.err.find("CV_IO_MAX") != std::string::npos) return "its header claims more pixels than OpenCV decodes";
  if (error.code == cv::Error::StsNoMem) return "its header claims more pixels than fit in memory";
  return remembered(error.err.c_str());
}

template <typename Work>
const char* guarded(const Work& work) {
  try {
    return work();
  } catch (const cv::Exception& error) {
    return reason(error);
  } catch (const std::bad_alloc&) {
    return "not enough memory";
  } catch (const std::exception& error) {
    return remembered(error.what());
  } catch (...) {
    return "OpenCV failed without a message";
  }
}

cv::Mat part_of(const cv::Mat& image, const Region& region) {
  return image(cv::Rect(static_cast<int>(region.left), static_cast<int>(region.top), static_cast<int>(region.width),
                        static_cast<int>(region.height)));
}

// The loader's workers are the threads: OpenCV would start as many again for each of them. This setting applies to
// the whole process, from any thread.
OpenCvImage* make_image() {
  try {
    cv::setNumThreads(0);
    return new OpenCvImage;
  } catch (...) {
    return nullptr;
  }
}

void destroy_image(OpenCvImage* image) {
  delete image;
}

const char* decode_image(OpenCvImage* image, const std::byte* encoded, std::size_t bytes, bool turn, bool* deep,
                         ImageSize* size) {
  return guarded([&]() -> const char* {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) return "more bytes than OpenCV can take";
    // OpenCV requires writable bytes but does not write them.
    const cv::Mat buffer(1, static_cast<int>(bytes), CV_8UC1, const_cast<std::byte*>(encoded));
    const int flags = turn ? cv::IMREAD_COLOR : cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION;
    // If OpenCV has no decoder, it leaves the target unchanged: the previous image.
    image->bgr.release();
    cv::imdecode(buffer, *deep ? flags | cv::IMREAD_ANYDEPTH : flags, &image->bgr);
    // It converts floats to bytes only on request.
    if (*deep && !image->bgr.empty() && image->bgr.depth() != CV_8U && image->bgr.depth() != CV_16U) {
      image->bgr.release();
      cv::imdecode(buffer, flags, &image->bgr);
    }
    *deep = image->bgr.depth() == CV_16U;
    if (image->bgr.empty()) return "damaged, or of a format unknown to OpenCV";
    *size = {.height = static_cast<std::size_t>(image->bgr.rows), .width = static_cast<std::size_t>(image->bgr.cols)};
    return nullptr;
  });
}

const char* view_image(OpenCvImage* image, const Region* region, RgbView* view) {
  return guarded([&]() -> const char* {
    cv::cvtColor(part_of(image->bgr, *region), image->rgb, cv::COLOR_BGR2RGB);
    *view = {.pixels = image->rgb.ptr<std::uint8_t>(),
             .size = {.height = region->height, .width = region->width},
             .row_bytes = image->rgb.step[0]};
    return nullptr;
  });
}

const char* view_deep_image(OpenCvImage* image, const Region* region, DeepRgbView* view) {
  return guarded([&]() -> const char* {
    cv::cvtColor(part_of(image->bgr, *region), image->rgb, cv::COLOR_BGR2RGB);
    *view = {.pixels = image->rgb.ptr<std::uint16_t>(),
             .size = {.height = region->height, .width = region->width},
             .row_values = image->rgb.step1()};
    return nullptr;
  });
}

const char* resize_to_jpeg(OpenCvImage* image, const Region* region, const ImageSize* size, int quality,
                           const std::byte** encoded, std::size_t* bytes) {
  return guarded([&]() -> const char* {
    const cv::Size wanted(static_cast<int>(size->width), static_cast<int>(size->height));
    const auto how = region->width > size->width ? cv::INTER_AREA : cv::INTER_LINEAR;
    cv::resize(part_of(image->bgr, *region), image->resized, wanted, 0, 0, how);
    if (!cv::imencode(".jpg", image->resized, image->jpeg, {cv::IMWRITE_JPEG_QUALITY, quality})) {
      return "OpenCV refused to encode it";
    }
    *encoded = reinterpret_cast<const std::byte*>(image->jpeg.data());
    *bytes = image->jpeg.size();
    return nullptr;
  });
}

const char* encode_png(OpenCvImage* image, const std::byte* planes, const ImageShape* shape, const std::byte** encoded,
                       std::size_t* bytes) {
  return guarded([&]() -> const char* {
    const auto plane = [&](std::size_t channel) {
      // OpenCV requires writable bytes but does not write them.
      return cv::Mat(static_cast<int>(shape->height), static_cast<int>(shape->width), CV_8UC1,
                     const_cast<std::byte*>(planes + channel * shape->pixels()));
    };
    if (shape->channels != 1 && shape->channels != 3) return "it has neither 1 nor 3 channels";
    if (shape->channels == 3) cv::merge(std::vector<cv::Mat>{plane(2), plane(1), plane(0)}, image->merged);
    if (!cv::imencode(".png", shape->channels == 3 ? image->merged : plane(0), image->png)) {
      return "OpenCV refused to encode it";
    }
    *encoded = reinterpret_cast<const std::byte*>(image->png.data());
    *bytes = image->png.size();
    return nullptr;
  });
}

}  // namespace

extern "C" const OpenCvFunctions* loadline_opencv_functions() {
  static constexpr OpenCvFunctions kFunctions{.version = OpenCvFunctions::kVersion,
                                              .make = make_image,
                                              .destroy = destroy_image,
                                              .decode = decode_image,
                                              .view = view_image,
                                              .deep_view = view_deep_image,
                                              .resized_jpeg = resize_to_jpeg,
                                              .png = encode_png};
  return &kFunctions;
}

}  // namespace loadline
