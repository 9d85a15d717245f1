// Tells whether a file is unchanged, and whether two names lead to one file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace loadline {

struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  // since 1970: last change of the contents
  std::int64_t changed_ns = 0;   // last change of contents, owner, permissions or links; no program can set it

  bool operator==(const FileStamp&) const = default;
};

// The stamp of the file at `path`, following links, without reading it. nullopt if there is no file or it cannot be
// inspected.
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);

// Whether both exist and lead to one file, also by symbolic or hard links.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

// What happened to a path between two looks, phrased to follow its name: "was cut from 512 to 100 bytes". Empty if
// nothing happened; a new inode alone counts as nothing.
std::string change_between(const std::optional<FileStamp>& before, const std::optional<FileStamp>& now);

}  // namespace loadline
