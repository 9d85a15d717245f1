// Where the documents of a text lie, and how they are read: as lines of mapped files, as files, or in memory.
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

// One thread's way to stored documents.
class DocumentReader {
 public:
  virtual ~DocumentReader() = default;

  // Bytes [first, end) of a document as it is stored, until the next call. Of mapped ones they are not touched yet.
  // Throws Error naming the file.
  virtual std::string_view read(SampleIndex document, std::size_t first, std::size_t end) = 0;
};

// Immutable; any thread.
class DocumentStore {
 public:
  virtual ~DocumentStore() = default;

  virtual std::span<const std::uint32_t> lengths() const = 0;  // bytes, of each document
  virtual std::unique_ptr<DocumentReader> make_reader() const = 0;
  // Its place in a message: "line 12 of train.txt". Takes a while: lines are counted.
  virtual std::string where(SampleIndex document) const = 0;
  virtual void check_intact() const {}
  virtual void check_files() const {}
  virtual void forget_pages() const {}
  virtual std::vector<std::span<const std::byte>> memory() const { return {}; }
};

// Adds the lines of a file to an index: without what ends them, "\n" or "\r\n", and without those that are empty then.
// Throws Error naming the file where a line has 4 GiB or more. Large files are looked through by several threads.
void scan_lines(const std::filesystem::path& file, std::size_t threads, ShardIndex& index);

std::unique_ptr<DocumentStore> map_lines(const std::vector<std::filesystem::path>& files);

// Files of a directory and those below it whose names end in .txt, by their paths, without empty ones; and how long
// they are. Throws Error where a file has 4 GiB or more, or there are too many.
struct TextFiles {
  std::vector<std::filesystem::path> paths;
  std::vector<std::uint32_t> bytes;
};
TextFiles list_text_files(const std::filesystem::path& directory);
std::unique_ptr<DocumentStore> open_text_files(const FileNames& paths, std::vector<std::uint32_t> bytes);

// All of them copied. Throws Error where the memory is refused.
std::unique_ptr<DocumentStore> copy_documents(std::unique_ptr<DocumentStore> from, const MemoryPlace& place);

}  // namespace loadline
