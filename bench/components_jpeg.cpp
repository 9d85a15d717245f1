// From an encoded photograph to its place in a batch, on one thread: 500 x 375 pixels at quality 90 in memory, to a
// random resized crop of 224 x 224, flipped or not, normalised f32 in NCHW order.
//
//   jpeg/decode/SCALE   decoding alone, of all of the image
//   jpeg/photo/part     as loaders do it: the part that the crop needs, then the resize kernel. The limit of one worker
//   jpeg/beside/...     the same to each type and layout, in turns with libjpeg-turbo's own decoder on the same pixels.
//                       `of_libjpeg` is what the decoder alone takes of the time, `of_libjpeg_and_storing` what it
//                       takes together with filling the same bytes by memset: medians over images
//   jpeg/photo/full     all of the image, then the resize kernel
//   jpeg/photo/opencv   the same with `--decoder opencv`
//   jpeg/large/part     the first of 1600 x 1200 pixels
//   jpeg/large/scaled   and the same where it may be decoded at a fraction of that
//   jpeg/opencv         what a program of OpenCV calls does: imdecode, cvtColor, resize, flip, convertTo, split
//   resize/...          the resize kernel alone, from the mean crop's size, at each level of CPU
//
// The images are synthetic: smooth shapes, edges and grain that compress like photographs.
#include <fmt/format.h>

// Before jpeglib.h, which needs its FILE.
#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "bench/components.h"
#include "loaders/error.h"
#include "loaders/random.h"
#include "loaders/system/memory.h"
#include "loaders/transforms/normalisation.h"
#include "loaders/transforms/photo_transform.h"

namespace loadline::bench {
namespace {

constexpr ImageSize kStored{.height = 375, .width = 500};
constexpr ImageSize kLarge{.height = 1200, .width = 1600};
constexpr ImageSize kOut{.height = 224, .width = 224};
constexpr int kQuality = 90;
const std::vector<double> kMean{0.485, 0.456, 0.406};
const std::vector<double> kStddev{0.229, 0.224, 0.225};

PhotoOptions options_of(PhotoDecoder decoder, bool allow_scaled_dct) {
  return {.size = kOut,
          .flip = true,
          .mean = kMean,
          .stddev = kStddev,
          .decoder = decoder,
          .allow_scaled_dct = allow_scaled_dct};
}

// Waves of many lengths, some of them cut into edges, and grain.
cv::Mat made_photo(const ImageSize& size, std::uint64_t seed) {
  Random random(seed);
  const int height = static_cast<int>(size.height);
  const int width = static_cast<int>(size.width);
  cv::Mat values(height, width, CV_32FC3, cv::Scalar::all(128));
  for (int wave = 0; wave < 24; ++wave) {
    const double length = 400 * std::pow(0.82, wave);
    const double angle = random.unit() * 6.28;
    const double phase = random.unit() * 6.28;
    const double height_of_wave = 50 * std::pow(0.88, wave) * (wave % 4 == 3 ? 0.5 : 1);
    const cv::Vec3d tint(random.unit(), random.unit(), random.unit());
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const double turn = (x * std::cos(angle) + y * std::sin(angle)) / length * 6.28 + phase;
        const double value = wave % 4 == 3 ? std::copysign(1.0, std::sin(turn)) : std::sin(turn);
        values.at<cv::Vec3f>(y, x) += cv::Vec3f(tint * (value * height_of_wave * 0.5));
      }
    }
  }
  for (auto pixel = values.begin<cv::Vec3f>(); pixel != values.end<cv::Vec3f>(); ++pixel) {
    const auto grain = static_cast<float>((random.unit() + random.unit() - 1) * 16);
    *pixel += cv::Vec3f::all(grain);
  }
  cv::Mat image;
  values.convertTo(image, CV_8UC3);
  return image;
}

using Encoded = std::vector<std::uint8_t>;

std::span<const std::byte> bytes_of(const Encoded& encoded) {
  return std::as_bytes(std::span(encoded));
}

// Made by the first row that runs, because the filter may select none.
class Photos {
 public:
  Photos(const ImageSize& size, std::size_t count) : size_(size), count_(count) {}

  // Counts on through the images, in a circle.
  const Encoded& operator[](std::size_t number) {
    while (encoded_.size() < count_) {
      encoded_.emplace_back();
      cv::imencode(".jpg", made_photo(size_, encoded_.size()), encoded_.back(), {cv::IMWRITE_JPEG_QUALITY, kQuality});
    }
    return encoded_[number % count_];
  }

  // The mean size of the encoded images.
  double bytes() {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += (*this)[i].size();
    return static_cast<double>(sum) / static_cast<double>(count_);
  }

 private:
  ImageSize size_;
  std::size_t count_;
  std::vector<Encoded> encoded_;
};

template <typename Work>
void count_images(benchmark::State& state, Photos& photos, const Work& work) {
  state.counters["encoded_bytes"] = photos.bytes();
  std::size_t number = 0;
  for (auto pass : state) {
    (void)pass;
    work(photos[number], number);
    ++number;
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

void decode(benchmark::State& state, Photos& photos, JpegScale scale) {
  JpegDecoder decoder;
  count_images(state, photos, [&decoder, scale](const Encoded& encoded, std::size_t) {
    const JpegHeader header = decoder.open(bytes_of(encoded));
    benchmark::DoNotOptimize(decoder.decode(whole(scaled(header.size, scale)), scale).pixels);
  });
}

void transform(benchmark::State& state, Photos& photos, const PhotoOptions& options) {
  const PhotoTransform photo(options, kernels_named("auto"));
  PhotoWorker worker;
  HugeMemory out(photo.sample_bytes());  // as slots are
  count_images(state, photos, [&](const Encoded& encoded, std::size_t number) {
    photo.apply(worker, bytes_of(encoded), 0, static_cast<SampleIndex>(number), out.bytes().data());
  });
}

// The same crops for all rows that do not use PhotoTransform.
Region crop_of(std::size_t number) {
  Random random(key_of(1, 0, number));
  return random_crop(kStored, {}, random);
}

// Only calls of libjpeg-turbo, as in a program that decodes one part of an image after the other. It ends the program
// if an image cannot be decoded, which does not happen with these images.
class PlainDecoder {
 public:
  PlainDecoder() {
    info_.err = jpeg_std_error(&errors_);
    jpeg_create_decompress(&info_);
  }
  PlainDecoder(const PlainDecoder&) = delete;
  PlainDecoder& operator=(const PlainDecoder&) = delete;
  ~PlainDecoder() { jpeg_destroy_decompress(&info_); }

  // With one more pixel on either side; otherwise the chroma of the crop's edges would differ.
  const std::uint8_t* decode(const Encoded& encoded, const Region& crop) {
    jpeg_mem_src(&info_, encoded.data(), encoded.size());
    jpeg_read_header(&info_, TRUE);
    info_.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info_);
    auto left = static_cast<JDIMENSION>(crop.left - std::min<std::size_t>(crop.left, 1));
    auto width = static_cast<JDIMENSION>(std::min(crop.left + crop.width + 1, kStored.width)) - left;
    if (width < info_.output_width) jpeg_crop_scanline(&info_, &left, &width);
    if (crop.top > 0) jpeg_skip_scanlines(&info_, static_cast<JDIMENSION>(crop.top));
    const std::size_t row_bytes = 3 * std::size_t{width};
    if (rows_.size() < row_bytes * crop.height) rows_.resize(row_bytes * crop.height);
    for (std::size_t done = 0; done < crop.height;) {
      std::array<JSAMPROW, 16> rows{};
      const std::size_t want = std::min(crop.height - done, rows.size());
      for (std::size_t i = 0; i < want; ++i) rows[i] = rows_.data() + (done + i) * row_bytes;
      done += jpeg_read_scanlines(&info_, rows.data(), static_cast<JDIMENSION>(want));
    }
    jpeg_abort_decompress(&info_);
    return rows_.data();
  }

 private:
  jpeg_error_mgr errors_{};
  jpeg_decompress_struct info_{};
  std::vector<std::uint8_t> rows_;
};

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// In turns, so that disturbances of the machine affect both.
void transform_beside_libjpeg(benchmark::State& state, Photos& photos, const PhotoOptions& options) {
  using Seconds = std::chrono::duration<double>;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const PhotoTransform photo(options, kernels_named("auto"));
  PhotoWorker worker;
  PlainDecoder plain;
  HugeMemory out(photo.sample_bytes());  // as slots are
  HugeMemory stored(photo.sample_bytes());
  std::vector<double> decoding;
  std::vector<double> decoding_and_storing;
  std::size_t number = 0;
  state.counters["encoded_bytes"] = photos.bytes();
  for (auto pass : state) {
    (void)pass;
    const Encoded& encoded = photos[number];
    const auto first = now();
    benchmark::DoNotOptimize(plain.decode(encoded, crop_of(number)));
    benchmark::ClobberMemory();
    const auto second = now();
    photo.apply(worker, bytes_of(encoded), 0, static_cast<SampleIndex>(number), out.bytes().data());
    benchmark::ClobberMemory();
    const auto third = now();
    std::memset(stored.bytes().data(), static_cast<int>(number % 256), stored.bytes().size());
    benchmark::ClobberMemory();
    const auto end = now();
    const Seconds whole = third - second;
    state.SetIterationTime(whole.count());
    decoding.push_back(Seconds(second - first) / whole);
    decoding_and_storing.push_back(Seconds(second - first + (end - third)) / whole);
    ++number;
  }
  state.counters["of_libjpeg"] = median(decoding);
  state.counters["of_libjpeg_and_storing"] = median(decoding_and_storing);
  state.SetItemsProcessed(state.iterations());
}

void transform_full(benchmark::State& state, Photos& photos) {
  const BilinearResize resize(kOut, DType::kF32, Layout::kNCHW, affine_of(DType::kF32, 3, kMean, kStddev),
                              kernels_named("auto"));
  JpegDecoder decoder;
  ResizeScratch scratch;
  HugeMemory out(resize.sample_bytes());  // as slots are
  count_images(state, photos, [&](const Encoded& encoded, std::size_t number) {
    decoder.open(bytes_of(encoded));
    const RgbView all = decoder.decode(whole(kStored));
    const Region crop = crop_of(number);
    const RgbView part{.pixels = all.row(crop.top) + 3 * crop.left,
                       .size = {.height = crop.height, .width = crop.width},
                       .row_bytes = all.row_bytes};
    resize.apply(part, number % 2 == 1, scratch, out.bytes().data());
  });
}

void transform_by_opencv(benchmark::State& state, Photos& photos) {
  cv::setNumThreads(0);
  std::vector<float> out(3 * kOut.pixels());
  const cv::Size size(static_cast<int>(kOut.width), static_cast<int>(kOut.height));
  std::vector<cv::Mat> planes;
  for (std::size_t c = 0; c < 3; ++c) planes.emplace_back(size, CV_32FC1, out.data() + c * kOut.pixels());
  count_images(state, photos, [&](const Encoded& encoded, std::size_t number) {
    const cv::Mat image = cv::imdecode(encoded, cv::IMREAD_COLOR);
    const Region crop = crop_of(number);
    const cv::Rect part(static_cast<int>(crop.left), static_cast<int>(crop.top), static_cast<int>(crop.width),
                        static_cast<int>(crop.height));
    cv::Mat rgb, resized, floats;
    cv::cvtColor(image(part), rgb, cv::COLOR_BGR2RGB);
    cv::resize(rgb, resized, size, 0, 0, cv::INTER_LINEAR);
    if (number % 2 == 1) cv::flip(resized, resized, 1);
    resized.convertTo(floats, CV_32FC3, 1.0 / 255);
    cv::subtract(floats, cv::Scalar(kMean[0], kMean[1], kMean[2]), floats);
    cv::divide(floats, cv::Scalar(kStddev[0], kStddev[1], kStddev[2]), floats);
    cv::split(floats, planes);
  });
}

void resize_alone(benchmark::State& state, ImageSize from, DType dtype, Layout layout, const Kernels& kernels) {
  const bool floats = dtype != DType::kU8;
  const BilinearResize resize(kOut, dtype, layout,
                              floats ? affine_of(dtype, 3, kMean, kStddev) : affine_of(dtype, 3, {}, {}), kernels);
  std::vector<std::uint8_t> pixels(3 * from.pixels());
  Random random(1);
  for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(random.below(256));
  const RgbView in{.pixels = pixels.data(), .size = from, .row_bytes = 3 * from.width};
  ResizeScratch scratch;
  HugeMemory out(resize.sample_bytes());  // as slots are
  for (auto pass : state) {
    (void)pass;
    resize.apply(in, false, scratch, out.bytes().data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

void add_jpeg_rows(Rows& rows) {
  const auto add = [&rows](const std::string& row_name, const std::shared_ptr<Photos>& photos, auto work) {
    rows.add("jpeg/" + row_name, [photos, work](benchmark::State& state) { work(state, *photos); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  const auto add_transform = [&add](const std::string& row_name, const std::shared_ptr<Photos>& photos,
                                    const PhotoOptions& options) {
    add(row_name, photos, [options](benchmark::State& state, Photos& images) { transform(state, images, options); });
  };
  const auto photos = std::make_shared<Photos>(kStored, 8);
  for (const JpegScale scale : {JpegScale::kFull, JpegScale::kHalf, JpegScale::kQuarter, JpegScale::kEighth}) {
    add(fmt::format("decode/1:{}", divisor(scale)), photos,
        [scale](benchmark::State& state, Photos& images) { decode(state, images, scale); });
  }
  add_transform("photo/part", photos, options_of(PhotoDecoder::kJpeg, false));
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kU8}) {
    for (const Layout layout : {Layout::kNCHW, Layout::kNHWC}) {
      PhotoOptions options = options_of(PhotoDecoder::kJpeg, false);
      options.dtype = dtype;
      options.layout = layout;
      if (dtype == DType::kU8) options.mean = options.stddev = {};
      rows.add(fmt::format("jpeg/beside/{}/{}", name(dtype), name(layout)),
               [photos, options](benchmark::State& state) { transform_beside_libjpeg(state, *photos, options); })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  add("photo/full", photos, transform_full);
  add_transform("photo/opencv", photos, options_of(PhotoDecoder::kOpenCv, false));
  add("opencv", photos, transform_by_opencv);
  const auto large = std::make_shared<Photos>(kLarge, 2);
  add_transform("large/part", large, options_of(PhotoDecoder::kJpeg, false));
  add_transform("large/scaled", large, options_of(PhotoDecoder::kJpeg, true));

  // The middle of a random part's areas, of half the image, and no crop at all.
  for (const ImageSize from : {ImageSize{.height = 270, .width = 365}, kStored}) {
    for (const auto& [dtype, layout] : {std::pair{DType::kU8, Layout::kNHWC}, std::pair{DType::kF32, Layout::kNCHW}}) {
      for (const Kernels* kernels : supported_kernels()) {
        rows.add(
                fmt::format("resize/{}x{}/{}/{}/{}", from.width, from.height, name(dtype), name(layout), kernels->name),
                [from, dtype = dtype, layout = layout, kernels](benchmark::State& state) {
                  resize_alone(state, from, dtype, layout, *kernels);
                })
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
}

}  // namespace loadline::bench
