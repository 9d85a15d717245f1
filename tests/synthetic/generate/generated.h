// What the tests of generated data share: the contents of a directory, and a classifier too simple to learn anything
// but what the pictures of a class have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/loaders/support/files.h"

namespace loadline::test {

// 64-bit FNV-1a.
inline std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return sum;
}

inline std::map<std::string, std::uint64_t> checksums_in(const std::filesystem::path& directory) {
  std::map<std::string, std::uint64_t> sums;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    sums[entry.path().filename().string()] = checksum(bytes_of(entry.path()));
  return sums;
}

inline std::map<std::string, std::size_t> sizes_in(const std::filesystem::path& directory) {
  std::map<std::string, std::size_t> sizes;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    sizes[entry.path().filename().string()] = entry.file_size();
  return sizes;
}

struct Picture {
  std::size_t label;
  std::vector<float> pixels;
};

// The share of `tested` that is nearest to the mean picture of its own class. The means are those of `known`.
inline double nearest_mean_accuracy(std::span<const Picture> known, std::span<const Picture> tested,
                                    std::size_t classes) {
  const std::size_t pixels = known.front().pixels.size();
  std::vector<std::vector<float>> means(classes, std::vector<float>(pixels));
  std::vector<float> counts(classes);
  for (const Picture& picture : known) {
    counts[picture.label] += 1;
    for (std::size_t i = 0; i < pixels; ++i) means[picture.label][i] += picture.pixels[i];
  }
  for (std::size_t label = 0; label < classes; ++label)
    for (float& mean : means[label]) mean /= counts[label];

  const auto nearest = [&](const Picture& picture) {
    std::size_t best = 0;
    float least = std::numeric_limits<float>::max();
    for (std::size_t label = 0; label < classes; ++label) {
      float distance = 0;
      for (std::size_t i = 0; i < pixels; ++i) {
        const float difference = picture.pixels[i] - means[label][i];
        distance += difference * difference;
      }
      if (distance < least) best = label;
      least = std::min(least, distance);
    }
    return best;
  };
  std::size_t right = 0;
  for (const Picture& picture : tested) right += nearest(picture) == picture.label ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(tested.size());
}

}  // namespace loadline::test
