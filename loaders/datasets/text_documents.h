// Locates and reads the documents of a text: as lines of mapped files, as files, or in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/shards.h"
#include "loaders/system/numa.h"

namespace loadline {

// Reads stored documents for one thread.
class DocumentReader {
 public:
  virtual ~DocumentReader() = default;

  // Bytes [first, end) of a stored document, valid until the next call. Mapped bytes are not touched yet. Throws
  // Error naming the file.
  virtual std::string_view read(SampleIndex document, std::size_t first, std::size_t end) = 0;
};

// Immutable; any thread.
class DocumentStore {
 public:
  virtual ~DocumentStore() = default;

  virtual std::span<const std::uint32_t> lengths() const = 0;  // bytes per document
  virtual std::unique_ptr<DocumentReader> make_reader() const = 0;
  // Its place for messages: "line 12 of train.txt". Slow, because it counts lines.
  virtual std::string where(SampleIndex document) const = 0;
  virtual void check_intact() const {}
  virtual void check_files() const {}
  virtual void forget_pages() const {}
  virtual std::vector<std::span<const std::byte>> memory() const { return {}; }
};

// Adds the lines of a file to an index, without their ends ("\n" or "\r\n") and without empty lines. Throws Error
// naming the file if a line has 4 GiB or more. Scans large files on several threads.
void scan_lines(const std::filesystem::path& file, std::size_t threads, ShardIndex& index);

std::unique_ptr<DocumentStore> map_lines(const std::vector<std::filesystem::path>& files);

// The non-empty .txt files in a directory and its subdirectories, sorted by path, with their lengths. Follows links to
// directories, except those that lead back to a directory above them. Throws Error if a file has 4 GiB or more, or
// there are too many.
struct TextFiles {
  std::vector<std::filesystem::path> paths;
  std::vector<std::uint32_t> bytes;
};
TextFiles list_text_files(const std::filesystem::path& directory);
std::unique_ptr<DocumentStore> open_text_files(const FileNames& paths, std::vector<std::uint32_t> bytes);

// Copies all documents to memory. Throws Error if the memory is refused.
std::unique_ptr<DocumentStore> copy_documents(std::unique_ptr<DocumentStore> from, const MemoryPlace& place);

}  // namespace loadline
