// Copies datasets to a node's local disks.
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

// The path by which stage_files() identifies `source`: absolute, without "." and "..". A ".." after a link is
// resolved as the system would; other links stay.
std::filesystem::path staged_source(const std::filesystem::path& source);

// Where stage_files() puts the copy of `source`, a file or a directory, below `directory`:
// <directory>/loadline-<name>-<12 digits that stand for the user and the whole path of source>/<name>. Looks at no
// files except links before a "..".
std::filesystem::path staged_path(const std::filesystem::path& source, const std::filesystem::path& directory);

struct StagedFiles {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  bool copied = false;                  // false: an earlier copy was complete, and the source has not changed since
  std::unique_ptr<const HeldFile> use;  // while it lives, no stage_files() replaces or removes the copy
};

// Throws Error if files cannot be staged in `directory`: it is missing, no directory, or inside the data.
void check_stage_directory(const std::filesystem::path& source, const std::filesystem::path& directory);

// Copies `source` with everything in it, following links, to staged_path(); with a file it also copies those files of
// `beside` that are in the same directory. A copy appears complete or not at all, and is on storage then. An earlier
// copy is reused if the directories, names, sizes and times of the source are unchanged and the copy is as it was
// made, even where nothing can be written. Otherwise the new copy replaces it once complete; if there is no room for
// both, the old one is removed first. Leftovers of killed processes of this host are removed. While another process
// makes the same copy, this one waits. Processes rely on locks (flock(2)): if the file system has none, or each node
// has its own, a process may replace a copy that another node reads. Several threads copy; one at a time calls `show`
// with the bytes copied and the bytes of all files. Returns nullopt without a copy if `stop` was requested. Throws
// Error, as "cannot stage <source> in <directory>: <reason>", as check_stage_directory() does; if the directory is
// full; if something else, or an old copy that a run still has in `use`, is in the copy's place; if a file cannot be
// read or written; or if the source changes before the last file is copied.
std::optional<StagedFiles> stage_files(const std::filesystem::path& source,
                                       std::span<const std::filesystem::path> beside,
                                       const std::filesystem::path& directory,
                                       const std::function<void(std::uint64_t done, std::uint64_t all)>& show,
                                       const std::stop_token& stop);

}  // namespace loadline
