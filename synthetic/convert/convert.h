// The same samples in another format, so that every loader can be measured on them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>

#include "loaders/datasets/dataset.h"

namespace loadline {

struct ConvertOptions {
  std::string_view format;                           // a row of the table
  std::optional<std::size_t> chunk_samples;          // HDF5: samples a chunk; nullopt: contiguous, which can be mapped
  int gzip_level = 0;                                // HDF5: 1 to 9, of chunks; 0: not compressed
  std::size_t shard_bytes = std::size_t{256} << 20;  // of formats in shards: of each, unless one sample has more
  bool decode = false;                               // store the pixels of encoded images, which all have one size
};

// Told about `done` of `total` samples, about once a MiB, from the calling thread.
using ConvertProgress = std::function<void(std::size_t done, std::size_t total)>;

// Where a dataset is written, and who is told and may end it.
struct ConvertJob {
  const Dataset& from;
  std::filesystem::path to;     // a temporary place: an empty file or directory
  std::filesystem::path shown;  // the final one, for messages
  const ConvertOptions& options;
  const ConvertProgress& progress;
  std::stop_token stop;
};

// A format that can be written: a row of the table in convert.cpp.
struct ConvertFormat {
  std::string_view name;
  std::string_view summary;
  std::string_view read_as;  // row of the table of dataset formats; a volume is read as one
  bool is_directory;
  bool holds_encoded;                                // images as they are encoded; otherwise their pixels are stored
  std::string (*obstacle)(const DatasetInfo& info);  // why it cannot hold such samples; empty where it can
  void (*write)(const ConvertJob& job);
};

std::span<const ConvertFormat> convert_formats();

enum class Converted {
  kMade,
  kAlreadyThere,  // the same samples are there in this format already; nothing was written
};

// Writes the samples and labels of `from` to `to`, which appears whole or not at all, after they were read back and
// found equal; encoded ones are all decoded first, and one that cannot be is an Error. Where the format holds no
// encoded images, their pixels are written; where it holds nothing else, plain ones become PNG. All CPUs, a few MiB
// each. Throws usage Error for what the format cannot hold or the options contradict, and Error when anything else is
// at `to` (which stays as it is), when storage refuses, and when `stop` was requested. After an Error nothing is left
// behind.
Converted convert(const Dataset& from, const std::filesystem::path& to, const ConvertOptions& options,
                  const ConvertProgress& progress = {}, std::stop_token stop = {});

}  // namespace loadline
