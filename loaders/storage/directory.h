// The entries of a directory, as the directory itself describes them.
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

// Calls `take` for each entry except "." and "..", in no particular order; a link counts as what it leads to. Looks
// at an entry itself only if it is a link, or if the directory does not tell what it is. `name` is valid during the
// call. Throws Error naming the directory and the reason, and what `take` throws.
void for_each_entry(const std::filesystem::path& directory,
                    const std::function<void(std::string_view name, EntryKind kind)>& take);

// Bytes of the file at `path`, following links. Throws Error naming it if it cannot be inspected.
std::size_t file_bytes(const char* path);

}  // namespace loadline
