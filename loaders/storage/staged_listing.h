// Lists the files of a dataset, to tell copies apart and to notice changes.
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
  std::vector<std::string> directories;  // by name, and so each after its parent
  std::uint64_t bytes = 0;               // of all files
};

// Lists what belongs to the file or directory `name` in the directory `root`: everything below it, following links;
// for a file also the files `beside`. Throws Error naming what cannot be read, or a directory that is one of those
// around it, by a link. That includes links to nothing and what is no file, such as a FIFO: a copy without them would
// be other data. Only hidden ones are left out, because no format reads them.
StagedListing listing_of(const std::filesystem::path& root, const std::string& name,
                         std::span<const std::string> beside);

// XXH3, 64 bits in hexadecimal, of the directories and of the files' names, sizes and times.
std::string digest_of(const StagedListing& listing);

// The first name that only one of them has, or whose size or time differs. Empty: they are equal.
std::string difference_of(const StagedListing& a, const StagedListing& b);

}  // namespace loadline
