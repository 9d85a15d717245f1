// HDF5 files (The HDF Group: "HDF5 File Format Specification", version 3.0) through the library's C API, which hdf5.cpp
// alone sees. The library does one thing at a time, whatever threads ask: each waits for its turn at a lock
// that stands before the library's own.
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

namespace loadline {

// What the library says of an error, in words: without its own variables and addresses, which it lists as well, and
// with the system's reason where it names one.
std::string hdf5_reason(std::string_view description);

enum class Hdf5Storage : std::uint8_t { kContiguous, kChunked, kCompact, kExternal, kVirtual };

// "contiguous", "chunked", "compact", "in external files", "virtual".
std::string_view name(Hdf5Storage storage);

enum class Hdf5Filter : std::uint8_t { kDeflate, kShuffle, kOther };

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
  // where filter i was not applied to it. Throws Error naming path and row, also when `out` is shorter than the chunk.
  struct StoredChunk {
    std::size_t bytes;
    std::uint32_t skipped;
  };
  StoredChunk read_chunk(std::uint64_t first, std::span<std::byte> out) const;

  // How many elements there are. Throws Error when the file is too short for them, which may claim any number.
  std::size_t checked_elements() const;

  // All elements of a dataset of whole numbers. Throws Error for another type, or for one that does not fit.
  std::vector<std::int32_t> read_integers() const;
  // All elements of a one-dimensional dataset of whole numbers that are not negative. Throws Error for any other.
  std::vector<std::uint64_t> read_offsets() const;
  // None where there is no such attribute or it is no number.
  std::optional<std::uint64_t> attribute(const std::string& name) const;

 private:
  struct Handles;

  std::filesystem::path path_;
  std::unique_ptr<Handles> handles_;
  Hdf5Facts facts_;
};

// Whether the file is an HDF5 file with such a dataset. Nothing is thrown where it cannot be read.
bool has_hdf5_dataset(const std::filesystem::path& path, const std::string& name);

enum class Hdf5Element : std::uint8_t { kU8, kF32 };

// How rows are laid out in a file that is written.
struct Hdf5Layout {
  Hdf5Element element = Hdf5Element::kU8;
  std::optional<std::uint64_t> chunk_rows;  // none: contiguous
  int gzip_level = 0;                       // 0: not compressed; 1 to 9 need chunks
};

// Writes a file of datasets, one after the other. One thread.
class Hdf5Writer {
 public:
  // Empties and fills the file at `path`. Throws Error naming it as `shown`.
  Hdf5Writer(const std::filesystem::path& path, std::filesystem::path shown);
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer();

  // Creates `name` with these extents; append() then writes its rows in order, whole ones at a time, or write_box() any
  // part of it.
  void begin(const std::string& name, std::span<const std::uint64_t> extents, const Hdf5Layout& layout);
  void append(std::span<const std::byte> rows);
  void write_box(std::span<const std::uint64_t> origin, std::span<const std::uint64_t> extents,
                 std::span<const std::byte> values);
  // A dataset of labels has the attribute `classes`.
  void write_offsets(const std::string& name, std::span<const std::uint64_t> offsets);
  void write_labels(const std::string& name, std::span<const std::int32_t> labels, std::uint64_t classes);
  // Closes the file. Without it what was written may be incomplete.
  void close();

 private:
  struct State;

  std::filesystem::path shown_;
  std::unique_ptr<State> state_;
};

}  // namespace loadline
