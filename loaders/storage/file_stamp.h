// What tells that a file is still the one it was, and that two names lead to one file.
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
  std::int64_t modified_ns = 0;  // since 1970: when its contents changed last
  std::int64_t changed_ns = 0;   // when contents, owner, permissions or links changed last; no program can set it

  bool operator==(const FileStamp&) const = default;
};

// Of the file at `path`, links followed, without reading it. Absent if there is no file or it cannot be inspected.
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);

// Whether both are there and lead to one file, by symbolic or hard links too.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

// What happened between two looks at one path, to be read behind its name: "was cut from 512 to 100 bytes". Empty where
// nothing did; another inode alone is nothing.
std::string change_between(const std::optional<FileStamp>& before, const std::optional<FileStamp>& now);

}  // namespace loadline
