// Chooses the part of an image to use.
#pragma once

#include <cstddef>

#include "loaders/random.h"
#include "loaders/transforms/pixels.h"

namespace loadline {

struct RandomCropRange {
  double least_area = 0.08;        // area of the crop as a fraction of the image; above 0
  double most_area = 1;            // at most 1
  double least_ratio = 3.0 / 4.0;  // width to height; above 0
  double most_ratio = 4.0 / 3.0;
};

// Like torchvision's RandomResizedCrop: draws an area uniformly and the logarithm of a ratio uniformly, up to ten
// times, until the rectangle fits the image; then draws its place. If none fits, takes the largest central part whose
// ratio is in the range.
Region random_crop(const ImageSize& image, const RandomCropRange& range, Random& random);

// Like torchvision's Resize(shorter_side) and CenterCrop(out), in pixels of the image before the resize. `out` must
// not be larger than the shorter side.
Window centre_crop(const ImageSize& image, std::size_t shorter_side, const ImageSize& out);

}  // namespace loadline
