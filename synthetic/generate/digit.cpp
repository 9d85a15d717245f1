#include "synthetic/generate/digit.h"

#include <algorithm>
#include <array>
#include <vector>

#include "loaders/random.h"
#include "synthetic/generate/draw.h"

namespace loadline {
namespace {

struct Point {
  int x, y;
};

constexpr std::size_t kMostPoints = 13;

// A digit is one line without lifting the pen, in units of about a pixel from the middle of the picture, y downwards.
struct Glyph {
  std::size_t points;
  std::array<Point, kMostPoints> line;
};

constexpr std::array<Glyph, 10> kGlyphs{{
    {9, {{{0, -9}, {5, -6}, {6, 0}, {5, 6}, {0, 9}, {-5, 6}, {-6, 0}, {-5, -6}, {0, -9}}}},
    {3, {{{-3, -6}, {0, -9}, {0, 9}}}},
    {7, {{{-5, -5}, {-3, -8}, {1, -9}, {5, -6}, {4, -2}, {-6, 9}, {6, 9}}}},
    {9, {{{-5, -7}, {0, -9}, {5, -6}, {4, -2}, {-1, 0}, {5, 3}, {5, 6}, {0, 9}, {-5, 7}}}},
    {4, {{{6, 3}, {-6, 3}, {3, -9}, {3, 9}}}},
    {8, {{{5, -9}, {-4, -9}, {-5, -1}, {1, -2}, {5, 2}, {5, 6}, {0, 9}, {-5, 7}}}},
    {10, {{{4, -9}, {-1, -6}, {-5, 0}, {-5, 5}, {-1, 9}, {4, 8}, {6, 4}, {3, 0}, {-1, 0}, {-5, 4}}}},
    {3, {{{-6, -9}, {6, -9}, {-1, 9}}}},
    {13,
     {{{0, -1},
       {-4, -4},
       {-3, -8},
       {0, -9},
       {3, -8},
       {4, -4},
       {0, -1},
       {-5, 3},
       {-4, 8},
       {0, 9},
       {4, 8},
       {5, 3},
       {0, -1}}}},
    {9, {{{5, -5}, {2, -9}, {-3, -9}, {-5, -5}, {-3, -1}, {2, -1}, {5, -5}, {4, 3}, {1, 9}}}},
}};

// All lengths below are in 1/16 of a pixel.
constexpr int kPixel = 16;
constexpr int kSide = static_cast<int>(kDigitSide);

std::vector<Point> draw_line(Random& random, const Glyph& glyph) {
  const int width = between(random, 11, 18);
  const int height = between(random, 13, 17);
  const int slant = between(random, -12, 28);  // in 1/64; writers lean to the right
  const Point middle{kSide * kPixel / 2 + between(random, -32, 32), kSide * kPixel / 2 + between(random, -24, 24)};
  std::vector<Point> line;
  for (const Point& point : std::span(glyph.line).first(glyph.points)) {
    const int x = point.x * width + between(random, -26, 26);
    const int y = point.y * height + between(random, -26, 26);
    line.push_back({middle.x + x - (y * slant >> 6), middle.y + y});
  }
  return line;
}

int dot(const Point& a, const Point& b) {
  return a.x * b.x + a.y * b.y;
}

Point operator-(const Point& a, const Point& b) {
  return {a.x - b.x, a.y - b.y};
}

int squared_distance(const Point& point, const Point& from, const Point& to) {
  const Point along = to - from;
  const Point offset = point - from;
  const int length = dot(along, along);
  const int foot = dot(offset, along);
  if (foot <= 0) return dot(offset, offset);
  if (foot >= length) return dot(point - to, point - to);
  const std::int64_t area = std::int64_t{offset.x} * along.y - std::int64_t{offset.y} * along.x;
  return static_cast<int>(area * area / length);
}

// Full ink up to `radius` from the line, fading over the pixel beyond.
struct Pen {
  int radius;
  int ink;

  int reach() const { return radius + kPixel; }
  int shade(int squared) const {
    const int inner = radius * radius;
    const int outer = reach() * reach();
    return ink * (outer - std::clamp(squared, inner, outer)) / (outer - inner);
  }
};

// The first and last pixel that a stroke from `a` to `b` may touch in one direction.
struct Extent {
  int first, last;
};

Extent extent(int a, int b, int reach) {
  const auto [low, high] = std::minmax({a, b});
  return {std::max(0, (low - reach) / kPixel), std::min(kSide - 1, (high + reach) / kPixel)};
}

void paint_stroke(const Point& from, const Point& to, const Pen& pen, std::span<std::uint8_t, kDigitBytes> out) {
  const Extent columns = extent(from.x, to.x, pen.reach());
  const Extent rows = extent(from.y, to.y, pen.reach());
  for (int y = rows.first; y <= rows.last; ++y)
    for (int x = columns.first; x <= columns.last; ++x) {
      const Point centre{x * kPixel + kPixel / 2, y * kPixel + kPixel / 2};
      auto& pixel = out[static_cast<std::size_t>(y) * kDigitSide + static_cast<std::size_t>(x)];
      pixel = std::max(pixel, to_byte(pen.shade(squared_distance(centre, from, to))));
    }
}

void add_noise(Random& random, std::span<std::uint8_t, kDigitBytes> out) {
  std::array<std::int16_t, kDigitBytes> noise;
  draw_noise(random, noise);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = to_byte(out[i] + noise[i]);
}

}  // namespace

void paint_digit(std::size_t digit, std::uint64_t key, std::span<std::uint8_t, kDigitBytes> out) {
  Random random(key);
  const std::vector<Point> line = draw_line(random, kGlyphs[digit]);
  const int radius = between(random, 6, 22);
  const int ink = between(random, 200, 255);
  std::ranges::fill(out, std::uint8_t{0});
  for (std::size_t i = 1; i < line.size(); ++i) paint_stroke(line[i - 1], line[i], {radius, ink}, out);
  add_noise(random, out);
}

}  // namespace loadline
