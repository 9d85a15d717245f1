#include "loaders/storage/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "loaders/error.h"

namespace loadline {
namespace {

Error lock_refusal(const std::filesystem::path& path, const std::string& why) {
  return Error(fmt::format("cannot write {}: {}", path.string(), why));
}

int lock_now(int descriptor, int lock) {
  while (::flock(descriptor, lock | LOCK_NB) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

// Whether the name still leads to the open file: its last holder may have removed it meanwhile.
bool is_still(const std::filesystem::path& name, const struct stat& opened) {
  struct stat there {};
  return ::lstat(name.c_str(), &there) == 0 && there.st_dev == opened.st_dev && there.st_ino == opened.st_ino;
}

}  // namespace

bool another_holds(int error) {
  return error == EWOULDBLOCK;
}

FileLock::FileLock(const std::filesystem::path& path) {
  if (!take(path)) throw lock_refusal(path, fmt::format("another loadline is writing it and holds {}", lock_.string()));
}

std::unique_ptr<FileLock> FileLock::if_free(const std::filesystem::path& path) {
  std::unique_ptr<FileLock> lock(new FileLock());
  return lock->take(path) ? std::move(lock) : nullptr;
}

bool FileLock::take(const std::filesystem::path& path) {
  lock_ = path.string() + ".lock";
  for (;;) {
    descriptor_ = ::open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor_ < 0) throw lock_refusal(path, fmt::format("{}: {}", lock_.string(), std::strerror(errno)));
    if (another_holds(lock_now(descriptor_, LOCK_EX))) {
      ::close(std::exchange(descriptor_, -1));
      return false;
    }
    struct stat opened {};
    const bool known = ::fstat(descriptor_, &opened) == 0;
    if (known && !is_still(lock_, opened)) {
      ::close(std::exchange(descriptor_, -1));
      continue;
    }
    ours_ = known && S_ISREG(opened.st_mode) && opened.st_size == 0;
    return true;
  }
}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  // Removed while still held, so that nobody else's file is removed.
  if (ours_) ::unlink(lock_.c_str());
  ::close(descriptor_);
}

std::unique_ptr<const HeldFile> HeldFile::together(const std::filesystem::path& path) {
  return take(path, O_RDONLY, LOCK_SH);
}

std::unique_ptr<const HeldFile> HeldFile::alone(const std::filesystem::path& path) {
  return take(path, O_RDWR, LOCK_EX);  // NFS grants exclusive locks only on files open for writing
}

std::unique_ptr<const HeldFile> HeldFile::take(const std::filesystem::path& path, int access, int lock) {
  const int descriptor = ::open(path.c_str(), access | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw Error(fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)));
  std::unique_ptr<const HeldFile> held(new HeldFile(descriptor));
  return another_holds(lock_now(descriptor, lock)) ? nullptr : std::move(held);
}

bool HeldFile::is_at(const std::filesystem::path& path) const {
  struct stat opened {};
  return ::fstat(descriptor_, &opened) == 0 && is_still(path, opened);
}

HeldFile::~HeldFile() {
  ::close(descriptor_);
}

}  // namespace loadline
