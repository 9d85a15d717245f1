#include "harness/monitor/kept_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace loadline {

KeptFile::KeptFile(const std::filesystem::path& path, std::size_t most_bytes)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), buffer_(most_bytes) {}

KeptFile::KeptFile(KeptFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), buffer_(std::move(other.buffer_)) {}

KeptFile::~KeptFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string_view KeptFile::text() {
  std::size_t length = 0;
  // The kernel delivers these files in pieces of at most a page.
  while (descriptor_ >= 0 && length < buffer_.size()) {
    const ssize_t got =
        ::pread(descriptor_, buffer_.data() + length, buffer_.size() - length, static_cast<off_t>(length));
    if (got < 0) return {};
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  return {buffer_.data(), length};
}

}  // namespace loadline
