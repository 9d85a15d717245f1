// Writes a dataset's samples in another format, so that every loader can be measured on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>

#include "loaders/datasets/dataset.h"
#include "loaders/storage/file.h"

namespace loadline {

struct ConvertOptions {
  std::string_view format;                           // a row of the table
  std::optional<std::size_t> chunk_samples;          // HDF5: samples per chunk; nullopt: contiguous, which can be
                                                     // mapped
  std::uint64_t gzip_level = 0;                      // HDF5: 1 to 9, needs chunks; 0: not compressed
  std::size_t shard_bytes = std::size_t{256} << 20;  // formats in shards: size of each, unless one sample is larger
  bool decode = false;                               // store encoded images as pixels; all must have one size
  std::size_t token_bytes = 0;                       // tokens: 2 or 4; 0: as many as the source has, or for text the
                                                     // fewest that hold its vocabulary
};

// Called about once per MiB, on the calling thread, with `done` of `total` samples.
using ConvertProgress = std::function<void(std::size_t done, std::size_t total)>;

// What to write and where, with the progress callback and the stop.
struct ConvertJob {
  const Dataset& from;
  std::filesystem::path to;     // a temporary path: an empty file or directory
  AtomicFile* file = nullptr;   // what is at `to`, if that is a file; the caller commits it
  std::filesystem::path shown;  // the final path, for messages
  const ConvertOptions& options;
  const ConvertProgress& progress;
  std::stop_token stop;
};

// A format that can be written: a row of the table in convert.cpp.
struct ConvertFormat {
  std::string_view name;
  std::string_view summary;
  std::string_view read_as;  // row of the dataset format table; volumes are read as `volume`
  std::string_view ending;   // of the name of its file; empty: it is a directory
  bool holds_encoded;        // stores encoded images; otherwise their pixels
  // Why it cannot hold these samples; empty if it can. A format of pixels is asked before and after encoded images are
  // decoded, because only the pixels have a shape.
  std::string (*obstacle)(const Dataset& from);
  void (*write)(const ConvertJob& job);
  // Whether what was opened from there has the samples of `from`, stored as the options say; encoded images are
  // compared with pixels elsewhere. std::nullopt if `stop` was requested. Throws Error like Dataset::visit().
  std::optional<bool> (*holds)(const Dataset& there, const Dataset& from, const ConvertOptions& options,
                               const std::stop_token& stop);
};

std::span<const ConvertFormat> convert_formats();
// The format whose files are named like `to`; empty if no name of a file says it.
std::string_view format_named_by(const std::filesystem::path& to);

enum class Converted {
  kMade,
  kAlreadyThere,  // the same samples exist there in this format, stored as requested, perhaps made by another process
                  // meanwhile; nothing was written
};

// Writes the samples and labels of `from` to `to`, which appears complete or not at all, after they were read back
// and found equal; missing parents are created. Encoded samples are all decoded first; one that cannot be decoded is an
// Error. If the format cannot hold encoded images, their pixels are written; if it holds only those, plain images
// become PNG. Uses all CPUs and a few MiB per CPU. Throws usage Error for samples that the format cannot hold or
// contradictory options, and Error if something else is at `to` (which stays unchanged), if storage refuses, and if
// `stop` was requested. After an Error nothing is left behind.
Converted convert(const Dataset& from, const std::filesystem::path& to, const ConvertOptions& options,
                  const ConvertProgress& progress = {}, const std::stop_token& stop = {});

// Whether convert() would find its copy at `to`. False if nothing or something else is there. Throws Error if the same
// samples are there in other storage, and if `stop` was requested.
bool is_converted(const Dataset& from, const std::filesystem::path& to, const ConvertOptions& options,
                  const std::stop_token& stop = {});

// How many encoded images have an alpha channel that convert() leaves out, because it stores their pixels: those of
// PNG, TIFF, WebP and BMP whose headers say so. Throws Error like Dataset::visit().
std::size_t images_losing_alpha(const Dataset& from, const ConvertOptions& options);

// Opens what convert() made of `from` with these options, whatever its name. Throws Error like open_dataset().
std::unique_ptr<Dataset> open_converted(const Dataset& from, const std::filesystem::path& to,
                                        const ConvertOptions& options);

}  // namespace loadline
