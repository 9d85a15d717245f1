// The loops behind struct Kernels. Each level's .cpp supplies steps of sixteen values in its own instructions and
// instantiates the loops with them, compiled with that level's flags. Level lives in an unnamed namespace and nothing
// here calls the standard library: the linker could keep an inline function's AVX-512 copy for all callers.
//
// Cached stores leave a batch in a cache that writer and reader share: with f32 slots of 6 MiB, two threads and a
// last-level cache of 32 MiB, writing and reading back ran at 4.1 M samples/s cached and 1.4 M streaming. If they
// share no cache it is the other way round, because each line must be fetched from the reader's cache before it can
// be written: a worker's f32 batches ran at 0.25 M cached and 1.8 M streaming.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "loaders/transforms/kernels.h"

#define LOADLINE_INLINE [[gnu::always_inline]] static inline

namespace loadline {

// A Level has a type Wide, sixteen scales and biases in registers, and
//   Wide wide(const float* scale, const float* bias);
//   void copy64<stores>(const std::uint8_t* in, std::uint8_t* out);
//   void convert<stores>(const std::uint8_t* in, const Wide&, T* out);   sixteen values, T = float or uint16_t (bf16)
//   void interleave(const std::uint8_t* r, g, b, std::uint8_t* out);   sixteen pixels to 48 bytes
//   void interleave_many(const std::uint8_t* r, g, b, std::uint8_t* out);   kManyPixels of them, a multiple of sixteen
//   Split split(const std::uint8_t* in);   kSplitPixels interleaved pixels, and of these channel c:
//   void store_split<stores, c>(const Split&, std::uint8_t* out);
//   bool kHasStreaming; void fence();
// For streaming stores, `out` is aligned to the bytes that one call writes, but to at most 64.
template <typename Level, Stores kStores>
struct Loops {
  using Wide = typename Level::Wide;
  static constexpr std::size_t kStep = 16;

  static void copy(const std::uint8_t* in, std::size_t count, std::uint8_t* out) {
    if (must_fall_back(out)) return Cached::copy(in, count, out);
    std::size_t i = 0;
    for (; i + 64 <= count; i += 64) Level::template copy64<kStores>(in + i, out + i);
    if (i == count) return;
    // The last 64 bytes overlap finished ones and write the same bytes.
    if (count >= 64) return Level::template copy64<Stores::kCached>(in + count - 64, out + count - 64);
    __builtin_memcpy(out, in, count);
  }

  static void to_f32(const std::uint8_t* in, std::size_t count, Affine affine, float* out) {
    if (must_fall_back(out)) return Cached::to_f32(in, count, affine, out);
    convert_plane(in, count, affine, out);
  }

  static void to_bf16(const std::uint8_t* in, std::size_t count, Affine affine, std::uint16_t* out) {
    if (must_fall_back(out)) return Cached::to_bf16(in, count, affine, out);
    convert_plane(in, count, affine, out);
  }

  static void interleave_u8(const std::uint8_t* in, std::size_t plane_stride, std::size_t count, std::uint8_t* out) {
    std::size_t i = 0;
    for (; i + Level::kManyPixels <= count; i += Level::kManyPixels) {
      Level::interleave_many(in + i, in + plane_stride + i, in + 2 * plane_stride + i, out + 3 * i);
    }
    for (; i + kStep <= count; i += kStep) {
      Level::interleave(in + i, in + plane_stride + i, in + 2 * plane_stride + i, out + 3 * i);
    }
    for (; i < count; ++i) {
      for (std::size_t c = 0; c < 3; ++c) out[3 * i + c] = in[c * plane_stride + i];
    }
  }

  static void interleave_f32(const std::uint8_t* in, std::size_t plane_stride, std::size_t count, const Affine* affine,
                             float* out) {
    if (must_fall_back(out)) return Cached::interleave_f32(in, plane_stride, count, affine, out);
    interleave_planes(in, plane_stride, count, affine, out);
  }

  static void interleave_bf16(const std::uint8_t* in, std::size_t plane_stride, std::size_t count, const Affine* affine,
                              std::uint16_t* out) {
    if (must_fall_back(out)) return Cached::interleave_bf16(in, plane_stride, count, affine, out);
    interleave_planes(in, plane_stride, count, affine, out);
  }

  static void split_u8(const std::uint8_t* in, std::size_t count, std::uint8_t* out, std::size_t plane_stride) {
    if (must_fall_back(out, plane_stride)) return Cached::split_u8(in, count, out, plane_stride);
    std::size_t i = 0;
    for (; i + kSplit <= count; i += kSplit) {
      const auto split = Level::split(in + 3 * i);
      Level::template store_split<kStores, 0>(split, out + i);
      Level::template store_split<kStores, 1>(split, out + plane_stride + i);
      Level::template store_split<kStores, 2>(split, out + 2 * plane_stride + i);
    }
    for (; i < count; ++i) {
      for (std::size_t c = 0; c < 3; ++c) out[c * plane_stride + i] = in[3 * i + c];
    }
  }

  static void split_f32(const std::uint8_t* in, std::size_t count, const Affine* affine, float* out,
                        std::size_t plane_stride) {
    if (must_fall_back(out, plane_stride)) return Cached::split_f32(in, count, affine, out, plane_stride);
    split_pixels(in, count, affine, out, plane_stride);
  }

  static void split_bf16(const std::uint8_t* in, std::size_t count, const Affine* affine, std::uint16_t* out,
                         std::size_t plane_stride) {
    if (must_fall_back(out, plane_stride)) return Cached::split_bf16(in, count, affine, out, plane_stride);
    split_pixels(in, count, affine, out, plane_stride);
  }

  static void pixels_f32(const std::uint8_t* in, std::size_t count, const Affine* affine, float* out) {
    if (must_fall_back(out)) return Cached::pixels_f32(in, count, affine, out);
    convert_pixels(in, count, affine, out);
  }

  static void pixels_bf16(const std::uint8_t* in, std::size_t count, const Affine* affine, std::uint16_t* out) {
    if (must_fall_back(out)) return Cached::pixels_bf16(in, count, affine, out);
    convert_pixels(in, count, affine, out);
  }

  static constexpr KernelLoops table() {
    return {copy,     to_f32,    to_bf16,    interleave_u8, interleave_f32, interleave_bf16,
            split_u8, split_f32, split_bf16, pixels_f32,    pixels_bf16};
  }

 private:
  using Cached = Loops<Level, Stores::kCached>;
  static constexpr std::size_t kSplit = Level::kSplitPixels;

  LOADLINE_INLINE bool must_fall_back(const void* out) {
    return kStores == Stores::kStreaming && reinterpret_cast<std::uintptr_t>(out) % 64 != 0;
  }

  // Of three planes, where they do not all begin with a line.
  template <typename T>
  LOADLINE_INLINE bool must_fall_back(const T* out, std::size_t plane_stride) {
    return must_fall_back(out) || must_fall_back(out + plane_stride);
  }

  LOADLINE_INLINE Wide wide(const Affine* affine, std::size_t first, std::size_t period) {
    float scale[kStep];
    float bias[kStep];
    for (std::size_t lane = 0; lane < kStep; ++lane) {
      scale[lane] = affine[(first + lane) % period].scale;
      bias[lane] = affine[(first + lane) % period].bias;
    }
    return Level::wide(scale, bias);
  }

  // Less than a step: does a whole step in local arrays and uses `count` of its values.
  template <typename T>
  static void convert_rest(const std::uint8_t* in, std::size_t count, const Wide& wide, T* out) {
    std::uint8_t padded[kStep] = {};
    T converted[kStep];
    __builtin_memcpy(padded, in, count);
    Level::template convert<Stores::kCached>(padded, wide, converted);
    __builtin_memcpy(out, converted, count * sizeof(T));
  }

  template <typename T>
  LOADLINE_INLINE void convert_plane(const std::uint8_t* in, std::size_t count, Affine affine, T* out) {
    const Wide same = wide(&affine, 0, 1);
    std::size_t i = 0;
    for (; i + 4 * kStep <= count; i += 4 * kStep) {
      Level::template convert<kStores>(in + i, same, out + i);
      Level::template convert<kStores>(in + i + kStep, same, out + i + kStep);
      Level::template convert<kStores>(in + i + 2 * kStep, same, out + i + 2 * kStep);
      Level::template convert<kStores>(in + i + 3 * kStep, same, out + i + 3 * kStep);
    }
    for (; i + kStep <= count; i += kStep) Level::template convert<kStores>(in + i, same, out + i);
    if (i < count) convert_rest(in + i, count - i, same, out + i);
  }

  // A few pixels at a time, plane after plane: stores to three planes in turns take twice as long.
  template <typename T>
  LOADLINE_INLINE void split_pixels(const std::uint8_t* in, std::size_t count, const Affine* affine, T* out,
                                    std::size_t plane_stride) {
    constexpr std::size_t kPixels = 512;
    alignas(64) std::uint8_t planes[3 * kPixels];
    for (std::size_t i = 0; i < count; i += kPixels) {
      const std::size_t some = count - i < kPixels ? count - i : kPixels;
      Cached::split_u8(in + 3 * i, some, planes, kPixels);
      for (std::size_t c = 0; c < 3; ++c) {
        convert_plane(planes + c * kPixels, some, affine[c], out + c * plane_stride + i);
      }
    }
  }

  // Sixteen interleaved pixels are three steps, in which the channels' constants repeat with period 3.
  template <typename T>
  LOADLINE_INLINE void convert_pixels(const std::uint8_t* in, std::size_t count, const Affine* affine, T* out) {
    const Wide wides[3] = {wide(affine, 0, 3), wide(affine, kStep, 3), wide(affine, 2 * kStep, 3)};
    const std::size_t values = 3 * count;
    std::size_t i = 0;
    for (; i + 3 * kStep <= values; i += 3 * kStep) {
      Level::template convert<kStores>(in + i, wides[0], out + i);
      Level::template convert<kStores>(in + i + kStep, wides[1], out + i + kStep);
      Level::template convert<kStores>(in + i + 2 * kStep, wides[2], out + i + 2 * kStep);
    }
    for (std::size_t step = 0; i < values; i += kStep, ++step) {
      convert_rest(in + i, values - i < kStep ? values - i : kStep, wides[step], out + i);
    }
  }

  // Sixteen interleaved pixels are three steps, in which the planes' constants repeat with period 3.
  template <typename T>
  LOADLINE_INLINE void interleave_planes(const std::uint8_t* in, std::size_t stride, std::size_t count,
                                         const Affine* affine, T* out) {
    const Wide first = wide(affine, 0, 3);
    const Wide second = wide(affine, kStep, 3);
    const Wide third = wide(affine, 2 * kStep, 3);
    std::uint8_t pixels[3 * kStep];
    std::size_t i = 0;
    for (; i + kStep <= count; i += kStep) {
      Level::interleave(in + i, in + stride + i, in + 2 * stride + i, pixels);
      Level::template convert<kStores>(pixels, first, out + 3 * i);
      Level::template convert<kStores>(pixels + kStep, second, out + 3 * i + kStep);
      Level::template convert<kStores>(pixels + 2 * kStep, third, out + 3 * i + 2 * kStep);
    }
    for (; i < count; ++i) {
      for (std::size_t c = 0; c < 3; ++c) pixels[c] = in[c * stride + i];
      convert_rest(pixels, 3, first, out + 3 * i);
    }
  }
};

// A Level has, for volumes, a vector type Lanes of floats, and
//   void store_lanes<stores>(const Lanes&, float* out);
//   void round(const float* in, std::uint16_t* out);   sixteen values
template <typename Level, Stores kStores>
struct Volumes {
  using Lanes = typename Level::Lanes;
  static constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(float);
  using Each = std::make_index_sequence<kLanes>;

  // Works in blocks as wide as a vector; blocks that share output lines follow each other.
  static void transpose(const float* in, std::ptrdiff_t in_stride, float* out, std::ptrdiff_t out_stride) {
    for (std::size_t j = 0; j < kTile; j += kLanes) {
      for (std::size_t i = 0; i < kTile; i += kLanes) {
        transpose_block(in + static_cast<std::ptrdiff_t>(i) * in_stride + j, in_stride,
                        out + static_cast<std::ptrdiff_t>(j) * out_stride + i, out_stride);
      }
    }
  }

  static void reverse(const float* in, std::size_t count, float* out) {
    if (kStores == Stores::kStreaming && reinterpret_cast<std::uintptr_t>(out) % 64 != 0) {
      return Volumes<Level, Stores::kCached>::reverse(in, count, out);
    }
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      const Lanes lanes = load(in + count - kLanes - i);
      Level::template store_lanes<kStores>(reversed(lanes, Each{}), out + i);
    }
    for (; i < count; ++i) out[i] = in[count - 1 - i];
  }

  static void round(const float* in, std::size_t count, std::uint16_t* out) {
    std::size_t i = 0;
    for (; i + 16 <= count; i += 16) Level::round(in + i, out + i);
    round_plainly(in + i, count - i, out + i);
  }

  LOADLINE_INLINE void round_plainly(const float* in, std::size_t count, std::uint16_t* out) {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t bits = 0;
      __builtin_memcpy(&bits, in + i, sizeof bits);
      const bool is_number = (bits & 0x7fffffffU) <= 0x7f800000U;
      const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16U) & 1U);
      out[i] = static_cast<std::uint16_t>((is_number ? rounded : bits | 0x400000U) >> 16U);
    }
  }

  static constexpr VolumeLoops table() { return {transpose, reverse, round}; }

 private:
  LOADLINE_INLINE Lanes load(const float* in) {
    Lanes lanes;
    __builtin_memcpy(&lanes, in, sizeof lanes);
    return lanes;
  }

  LOADLINE_INLINE void transpose_block(const float* in, std::ptrdiff_t in_stride, float* out,
                                       std::ptrdiff_t out_stride) {
    Lanes lines[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) lines[i] = load(in + static_cast<std::ptrdiff_t>(i) * in_stride);
    if constexpr (kLanes > 8) swap_blocks<8>(lines);
    if constexpr (kLanes > 4) swap_blocks<4>(lines);
    swap_blocks<2>(lines);
    swap_blocks<1>(lines);
    for (std::size_t i = 0; i < kLanes; ++i) {
      Level::template store_lanes<kStores>(lines[i], out + static_cast<std::ptrdiff_t>(i) * out_stride);
    }
  }

  template <std::size_t... kLane>
  LOADLINE_INLINE Lanes reversed(const Lanes& lanes, std::index_sequence<kLane...>) {
    return __builtin_shufflevector(lanes, lanes, (kLanes - 1 - kLane)...);
  }

  // Of each two neighbouring blocks, the left one of both lines: first the first line's.
  template <std::size_t kBlock, std::size_t... kLane>
  LOADLINE_INLINE Lanes left_blocks(const Lanes& first, const Lanes& second, std::index_sequence<kLane...>) {
    return __builtin_shufflevector(first, second, ((kLane & kBlock) != 0 ? kLanes + kLane - kBlock : kLane)...);
  }

  template <std::size_t kBlock, std::size_t... kLane>
  LOADLINE_INLINE Lanes right_blocks(const Lanes& first, const Lanes& second, std::index_sequence<kLane...>) {
    return __builtin_shufflevector(first, second, ((kLane & kBlock) != 0 ? kLanes + kLane : kLane + kBlock)...);
  }

  // Swaps the block right of the diagonal with the one left of it, in each square of two blocks by two.
  template <std::size_t kBlock>
  LOADLINE_INLINE void swap_blocks(Lanes (&lines)[kLanes]) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      if ((i & kBlock) != 0) continue;
      const Lanes first = lines[i];
      const Lanes second = lines[i + kBlock];
      lines[i] = left_blocks<kBlock>(first, second, Each{});
      lines[i + kBlock] = right_blocks<kBlock>(first, second, Each{});
    }
  }
};

// A Level has, for rows, a vector type Block of bytes and
//   Block reversed(Block);   the last byte first
//   void swap_ends(std::uint8_t* pixels);   exchanges the first and the last byte of each of sixteen pixels
template <typename Level>
struct Rows {
  static constexpr RowLoops table() { return {move, move_pixels}; }

 private:
  using Block = typename Level::Block;
  static constexpr std::ptrdiff_t kBlock = sizeof(Block);

  static void move(const std::uint8_t* in, std::size_t rows, std::size_t width, std::ptrdiff_t right, bool mirror,
                   std::uint8_t* out) {
    const auto count = static_cast<std::ptrdiff_t>(rows);
    const auto columns = static_cast<std::ptrdiff_t>(width);
    if (mirror) {
      move_rows<true>(in, count, columns, right, out);
    } else if (right != 0) {
      move_rows<false>(in, count, columns, right, out);
    } else {
      __builtin_memcpy(out, in, rows * width);
    }
  }

  // Mirroring bytes mirrors the pixels, and the channels in each of them, too.
  static void move_pixels(const std::uint8_t* in, std::size_t rows, std::size_t width, std::ptrdiff_t right,
                          bool mirror, std::uint8_t* out) {
    move(in, rows, 3 * width, 3 * right, mirror, out);
    if (!mirror) return;
    const std::size_t bytes = 3 * rows * width;
    std::size_t i = 0;
    for (; i + 48 <= bytes; i += 48) Level::swap_ends(out + i);
    for (; i < bytes; i += 3) {
      const std::uint8_t first = out[i];
      out[i] = out[i + 2];
      out[i + 2] = first;
    }
  }

  // Block by block, the last ones first. A block may also read bytes of the neighbouring rows, which the mask clears,
  // and the last block of a row may write into the next row, whose first block is written later. At both ends of the
  // plane, rows for which that would read or write outside are moved alone.
  template <bool kMirror>
  LOADLINE_INLINE void move_rows(const std::uint8_t* in, std::ptrdiff_t rows, std::ptrdiff_t width,
                                 std::ptrdiff_t right, std::uint8_t* out) {
    const std::ptrdiff_t blocks = (width + kBlock - 1) / kBlock;
    const std::ptrdiff_t whole = blocks * kBlock;
    const std::ptrdiff_t read_from = right + (kMirror ? width - whole : 0);  // counted from the beginning of a row
    const std::ptrdiff_t read_to = right + (kMirror ? width : whole);
    const std::ptrdiff_t beyond = (read_to > whole ? read_to : whole) - width;
    const std::ptrdiff_t before_rows = read_from < 0 ? (width - 1 - read_from) / width : 0;
    const std::ptrdiff_t first = before_rows < rows ? before_rows : rows;
    const std::ptrdiff_t behind_rows = (beyond + width - 1) / width;
    const std::ptrdiff_t last = rows - behind_rows > first ? rows - behind_rows : first;
    for (std::ptrdiff_t block = blocks - 1; block >= 0; --block) {
      const std::ptrdiff_t column = block * kBlock;
      const std::ptrdiff_t inside = (kMirror ? right : -right) - column;  // where the stored row begins in this block
      const Block mask = between(inside, inside + width);
      const std::ptrdiff_t from = kMirror ? width + right - column - kBlock : column + right;
      for (std::ptrdiff_t row = first; row < last; ++row) {
        Block bytes;
        __builtin_memcpy(&bytes, in + row * width + from, sizeof bytes);
        if constexpr (kMirror) bytes = Level::reversed(bytes);
        bytes &= mask;
        __builtin_memcpy(out + row * width + column, &bytes, sizeof bytes);
      }
    }
    for (std::ptrdiff_t row = 0; row < first; ++row) {
      move_row<kMirror>(in + row * width, width, right, out + row * width);
    }
    for (std::ptrdiff_t row = last; row < rows; ++row) {
      move_row<kMirror>(in + row * width, width, right, out + row * width);
    }
  }

  template <bool kMirror>
  LOADLINE_INLINE void move_row(const std::uint8_t* in, std::ptrdiff_t width, std::ptrdiff_t right, std::uint8_t* out) {
    for (std::ptrdiff_t column = 0; column < width; column += kBlock) {
      const std::ptrdiff_t from = kMirror ? width + right - column - kBlock : column + right;
      const std::ptrdiff_t begin = from > 0 ? from : 0;
      const std::ptrdiff_t end = from + kBlock < width ? from + kBlock : width;
      Block bytes{};
      auto* places = reinterpret_cast<std::uint8_t*>(&bytes);
      if (begin < end) __builtin_memcpy(places + (begin - from), in + begin, static_cast<std::size_t>(end - begin));
      if constexpr (kMirror) bytes = Level::reversed(bytes);
      const std::ptrdiff_t left = width - column;
      __builtin_memcpy(out + column, &bytes, static_cast<std::size_t>(left < kBlock ? left : kBlock));
    }
  }

  // All bits set in bytes [begin, end) of a block, whose bounds may be outside it.
  LOADLINE_INLINE Block between(std::ptrdiff_t begin, std::ptrdiff_t end) {
    Block places{};
    for (std::ptrdiff_t i = 0; i < kBlock; ++i) places[i] = static_cast<std::uint8_t>(i);
    return reinterpret_cast<Block>((places >= in_block(begin)) & (places < in_block(end)));
  }

  LOADLINE_INLINE std::uint8_t in_block(std::ptrdiff_t place) {
    return static_cast<std::uint8_t>(place < 0 ? 0 : place > kBlock ? kBlock : place);
  }
};

template <typename Level>
constexpr Kernels kernels_of(const char* name) {
  return {Loops<Level, Stores::kCached>::table(),
          name,
          Loops<Level, Stores::kStreaming>::table(),
          Level::kHasStreaming,
          Level::fence,
          Rows<Level>::table(),
          Level::Resize::table(),
          Volumes<Level, Stores::kCached>::table(),
          Volumes<Level, Stores::kStreaming>::table()};
}

}  // namespace loadline
