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
  std::string_view how_to_get_it;  // the command that makes or installs the data; {} stands for its directory
  std::size_t classes;
  std::size_t batch_size;  // samples
  std::vector<double> mean;
  std::vector<double> stddev;
  std::size_t crop_padding;  // pixels
  bool flip;
  std::string_view compute;
  bool tokens = false;  // samples are sequences of tokens; `classes` is how many tokens there are
  bool text = false;    // the tokens are made of text, whose tokenizer says how many there are
};

std::span<const Workload> workloads();

// Where made or downloaded datasets lie: $LOADLINE_DATA, or else loadline/ in the user's cache directory
// ($XDG_CACHE_HOME, or .cache in the home directory).
std::filesystem::path data_directory();

// Where the workload's data is looked for.
std::filesystem::path default_path(const Workload& workload, const std::filesystem::path& data_directory);

}  // namespace loadline
