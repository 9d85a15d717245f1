#include "loaders/transforms/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kMostValues = 200;
constexpr std::size_t kMargin = 64;  // bytes on both sides of a kernel's output that must stay untouched
constexpr std::array<Affine, 3> kAffine{{{1.0F / 127.5F, -1.0F}, {0.01713F, -2.117F}, {3.7F, 0.1F}}};

// One multiplication and one addition, each rounded.
float f32_of(std::uint8_t byte, Affine affine) {
  const volatile float product = static_cast<float>(byte) * affine.scale;
  return product + affine.bias;
}

std::uint16_t bf16_of(std::uint8_t byte, Affine affine) {
  const auto bits = std::bit_cast<std::uint32_t>(f32_of(byte, affine));
  const std::uint32_t below = bits & 0xffffU;
  const std::uint32_t kept = bits >> 16U;
  const bool up = below > 0x8000U || (below == 0x8000U && kept % 2 == 1);
  return static_cast<std::uint16_t>(up ? kept + 1 : kept);
}

template <typename T>
T value_of(std::uint8_t byte, Affine affine) {
  if constexpr (std::is_same_v<T, float>) {
    return f32_of(byte, affine);
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    return bf16_of(byte, affine);
  } else {
    return byte;
  }
}

// Room for `count` values at an address `shift` bytes after a 64-byte boundary. A margin on both sides must stay
// untouched.
template <typename T>
class Target {
 public:
  Target(std::size_t count, std::size_t shift)
      : count_(count), bytes_(2 * kMargin + shift + count * sizeof(T) + kMargin, kUntouched) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    shift_ = kMargin + (kMargin - address % kMargin) % kMargin + shift;
  }

  T* data() { return reinterpret_cast<T*>(bytes_.data() + shift_); }

  std::vector<T> values() const {
    std::vector<T> copy(count_);
    if (count_ > 0) std::memcpy(copy.data(), bytes_.data() + shift_, count_ * sizeof(T));
    return copy;
  }

  bool wrote_outside() const {
    const auto touched = [](std::uint8_t byte) { return byte != kUntouched; };
    const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(shift_ + count_ * sizeof(T));
    return std::any_of(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(shift_), touched) ||
           std::any_of(end, bytes_.end(), touched);
  }

 private:
  static constexpr std::uint8_t kUntouched = 0xA5;

  std::size_t count_;
  Bytes bytes_;
  std::size_t shift_;
};

// Exactly `size` bytes on the heap, so that a sanitizer sees a read past them.
Bytes input(std::size_t size, std::size_t first) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(first + 37 * i);
  return bytes;
}

template <typename T>
void plane(const KernelLoops& kernels, const std::uint8_t* in, std::size_t count, Affine affine, T* out) {
  if constexpr (std::is_same_v<T, float>) {
    kernels.to_f32(in, count, affine, out);
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    kernels.to_bf16(in, count, affine, out);
  } else {
    kernels.copy(in, count, out);
  }
}

template <typename T>
void interleave(const KernelLoops& kernels, const std::uint8_t* in, std::size_t stride, std::size_t count, T* out) {
  if constexpr (std::is_same_v<T, float>) {
    kernels.interleave_f32(in, stride, count, kAffine.data(), out);
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    kernels.interleave_bf16(in, stride, count, kAffine.data(), out);
  } else {
    kernels.interleave_u8(in, stride, count, out);
  }
}

template <typename T>
void split(const KernelLoops& kernels, const std::uint8_t* in, std::size_t count, T* out, std::size_t stride) {
  if constexpr (std::is_same_v<T, float>) {
    kernels.split_f32(in, count, kAffine.data(), out, stride);
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    kernels.split_bf16(in, count, kAffine.data(), out, stride);
  } else {
    kernels.split_u8(in, count, out, stride);
  }
}

void pixels(const KernelLoops& kernels, const std::uint8_t* in, std::size_t count, float* out) {
  kernels.pixels_f32(in, count, kAffine.data(), out);
}

void pixels(const KernelLoops& kernels, const std::uint8_t* in, std::size_t count, std::uint16_t* out) {
  kernels.pixels_bf16(in, count, kAffine.data(), out);
}

template <typename T>
std::vector<std::uint8_t> bits(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class EveryLevel : public testing::TestWithParam<std::tuple<const Kernels*, Stores>> {
 protected:
  const Kernels& level_ = *std::get<0>(GetParam());
  const KernelLoops& kernels_ = level_.loops(std::get<1>(GetParam()));

  template <typename T>
  void expect_planes_as_reference() {
    for (std::size_t count = 0; count <= kMostValues; ++count) {
      const Bytes in = input(count, count);
      Target<T> out(count, 0);
      plane(kernels_, in.data(), count, kAffine[count % 3], out.data());
      std::vector<T> expected;
      for (const std::uint8_t byte : in) expected.push_back(value_of<T>(byte, kAffine[count % 3]));
      ASSERT_EQ(bits(out.values()), bits(expected)) << count << " values";
      ASSERT_FALSE(out.wrote_outside()) << count << " values";
    }
  }

  template <typename T>
  void expect_interleaved_as_reference() {
    for (const std::size_t gap : {0U, 1U, 24U}) {
      for (std::size_t count = 0; count <= kMostValues; ++count) {
        const std::size_t stride = count + gap;
        const Bytes in = input(2 * stride + count, count);
        Target<T> out(3 * count, 0);
        interleave(kernels_, in.data(), stride, count, out.data());
        std::vector<T> expected;
        for (std::size_t i = 0; i < count; ++i) {
          for (std::size_t c = 0; c < 3; ++c) expected.push_back(value_of<T>(in[c * stride + i], kAffine[c]));
        }
        ASSERT_EQ(bits(out.values()), bits(expected)) << count << " pixels, planes " << stride << " apart";
        ASSERT_FALSE(out.wrote_outside()) << count << " pixels";
      }
    }
  }

  template <typename T>
  void expect_split_as_reference() {
    for (const std::size_t gap : {0U, 3U}) {
      for (std::size_t count = 0; count <= kMostValues; ++count) {
        const std::size_t stride = count + gap;
        const Bytes in = input(3 * count, count);
        Target<T> out(2 * stride + count, 0);
        split(kernels_, in.data(), count, out.data(), stride);
        const std::vector<T> values = out.values();
        for (std::size_t i = 0; i < 3 * count; ++i) {
          ASSERT_EQ(values[i % 3 * stride + i / 3], value_of<T>(in[i], kAffine[i % 3]))
              << "value " << i << " of " << count << " pixels, planes " << stride << " apart";
        }
        ASSERT_FALSE(out.wrote_outside()) << count << " pixels";
      }
    }
  }

  template <typename T>
  void expect_pixels_as_reference() {
    for (std::size_t count = 0; count <= kMostValues; ++count) {
      const Bytes in = input(3 * count, count);
      Target<T> out(3 * count, 0);
      pixels(kernels_, in.data(), count, out.data());
      std::vector<T> expected;
      for (std::size_t i = 0; i < 3 * count; ++i) expected.push_back(value_of<T>(in[i], kAffine[i % 3]));
      ASSERT_EQ(bits(out.values()), bits(expected)) << count << " pixels";
      ASSERT_FALSE(out.wrote_outside()) << count << " pixels";
    }
  }

  // Elements stay aligned to their own size; nothing is aligned to a vector or a cache line.
  template <typename T>
  void expect_the_same_at_any_address() {
    for (std::size_t in_shift = 0; in_shift < 64; ++in_shift) {
      const Bytes in = input(in_shift + 3 * 77, 5);
      for (const std::size_t out_shift : {std::size_t{0}, sizeof(T), 7 * sizeof(T)}) {
        Target<T> planar(77, out_shift);
        plane(kernels_, in.data() + in_shift, 77, kAffine[1], planar.data());
        Target<T> mixed(3 * 77, out_shift);
        interleave(kernels_, in.data() + in_shift, 77, 77, mixed.data());
        Target<T> apart(3 * 77, out_shift);
        split(kernels_, in.data() + in_shift, 77, apart.data(), 77);
        for (std::size_t i = 0; i < 77; ++i) {
          ASSERT_EQ(apart.values()[77 + i], value_of<T>(in[in_shift + 3 * i + 1], kAffine[1]));
          ASSERT_EQ(planar.values()[i], value_of<T>(in[in_shift + i], kAffine[1]));
          ASSERT_EQ(mixed.values()[3 * i + 2], value_of<T>(in[in_shift + 2 * 77 + i], kAffine[2]));
        }
        ASSERT_FALSE(planar.wrote_outside());
        ASSERT_FALSE(mixed.wrote_outside());
        ASSERT_FALSE(apart.wrote_outside());
      }
    }
  }

  template <typename T>
  void expect_every_byte_as_reference() {
    Bytes in(256);
    std::iota(in.begin(), in.end(), std::uint8_t{0});
    for (const Affine affine : kAffine) {
      Target<T> out(256, 0);
      plane(kernels_, in.data(), 256, affine, out.data());
      const auto values = out.values();
      for (std::size_t byte = 0; byte < 256; ++byte) {
        EXPECT_EQ(values[byte], value_of<T>(in[byte], affine)) << "byte " << byte;
      }
    }
  }
};

}  // namespace

// GoogleTest would otherwise print an address.
std::ostream& operator<<(std::ostream& out, const Kernels* kernels) {
  return out << kernels->name;
}

namespace {

INSTANTIATE_TEST_SUITE_P(Supported, EveryLevel,
                         testing::Combine(testing::ValuesIn(supported_kernels().begin(), supported_kernels().end()),
                                          testing::Values(Stores::kCached, Stores::kStreaming)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param)->name) + "_" +
                                  std::string(name(std::get<1>(row.param)));
                         });

TEST_P(EveryLevel, ConvertsEveryByteLikeTheReference) {
  expect_every_byte_as_reference<std::uint8_t>();
  expect_every_byte_as_reference<float>();
  expect_every_byte_as_reference<std::uint16_t>();
}

TEST_P(EveryLevel, ConvertsPlanesOfAnySizeLikeTheReference) {
  expect_planes_as_reference<std::uint8_t>();
  expect_planes_as_reference<float>();
  expect_planes_as_reference<std::uint16_t>();
}

TEST_P(EveryLevel, InterleavesPlanesOfAnySizeLikeTheReference) {
  expect_interleaved_as_reference<std::uint8_t>();
  expect_interleaved_as_reference<float>();
  expect_interleaved_as_reference<std::uint16_t>();
}

TEST_P(EveryLevel, ConvertsTheSameAtAnyAddress) {
  expect_the_same_at_any_address<std::uint8_t>();
  expect_the_same_at_any_address<float>();
  expect_the_same_at_any_address<std::uint16_t>();
}

TEST_P(EveryLevel, RoundsBf16ToTheNearestAndTiesToEven) {
  // 1 + 2^-8 lies halfway between 0x3f80 and 0x3f81, 1 + 3 * 2^-8 between 0x3f81 and 0x3f82.
  const std::array<std::uint8_t, 4> in{1, 3, 2, 0};
  std::array<std::uint16_t, 4> out{};
  kernels_.to_bf16(in.data(), in.size(), {.scale = 0x1p-8F, .bias = 1}, out.data());
  EXPECT_THAT(out, testing::ElementsAre(0x3f80, 0x3f82, 0x3f81, 0x3f80));
}

TEST_P(EveryLevel, SplitsPixelsOfAnySizeLikeTheReference) {
  expect_split_as_reference<std::uint8_t>();
  expect_split_as_reference<float>();
  expect_split_as_reference<std::uint16_t>();
}

TEST_P(EveryLevel, ConvertsPixelsOfAnySizeLikeTheReference) {
  expect_pixels_as_reference<float>();
  expect_pixels_as_reference<std::uint16_t>();
}

// Blends two values as kernels.h defines it.
std::uint32_t between(std::uint32_t first, std::uint32_t next, std::uint16_t next_weight) {
  const std::uint32_t first_weight = next_weight == 0 ? 65535U : 65536U - next_weight;
  return (first * first_weight >> 16U) + (next * next_weight >> 16U);
}

TEST_P(EveryLevel, BlendsRowsLikeTheReference) {
  for (const std::uint16_t weight : std::array<std::uint16_t, 5>{0, 1, 12345, 32768, 65535}) {
    for (std::size_t count = 1; count <= kMostValues; ++count) {
      std::vector<std::uint16_t> first(count + kSampledSlack);
      std::vector<std::uint16_t> next(count + kSampledSlack);
      for (std::size_t i = 0; i < first.size(); ++i) {
        first[i] = static_cast<std::uint16_t>(i * 7919 % 65281);
        next[i] = static_cast<std::uint16_t>(65280 - i * 6007 % 65281);
      }
      Target<std::uint8_t> out(count, 0);
      level_.resize.blend_rows(first.data(), next.data(), weight, count, out.data());
      Bytes expected;
      for (std::size_t i = 0; i < count; ++i) {
        expected.push_back(static_cast<std::uint8_t>((between(first[i], next[i], weight) + 130) >> 8U));
      }
      ASSERT_EQ(out.values(), expected) << count << " values, weight " << weight;
      ASSERT_FALSE(out.wrote_outside()) << count << " values";
    }
  }
}

// Returns `count` taps spread over a row.
std::vector<Tap> taps_across(std::size_t pixels, std::size_t count) {
  std::vector<Tap> taps(count);
  for (std::size_t i = 0; i < count; ++i) {
    taps[i].first = static_cast<std::uint32_t>(i * pixels / count);
    if (taps[i].first + 1 < pixels) taps[i].next_weight = static_cast<std::uint16_t>(i * 9973);
  }
  return taps;
}

// Samples one row, then several. Each is on the heap, so that a sanitizer sees a read past it.
void expect_sampled_as_reference(const ResizeLoops& loops, std::size_t pixels, const std::vector<Tap>& taps) {
  std::vector<PlanLine> plan(plan_lines(taps.size()));
  loops.plan_columns(taps.data(), taps.size(), pixels, plan.data());
  for (const std::size_t row_count : {1U, 3U}) {
    std::vector<Bytes> rows;
    std::vector<std::vector<std::uint16_t>> sampled(row_count,
                                                    std::vector<std::uint16_t>(3 * taps.size() + kSampledSlack));
    std::vector<const std::uint8_t*> in;
    std::vector<std::uint16_t*> out;
    for (std::size_t row = 0; row < row_count; ++row) {
      rows.push_back(input(3 * pixels, row));
      in.push_back(rows.back().data());
      out.push_back(sampled[row].data());
    }
    loops.sample_columns(plan.data(), in.data(), row_count, out.data());
    for (std::size_t row = 0; row < row_count; ++row) {
      for (std::size_t i = 0; i < 3 * taps.size(); ++i) {
        const Tap tap = taps[i / 3];
        const std::size_t at = 3 * std::size_t{tap.first} + i % 3;
        const std::uint32_t next = tap.next_weight == 0 ? 0U : rows[row][at + 3];
        ASSERT_EQ(sampled[row][i], between(256U * rows[row][at], 256U * next, tap.next_weight))
            << "row " << row << ", value " << i << ", " << taps.size() << " taps of " << pixels << " pixels";
      }
    }
  }
}

TEST_P(EveryLevel, SamplesColumnsLikeTheReference) {
  for (const std::size_t pixels : {1U, 2U, 5U, 6U, 21U, 22U, 40U, 100U, 333U, 1999U}) {
    for (const std::size_t count : {1U, 7U, 8U, 10U, 11U, 23U, 64U, 224U}) {
      std::vector<Tap> taps = taps_across(pixels, count);
      expect_sampled_as_reference(level_.resize, pixels, taps);
      std::ranges::reverse(taps);
      expect_sampled_as_reference(level_.resize, pixels, taps);
    }
  }
}

// Moves rows as kernels.h defines it.
Bytes moved(const Bytes& in, std::size_t width, std::ptrdiff_t right, bool mirror) {
  Bytes out;
  for (std::size_t row = 0; row < in.size(); row += width) {
    for (std::size_t column = 0; column < width; ++column) {
      const auto from = static_cast<std::ptrdiff_t>(mirror ? width - 1 - column : column) + right;
      const bool inside = from >= 0 && from < static_cast<std::ptrdiff_t>(width);
      out.push_back(inside ? in[row + static_cast<std::size_t>(from)] : std::uint8_t{0});
    }
  }
  return out;
}

TEST_P(EveryLevel, MovesRowsLikeTheReference) {
  for (const std::size_t width : {1U, 2U, 7U, 15U, 16U, 17U, 28U, 31U, 32U, 33U, 63U, 64U, 65U, 100U}) {
    for (const std::size_t rows : {1U, 2U, 3U, 9U, 40U}) {
      const Bytes in = input(rows * width, 1);
      const auto furthest = static_cast<std::ptrdiff_t>(width);
      for (std::ptrdiff_t right = -furthest; right <= furthest; ++right) {
        for (const bool mirror : {false, true}) {
          Target<std::uint8_t> out(rows * width, 0);
          level_.rows.move(in.data(), rows, width, right, mirror, out.data());
          ASSERT_EQ(out.values(), moved(in, width, right, mirror))
              << rows << " rows of " << width << " by " << right << (mirror ? ", mirrored" : "");
          ASSERT_FALSE(out.wrote_outside()) << rows << " rows of " << width << " by " << right;
        }
      }
    }
  }
}

// The bytes of one channel of interleaved pixels.
Bytes channel_of(const Bytes& pixels, std::size_t channel) {
  Bytes plane;
  for (std::size_t i = channel; i < pixels.size(); i += 3) plane.push_back(pixels[i]);
  return plane;
}

TEST_P(EveryLevel, MovesRowsOfPixelsLikeThoseOfTheirPlanes) {
  for (const std::size_t width : {1U, 2U, 5U, 10U, 11U, 15U, 16U, 17U, 28U, 32U, 33U, 64U}) {
    for (const std::size_t rows : {1U, 2U, 3U, 9U}) {
      const Bytes in = input(3 * rows * width, 1);
      const auto furthest = static_cast<std::ptrdiff_t>(width);
      for (std::ptrdiff_t right = -furthest; right <= furthest; ++right) {
        for (const bool mirror : {false, true}) {
          Target<std::uint8_t> out(3 * rows * width, 0);
          level_.rows.move_pixels(in.data(), rows, width, right, mirror, out.data());
          for (std::size_t c = 0; c < 3; ++c) {
            ASSERT_EQ(channel_of(out.values(), c), moved(channel_of(in, c), width, right, mirror))
                << rows << " rows of " << width << " by " << right << (mirror ? ", mirrored" : "");
          }
          ASSERT_FALSE(out.wrote_outside()) << rows << " rows of " << width << " by " << right;
        }
      }
    }
  }
}

TEST_P(EveryLevel, IsFoundByItsName) {
  EXPECT_EQ(&kernels_named(level_.name), &level_);
}

TEST(Kernels, BeginWithScalarAndEndWithTheFastest) {
  ASSERT_FALSE(supported_kernels().empty());
  EXPECT_EQ(supported_kernels().front()->name, "scalar");
  EXPECT_EQ(&kernels_named("auto"), supported_kernels().back());
}

TEST(Kernels, RefuseAnUnknownLevel) {
  const test::Thrown thrown = test::thrown_by([] { kernels_named("sclar"); });
  EXPECT_EQ(thrown.kind, Error::Kind::kUsage);
  EXPECT_THAT(thrown.message,
              testing::StartsWith("kernels of this program on this CPU 'sclar': want one of auto, scalar"));
  EXPECT_THAT(thrown.message, testing::EndsWith("(did you mean scalar?)"));
}

}  // namespace
}  // namespace loadline
