#include "loaders/storage/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "loaders/error.h"

namespace loadline {
namespace {

Error refusal(std::string_view path, int code) {
  return Error(fmt::format("cannot open {}: {}", path, std::strerror(code)));
}

EntryKind kind_of(int directory, const char* name) {
  struct stat status {};
  if (::fstatat(directory, name, &status, 0) != 0) return EntryKind::kMissing;
  return S_ISREG(status.st_mode)   ? EntryKind::kFile
         : S_ISDIR(status.st_mode) ? EntryKind::kDirectory
                                   : EntryKind::kOther;
}

}  // namespace

void for_each_entry(const std::filesystem::path& directory,
                    const std::function<void(std::string_view name, EntryKind kind)>& take) {
  struct Close {
    void operator()(DIR* open) const { ::closedir(open); }
  };
  const std::unique_ptr<DIR, Close> open(::opendir(directory.c_str()));
  if (!open) throw refusal(directory.native(), errno);
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(open.get());
    if (entry == nullptr) {
      if (errno != 0) throw refusal(directory.native(), errno);
      return;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    switch (entry->d_type) {
      case DT_REG: take(name, EntryKind::kFile); break;
      case DT_DIR: take(name, EntryKind::kDirectory); break;
      case DT_LNK:
      case DT_UNKNOWN: take(name, kind_of(::dirfd(open.get()), entry->d_name)); break;
      default: take(name, EntryKind::kOther); break;
    }
  }
}

std::size_t file_bytes(const char* path) {
  struct stat status {};
  if (::stat(path, &status) != 0) throw refusal(path, errno);
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace loadline
