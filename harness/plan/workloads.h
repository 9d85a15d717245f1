// Named pairings of dataset, transform, batch size and compute.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

struct Workload {
  std::string_view name;
  std::string_view summary;
  std::string_view directory;      // absolute, or below the data directory
  std::string_view how_to_get_it;  // the command that makes or installs the data; {} is its directory
  std::size_t classes;
  std::size_t batch_size;  // samples
  std::vector<double> mean;
  std::vector<double> stddev;
  std::size_t crop_padding;  // pixels
  bool flip;
  std::string_view compute;
  bool photographs = false;  // its images are photographs, cropped and resized rather than padded
  bool tokens = false;       // samples are sequences of tokens; `classes` is how many tokens there are
  bool text = false;         // the tokens are made from text, and its tokenizer says how many there are
  bool volumes = false;      // samples are crops of volumes
};

std::span<const Workload> workloads();

// The directory of generated and downloaded datasets: $LOADLINE_DATA, or else loadline/ in the user's cache directory
// ($XDG_CACHE_HOME, or .cache in the home directory).
std::filesystem::path data_directory();

// The path where the workload's data is expected.
std::filesystem::path default_path(const Workload& workload, const std::filesystem::path& data_directory);

}  // namespace loadline
