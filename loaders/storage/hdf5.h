// HDF5 files (The HDF Group: "HDF5 File Format Specification", version 3.0) read through the library's C API, which
// only this folder's hdf5*.cpp see. The library serves one call at a time, whatever the number of threads: each waits
// for a lock that we take before the library's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/error.h"

namespace loadline {

enum class Hdf5Storage : std::uint8_t { kContiguous, kChunked, kCompact, kExternal, kVirtual };

// "contiguous", "chunked", "compact", "in external files", "virtual".
std::string_view name(Hdf5Storage storage);

enum class Hdf5Filter : std::uint8_t { kDeflate, kShuffle, kFletcher32, kOther };

// A dataset's description in its file.
struct Hdf5Facts {
  std::vector<std::uint64_t> extents;  // the first one counts rows
  std::string type;                    // "u8", "i32", "f32 big-endian", "compound"
  Hdf5Storage storage = Hdf5Storage::kContiguous;
  std::optional<std::uint64_t> offset_bytes;  // of the first element in the file; contiguous and allocated only
  std::vector<std::uint64_t> chunk;           // extents of one chunk, in elements; chunked only
  std::vector<Hdf5Filter> filters;            // in the order they were applied
  std::vector<std::string> filter_names;      // as in the file
  std::optional<unsigned> gzip_level;         // of kDeflate; nullopt: not compressed by it
  std::size_t element_bytes = 0;
  // Other files that hold its values; external and virtual storage only.
  std::vector<std::filesystem::path> sources;

  std::size_t row_bytes() const;  // bytes of one row
};

// One dataset of a file, open for reading. All members may be called from any thread.
class Hdf5Dataset {
 public:
  // Throws Error naming the path and what is wrong: not an HDF5 file, truncated, open elsewhere for writing, no such
  // dataset (the message lists the existing ones), or a source of its values that is missing or too short, for which
  // the library would silently return zeros.
  Hdf5Dataset(const std::filesystem::path& path, const std::string& name);
  Hdf5Dataset(const Hdf5Dataset&) = delete;
  Hdf5Dataset& operator=(const Hdf5Dataset&) = delete;
  ~Hdf5Dataset();

  const Hdf5Facts& facts() const { return facts_; }
  const std::filesystem::path& path() const { return path_; }

  // Reads `count` rows from `first` on, unconverted and back to back. Throws Error naming path and row.
  void read_rows(std::uint64_t first, std::uint64_t count, std::span<std::byte> out) const;

  // Reads a box of values: `extents` along each dimension from `origin` on, back to back in the dataset's own order.
  // Throws Error naming path and origin.
  void read_box(std::span<const std::uint64_t> origin, std::span<const std::uint64_t> extents,
                std::span<std::byte> out) const;

  // The chunk that begins with row `first`, as stored, with its filters still applied. Bit i of `skipped` is set if
  // filter i was not applied to it.
  struct StoredChunk {
    std::size_t bytes;
    std::uint32_t skipped;
    std::uint64_t offset_bytes;  // in the file; 0 from read_chunk()
  };
  // Finds the chunk in the file. Throws Error naming path and row.
  StoredChunk find_chunk(std::uint64_t first) const;
  // Whether find_chunk() is reliable: in a file with a user block, some versions of the library count from its end
  // and others from the beginning of the file.
  bool finds_chunks() const { return finds_chunks_; }
  // Reads the chunk. Throws Error naming path and row, also if `out` is shorter than the chunk.
  StoredChunk read_chunk(std::uint64_t first, std::span<std::byte> out) const;

  // The number of elements. Throws Error if the file is too short for them: it may claim any number.
  std::size_t checked_elements() const;

  // All elements of a dataset of whole numbers. Throws Error for another type, or if a number does not fit.
  std::vector<std::int32_t> read_integers() const;
  // All elements of a one-dimensional dataset of non-negative whole numbers. Throws Error for any other dataset.
  std::vector<std::uint64_t> read_offsets() const;
  // std::nullopt if there is no such attribute or it is not a number.
  std::optional<std::uint64_t> attribute(const std::string& name) const;

 private:
  struct Handles;

  Error chunk_failure(std::uint64_t first, const std::string& why) const;

  std::filesystem::path path_;
  std::unique_ptr<Handles> handles_;
  Hdf5Facts facts_;
  bool finds_chunks_ = false;
};

// Whether the file is an HDF5 file with such a dataset; false if it cannot be read.
bool has_hdf5_dataset(const std::filesystem::path& path, const std::string& name);

}  // namespace loadline
