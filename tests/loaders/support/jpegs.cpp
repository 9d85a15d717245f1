#include "tests/loaders/support/jpegs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

// It needs <cstdio> and <cstdlib> before it.
#include <jpeglib.h>

#include "loaders/random.h"

namespace loadline::test {
namespace {

constexpr int kExifMarker = JPEG_APP0 + 1;
// Each scan has one component with all of its coefficients.
constexpr std::array<jpeg_scan_info, 4> kScansApart{
    {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}, {1, {3}, 0, 63, 0, 0}}};

void choose_kind(jpeg_compress_struct& info, const Picture& picture, const JpegKind& kind) {
  if (picture.channels == 4) jpeg_set_colorspace(&info, kind.ycck ? JCS_YCCK : JCS_CMYK);
  jpeg_set_quality(&info, kind.quality, TRUE);
  // All components except chroma have full resolution. A lone component has one sample per pixel, whatever its factors
  // are.
  for (int i = 0; i < info.num_components; ++i) {
    const bool is_chroma = (picture.channels == 3 || kind.ycck) && (i == 1 || i == 2);
    info.comp_info[i].h_samp_factor = is_chroma || picture.channels == 1 ? 1 : kind.across;
    info.comp_info[i].v_samp_factor = is_chroma || picture.channels == 1 ? 1 : kind.down;
  }
  if (kind.progressive) jpeg_simple_progression(&info);
  if (kind.apart) {
    info.scan_info = kScansApart.data();
    info.num_scans = info.num_components;
  }
  info.arith_code = kind.arithmetic ? TRUE : FALSE;
  info.restart_in_rows = kind.restart_rows;
}

void append(Bytes& bytes, std::uint32_t value, std::size_t count, bool big_endian) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = big_endian ? count - 1 - i : i;
    bytes.push_back(static_cast<std::uint8_t>(value >> (8 * place)));
  }
}

}  // namespace

Picture photo(const ImageSize& size, std::size_t channels, std::uint64_t seed) {
  Random random(key_of(seed, channels));
  Picture picture{.size = size, .channels = channels, .pixels = {}};
  std::vector<double> values(size.pixels() * channels, 128);
  for (int wave = 0; wave < 8; ++wave) {
    const double length = 90 * std::pow(0.7, wave);
    const double across = std::cos(random.unit() * 6.28) / length * 6.28;
    const double down = std::sin(random.unit() * 6.28) / length * 6.28;
    std::vector<double> heights;
    for (std::size_t c = 0; c < channels; ++c) heights.push_back((random.unit() - 0.5) * 90 * std::pow(0.8, wave));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t x = i / channels % size.width;
      const std::size_t y = i / channels / size.width;
      const double turn = across * static_cast<double>(x) + down * static_cast<double>(y);
      // Every third wave has sharp edges.
      values[i] += heights[i % channels] * (wave % 3 == 2 ? std::copysign(0.6, std::sin(turn)) : std::sin(turn));
    }
  }
  for (const double value : values) {
    const double grain = (random.unit() - 0.5) * 8;
    picture.pixels.push_back(static_cast<std::uint8_t>(std::clamp(value + grain, 0.0, 255.0)));
  }
  return picture;
}

Picture plain(const ImageSize& size, const Bytes& pixel) {
  Picture picture{.size = size, .channels = pixel.size(), .pixels = {}};
  for (std::size_t i = 0; i < size.pixels(); ++i) {
    picture.pixels.insert(picture.pixels.end(), pixel.begin(), pixel.end());
  }
  return picture;
}

Picture part_of(const Picture& picture, const Region& region) {
  Picture part{.size = {.height = region.height, .width = region.width}, .channels = picture.channels, .pixels = {}};
  for (std::size_t y = 0; y < region.height; ++y) {
    const auto row = picture.pixels.begin() + static_cast<std::ptrdiff_t>((region.top + y) * picture.row_bytes() +
                                                                          region.left * picture.channels);
    part.pixels.insert(part.pixels.end(), row, row + static_cast<std::ptrdiff_t>(part.row_bytes()));
  }
  return part;
}

Picture picture_of(const RgbView& view) {
  Picture picture{.size = view.size, .channels = 3, .pixels = {}};
  for (std::size_t y = 0; y < view.size.height; ++y) {
    picture.pixels.insert(picture.pixels.end(), view.row(y), view.row(y) + 3 * view.size.width);
  }
  return picture;
}

RgbView view_of(const Picture& picture) {
  return {.pixels = picture.pixels.data(), .size = picture.size, .row_bytes = picture.row_bytes()};
}

Difference difference(const Picture& one, const Picture& other) {
  if (one.size != other.size || one.channels != other.channels || one.pixels.empty()) return {};
  Difference found{0, 0};
  for (std::size_t i = 0; i < one.pixels.size(); ++i) {
    const double apart = std::abs(int{one.pixels[i]} - int{other.pixels[i]});
    found.largest = std::max(found.largest, apart);
    found.mean += apart / static_cast<double>(one.pixels.size());
  }
  return found;
}

Bytes jpeg_of(const Picture& picture, const JpegKind& kind) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);  // ends the program, which fails the test
  jpeg_create_compress(&info);
  unsigned char* out = nullptr;
  unsigned long bytes = 0;
  jpeg_mem_dest(&info, &out, &bytes);
  info.image_width = static_cast<JDIMENSION>(picture.size.width);
  info.image_height = static_cast<JDIMENSION>(picture.size.height);
  info.input_components = static_cast<int>(picture.channels);
  info.in_color_space = std::array{JCS_UNKNOWN, JCS_GRAYSCALE, JCS_UNKNOWN, JCS_RGB, JCS_CMYK}.at(picture.channels);
  jpeg_set_defaults(&info);
  choose_kind(info, picture, kind);
  jpeg_start_compress(&info, TRUE);
  if (!kind.app1.empty()) {
    jpeg_write_marker(&info, kExifMarker, kind.app1.data(), static_cast<unsigned>(kind.app1.size()));
  }
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<JSAMPROW>(picture.pixels.data() + info.next_scanline * picture.row_bytes());
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const std::unique_ptr<unsigned char, decltype(&std::free)> owned(out, &std::free);
  return {out, out + bytes};
}

std::vector<JpegKind> jpeg_kinds() {
  return {{.name = "Chroma444"},
          {.name = "Chroma422", .across = 2},
          {.name = "Chroma420", .across = 2, .down = 2},
          {.name = "Chroma440", .down = 2},
          {.name = "Chroma411", .across = 4},
          {.name = "Chroma410", .across = 4, .down = 2},
          {.name = "Progressive444", .progressive = true},
          {.name = "Progressive420", .across = 2, .down = 2, .progressive = true},
          {.name = "Arithmetic420", .across = 2, .down = 2, .arithmetic = true},
          {.name = "Apart420", .across = 2, .down = 2, .apart = true},
          {.name = "Restarts420", .across = 2, .down = 2, .restart_rows = 1}};
}

Bytes exif(Orientation orientation, bool big_endian) {
  const unsigned char endianness = big_endian ? 'M' : 'I';
  Bytes bytes{'E', 'x', 'i', 'f', 0, 0, endianness, endianness};
  append(bytes, 42, 2, big_endian);
  append(bytes, 8, 4, big_endian);       // the directory comes next
  append(bytes, 2, 2, big_endian);       // entries
  append(bytes, 0x0100, 2, big_endian);  // the width, which the decoder ignores
  append(bytes, 4, 2, big_endian);
  append(bytes, 1, 4, big_endian);
  append(bytes, 640, 4, big_endian);
  append(bytes, 0x0112, 2, big_endian);
  append(bytes, 3, 2, big_endian);
  append(bytes, 1, 4, big_endian);
  append(bytes, static_cast<std::uint32_t>(orientation), 2, big_endian);
  append(bytes, 0, 2, big_endian);
  append(bytes, 0, 4, big_endian);  // no directory follows
  return bytes;
}

std::size_t segment(const Bytes& jpeg, std::uint8_t marker) {
  const Bytes pair{0xff, marker};
  const auto found = std::search(jpeg.begin(), jpeg.end(), pair.begin(), pair.end());
  return static_cast<std::size_t>(found - jpeg.begin()) + 2;
}

}  // namespace loadline::test
