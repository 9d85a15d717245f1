#include "loaders/storage/file_stamp.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace loadline {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  return time.tv_sec * kPerSecond + time.tv_nsec;
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileStamp{.device = status.st_dev,
                   .inode = status.st_ino,
                   .bytes = static_cast<std::uint64_t>(status.st_size),
                   .modified_ns = nanoseconds(status.st_mtim),
                   .changed_ns = nanoseconds(status.st_ctim)};
}

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto one = stamp_of(a);
  const auto other = stamp_of(b);
  return one && other && one->device == other->device && one->inode == other->inode;
}

std::string change_between(const std::optional<FileStamp>& before, const std::optional<FileStamp>& now) {
  if (before == now) return "";
  if (before && now) {
    // File systems in user space may give a forgotten file a new number. Replacing a file would also change its
    // change time.
    FileStamp renumbered = *now;
    renumbered.inode = before->inode;
    if (renumbered == *before) return "";
  }
  if (!now) return "was removed";
  if (!before) return "appeared";
  if (before->device != now->device || before->inode != now->inode) return "was replaced by another file";
  if (now->bytes < before->bytes) return fmt::format("was cut from {} to {} bytes", before->bytes, now->bytes);
  if (now->bytes > before->bytes) return fmt::format("grew from {} to {} bytes", before->bytes, now->bytes);
  if (before->modified_ns != now->modified_ns) return "was written to";
  return "had its owner, permissions, links or contents changed";
}

}  // namespace loadline
