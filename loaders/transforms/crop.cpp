#include "loaders/transforms/crop.h"

#include <algorithm>
#include <cmath>

namespace loadline {
namespace {

constexpr int kTries = 10;

double between(double least, double most, Random& random) {
  return least + (most - least) * random.unit();
}

// To nearest, ties to even, like Python.
double rounded(double value) {
  return std::nearbyint(value);
}

Region middle(const ImageSize& image, std::size_t height, std::size_t width) {
  return {.top = (image.height - height) / 2, .left = (image.width - width) / 2, .height = height, .width = width};
}

Region largest_in_range(const ImageSize& image, const RandomCropRange& range) {
  const auto height = static_cast<double>(image.height);
  const auto width = static_cast<double>(image.width);
  // An image one pixel high or wide still gives one pixel.
  const auto side = [](double value, std::size_t most) {
    return std::clamp<std::size_t>(static_cast<std::size_t>(rounded(value)), 1, most);
  };
  if (width / height < range.least_ratio)
    return middle(image, side(width / range.least_ratio, image.height), image.width);
  if (width / height > range.most_ratio)
    return middle(image, image.height, side(height * range.most_ratio, image.width));
  return whole(image);
}

}  // namespace

Region random_crop(const ImageSize& image, const RandomCropRange& range, Random& random) {
  const auto most_height = static_cast<double>(image.height);
  const auto most_width = static_cast<double>(image.width);
  for (int i = 0; i < kTries; ++i) {
    const double area = most_height * most_width * between(range.least_area, range.most_area, random);
    const double ratio = std::exp(between(std::log(range.least_ratio), std::log(range.most_ratio), random));
    const double width = rounded(std::sqrt(area * ratio));
    const double height = rounded(std::sqrt(area / ratio));
    if (width < 1 || height < 1 || width > most_width || height > most_height) continue;
    Region region{.height = static_cast<std::size_t>(height), .width = static_cast<std::size_t>(width)};
    region.top = random.below(static_cast<std::uint32_t>(image.height - region.height + 1));
    region.left = random.below(static_cast<std::uint32_t>(image.width - region.width + 1));
    return region;
  }
  return largest_in_range(image, range);
}

Window centre_crop(const ImageSize& image, std::size_t shorter_side, const ImageSize& out) {
  const auto resized_side = [&image, shorter_side](std::size_t side) {
    // Whole pixels, like torchvision.
    const std::size_t resized = shorter_side * side / std::min(image.height, image.width);
    return static_cast<double>(resized);
  };
  const double resized_height = resized_side(image.height);
  const double resized_width = resized_side(image.width);
  // Pixels of the image per pixel of the resized one.
  const double down = static_cast<double>(image.height) / resized_height;
  const double across = static_cast<double>(image.width) / resized_width;
  const auto out_height = static_cast<double>(out.height);
  const auto out_width = static_cast<double>(out.width);
  return {.top = rounded((resized_height - out_height) / 2) * down,
          .left = rounded((resized_width - out_width) / 2) * across,
          .height = out_height * down,
          .width = out_width * across};
}

}  // namespace loadline
