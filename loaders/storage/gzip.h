// Reads .gz files (RFC 1952).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace loadline {

// Inflates one file from its beginning. One thread at a time. Reads concatenated members as one, like gzip.
class GzipReader {
 public:
  // Throws Error naming the path.
  explicit GzipReader(const std::filesystem::path& path);
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader();

  // Inflates the next bytes into `out`; fewer than out.size() only at the end. Throws Error naming the path when the
  // data is corrupt, its checksum is wrong, or the file ends before the data does.
  std::size_t read(std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loadline
