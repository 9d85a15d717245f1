#include "loaders/datasets/image_listing.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "loaders/error.h"
#include "loaders/storage/directory.h"
#include "loaders/storage/file.h"
#include "loaders/storage/file_stamp.h"
#include "loaders/storage/mapping.h"
#include "loaders/system/environment.h"
#include "loaders/system/parallel.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> kExtensions{"jpg", "jpeg", "png", "ppm", "bmp", "pgm", "tif", "tiff", "webp"};

// The names of one directory, sorted, each ending with a null byte.
struct Names {
  std::string text;
  std::size_t count = 0;
};

// The directory of a class, or one below it.
struct ListedDirectory {
  std::string name;  // its path below the root
  std::size_t class_number = 0;
  std::optional<std::size_t> parent = std::nullopt;  // in the list of all until it is sorted; nullopt: the root
  std::optional<FileStamp> stamp = std::nullopt;     // before it was listed
  bool steady = false;                               // it did not change while it was listed
  Names images = {};
  std::vector<std::string> subdirectories = {};

  bool is_class() const { return !parent; }
};

Names sorted_names(std::string_view found, std::vector<std::pair<std::size_t, std::size_t>> places) {
  const auto name_at = [&](const auto& place) { return found.substr(place.first, place.second); };
  std::ranges::sort(places, {}, name_at);
  Names sorted{.text = {}, .count = places.size()};
  sorted.text.reserve(found.size() + places.size());
  for (const auto& place : places) {
    sorted.text += name_at(place);
    sorted.text += '\0';
  }
  return sorted;
}

void list_entries(const fs::path& path, ListedDirectory& directory) {
  std::string found;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // begin and length in `found`
  for_each_entry(path, [&](std::string_view name, EntryKind kind) {
    if (name.front() == '.') return;
    if (!is_image_name(name)) {
      if (kind == EntryKind::kDirectory) directory.subdirectories.emplace_back(name);
      return;
    }
    if (kind == EntryKind::kDirectory || kind == EntryKind::kOther) refuse_other_than_file("open", path / name);
    places.emplace_back(found.size(), name.size());
    found += name;
  });
  directory.images = sorted_names(found, std::move(places));
  std::ranges::sort(directory.subdirectories);  // the first of several faults is the same one each time
}

struct RootEntries {
  std::vector<std::string> classes;
  std::size_t images = 0;
};

RootEntries root_entries(const fs::path& root) {
  RootEntries entries;
  for_each_entry(root, [&](std::string_view name, EntryKind kind) {
    if (name.front() == '.') return;
    if (kind == EntryKind::kDirectory) entries.classes.emplace_back(name);
    if (kind == EntryKind::kFile && is_image_name(name)) ++entries.images;
  });
  std::ranges::sort(entries.classes);
  return entries;
}

void add_names(std::string_view text, FolderNames& names) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size() - 1);
    names.add(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

// ---- the index

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

// Appends a directory with its names, each of which ends with a null byte.
void add_directory(std::string_view name, bool is_class, std::string_view text, FolderNames& names,
                   ImageListing& listing) {
  if (is_class) listing.classes.push_back(names.size());
  names.begin_directory(name);
  add_names(text, names);
}

// nullopt if there is no valid index.
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

bool has_settled(const std::optional<FileStamp>& stamp, std::chrono::nanoseconds settling) {
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return stamp && stamp->changed_ns <= now - settling.count();
}

// What list_directories() finds.
struct ListedRoot {
  std::optional<FileStamp> stamp;  // before it was listed
  bool steady = false;
  std::size_t beside = 0;
  std::vector<ListedDirectory> directories;  // in the order of ImageListing::names

  bool is_settled(std::chrono::nanoseconds settling) const {
    return steady && has_settled(stamp, settling) && std::ranges::all_of(directories, [&](const ListedDirectory& one) {
             return one.steady && has_settled(one.stamp, settling);
           });
  }
};

// Without an index the next listing takes as long as this one, which is no reason to fail.
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

// ---- listing

constexpr auto kBetweenShows = std::chrono::milliseconds(100);

bool is_one_place(const std::optional<FileStamp>& a, const std::optional<FileStamp>& b) {
  return a && b && a->device == b->device && a->inode == b->inode;
}

// Whether `one` lies in itself, by a link.
bool lies_in_itself(const ListedDirectory& one, const ListedRoot& listed) {
  for (auto above = one.parent; above; above = listed.directories[*above].parent) {
    if (is_one_place(one.stamp, listed.directories[*above].stamp)) return true;
  }
  return is_one_place(one.stamp, listed.stamp);
}

// Appends the subdirectories of those from `begin` on.
void descend(std::size_t begin, std::vector<ListedDirectory>& directories) {
  for (std::size_t i = begin, end = directories.size(); i < end; ++i) {
    const auto subdirectories = std::exchange(directories[i].subdirectories, {});
    for (const std::string& name : subdirectories) {
      directories.push_back({.name = fmt::format("{}/{}", directories[i].name, name),
                             .class_number = directories[i].class_number,
                             .parent = i});
    }
  }
}

void refuse_empty_classes(const fs::path& root, const ListedRoot& listed) {
  std::vector<const std::string*> names;
  std::vector<std::size_t> images;
  for (const ListedDirectory& one : listed.directories) {
    if (one.is_class()) {
      names.push_back(&one.name);
      images.push_back(0);
    }
    images[one.class_number] += one.images.count;
  }
  const auto empty = std::ranges::find(images, 0U);
  if (empty == images.end()) return;
  const fs::path path = root / *names[static_cast<std::size_t>(empty - images.begin())];
  throw Error(
      fmt::format("cannot open {}: this class has no image; remove the directory or add an image", path.string()));
}

// Lists all directories at one depth before the next, so that threads share them however few classes there are.
ListedRoot list_directories(const fs::path& root, const ListingOptions& options) {
  ListedRoot listed{.stamp = stamp_of(root)};
  RootEntries entries = root_entries(root);
  if (entries.classes.empty()) throw Error(fmt::format("cannot open {}: no directory of images in it", root.string()));
  listed.beside = entries.images;
  auto& directories = listed.directories;
  for (std::string& name : entries.classes) {
    directories.push_back({.name = std::move(name), .class_number = directories.size()});
  }
  std::atomic<std::size_t> done{0};
  std::atomic<std::size_t> files{0};
  const auto* show = ListingWatch::current();
  auto shown = std::chrono::steady_clock::now();
  const auto list = [&](std::size_t worker, ListedDirectory& one) {
    const fs::path path = root / one.name;
    one.stamp = stamp_of(path);
    if (!lies_in_itself(one, listed)) list_entries(path, one);
    one.steady = stamp_of(path) == one.stamp;
    files += one.images.count;
    ++done;
    if (worker != 0 || show == nullptr) return;  // worker 0 is the thread that watches
    const auto now = std::chrono::steady_clock::now();
    if (now - shown < kBetweenShows) return;
    shown = now;
    (*show)(done, directories.size(), files);
  };
  for (std::size_t begin = 0; begin < directories.size();) {
    const std::size_t end = directories.size();
    in_parallel(end - begin, options.threads,
                [&](std::size_t worker, std::size_t i) { list(worker, directories[begin + i]); });
    descend(begin, directories);
    begin = end;
  }
  std::ranges::sort(directories, {}, [](const ListedDirectory& one) {
    return std::pair<std::size_t, const std::string&>(one.class_number, one.name);
  });
  listed.steady = stamp_of(root) == listed.stamp;
  refuse_empty_classes(root, listed);
  return listed;
}

ImageListing list_anew(const fs::path& root, const ListingOptions& options) {
  ListedRoot listed = list_directories(root, options);
  std::size_t files = 0;
  for (const ListedDirectory& one : listed.directories) files += one.images.count;
  if (options.index_directory && files > options.few && listed.is_settled(options.settling)) {
    write_index(root, *options.index_directory, listed);
  }
  ImageListing listing{.beside = listed.beside};
  auto names = std::make_shared<FolderNames>(root);
  for (ListedDirectory& one : listed.directories) {
    add_directory(one.name, one.is_class(), one.images.text, *names, listing);
    one.images = {};
  }
  listing.names = std::move(names);
  return listing;
}

void look_up_lengths(const ListingOptions& options, ImageListing& listing) {
  const FolderNames& names = *listing.names;
  const bool all = options.every_length || names.size() <= options.few;
  const std::size_t count = all ? names.size() : std::min(names.size(), options.lengths);
  std::vector<std::size_t> lengths(count);
  constexpr std::size_t kAtATime = 256;
  const auto look_up = [&](std::size_t /*worker*/, std::size_t block) {
    std::string path;
    for (std::size_t i = block * kAtATime; i < std::min(count, (block + 1) * kAtATime); ++i) {
      names.write_path(all ? i : i * names.size() / count, path);
      lengths[i] = file_bytes(path.c_str());
    }
  };
  in_parallel((count + kAtATime - 1) / kAtATime, options.threads, look_up);
  std::size_t sum = 0;
  for (const std::size_t bytes : lengths) sum += bytes;
  listing.stored_bytes = sum;
  if (all) {
    listing.file_bytes = std::move(lengths);
  } else {
    listing.sized_files = count;
    listing.stored_bytes = static_cast<std::size_t>(static_cast<double>(sum) / static_cast<double>(count) *
                                                    static_cast<double>(names.size()));
  }
}

}  // namespace

constinit thread_local ListingWatch* ListingWatch::current_ = nullptr;

bool is_image_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  std::string extension(name.substr(dot + 1));
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return is_image_extension(extension);
}

bool is_image_extension(std::string_view extension) {
  return std::ranges::find(kExtensions, extension) != kExtensions.end();
}

ImageListing list_images(const fs::path& root, const ListingOptions& options) {
  std::optional<ImageListing> found;
  if (options.index_directory) found = read_index(root, *options.index_directory);
  ImageListing listing = found ? *std::move(found) : list_anew(root, options);
  look_up_lengths(options, listing);
  return listing;
}

std::optional<fs::path> listing_directory() {
  if (const auto cache = cache_directory()) return *cache / "loadline" / "listings";
  return std::nullopt;
}

}  // namespace loadline
