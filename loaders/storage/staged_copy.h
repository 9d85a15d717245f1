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
  std::shared_ptr<const HeldFile> use;  // as long as it lives, no stage_files() replaces or removes the copy
};

// Makes `source` with all that is in it, links followed, be at staged_path(); of a file also those files of `beside`
// that lie in its directory. A copy appears whole or not at all, and on storage. An earlier one is used again where the
// source has the directories, names, sizes and times that it had then, and the copy what it had then. Otherwise it is
// replaced: when the new one is whole, or before where there is no room for both. What a killed process of this host
// left half done is removed. Where another process copies the same at this moment it waits for that. Processes know of
// each other by flock(2): where the file system has no locks, or each node its own, a copy may be replaced that another
// reads. Several threads copy; `show` is told bytes done and bytes of all by one at a time. None when `stop` was
// requested: then there is no new copy. Throws Error, as "cannot stage <source> in <directory>: <reason>", where the
// directory is not there or has no room, where something else stands in the place of the copy, or another one that
// somebody still has in `use`, and where a file cannot be read or written, or anything of the source changes before the
// last file is copied.
std::optional<StagedFiles> stage_files(const std::filesystem::path& source,
                                       std::span<const std::filesystem::path> beside,
                                       const std::filesystem::path& directory,
                                       const std::function<void(std::uint64_t done, std::uint64_t all)>& show,
                                       const std::stop_token& stop);

}  // namespace loadline
