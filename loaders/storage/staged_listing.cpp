#include "loaders/storage/staged_listing.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/error.h"
#include "loaders/storage/directory.h"
#include "loaders/storage/file.h"
#include "loaders/storage/file_stamp.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

StagedEntry entry_of(const fs::path& root, std::string name) {
  struct stat status {};
  const fs::path path = root / name;
  if (::stat(path.c_str(), &status) != 0) {
    throw Error(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  }
  return {.name = std::move(name),
          .bytes = static_cast<std::uint64_t>(status.st_size),
          .modified_seconds = status.st_mtim.tv_sec,
          .modified_nanoseconds = status.st_mtim.tv_nsec};
}

// Lists a directory and all below it.
class Lister {
 public:
  Lister(StagedListing& listing, const fs::path& root) : listing_(listing), root_(root) {}

  void list(const std::string& below) {
    refuse_return(below);
    listing_.directories.push_back(below);
    std::vector<std::string> inner;
    for_each_entry(root_ / below, [&](std::string_view name, EntryKind kind) {
      std::string path = fmt::format("{}/{}", below, name);
      if (kind == EntryKind::kDirectory) {
        inner.push_back(std::move(path));
        return;
      }
      if (kind != EntryKind::kFile) {
        if (name.front() == '.') return;  // no format reads it
        refuse_other_than_file("read", root_ / path);
      }
      listing_.files.push_back(entry_of(root_, std::move(path)));
    });
    around_.push_back(below);
    for (const std::string& directory : inner) list(directory);
    around_.pop_back();
  }

 private:
  void refuse_return(const std::string& below) const {
    const auto outer = std::ranges::find_if(
        around_, [&](const std::string& name) { return is_same_file(root_ / name, root_ / below); });
    if (outer == around_.end()) return;
    throw Error(fmt::format("{} leads back to {}, so a copy would have no end", (root_ / below).string(),
                            (root_ / *outer).string()));
  }

  StagedListing& listing_;
  const fs::path& root_;
  std::vector<std::string> around_;  // the directories that the current one is in, outermost first
};

// Ends with a character that no name can contain.
std::string line_of(const StagedEntry& file) {
  std::string line =
      fmt::format("{} {}.{:09} {}", file.bytes, file.modified_seconds, file.modified_nanoseconds, file.name);
  line.push_back('\0');
  return line;
}

}  // namespace

StagedListing listing_of(const fs::path& root, const std::string& name, std::span<const std::string> beside) {
  StagedListing listing;
  if (fs::is_directory(root / name)) {
    Lister(listing, root).list(name);
  } else {
    listing.files.push_back(entry_of(root, name));
    for (const std::string& other : beside) listing.files.push_back(entry_of(root, other));
  }
  std::ranges::sort(listing.files, {}, &StagedEntry::name);
  std::ranges::sort(listing.directories);
  for (const StagedEntry& file : listing.files) listing.bytes += file.bytes;
  return listing;
}

std::string digest_of(const StagedListing& listing) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  XXH3_64bits_reset(state.get());
  const auto add = [&](const std::string& line) { XXH3_64bits_update(state.get(), line.data(), line.size()); };
  for (const std::string& directory : listing.directories) add(directory + '/' + '\0');
  for (const StagedEntry& file : listing.files) add(line_of(file));
  return fmt::format("{:016x}", XXH3_64bits_digest(state.get()));
}

std::string difference_of(const StagedListing& a, const StagedListing& b) {
  const auto first_file = std::ranges::mismatch(a.files, b.files, {}, line_of, line_of);
  if (first_file.in1 != a.files.end() || first_file.in2 != b.files.end()) {
    if (first_file.in1 == a.files.end()) return first_file.in2->name;
    if (first_file.in2 == b.files.end()) return first_file.in1->name;
    return std::min(first_file.in1->name, first_file.in2->name);
  }
  const auto first = std::ranges::mismatch(a.directories, b.directories);
  if (first.in1 == a.directories.end()) return first.in2 == b.directories.end() ? "" : *first.in2;
  return first.in2 == b.directories.end() ? *first.in1 : std::min(*first.in1, *first.in2);
}

}  // namespace loadline
