#include "loaders/transforms/volume_transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <tuple>

#include "loaders/system/memory.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

// A box in a volume of `volume_edge` values along each side. All values differ.
struct Box {
  Box(std::size_t channels, std::size_t volume_edge, std::size_t first)
      : values(channels * volume_edge * volume_edge * volume_edge) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 1.5F;
    const auto edge = static_cast<std::ptrdiff_t>(volume_edge);
    view = {.first = values.data() + first,
            .channels = channels,
            .channel_stride = edge * edge * edge,
            .stride = {edge * edge, edge}};
  }
  float at(std::size_t c, std::size_t x, std::size_t y, std::size_t z) const {
    return view
        .first[static_cast<std::ptrdiff_t>(c) * view.channel_stride + static_cast<std::ptrdiff_t>(x) * view.stride[0] +
               static_cast<std::ptrdiff_t>(y) * view.stride[1] + static_cast<std::ptrdiff_t>(z)];
  }

  std::vector<float> values;
  VolumeView view;
};

// Turns a box by the definition, value by value.
std::vector<float> turned(const Box& box, std::size_t edge, const Rotation& rotation) {
  std::vector<float> out;
  for (std::size_t c = 0; c < box.view.channels; ++c) {
    for (std::size_t x = 0; x < edge; ++x) {
      for (std::size_t y = 0; y < edge; ++y) {
        for (std::size_t z = 0; z < edge; ++z) {
          const std::array<std::size_t, 3> to{x, y, z};
          std::array<std::size_t, 3> from{};
          for (std::size_t i = 0; i < 3; ++i) {
            from[rotation.from[i]] = rotation.backwards[i] ? edge - 1 - to[i] : to[i];
          }
          out.push_back(box.at(c, from[0], from[1], from[2]));
        }
      }
    }
  }
  return out;
}

std::vector<float> applied(const VolumeTransform& transform, const Box& box, const Rotation& rotation, Stores stores) {
  HugeMemory memory(box.view.channels * transform.channel_bytes());
  transform.apply(box.view, rotation, {}, memory.bytes().data(), stores);
  transform.kernels().fence();
  const auto* first = reinterpret_cast<const float*>(memory.bytes().data());
  return {first, first + memory.bytes().size() / sizeof(float)};
}

TEST(Rotations, AreTheTwentyFourWithoutMirrorImages) {
  ASSERT_EQ(rotations().size(), 24U);
  EXPECT_EQ(rotations()[0], Rotation());
  std::set<std::tuple<int, int, int, bool, bool, bool>> seen;
  for (const Rotation& rotation : rotations()) {
    const auto& [from, backwards] = rotation;
    EXPECT_TRUE(seen.insert({from[0], from[1], from[2], backwards[0], backwards[1], backwards[2]}).second);
    // The determinant of the matrix that maps a place to the source of its value.
    std::array<std::array<int, 3>, 3> m{};
    for (std::size_t i = 0; i < 3; ++i) m[i][from[i]] = backwards[i] ? -1 : 1;
    EXPECT_EQ(m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                  m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]),
              1);
  }
}

class EveryVolumeLevel : public testing::TestWithParam<const Kernels*> {};

INSTANTIATE_TEST_SUITE_P(VolumeTransform, EveryVolumeLevel,
                         testing::ValuesIn(supported_kernels().begin(), supported_kernels().end()),
                         [](const auto& level) { return std::string(level.param->name); });

TEST_P(EveryVolumeLevel, TurnsCropsOfWholeAndPartialTilesInEveryWay) {
  for (const std::size_t edge : {1U, 5U, 16U, 32U, 37U}) {
    const Box box(2, edge + 3, 2);
    const VolumeTransform transform({.edge = edge}, *GetParam());
    for (const Rotation& rotation : rotations()) {
      EXPECT_EQ(applied(transform, box, rotation, Stores::kCached), turned(box, edge, rotation)) << edge;
    }
  }
}

TEST_P(EveryVolumeLevel, WritesTheSamePastTheCaches) {
  const Box box(2, 35, 1);
  const VolumeTransform transform({.edge = 32}, *GetParam());
  EXPECT_EQ(transform.effective(Stores::kStreaming), GetParam()->has_streaming ? Stores::kStreaming : Stores::kCached);
  for (const Rotation& rotation : rotations()) {
    EXPECT_EQ(applied(transform, box, rotation, Stores::kStreaming), turned(box, 32, rotation));
  }
}

TEST_P(EveryVolumeLevel, RoundsToBf16) {
  Box box(1, 4, 0);
  box.values[1] = std::bit_cast<float>(0x3f808000U);  // a tie, kept even
  box.values[2] = std::bit_cast<float>(0x3f818000U);  // a tie, made even
  box.values[3] = std::bit_cast<float>(0x7f800001U);  // not a number
  const VolumeTransform transform({.edge = 4, .rotate = false, .dtype = DType::kBF16}, *GetParam());
  EXPECT_EQ(transform.channel_bytes(), 128U);
  EXPECT_EQ(transform.effective(Stores::kStreaming), Stores::kCached);
  std::vector<float> scratch(transform.scratch_values());
  std::vector<std::uint16_t> out(64);
  transform.apply(box.view, Rotation(), scratch, reinterpret_cast<std::byte*>(out.data()));
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 0x3f80);
  EXPECT_EQ(out[2], 0x3f82);
  EXPECT_EQ(out[3], 0x7fc0);
  EXPECT_EQ(out[4], 0x40c0) << "6";
}

TEST(VolumeTransform, PlacesCropsAllOverTheVolumeAndNowhereElse) {
  const VolumeTransform transform({.edge = 4, .seed = 9}, kernels_named("scalar"));
  std::set<std::size_t> origins;
  std::size_t turned = 0;
  for (SampleIndex index = 0; index < 300; ++index) {
    const CropPlace place = transform.place(7, 2, index);
    for (const std::size_t at : place.origin) origins.insert(at);
    turned += place.rotation != Rotation();
  }
  EXPECT_EQ(origins, (std::set<std::size_t>{0, 1, 2, 3}));
  EXPECT_GT(turned, 250U);
  EXPECT_EQ(transform.place(4, 0, 0).origin, (std::array<std::size_t, 3>{0, 0, 0})) << "there is no other";
}

TEST(VolumeTransform, DrawsPlaceAndRotationFromSeedEpochAndIndexAlone) {
  const VolumeTransform transform({.edge = 4, .seed = 9}, kernels_named("scalar"));
  const VolumeTransform same({.edge = 4, .seed = 9}, kernels_named("auto"));
  const VolumeTransform other({.edge = 4, .seed = 10}, kernels_named("scalar"));
  const auto text = [](const CropPlace& place) {
    return std::tuple(place.origin, place.rotation.from, place.rotation.backwards);
  };
  EXPECT_EQ(text(transform.place(100, 3, 7)), text(same.place(100, 3, 7)));
  EXPECT_NE(text(transform.place(100, 3, 7)), text(other.place(100, 3, 7)));
  EXPECT_NE(text(transform.place(100, 3, 7)), text(transform.place(100, 4, 7)));
  EXPECT_NE(text(transform.place(100, 3, 7)), text(transform.place(100, 3, 8)));
}

TEST(VolumeTransform, TurnsNothingIfRotationIsOff) {
  const VolumeTransform transform({.edge = 4, .rotate = false}, kernels_named("scalar"));
  for (SampleIndex index = 0; index < 50; ++index) EXPECT_EQ(transform.place(9, 0, index).rotation, Rotation());
}

TEST(VolumeTransform, RefusesImpossibleOptions) {
  EXPECT_EQ(test::thrown_by([] { VolumeTransform({.dtype = DType::kU8}, kernels_named("scalar")); }),
            test::usage("--dtype u8: the values of a volume are f32, want f32 or bf16"));
  EXPECT_EQ(test::thrown_by([] { VolumeTransform({.edge = 0}, kernels_named("scalar")); }),
            test::usage("--crop-edge 0: want at least one value"));
}

}  // namespace
}  // namespace loadline
