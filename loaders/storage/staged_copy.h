// Copies of datasets on disks of a node's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "loaders/storage/file_lock.h"

namespace loadline {

// The whole path by which stage_files() knows `source`: absolute, without "." and "..". A ".." behind a link leads
// where the system would go; other links stay.
std::filesystem::path staged_source(const std::filesystem::path& source);

// Where stage_files() puts the copy of `source`, a file or a directory, below `directory`:
// <directory>/loadline-<name>-<12 digits that stand for the user and for the whole path of source>/<name>. Looks at no
// file but links before a "..".
std::filesystem::path staged_path(const std::filesystem::path& source, const std::filesystem::path& directory);

struct StagedFiles {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  bool copied = false;  // false: an earlier copy was whole, and the source is still what it was a copy of
  std::unique_ptr<const HeldFile> use;  // as long as it lives, no stage_files() replaces or removes the copy
};

// Copies `source` with everything in it, links followed, to staged_path(); with a file it copies those files of
// `beside` that lie in the same directory. A copy appears whole or not at all, and is on storage then. An earlier copy
// is used again if the source has the directories, names, sizes and times that it had then, and the copy is as it was
// made. Otherwise the new copy replaces it once it is whole; the old one goes first where there is no room for both.
// What killed processes of this host left is removed. While another process makes the same copy, this one waits.
// Processes see each other's locks (flock(2)): where the file system has none, or each node its own, one process may
// replace a copy that another node reads. Several threads copy; one at a time calls `show` with the bytes copied and
// the bytes of all files. Returns nullopt, and has made no copy, when `stop` was requested. Throws Error, as "cannot
// stage <source> in <directory>: <reason>", where the directory is missing or full; where something else, or an old
// copy that a run still has in `use`, stands in the place of the copy; where a file cannot be read or written; and
// where anything of the source changes before the last file is copied.
std::optional<StagedFiles> stage_files(const std::filesystem::path& source,
                                       std::span<const std::filesystem::path> beside,
                                       const std::filesystem::path& directory,
                                       const std::function<void(std::uint64_t done, std::uint64_t all)>& show,
                                       const std::stop_token& stop);

}  // namespace loadline
