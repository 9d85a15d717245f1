// HDF5 files (The HDF Group: "HDF5 File Format Specification", version 3.0) read through the library's C API, which the
// hdf5*.cpp of this folder alone see. The library does one thing at a time, whatever threads ask: each waits for its
// turn at a lock that stands before the library's own.
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

// What a file says of one of its datasets.
struct Hdf5Facts {
  std::vector<std::uint64_t> extents;  // the first one counts rows
  std::string type;                    // "u8", "i32", "f32 big-endian", "compound"
  Hdf5Storage storage = Hdf5Storage::kContiguous;
  std::optional<std::uint64_t> offset_bytes;  // of the first element in the file; contiguous and allocated only
  std::vector<std::uint64_t> chunk;           // extents of one, in elements; chunked only
  std::vector<Hdf5Filter> filters;            // in the order they were applied
  std::vector<std::string> filter_names;      // as the file has them
  std::size_t element_bytes = 0;
  // Other files in which its values are, of external and of virtual storage.
  std::vector<std::filesystem::path> sources;

  std::size_t row_bytes() const;  // of one index of the first extent
};

// One dataset of a file, open for reading. All members may be called from any thread.
class Hdf5Dataset {
 public:
  // Throws Error naming the path and what is wrong: no HDF5 file, truncated, open elsewhere for writing, no such
  // dataset (which names those there are), a source of its values that is missing or too short, in whose place the
  // library would give zeros.
  Hdf5Dataset(const std::filesystem::path& path, const std::string& name);
  Hdf5Dataset(const Hdf5Dataset&) = delete;
  Hdf5Dataset& operator=(const Hdf5Dataset&) = delete;
  ~Hdf5Dataset();

  const Hdf5Facts& facts() const { return facts_; }
  const std::filesystem::path& path() const { return path_; }

  // Rows `first` to `first + count` as they are, back to back. Throws Error naming path and row.
  void read_rows(std::uint64_t first, std::uint64_t count, std::span<std::byte> out) const;

  // The values of a box: `extents` of them along each dimension from `origin` on, back to back in the dataset's own
  // order. Throws Error naming path and origin.
  void read_box(std::span<const std::uint64_t> origin, std::span<const std::uint64_t> extents,
                std::span<std::byte> out) const;

  // The chunk that begins with row `first`, as it is stored: before any filter is undone. Bit i of `skipped` is set
  // where filter i was not applied to it.
  struct StoredChunk {
    std::size_t bytes;
    std::uint32_t skipped;
    std::uint64_t offset_bytes;  // in the file; of read_chunk(), 0
  };
  // Where it lies. Throws Error naming path and row.
  StoredChunk find_chunk(std::uint64_t first) const;
  // Whether find_chunk() tells the place: of a file that begins with a block of its user's own, some versions of the
  // library count from behind it and others from the file's beginning.
  bool finds_chunks() const { return finds_chunks_; }
  // Reads it. Throws Error naming path and row, also when `out` is shorter than the chunk.
  StoredChunk read_chunk(std::uint64_t first, std::span<std::byte> out) const;

  // How many elements there are. Throws Error when the file is too short for them, which may claim any number.
  std::size_t checked_elements() const;

  // All elements of a dataset of whole numbers. Throws Error for another type, or for one that does not fit.
  std::vector<std::int32_t> read_integers() const;
  // All elements of a one-dimensional dataset of whole numbers that are not negative. Throws Error for any other.
  std::vector<std::uint64_t> read_offsets() const;
  // std::nullopt where there is no such attribute or it is no number.
  std::optional<std::uint64_t> attribute(const std::string& name) const;

 private:
  struct Handles;

  Error chunk_failure(std::uint64_t first, const std::string& why) const;

  std::filesystem::path path_;
  std::unique_ptr<Handles> handles_;
  Hdf5Facts facts_;
  bool finds_chunks_ = false;
};

// Whether the file is an HDF5 file with such a dataset. Nothing is thrown where it cannot be read.
bool has_hdf5_dataset(const std::filesystem::path& path, const std::string& name);

}  // namespace loadline
