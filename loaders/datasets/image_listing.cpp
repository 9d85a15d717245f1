#include "loaders/datasets/image_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <string>
#include <utility>

#include "loaders/datasets/listing_index.h"
#include "loaders/error.h"
#include "loaders/storage/directory.h"
#include "loaders/storage/file.h"
#include "loaders/storage/file_stamp.h"
#include "loaders/system/environment.h"
#include "loaders/system/parallel.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> kExtensions{"jpg", "jpeg", "png", "ppm", "bmp", "pgm", "tif", "tiff", "webp"};

ListedNames sorted_names(std::string_view found, std::vector<std::pair<std::size_t, std::size_t>> places) {
  const auto name_at = [&](const auto& place) { return found.substr(place.first, place.second); };
  std::ranges::sort(places, {}, name_at);
  ListedNames sorted{.text = {}, .count = places.size()};
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
