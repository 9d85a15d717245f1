#include "loaders/datasets/listing_index.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/storage/mapping.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

void add_names(std::string_view text, FolderNames& names) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size() - 1);
    names.add(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

constexpr std::string_view kListingMagic = "loadline listing 2\n";

class IndexWriter {
 public:
  void text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void stamp(const FileStamp& stamp) {
    number(stamp.device);
    number(stamp.inode);
    number(stamp.bytes);
    number(static_cast<std::uint64_t>(stamp.modified_ns));
    number(static_cast<std::uint64_t>(stamp.changed_ns));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_{kListingMagic};
};

// Throws Error at the end of the bytes: the index is invalid then.
class IndexReader {
 public:
  explicit IndexReader(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw Error("the index is too short");
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(number()); }
  FileStamp stamp() {
    FileStamp stamp;
    stamp.device = number();
    stamp.inode = number();
    stamp.bytes = number();
    stamp.modified_ns = static_cast<std::int64_t>(number());
    stamp.changed_ns = static_cast<std::int64_t>(number());
    return stamp;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

fs::path index_path(const fs::path& root, const fs::path& directory) {
  const std::string name = fs::absolute(root).lexically_normal().string();
  return directory / fmt::format("{:016x}.listing", XXH3_64bits(name.data(), name.size()));
}

bool has_settled(const std::optional<FileStamp>& stamp, std::chrono::nanoseconds settling) {
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return stamp && stamp->changed_ns <= now - settling.count();
}

}  // namespace

bool ListedRoot::is_settled(std::chrono::nanoseconds settling) const {
  return steady && has_settled(stamp, settling) && std::ranges::all_of(directories, [&](const ListedDirectory& one) {
           return one.steady && has_settled(one.stamp, settling);
         });
}

void add_directory(std::string_view name, bool is_class, std::string_view text, FolderNames& names,
                   ImageListing& listing) {
  if (is_class) listing.classes.push_back(names.size());
  names.begin_directory(name);
  add_names(text, names);
}

std::optional<ImageListing> read_index(const fs::path& root, const fs::path& directory) {
  try {
    const fs::path path = index_path(root, directory);
    if (!fs::exists(path)) return std::nullopt;
    const MappedFile file(path);
    const std::string_view all(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    constexpr std::size_t kDigestBytes = sizeof(std::uint64_t);
    if (all.size() < kListingMagic.size() + kDigestBytes || !all.starts_with(kListingMagic)) return std::nullopt;
    const auto content = all.substr(0, all.size() - kDigestBytes);
    IndexReader digest(all.substr(content.size()));
    if (digest.number() != XXH3_64bits(content.data(), content.size())) return std::nullopt;
    IndexReader index(content.substr(kListingMagic.size()));
    if (index.text() != fs::absolute(root).lexically_normal().string()) return std::nullopt;
    if (stamp_of(root) != index.stamp()) return std::nullopt;
    ImageListing listing{.beside = index.number(), .from_index = true};
    auto names = std::make_shared<FolderNames>(root);
    while (!index.empty()) {
      const auto name = index.text();
      if (stamp_of(root / name) != index.stamp()) return std::nullopt;
      add_directory(name, name.find('/') == std::string_view::npos, index.text(), *names, listing);
    }
    file.check_intact();
    listing.names = std::move(names);
    return listing;
  } catch (const Error&) {
    return std::nullopt;
  } catch (const fs::filesystem_error&) {
    return std::nullopt;
  }
}

void write_index(const fs::path& root, const fs::path& directory, const ListedRoot& listed) {
  try {
    fs::create_directories(directory);
    IndexWriter index;
    index.text(fs::absolute(root).lexically_normal().string());
    index.stamp(*listed.stamp);
    index.number(listed.beside);
    for (const ListedDirectory& one : listed.directories) {
      index.text(one.name);
      index.stamp(*one.stamp);
      index.text(one.images.text);
    }
    const std::uint64_t digest = XXH3_64bits(index.bytes().data(), index.bytes().size());
    AtomicFile file(index_path(root, directory));
    file.write(index.bytes());
    file.write(std::as_bytes(std::span(&digest, 1)));
    file.commit();
  } catch (const Error&) {
  } catch (const fs::filesystem_error&) {
  }
}

}  // namespace loadline
