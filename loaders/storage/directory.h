// What is in a directory, by what the directory itself tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace loadline {

enum class EntryKind : std::uint8_t {
  kFile,
  kDirectory,
  kOther,   // a FIFO, a socket, a device
  kMissing  // a link to nothing
};

// Calls `take` for each entry but "." and "..", in no order; links count as what they lead to. Looks at an entry itself
// only where it is a link or the file system does not tell in the directory what it is. `name` is valid during the
// call. Throws Error naming the directory and the reason, and what `take` throws.
void for_each_entry(const std::filesystem::path& directory,
                    const std::function<void(std::string_view name, EntryKind kind)>& take);

// Bytes of the file at `path`, links followed. Throws Error naming it where it cannot be looked at.
std::size_t file_bytes(const char* path);

}  // namespace loadline
