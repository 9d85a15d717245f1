#include "loaders/datasets/text_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "loaders/error.h"
#include "loaders/storage/directory.h"
#include "loaders/storage/file.h"
#include "loaders/storage/file_stamp.h"
#include "loaders/storage/mapping.h"
#include "loaders/system/affinity.h"
#include "loaders/system/memory.h"
#include "loaders/system/parallel.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostDocumentBytes = std::numeric_limits<std::uint32_t>::max();

Error text_refusal(const fs::path& path, const std::string& why) {
  return Error(fmt::format("cannot open {}: {}", path.string(), why));
}

std::string_view characters(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// ---- lines

// Lines that begin in [begin, end) of the file.
void scan_part(const MappedFile& file, std::size_t begin, std::size_t end, ShardIndex& index) {
  const std::string_view text = characters(file.bytes());
  std::size_t at = begin;
  if (at > 0) {
    const auto* before = static_cast<const char*>(std::memchr(text.data() + at - 1, '\n', text.size() - at + 1));
    at = before == nullptr ? text.size() : static_cast<std::size_t>(before - text.data()) + 1;
  }
  while (at < end) {
    const auto* found = static_cast<const char*>(std::memchr(text.data() + at, '\n', text.size() - at));
    const std::size_t next = found == nullptr ? text.size() : static_cast<std::size_t>(found - text.data());
    std::size_t bytes = next - at;
    if (bytes > 0 && text[at + bytes - 1] == '\r') --bytes;
    if (bytes > kMostDocumentBytes) {
      throw text_refusal(file.path(), fmt::format("the line at byte {} has {} bytes, want fewer than 2^32", at, bytes));
    }
    if (bytes > 0) {
      index.offsets.push_back(at);
      index.bytes.push_back(static_cast<std::uint32_t>(bytes));
    }
    at = next + 1;
  }
}

class LineReader final : public DocumentReader {
 public:
  explicit LineReader(const MappedShards& shards) : shards_(shards) {}
  std::string_view read(SampleIndex document, std::size_t first, std::size_t end) override {
    return characters(shards_.sample(document).subspan(first, end - first));
  }

 private:
  const MappedShards& shards_;
};

class Lines final : public DocumentStore {
 public:
  explicit Lines(const std::vector<fs::path>& files, ShardIndex index) : shards_(files, std::move(index)) {}

  std::span<const std::uint32_t> lengths() const override { return shards_.index().bytes; }
  std::unique_ptr<DocumentReader> make_reader() const override { return std::make_unique<LineReader>(shards_); }
  std::string where(SampleIndex document) const override {
    const MappedFile& file = shards_.shard_of(document);
    const std::size_t at = shards_.index().offsets[document];
    // Counting takes as long as reading: for successive requests, lines are counted only once.
    const std::lock_guard lock(mutex_);
    if (counted_.file != &file || at < counted_.bytes) counted_ = {.file = &file};
    if (at - counted_.bytes > kMostCounted) return fmt::format("the line at byte {} of {}", at, file.path().string());
    const auto between = characters(file.bytes()).substr(counted_.bytes, at - counted_.bytes);
    counted_.lines += static_cast<std::size_t>(std::ranges::count(between, '\n'));
    counted_.bytes = at;
    return fmt::format("line {} of {}", 1 + counted_.lines, file.path().string());
  }
  void check_intact() const override { shards_.check_intact(); }
  void check_files() const override { shards_.check_files(); }
  void forget_pages() const override { shards_.forget_pages(); }

 private:
  static constexpr std::size_t kMostCounted = std::size_t{1} << 30;

  // The number of lines in the first bytes of a file.
  struct Counted {
    const MappedFile* file = nullptr;
    std::size_t bytes = 0;
    std::size_t lines = 0;
  };

  MappedShards shards_;
  mutable std::mutex mutex_;
  mutable Counted counted_;
};

// ---- files

class TextFileReader final : public DocumentReader {
 public:
  explicit TextFileReader(const FileNames& paths) : paths_(paths) {}
  std::string_view read(SampleIndex document, std::size_t first, std::size_t end) override {
    std::optional<InStage> opening(WorkerStage::kOpen);
    const File file = File::open(paths_.path(document, path_));
    opening.reset();
    if (memory_.size() < end - first) memory_.resize(end - first + (end - first) / 4);
    const auto part = std::span(memory_).first(end - first);
    file.read_exactly(first, part);
    count_read_bytes(part.size());
    opening.emplace(WorkerStage::kOpen);  // includes closing
    return characters(part);
  }

 private:
  const FileNames& paths_;
  std::string path_;
  std::vector<std::byte> memory_;
};

class TextFileStore final : public DocumentStore {
 public:
  TextFileStore(const FileNames& paths, std::vector<std::uint32_t> bytes) : paths_(paths), bytes_(std::move(bytes)) {}

  std::span<const std::uint32_t> lengths() const override { return bytes_; }
  std::unique_ptr<DocumentReader> make_reader() const override { return std::make_unique<TextFileReader>(paths_); }
  std::string where(SampleIndex document) const override { return paths_[document].string(); }

 private:
  FileNames paths_;
  std::vector<std::uint32_t> bytes_;
};

// Adds the documents in a directory. `above` are the directories that it lies in.
void list_below(const fs::path& directory, std::vector<fs::path>& above,
                std::vector<std::pair<fs::path, std::uint32_t>>& found) {
  above.push_back(directory);
  std::vector<fs::path> inner;
  for_each_entry(directory, [&](std::string_view name, EntryKind kind) {
    if (name.front() == '.') return;
    fs::path path = directory / name;
    if (kind == EntryKind::kDirectory) {
      inner.push_back(std::move(path));
      return;
    }
    if (path.extension() != ".txt") return;
    refuse_other_than_file("open", path);
    const std::size_t bytes = file_bytes(path.c_str());
    if (bytes > kMostDocumentBytes) {
      throw text_refusal(path, fmt::format("it has {} bytes, want fewer than 2^32 in a document", bytes));
    }
    if (bytes > 0) found.emplace_back(std::move(path), static_cast<std::uint32_t>(bytes));
  });
  for (const fs::path& one : inner) {
    const auto is_same = [&](const fs::path& other) { return is_same_file(other, one); };
    if (std::ranges::none_of(above, is_same)) list_below(one, above, found);
  }
  above.pop_back();
}

// ---- memory

class MemoryReader final : public DocumentReader {
 public:
  MemoryReader(const NodeMemory& memory, std::span<const std::uint64_t> begins) : memory_(memory), begins_(begins) {}
  std::string_view read(SampleIndex document, std::size_t first, std::size_t end) override {
    return characters(memory_.bytes().subspan(begins_[document] + first, end - first));
  }

 private:
  const NodeMemory& memory_;
  std::span<const std::uint64_t> begins_;
};

class DocumentsInMemory final : public DocumentStore {
 public:
  DocumentsInMemory(std::unique_ptr<DocumentStore> from, std::vector<std::uint64_t> begins, NodeMemory memory)
      : from_(std::move(from)), begins_(std::move(begins)), memory_(std::move(memory)) {}

  std::span<const std::uint32_t> lengths() const override { return from_->lengths(); }
  std::unique_ptr<DocumentReader> make_reader() const override {
    return std::make_unique<MemoryReader>(memory_, begins_);
  }
  std::string where(SampleIndex document) const override { return from_->where(document); }
  std::vector<std::span<const std::byte>> memory() const override { return memory_.all(); }

 private:
  std::unique_ptr<DocumentStore> from_;
  std::vector<std::uint64_t> begins_;
  NodeMemory memory_;
};

}  // namespace

void scan_lines(const fs::path& path, std::size_t threads, ShardIndex& index) {
  constexpr std::size_t kPartBytes = std::size_t{16} << 20;
  const MappedFile file(path);
  const std::size_t size = file.bytes().size();
  const std::size_t parts = std::clamp<std::size_t>(size / kPartBytes, 1, std::max<std::size_t>(threads, 1));
  std::vector<ShardIndex> found(parts);
  in_parallel(parts, threads, [&](std::size_t /*worker*/, std::size_t i) {
    scan_part(file, size / parts * i, i + 1 == parts ? size : size / parts * (i + 1), found[i]);
  });
  file.check_intact();
  for (ShardIndex& part : found) {
    index.offsets.insert(index.offsets.end(), part.offsets.begin(), part.offsets.end());
    index.bytes.insert(index.bytes.end(), part.bytes.begin(), part.bytes.end());
    part = {};
  }
  index.labels.resize(index.offsets.size(), 0);
}

std::unique_ptr<DocumentStore> map_lines(const std::vector<fs::path>& files) {
  const std::size_t cpus = std::max<std::size_t>(affinity_cpus().size(), 1);
  const std::size_t threads = std::max<std::size_t>(cpus / files.size(), 1);
  ShardIndex index =
      index_of(files, "text", [threads](const fs::path& file, ShardIndex& part) { scan_lines(file, threads, part); });
  return std::make_unique<Lines>(files, std::move(index));
}

TextFiles list_text_files(const fs::path& directory) {
  std::vector<std::pair<fs::path, std::uint32_t>> found;
  std::vector<fs::path> above;
  list_below(directory, above, found);
  if (found.empty()) throw text_refusal(directory, "it has no .txt file with any text");
  if (found.size() >= std::numeric_limits<SampleIndex>::max()) {
    throw text_refusal(directory, fmt::format("{} documents are more than 2^32 - 2", found.size()));
  }
  std::ranges::sort(found);
  TextFiles files;
  for (auto& [path, bytes] : found) {
    files.paths.push_back(std::move(path));
    files.bytes.push_back(bytes);
  }
  return files;
}

std::unique_ptr<DocumentStore> open_text_files(const FileNames& paths, std::vector<std::uint32_t> bytes) {
  return std::make_unique<TextFileStore>(paths, std::move(bytes));
}

std::unique_ptr<DocumentStore> copy_documents(std::unique_ptr<DocumentStore> from, const MemoryPlace& place) {
  constexpr std::size_t kBytesToForget = std::size_t{4} << 20;  // mapped pages would count in addition to the copy
  const auto lengths = from->lengths();
  std::vector<std::uint64_t> begins(lengths.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    begins[i] = sum;
    sum += lengths[i];
  }
  HugeMemory memory(sum, Faults::kNow, place.first());
  const auto reader = from->make_reader();
  std::size_t remembered = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::string_view text = reader->read(static_cast<SampleIndex>(i), 0, lengths[i]);
    std::memcpy(memory.bytes().data() + begins[i], text.data(), text.size());
    remembered += text.size();
    if (remembered < kBytesToForget) continue;
    from->check_intact();
    from->forget_pages();
    remembered = 0;
  }
  from->check_intact();
  return std::make_unique<DocumentsInMemory>(std::move(from), std::move(begins), place.spread(std::move(memory)));
}

}  // namespace loadline
