// Photographs in ImageNet's layout and of its usual size, cut out of a few large ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>

namespace loadline {

struct PhotosOptions {
  std::filesystem::path from;  // a directory with photographs, looked through with all below it
  std::size_t samples = 5000;  // of the training split, at least one a class; a tenth of that on top for the other
  std::uint64_t seed = 1;      // of what is cut where
  std::size_t width = 500;     // pixels
  std::size_t height = 375;
  int quality = 90;  // of JPEG, 1 to 100
};

// Writes `directory`/train and `directory`/val with a directory for each photograph in `from`, named after it, and in
// it parts of that photograph at random places and of random sizes as JPEG files, baseline, 4:2:0. The parts are the
// same on every machine for the same photographs and seed; the bytes depend on the JPEG library too. Appears whole or
// not at all. Throws usage Error for options that cannot be met, and Error when no photograph is in `from`, when
// anything is at `directory`, when storage refuses, and when `stop` was requested. After an Error nothing is left
// behind.
void make_photos(const std::filesystem::path& directory, const PhotosOptions& options,
                 const std::function<void(std::size_t done, std::size_t total)>& progress = {},
                 const std::stop_token& stop = {});

}  // namespace loadline
