// The place of a staged copy: what is next to it until it is complete, and how it replaces an older one.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "loaders/storage/file.h"
#include "loaders/storage/file_lock.h"

namespace loadline {

// In each copy, next to the data: says what it is a copy of.
inline constexpr std::string_view kCopyNote = "loadline-copy.txt";

// This host's mark in the names of unfinished copies, which other hosts may see too.
std::string host_mark();

// Removes the unfinished copies next to `place` that killed processes of this host left. The caller holds the lock of
// `place`, so this process has none there. Those of other hosts stay: the lock may not reach them, and they may still
// be copying.
void remove_leftovers(const std::filesystem::path& place);

// Renames the copy at `place`, whose note is `stale`, to a leftover, so that it can be removed step by step. Returns
// the new name; nullopt if another process has removed or replaced the copy since.
std::optional<std::filesystem::path> set_aside(const std::filesystem::path& place, const HeldFile& stale);

// Commits `fresh` to `place` and removes the older copy whose note is `stale`, if not null. If locks do not reach
// another node, that node may have put its own copy there meanwhile and be reading it: if `is_there` accepts that
// copy, it stays and `fresh` is dropped. Throws Error if something else is there.
void commit_copy(AtomicDirectory& fresh, const std::filesystem::path& place, const HeldFile* stale,
                 const std::function<bool()>& is_there);

}  // namespace loadline
