// Makes photographs in ImageNet's layout and usual size by cropping a few large ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string_view>

#include "synthetic/generate/generate.h"

namespace loadline {

struct PhotosOptions {
  std::filesystem::path from;  // a directory with photographs, searched with its subdirectories
  bool (*is_photograph)(std::string_view name) = nullptr;  // whether a file of this name is one of them; never null
  std::size_t samples = 5000;  // of the training split, at least one per photograph; the other split has a tenth of
                               // that, or one per photograph if that is more
  std::uint64_t seed = 1;      // for the choice of crops
  std::size_t width = 500;     // pixels
  std::size_t height = 375;
  int quality = 90;  // JPEG quality, 1 to 100
};

// Writes `directory`/train and `directory`/val, each with a directory named after each photograph in `from` that
// holds random crops of that photograph, of random sizes, as baseline 4:2:0 JPEG files. The crops are the same on
// every machine for the same photographs and seed; the bytes also depend on the JPEG library. `directory` appears
// complete or not at all; missing parents are created, and an empty directory is used. Throws usage Error for options
// that cannot be met, and Error if `from` has no photograph, if anything else is at `directory`, if storage refuses,
// and if `stop` was requested. After an Error nothing is left behind.
Generated make_photos(const std::filesystem::path& directory, const PhotosOptions& options,
                      const GenerateProgress& progress = {}, const std::stop_token& stop = {});

}  // namespace loadline
