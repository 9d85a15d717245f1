// Which part of an image is looked at.
#pragma once

#include <cstddef>

#include "loaders/random.h"
#include "loaders/transforms/pixels.h"

namespace loadline {

struct RandomCropRange {
  double least_area = 0.08;        // of the crop, of the whole image; above 0
  double most_area = 1;            // at most 1
  double least_ratio = 3.0 / 4.0;  // of its width to its height; above 0
  double most_ratio = 4.0 / 3.0;
};

// As torchvision's RandomResizedCrop: up to ten times an area is drawn evenly and a ratio evenly in its logarithm,
// until the rectangle fits the image; then its place. Else the largest middle part whose ratio is in the range.
Region random_crop(const ImageSize& image, const RandomCropRange& range, Random& random);

// As torchvision's Resize(shorter_side) and CenterCrop(out), in pixels of the image before it is resized. `out` must
// not be larger than the shorter side.
Window centre_crop(const ImageSize& image, std::size_t shorter_side, const ImageSize& out);

}  // namespace loadline
