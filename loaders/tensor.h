// Element type, memory layout and shape of batches, with their names in options and JSON.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace loadline {

enum class DType : std::uint8_t { kU8, kF32, kBF16, kI32 };
enum class Layout : std::uint8_t { kNCHW, kNHWC };

constexpr std::size_t size_bytes(DType dtype) {
  switch (dtype) {
    case DType::kU8: return 1;
    case DType::kBF16: return 2;
    case DType::kF32:
    case DType::kI32: return 4;
  }
  return 0;
}

constexpr std::string_view name(DType dtype) {
  switch (dtype) {
    case DType::kU8: return "u8";
    case DType::kBF16: return "bf16";
    case DType::kF32: return "f32";
    case DType::kI32: return "i32";
  }
  return "";
}

constexpr std::string_view name(Layout layout) {
  return layout == Layout::kNCHW ? "nchw" : "nhwc";
}

// How a batch is written: through the caches, or past them straight to memory. Both write the same bytes; only the
// time differs.
enum class Stores : std::uint8_t { kCached, kStreaming };

constexpr std::string_view name(Stores stores) {
  return stores == Stores::kCached ? "cached" : "streaming";
}

struct ImageShape {
  std::size_t channels = 0;
  std::size_t height = 0;  // pixels
  std::size_t width = 0;   // pixels

  std::size_t pixels() const { return height * width; }
  std::size_t elements() const { return channels * pixels(); }
  bool operator==(const ImageShape&) const = default;
};

// Describes one assembled sample.
struct SampleFormat {
  DType dtype = DType::kF32;
  Layout layout = Layout::kNCHW;
  // [channels, height, width] or [channels, depth, height, width], whatever the layout; [length + 1] for tokens.
  std::vector<std::size_t> input;
  std::vector<std::size_t> target;  // like input; empty if the target is the label or the next token
};

// A cube of f32 values in one or more channels, borrowed from a larger volume. Value (c, x, y, z) is first[c *
// channel_stride + x * stride[0] + y * stride[1] + z].
struct VolumeView {
  const float* first = nullptr;
  std::size_t channels = 0;
  std::ptrdiff_t channel_stride = 0;       // values
  std::array<std::ptrdiff_t, 2> stride{};  // values
};

}  // namespace loadline
