// Writes HDF5 files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace loadline {

enum class Hdf5Element : std::uint8_t { kU8, kF32 };

// How rows are laid out in a written file.
struct Hdf5Layout {
  Hdf5Element element = Hdf5Element::kU8;
  std::optional<std::uint64_t> chunk_rows;  // nullopt: contiguous
  int gzip_level = 0;                       // 0: not compressed; 1 to 9 need chunks
  std::size_t threads = 0;                  // at most so many compress; 0: one per CPU of the calling thread
};

// The chunks that `threads` compress at once: at most 256 MiB of them, but at least one.
std::size_t chunks_at_once(std::size_t chunk_bytes, std::size_t threads);

// Writes the datasets of a file, one after another. One thread calls; in compressed datasets several threads then work.
class Hdf5Writer {
 public:
  // Overwrites the file at `path`. Throws Error that calls it `shown`.
  Hdf5Writer(const std::filesystem::path& path, std::filesystem::path shown);
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer();

  // Creates `name` with these extents. Then append() writes whole rows in order, or write_box() any part. Before it
  // compresses rows, append() collects them until every thread has work or all rows are there: at most 256 MiB or one
  // chunk, and as much memory again for the result.
  void begin(const std::string& name, std::span<const std::uint64_t> extents, const Hdf5Layout& layout);
  void append(std::span<const std::byte> rows);
  void write_box(std::span<const std::uint64_t> origin, std::span<const std::uint64_t> extents,
                 std::span<const std::byte> values);
  // A dataset of labels has the attribute `classes`.
  void write_offsets(const std::string& name, std::span<const std::uint64_t> offsets);
  void write_labels(const std::string& name, std::span<const std::int32_t> labels, std::uint64_t classes);
  // Closes the file. Without this, the file may be incomplete. Throws Error if a compressed dataset lacks rows.
  void close();

 private:
  struct State;

  std::filesystem::path shown_;
  std::unique_ptr<State> state_;
};

}  // namespace loadline
