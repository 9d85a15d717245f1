// Private to image_listing.cpp: what was found in the directories of an image folder, and the file that keeps it.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/datasets/file_names.h"
#include "loaders/datasets/image_listing.h"
#include "loaders/storage/file_stamp.h"

namespace loadline {

// The names of one directory, sorted, each ending with a null byte.
struct ListedNames {
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
  ListedNames images = {};
  std::vector<std::string> subdirectories = {};

  bool is_class() const { return !parent; }
};

// All directories of a folder.
struct ListedRoot {
  std::optional<FileStamp> stamp;  // before it was listed
  bool steady = false;
  std::size_t beside = 0;
  std::vector<ListedDirectory> directories;  // in the order of ImageListing::names

  // Whether no directory changed within `settling`, nor while it was listed.
  bool is_settled(std::chrono::nanoseconds settling) const;
};

// Appends a directory with its names, each of which ends with a null byte.
void add_directory(std::string_view name, bool is_class, std::string_view text, FolderNames& names,
                   ImageListing& listing);

// What the index of `root` in this directory says, without lengths. nullopt if there is no valid index.
std::optional<ImageListing> read_index(const std::filesystem::path& root, const std::filesystem::path& directory);

// Replaces the index by what was `listed`, which has settled. Does nothing if that fails: without an index the next
// listing takes as long as this one, which is no reason to fail.
void write_index(const std::filesystem::path& root, const std::filesystem::path& directory, const ListedRoot& listed);

}  // namespace loadline
