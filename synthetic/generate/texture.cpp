#include "synthetic/generate/texture.h"

#include <algorithm>

#include "loaders/random.h"
#include "synthetic/generate/draw.h"

namespace loadline {
namespace {

using Painter = TexturePainter;

// A field is spanned by random values at the corners of square cells; the picture shows about two cells each way.
constexpr std::size_t kCell = 16;  // pixels
constexpr std::size_t kCorners = (Painter::kFieldSide - 1) / kCell + 2;

// The weight of the far corner across a cell, in 1/64: the smooth step 3t^2 - 2t^3, so that no crease shows.
constexpr std::array<int, kCell> smooth_steps() {
  std::array<int, kCell> steps{};
  constexpr std::size_t cube = kCell * kCell * kCell;
  for (std::size_t t = 0; t < kCell; ++t) steps[t] = static_cast<int>(64 * t * t * (3 * kCell - 2 * t) / cube);
  return steps;
}
constexpr auto kEase = smooth_steps();

// Strengths, chosen so that mean and deviation come near those of the photographs, and so that the nearest class mean
// is a fair guess but no more.
constexpr int kPatternGrey = 80, kPatternColour = 40;
constexpr int kClutterGrey = 88, kClutterColour = 36;
constexpr int kRippleWeakest = 16, kRippleStrongest = 48;
constexpr int kFarthestBrightness = 44;
constexpr int kLeastContrast = 70, kMostContrast = 154;  // in 1/128
constexpr std::array<int, Painter::kChannels> kMean{125, 123, 114};

int ease(int near, int far, std::size_t step) {
  return near + ((far - near) * kEase[step] >> 6);
}

void add_field(Random& random, int strength, Painter::Field& field) {
  std::array<std::array<int, Painter::kFieldSide>, kCorners> lines;
  for (auto& line : lines) {
    std::array<int, kCorners> corners;
    for (int& corner : corners) corner = between(random, -strength, strength);
    for (std::size_t x = 0; x < line.size(); ++x) line[x] = ease(corners[x / kCell], corners[x / kCell + 1], x % kCell);
  }
  for (std::size_t y = 0; y < Painter::kFieldSide; ++y)
    for (std::size_t x = 0; x < Painter::kFieldSide; ++x) {
      const int value = ease(lines[y / kCell][x], lines[y / kCell + 1][x], y % kCell);
      auto& sum = field[y * Painter::kFieldSide + x];
      sum = static_cast<std::int16_t>(sum + value);
    }
}

// The channels share most of their structure, as those of photographs do.
Painter::ColourField draw_colour_field(Random& random, int grey, int colour) {
  Painter::ColourField planes{};
  add_field(random, grey, planes[0]);
  planes[1] = planes[2] = planes[0];
  for (auto& plane : planes) add_field(random, colour, plane);
  return planes;
}

// A sine made of two parabolas: a turn is 256, the value in [-128, 128].
constexpr int wave(std::uint32_t turn) {
  const int half = static_cast<int>(turn & 127);
  const int height = half * (128 - half) >> 5;
  return (turn & 128) == 0 ? height : -height;
}

// Where in a field a sample is taken.
struct Shift {
  std::size_t x, y;
};

Shift draw_shift(Random& random) {
  constexpr std::uint32_t shifts = Painter::kMostShift + 1;
  const std::size_t x = random.below(shifts);
  const std::size_t y = random.below(shifts);
  return {x, y};
}

const std::int16_t* row_of(const Painter::Field& field, const Shift& shift, std::size_t y) {
  return field.data() + (y + shift.y) * Painter::kFieldSide + shift.x;
}

void mirror(std::span<std::uint8_t, Painter::kBytes> picture) {
  for (std::size_t start = 0; start < picture.size(); start += Painter::kSide)
    std::ranges::reverse(picture.subspan(start, Painter::kSide));
}

}  // namespace

TexturePainter::TexturePainter(std::uint64_t seed, std::size_t classes) : looks_(classes) {
  for (std::size_t label = 0; label < classes; ++label) {
    Random random(key_of(seed, label));
    Look& look = looks_[label];
    look.pattern = draw_colour_field(random, kPatternGrey, kPatternColour);
    // Periods from 5 to 18 pixels: fine enough to be texture, coarse enough to survive the noise.
    look.ripple_x = static_cast<std::uint32_t>(between(random, 14, 36));
    look.ripple_y = static_cast<std::uint32_t>(between(random, -36, 36)) & 255;
    for (int& tint : look.ripple_tint) tint = between(random, kRippleWeakest, kRippleStrongest);
  }
}

void TexturePainter::paint(std::size_t label, std::uint64_t key, std::span<std::uint8_t, kBytes> out) const {
  const Look& look = looks_[label];
  Random random(key);
  const Shift shift = draw_shift(random);
  const Shift clutter_shift = draw_shift(random);
  const ColourField clutter = draw_colour_field(random, kClutterGrey, kClutterColour);
  const std::uint32_t phase = random.below(256);
  const int brightness = between(random, -kFarthestBrightness, kFarthestBrightness);
  const int contrast = between(random, kLeastContrast, kMostContrast);
  const bool mirrored = random.below(2) == 1;

  std::array<std::int16_t, kSide> noise;
  for (std::size_t channel = 0; channel < kChannels; ++channel)
    for (std::size_t y = 0; y < kSide; ++y) {
      const std::int16_t* pattern_row = row_of(look.pattern[channel], shift, y);
      const std::int16_t* clutter_row = row_of(clutter[channel], clutter_shift, y);
      const std::uint32_t turn = phase + look.ripple_y * static_cast<std::uint32_t>(y);
      std::uint8_t* row = out.data() + channel * kPixels + y * kSide;
      draw_noise(random, noise);
      for (std::size_t x = 0; x < kSide; ++x) {
        const int ripple = wave(turn + look.ripple_x * static_cast<std::uint32_t>(x)) * look.ripple_tint[channel] >> 7;
        const int structure = pattern_row[x] + clutter_row[x] + ripple;
        row[x] = to_byte(kMean[channel] + brightness + (structure * contrast >> 7) + 2 * noise[x]);
      }
    }
  if (mirrored) mirror(out);
}

}  // namespace loadline
