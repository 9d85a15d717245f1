// The place of a staged copy: what stands beside it until it is whole, and how it takes over from an older one.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "loaders/storage/file.h"
#include "loaders/storage/file_lock.h"

namespace loadline {

// In each copy, beside the data: what it is a copy of.
inline constexpr std::string_view kCopyNote = "loadline-copy.txt";

// This host as the names of unfinished copies have it: other hosts may see them too.
std::string host_mark();

// Removes the unfinished copies beside `place` that killed processes of this host left. The caller holds the lock of
// `place`, so that this process has none there. Other hosts, which the lock may not reach, may be copying: theirs stay.
void remove_leftovers(const std::filesystem::path& place);

// Gives the copy at `place`, whose note is `stale`, the name of a leftover, under which it may be removed in part.
// Returns that name; nullopt where another process has removed or replaced the copy since.
std::optional<std::filesystem::path> set_aside(const std::filesystem::path& place, const HeldFile& stale);

// Commits `fresh` to `place`, and removes the older copy whose note is `stale`, if that is not null. Where locks do not
// reach another node, that node may have put its own copy there meanwhile and be reading it: it stays, and `fresh` is
// not needed, if `is_there` says that it is the copy that is wanted. Throws Error where something else stands there.
void commit_copy(AtomicDirectory& fresh, const std::filesystem::path& place, const HeldFile* stale,
                 const std::function<bool()>& is_there);

}  // namespace loadline
