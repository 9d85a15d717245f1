#include "loaders/transforms/orientation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/loaders/support/jpegs.h"

namespace loadline {
namespace {

using test::Bytes;
using testing::ElementsAre;

Orientation read(const Bytes& app1) {
  return exif_orientation(test::as_encoded(app1));
}

TEST(Exif, SaysTheOrientationInEitherByteOrder) {
  for (int value = 1; value <= 8; ++value) {
    const auto orientation = static_cast<Orientation>(value);
    EXPECT_EQ(read(test::exif(orientation, false)), orientation);
    EXPECT_EQ(read(test::exif(orientation, true)), orientation);
  }
}

TEST(Exif, CountsAsUprightWithAnInvalidOrientation) {
  EXPECT_EQ(read(test::exif(static_cast<Orientation>(0))), Orientation::kUpright);
  EXPECT_EQ(read(test::exif(static_cast<Orientation>(9))), Orientation::kUpright);
}

TEST(Exif, CountsAsUprightIfCutOffBeforeItsOrientation) {
  const Bytes exif = test::exif(Orientation::kTurnLeft);
  for (std::size_t bytes = 0; bytes < exif.size(); ++bytes) {
    const Bytes start(exif.begin(), exif.begin() + static_cast<std::ptrdiff_t>(bytes));
    // The value ends six bytes before the end: two unused bytes of its entry and four that name no other directory
    // follow.
    EXPECT_EQ(read(start), bytes < exif.size() - 6 ? Orientation::kUpright : Orientation::kTurnLeft) << bytes;
  }
}

TEST(Exif, CountsAsUprightIfDamaged) {
  Bytes exif = test::exif(Orientation::kTurnLeft);
  const auto with = [&exif](std::size_t at, std::uint8_t byte) {
    Bytes changed = exif;
    changed.at(at) = byte;
    return read(changed);
  };
  EXPECT_EQ(with(0, 'e'), Orientation::kUpright);     // another signature
  EXPECT_EQ(with(6, 'M'), Orientation::kUpright);     // two byte orders
  EXPECT_EQ(with(8, 43), Orientation::kUpright);      // no TIFF
  EXPECT_EQ(with(13, 0xff), Orientation::kUpright);   // a directory far outside
  EXPECT_EQ(with(14, 1), Orientation::kUpright);      // a directory that ends before the entry
  EXPECT_EQ(with(30, 4), Orientation::kUpright);      // a number of another size
  EXPECT_EQ(with(15, 0xff), Orientation::kTurnLeft);  // a directory longer than the file, but with the entry
}

// Turns this picture upright and returns its red values:
// 1 2 3
// 4 5 6
Bytes turned_by(Orientation orientation) {
  test::Picture stored{.size = {.height = 2, .width = 3}, .pixels = {}};
  for (std::uint8_t i = 1; i <= 6; ++i) stored.pixels.insert(stored.pixels.end(), {i, 0, 0});
  Bytes scratch;
  const RgbView view = upright(test::view_of(stored), orientation, scratch);
  EXPECT_EQ(view.size, turned(stored.size, orientation));
  Bytes reds;
  for (std::size_t y = 0; y < view.size.height; ++y) {
    for (std::size_t x = 0; x < view.size.width; ++x) reds.push_back(view.row(y)[3 * x]);
  }
  return reds;
}

TEST(Orientation, IsTurnedUprightAsExifSays) {
  EXPECT_THAT(turned_by(Orientation::kUpright), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(turned_by(Orientation::kMirror), ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(turned_by(Orientation::kTurnAround), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(turned_by(Orientation::kFlip), ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_THAT(turned_by(Orientation::kTranspose), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(turned_by(Orientation::kTurnRight), ElementsAre(4, 1, 5, 2, 6, 3));
  EXPECT_THAT(turned_by(Orientation::kAntiTranspose), ElementsAre(6, 3, 5, 2, 4, 1));
  EXPECT_THAT(turned_by(Orientation::kTurnLeft), ElementsAre(3, 6, 2, 5, 1, 4));
}

TEST(Orientation, FindsAWindowWhereItsPixelsAre) {
  // Where the pixel 6 is in each of the pictures above.
  const std::map<Orientation, std::pair<double, double>> places{
      {Orientation::kUpright, {1, 2}},       {Orientation::kMirror, {1, 0}},    {Orientation::kTurnAround, {0, 0}},
      {Orientation::kFlip, {0, 2}},          {Orientation::kTranspose, {2, 1}}, {Orientation::kTurnRight, {2, 0}},
      {Orientation::kAntiTranspose, {0, 0}}, {Orientation::kTurnLeft, {0, 1}}};
  const ImageSize stored{.height = 2, .width = 3};
  for (const auto& [orientation, place] : places) {
    const Window window{.top = place.first, .left = place.second, .height = 1, .width = 1};
    const Window in_stored = stored_window(window, stored, orientation);
    EXPECT_EQ(in_stored.top, 1) << static_cast<int>(orientation);
    EXPECT_EQ(in_stored.left, 2) << static_cast<int>(orientation);
    const Window back = upright_window(in_stored, stored, orientation);
    EXPECT_EQ(back.top, window.top) << static_cast<int>(orientation);
    EXPECT_EQ(back.left, window.left) << static_cast<int>(orientation);
  }
}

TEST(Orientation, KeepsTheSidesOfAWindow) {
  const Window window =
      stored_window({.top = 0.5, .left = 1.25, .height = 2, .width = 3}, {10, 20}, Orientation::kTurnLeft);
  EXPECT_EQ(window.height, 3);
  EXPECT_EQ(window.width, 2);
  EXPECT_EQ(window.top, 1.25);
  EXPECT_EQ(window.left, 17.5);
}

}  // namespace
}  // namespace loadline
