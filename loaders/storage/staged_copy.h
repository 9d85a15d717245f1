// Copies of datasets on disks of a node's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>

namespace loadline {

// Where stage_files() puts the copy of `source`, a file or a directory, below `directory`:
// <directory>/loadline-<name>-<12 digits that stand for the whole path of source>/<name>. Looks at no file.
std::filesystem::path staged_path(const std::filesystem::path& source, const std::filesystem::path& directory);

struct StagedFiles {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  bool copied = false;  // false: an earlier copy was whole, and its files are as those of the source are now
};

// Makes `source` with all that is in it, links followed, be at staged_path(); of a file also those files of `beside`
// that lie in its directory. A copy appears whole or not at all, and on storage. An earlier one is used again where
// names, sizes and times of its files are those of the source, and replaced where they are not; what a killed process
// left half done is removed. Where another process copies the same at this moment it waits for that. Several threads
// copy; `show` is told bytes done and bytes of all by one at a time. None when `stop` was requested: then there is
// no new copy. Throws Error, as "cannot stage <source> in <directory>: <reason>", where the directory is not there or
// has no room, where something else stands in the place of the copy, and where a file cannot be read or written, or
// changes meanwhile.
std::optional<StagedFiles> stage_files(const std::filesystem::path& source,
                                       std::span<const std::filesystem::path> beside,
                                       const std::filesystem::path& directory,
                                       const std::function<void(std::uint64_t done, std::uint64_t all)>& show,
                                       const std::stop_token& stop);

}  // namespace loadline
