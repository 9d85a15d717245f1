#include "loaders/storage/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "loaders/error.h"

namespace loadline {
namespace {

Error system_error(std::string_view operation, const std::filesystem::path& path, int code) {
  return Error(fmt::format("cannot {} {}: {}", operation, path.string(), std::strerror(code)));
}

// What the path is instead of a file; empty: a file.
std::string_view other_than_file(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return "";
    case S_IFDIR: return "a directory";
    case S_IFIFO: return "a FIFO";
    case S_IFSOCK: return "a socket";
    case S_IFCHR: return "a character device";
    case S_IFBLK: return "a block device";
    default: return "of an unknown kind";
  }
}

Error no_file(std::string_view operation, const std::filesystem::path& path, mode_t mode) {
  return Error(fmt::format("cannot {} {}: it is {}, want a file", operation, path.string(), other_than_file(mode)));
}

// /dev/null, for those who want no file, and /dev/full, which fails as a full disk does.
bool is_harmless(dev_t device) {
  constexpr unsigned kMemory = 1;  // the system's list of devices
  return major(device) == kMemory && (minor(device) == 3 || minor(device) == 7);
}

struct Created {
  int result;  // of the call that created it
  std::filesystem::path name;
};

// Creates something under a temporary name next to `path`, so that the rename stays inside one file system. Does not
// use mkstemp(3), which removes permissions that the user's umask would leave. `create` fails with EEXIST if the name
// is taken: by this process, or by one with the same number on another host or before a crash.
template <typename Create>
Created create_beside(const std::filesystem::path& path, const Create& create, std::string_view mark = {}) {
  constexpr int kTries = 1000;
  const auto clean = path.has_filename() ? path : path.parent_path();
  const std::string begin = fmt::format(".{}.{}{}", clean.filename().string(), mark, mark.empty() ? "" : ".");
  for (int i = 0;; ++i) {
    auto name = clean.parent_path() / fmt::format("{}{}-{}", begin, ::getpid(), i);
    const int result = create(name.c_str());
    // Moved, because a copy may fail for lack of memory, and then nobody would remove what was created.
    if (result >= 0 || errno != EEXIST || i == kTries) return {result, std::move(name)};
  }
}

// A rename is on storage only once its directory is. Some file systems cannot sync a directory (EINVAL), and a
// writable directory need not be readable; any other failure is a failure of storage.
void sync_directory_of(const std::filesystem::path& path) {
  const std::filesystem::path directory = path.has_parent_path() ? path.parent_path() : ".";
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  const int code = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (code == 0 || code == EINVAL || code == EROFS || code == EBADF || code == ENOTSUP) return;
  throw Error(fmt::format("cannot commit the name of {} to disk: {}", path.string(), std::strerror(code)));
}

}  // namespace

File File::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const int code = errno;
    if (code == ENXIO) refuse_other_than_file("open", path);  // the error for sockets
    throw system_error("open", path, code);
  }
  return File(descriptor, path);
}

std::optional<File> File::open_past_page_cache(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_DIRECT);
  if (descriptor >= 0) return File(descriptor, path);
  if (errno == EINVAL) return std::nullopt;
  throw system_error("open", path, errno);
}

File::File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t File::size_bytes() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw system_error("inspect", path_, errno);
  if (!S_ISREG(status.st_mode)) throw no_file("read", path_, status.st_mode);
  return static_cast<std::size_t>(status.st_size);
}

bool File::may_be_inspected() const {
  struct stat status {};
  const ::uid_t user = ::geteuid();
  const bool owned = user == 0 || (::fstat(descriptor_, &status) == 0 && status.st_uid == user);
  return owned || ::access(path_.c_str(), W_OK) == 0;
}

void File::wait_until_stored() const {
  ::fsync(descriptor_);
}

void File::drop_from_page_cache(std::size_t bytes) const {
  ::posix_fadvise(descriptor_, 0, static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
}

void File::expect_random_reads() const {
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_RANDOM);
}

void File::read_exactly(std::size_t offset, std::span<std::byte> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("read", path_, errno);
    if (got == 0) throw Error(fmt::format("cannot read {}: it ends at byte {}", path_.string(), offset + done));
    done += static_cast<std::size_t>(got);
  }
}

std::size_t File::read_once(std::size_t offset, std::span<std::byte> out) const {
  ssize_t got = -1;
  do {
    got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw system_error("read", path_, errno);
  return static_cast<std::size_t>(got);
}

std::string read_text(const std::filesystem::path& path, std::size_t most_bytes) {
  const File file = File::open(path);
  const std::size_t bytes = file.size_bytes();
  if (bytes > most_bytes) {
    throw Error(fmt::format("cannot read {}: it has {} bytes, want at most {}", path.string(), bytes, most_bytes));
  }
  std::string text(bytes, '\0');
  file.read_exactly(0, std::as_writable_bytes(std::span(text)));
  return text;
}

void refuse_unreadable(std::string_view operation, const std::filesystem::path& path) {
  std::error_code ignored;
  const int access = std::filesystem::is_directory(path, ignored) ? X_OK : R_OK;
  if (::access(path.c_str(), access) != 0 && errno == EACCES) throw system_error(operation, path, errno);
}

void refuse_other_than_file(std::string_view operation, const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) throw no_file(operation, path, status.st_mode);
}

bool is_there(std::string_view operation, const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  throw system_error(operation, path, errno);
}

std::filesystem::path end_of_links(std::string_view operation, const std::filesystem::path& path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  std::filesystem::path end = path;
  std::error_code failed;
  for (int i = 0; std::filesystem::is_symlink(end, failed); ++i) {
    if (i == kMostLinks) throw system_error(operation, path, ELOOP);
    const std::filesystem::path target = std::filesystem::read_symlink(end, failed);
    if (failed) throw system_error(operation, path, failed.value());
    end = end.parent_path() / target;
  }
  return end;
}

int open_other_than_file(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error("write", path, errno);
  // Checked before opening, which alone may start a device.
  const bool character = S_ISCHR(status.st_mode);
  if (!character && !S_ISFIFO(status.st_mode)) throw no_file("write", path, status.st_mode);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0 && errno == ENXIO) {
    throw Error(fmt::format("cannot write {}: it is a FIFO that nobody reads", path.string()));
  }
  if (descriptor < 0) throw system_error("write", path, errno);
  if (character && !is_harmless(status.st_rdev) && ::isatty(descriptor) == 0) {
    ::close(descriptor);
    throw no_file("write", path, status.st_mode);
  }
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);  // wait for a slow reader
  return descriptor;
}

void wait_until_all_is_stored(const std::filesystem::path& directory) {
  const File opened = File::open(directory);
  if (::syncfs(opened.descriptor()) != 0) throw system_error("write", directory, errno);
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  refuse_other_than_file("write", path_);
  auto created = create_beside(
      path_, [](const char* name) { return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
  if (created.result < 0) throw system_error("write", path_, errno);
  descriptor_ = created.result;
  temporary_ = std::move(created.name);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(descriptor_, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) throw system_error("write", path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::commit() {
  // Network file systems report a full disk or quota only here.
  if (::fsync(descriptor_) != 0) throw system_error("write", path_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) throw system_error("write", path_, errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw system_error("write", path_, errno);
  temporary_.clear();
  sync_directory_of(path_);
}

AtomicDirectory::AtomicDirectory(std::filesystem::path path, std::string_view mark) : path_(std::move(path)) {
  auto created = create_beside(
      path_, [](const char* name) { return ::mkdir(name, 0777); }, mark);
  if (created.result < 0) throw system_error("create", path_, errno);
  temporary_ = std::move(created.name);
}

AtomicDirectory::~AtomicDirectory() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

void AtomicDirectory::commit() {
  // rename(2) replaces an empty directory and refuses any other.
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw system_error("create", path_, errno);
  temporary_.clear();
  sync_directory_of(path_);
}

}  // namespace loadline
