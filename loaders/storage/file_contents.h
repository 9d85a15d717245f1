// What FileQueue and FileArrivals share: memory that the system reads whole files into, and what it reports of each.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace loadline {

// Bytes of memory to read a file of `file_bytes` into, in whole cache lines: one more than the file, so that a grown
// file shows, but not above 4 MiB, which few photographs exceed. Of a longer file file_contents() reads the rest.
std::size_t contents_bytes(std::size_t file_bytes);

// Not initialised, so that pages that no file is read into never exist. Throws Error if the memory is refused.
std::unique_ptr<std::byte[]> contents_memory(std::size_t bytes);

// Never frees or reuses the memory, because the system may still write to it. Any thread.
void keep_for_good(std::unique_ptr<std::byte[]> memory);

// Whether the system's answer (0 or more, or a negative error number) calls for another try: busy now, or interrupted.
bool is_passing(int answer);

// What the system has reported of a file.
struct FileAnswers {
  std::string_view path;
  std::size_t expected_bytes;  // its length when last seen
  int opened;                  // 0 or more, or a negative error number
  int read;                    // bytes, or a negative error number
};

// The file's bytes, which the system began to read into `memory`. Reads the rest itself if the system was interrupted
// or the file is longer than the memory, and a file whose length has changed as it is now. The result is in `memory`
// or, for a longer file, in `long_one`. Throws Error naming the path and the reason.
std::span<const std::byte> file_contents(const FileAnswers& answers, std::span<std::byte> memory,
                                         std::vector<std::byte>& long_one);

}  // namespace loadline
