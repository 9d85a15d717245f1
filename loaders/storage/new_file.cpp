#include "loaders/storage/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "loaders/error.h"

namespace loadline {
namespace {

Error cannot_write(const std::filesystem::path& path, int code) {
  if (code == EEXIST) return Error(fmt::format("cannot write {}: it exists already", path.string()));
  return Error(fmt::format("cannot write {}: {}", path.string(), std::strerror(code)));
}

}  // namespace

NewFile::NewFile(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw cannot_write(path_, errno);
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      kept_(std::exchange(other.kept_, true)) {}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!kept_) ::unlink(path_.c_str());
}

void NewFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(descriptor_, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) throw cannot_write(path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
}

void NewFile::append(std::string_view text) {
  append(std::as_bytes(std::span(text)));
}

void NewFile::set_modified(std::int64_t seconds, std::int64_t nanoseconds) {
  const timespec modified{.tv_sec = seconds, .tv_nsec = nanoseconds};
  const timespec times[2] = {modified, modified};
  if (::futimens(descriptor_, times) != 0) throw cannot_write(path_, errno);
}

void NewFile::close() {
  if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0) throw cannot_write(path_, errno);
}

void write_new_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  NewFile file(path);
  file.append(bytes);
  file.close();
  file.keep();
}

}  // namespace loadline
