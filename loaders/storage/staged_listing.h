// What files a dataset consists of, so that a copy can be told from another and a change be noticed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace loadline {

struct StagedEntry {
  std::string name;  // below the directory of the source
  std::uint64_t bytes = 0;
  // Last modified, since 1970: seconds, and nanoseconds below one.
  std::int64_t modified_seconds = 0;
  std::int64_t modified_nanoseconds = 0;
};

struct StagedListing {
  std::vector<StagedEntry> files;        // by name
  std::vector<std::string> directories;  // by name, and so each behind its parent
  std::uint64_t bytes = 0;               // of all files
};

// What of the directory `root` belongs to the file or directory `name` there: all below it, links followed; of a file
// also the files `beside`. Throws Error naming what cannot be read, and where directories never end.
StagedListing listing_of(const std::filesystem::path& root, const std::string& name,
                         std::span<const std::string> beside);

// XXH3, 64 bits in hexadecimal, of directories and of names, sizes and times of files.
std::string digest_of(const StagedListing& listing);

// The first name that only one of them has, or that has another size or time in the other. Empty: they are equal.
std::string difference_of(const StagedListing& a, const StagedListing& b);

}  // namespace loadline
