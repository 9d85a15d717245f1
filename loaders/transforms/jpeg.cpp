#include "loaders/transforms/jpeg.h"

#include <fmt/format.h>

// jpeglib.h needs the one before it, and is needed by the one after it.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <algorithm>
#include <array>
#include <csetjmp>
#include <span>
#include <string>

#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::size_t kRgb = 3;
constexpr std::size_t kCmyk = 4;
constexpr std::array kStartOfImage{std::byte{0xff}, std::byte{0xd8}, std::byte{0xff}};
constexpr std::array kEndMarker{std::byte{0xff}, std::byte{JPEG_EOI}};
constexpr unsigned kExifMarker = JPEG_APP0 + 1;
constexpr unsigned kLongestMarker = 0xffff;
// A few bytes per scan apply to the whole image, so a small file with many scans could take hours.
constexpr int kMostScans = 500;
// libjpeg interpolates chroma from the neighbours on either side, which are missing at the edges of a cropped row.
// One more pixel on each side corrects this. With very few columns it would skip the interpolation altogether.
constexpr std::size_t kMargin = 1;
constexpr std::size_t kLeastColumns = 16;

// libjpeg reports errors in C, by a jump.
struct ErrorManager {
  jpeg_error_mgr base;
  std::jmp_buf escape;
  std::array<char, JMSG_LENGTH_MAX> message;
};

[[noreturn]] void on_error(j_common_ptr info) {
  auto* errors = reinterpret_cast<ErrorManager*>(info->err);
  errors->base.format_message(info, errors->message.data());
  std::longjmp(errors->escape, 1);
}

// Some warnings concern data other than pixels and are common in photographs that every other program shows.
bool leaves_pixels_intact(const jpeg_error_mgr& error) {
  switch (error.msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_ICC:
    case JWRN_JFIF_MAJOR: return true;
    case JWRN_EXTRANEOUS_DATA: {
      // Extra bytes before a restart marker are left over from misread data; before other markers they are mere
      // padding.
      const int marker = error.msg_parm.i[1];
      return marker < JPEG_RST0 || marker > JPEG_RST0 + 7;
    }
    default: return false;
  }
}

void on_message(j_common_ptr info, int level) {
  if (level < 0 && !leaves_pixels_intact(*info->err)) on_error(info);
}

void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans) return;
  auto* errors = reinterpret_cast<ErrorManager*>(info->err);
  std::snprintf(errors->message.data(), errors->message.size(), "more than %d scans", kMostScans);
  std::longjmp(errors->escape, 1);
}

// Columns [first, first + count) of a row.
struct Columns {
  std::size_t first = 0;
  std::size_t count = 0;
};

Columns with_margin(std::size_t left, std::size_t width, std::size_t row_width) {
  const std::size_t first = left - std::min(left, kMargin);
  const std::size_t end = std::min(left + width + kMargin, row_width);
  const std::size_t count = std::min(std::max(end - first, kLeastColumns), row_width);
  return {std::min(first, row_width - count), count};
}

// ink * black / 255, as PIL rounds it.
std::uint8_t channel_of(unsigned ink, unsigned black) {
  const unsigned product = (255 - ink) * black + 128;
  return static_cast<std::uint8_t>(black - ((product >> 8U) + product) / 256);
}

void cmyk_to_rgb(const std::uint8_t* in, std::size_t count, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i, in += kCmyk, out += kRgb) {
    for (std::size_t c = 0; c < kRgb; ++c) out[c] = channel_of(in[c], in[3]);
  }
}

void check_colours(const jpeg_decompress_struct& info) {
  switch (info.jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_YCbCr:
    case JCS_RGB:
    case JCS_CMYK:
    case JCS_YCCK: return;
    default: throw Error(fmt::format("cannot decode JPEG: {} components: want 1, 3 or 4", info.num_components));
  }
}

// In a scaled image whose chroma is still interpolated (4:1:0, but not 4:2:0, which then needs no interpolation),
// version 2.1 assumes that cropped rows have only half of their chroma. Recognised by the chroma width, which 4:2:2
// shares.
bool can_crop(const jpeg_decompress_struct& info) {
  if (info.scale_denom == 1) return true;
  const std::span components(info.comp_info, static_cast<std::size_t>(info.num_components));
  return std::ranges::all_of(components, [&info](const auto& c) { return c.downsampled_width >= info.output_width; });
}

Orientation orientation_of(const jpeg_decompress_struct& info) {
  for (const auto* marker = info.marker_list; marker != nullptr; marker = marker->next) {
    if (marker->marker != kExifMarker) continue;
    const auto* data = reinterpret_cast<const std::byte*>(marker->data);
    const Orientation found = exif_orientation({data, marker->data_length});
    if (found != Orientation::kUpright) return found;
  }
  return Orientation::kUpright;
}

// A blank image has at least one bit per block, which is 512 pixels per byte. A claim of ten times as many is false,
// and would allocate memory for pixels that do not exist.
constexpr std::size_t kMostPixelsAJpegByte = 5120;

// Entropy-coded data cannot contain this pair of bytes. Searched from the end, where almost all files have it.
bool has_end_marker(std::span<const std::byte> data) {
  return std::find_end(data.begin(), data.end(), kEndMarker.begin(), kEndMarker.end()) != data.end();
}

}  // namespace

// No C++ exception passes through libjpeg, and no jump out of it skips a destructor: no object between guarded() and
// libjpeg has one.
class JpegDecoder::Library {
 public:
  Library() {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = on_error;
    errors_.base.emit_message = on_message;
    progress_.progress_monitor = on_progress;
  }
  ~Library() { close(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const jpeg_decompress_struct& info() const { return info_; }
  bool opened() const { return opened_; }

  void close() {
    opened_ = false;
    jpeg_destroy_decompress(&info_);
  }

  // In a fresh struct, which costs a thousandth of the decoding: a used one keeps the previous image's tables and
  // would decode an image that lacks its own with those.
  void read_header(std::span<const std::byte> encoded) {
    close();
    guarded([this, encoded] {
      jpeg_create_decompress(&info_);
      info_.progress = &progress_;
      jpeg_save_markers(&info_, static_cast<int>(kExifMarker), kLongestMarker);
      jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size());
      jpeg_read_header(&info_, TRUE);
    });
    opened_ = true;
  }

  // The part of the file that read_header() left unread.
  std::span<const std::byte> rest() const {
    return {reinterpret_cast<const std::byte*>(info_.src->next_input_byte), info_.src->bytes_in_buffer};
  }

  // Begins at this row; returns the columns that rows will have: the requested ones and some more.
  Columns start(std::size_t first_row, Columns columns, JpegScale scale) {
    Columns given;
    guarded([this, first_row, columns, scale, &given] {
      // The inverse DCT and the chroma interpolation stay libjpeg's defaults, accurate and smooth, which others use
      // too, so that pixels are the same bit by bit. With vector instructions the faster variants save little.
      const bool four = info_.num_components == static_cast<int>(kCmyk);
      info_.out_color_space = four ? JCS_CMYK : JCS_RGB;
      info_.scale_num = 1;
      info_.scale_denom = static_cast<unsigned>(divisor(scale));
      // Smoothing guesses what the scans left out, also from blocks next to the region: there it reads data that it
      // has not decoded.
      info_.do_block_smoothing = FALSE;
      jpeg_start_decompress(&info_);
      JDIMENSION left = 0;
      JDIMENSION width = info_.output_width;
      if (columns.count < width && can_crop(info_)) {
        left = static_cast<JDIMENSION>(columns.first);
        width = static_cast<JDIMENSION>(columns.count);
        jpeg_crop_scanline(&info_, &left, &width);
      }
      given = {left, width};
      if (first_row > 0) jpeg_skip_scanlines(&info_, static_cast<JDIMENSION>(first_row));
    });
    return given;
  }

  void read_rows(std::uint8_t* first, std::size_t count, std::size_t row_bytes) {
    guarded([this, first, count, row_bytes] {
      std::array<JSAMPROW, 16> rows;
      for (std::size_t done = 0; done < count;) {
        const std::size_t want = std::min(count - done, rows.size());
        for (std::size_t i = 0; i < want; ++i) rows[i] = first + (done + i) * row_bytes;
        done += jpeg_read_scanlines(&info_, rows.data(), static_cast<JDIMENSION>(want));
      }
    });
  }

 private:
  template <typename Work>
  void guarded(const Work& work) {
    if (setjmp(errors_.escape) == 0) return work();
    close();
    throw Error(fmt::format("cannot decode JPEG: {}", errors_.message.data()));
  }

  ErrorManager errors_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct info_{};
  bool opened_ = false;
};

bool looks_like_jpeg(std::span<const std::byte> encoded) {
  return encoded.size() >= kStartOfImage.size() &&
         std::equal(kStartOfImage.begin(), kStartOfImage.end(), encoded.begin());
}

JpegDecoder::JpegDecoder() : library_(std::make_unique<Library>()) {}
JpegDecoder::~JpegDecoder() = default;
JpegDecoder::JpegDecoder(JpegDecoder&&) noexcept = default;
JpegDecoder& JpegDecoder::operator=(JpegDecoder&&) noexcept = default;

JpegHeader JpegDecoder::open(std::span<const std::byte> encoded) {
  if (encoded.empty()) {
    library_->close();
    throw Error("cannot decode JPEG: 0 bytes");
  }
  library_->read_header(encoded);
  const jpeg_decompress_struct& info = library_->info();
  check_colours(info);
  const JpegHeader header{.size = {.height = info.image_height, .width = info.image_width},
                          .orientation = orientation_of(info)};
  if (info.data_precision != 8) throw Error(fmt::format("cannot decode JPEG: {} bits per sample", info.data_precision));
  if (header.size.pixels() > kMostPixels) {
    throw Error(fmt::format("cannot decode JPEG: {} x {} pixels: more than {}", header.size.width, header.size.height,
                            kMostPixels));
  }
  if (!has_end_marker(library_->rest()))
    throw Error("cannot decode JPEG: truncated: its end-of-image marker is missing");
  if (header.size.pixels() > kMostPixelsAJpegByte * encoded.size()) {
    throw Error(fmt::format("cannot decode JPEG: its header claims {} x {} pixels, which its {} bytes cannot hold",
                            header.size.width, header.size.height, encoded.size()));
  }
  return header;
}

RgbView JpegDecoder::decode(const Region& region, JpegScale scale) {
  if (!library_->opened()) throw usage_error("JPEG: decode() without open()");
  const jpeg_decompress_struct& info = library_->info();
  const ImageSize size = scaled({.height = info.image_height, .width = info.image_width}, scale);
  if (!contains(size, region)) {
    throw usage_error(fmt::format("JPEG: region {} x {} at ({}, {}) of an image of {} x {} pixels", region.width,
                                  region.height, region.left, region.top, size.width, size.height));
  }
  const Columns columns = library_->start(region.top, with_margin(region.left, region.width, size.width), scale);
  const std::size_t row_bytes = columns.count * kRgb;
  const bool four = info.output_components == static_cast<int>(kCmyk);
  const std::size_t four_bytes = four ? columns.count * kCmyk : 0;
  const std::size_t bytes = row_bytes * region.height + four_bytes;
  if (rows_.size() < bytes) rows_.resize(bytes);
  if (four) {
    std::uint8_t* cmyk = rows_.data() + row_bytes * region.height;
    for (std::size_t y = 0; y < region.height; ++y) {
      library_->read_rows(cmyk, 1, four_bytes);
      cmyk_to_rgb(cmyk, columns.count, rows_.data() + y * row_bytes);
    }
  } else {
    library_->read_rows(rows_.data(), region.height, row_bytes);
  }
  library_->close();
  return {.pixels = rows_.data() + (region.left - columns.first) * kRgb,
          .size = {.height = region.height, .width = region.width},
          .row_bytes = row_bytes};
}

}  // namespace loadline
