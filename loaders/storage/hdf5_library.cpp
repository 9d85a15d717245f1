#include "loaders/storage/hdf5_library.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "loaders/worker_clock.h"

namespace loadline {
namespace {

// While it lives, nothing reaches stderr, not even from other threads: it lives once, for a millisecond.
class Hush {
 public:
  Hush() : stderr_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (stderr_ >= 0 && nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    if (nowhere >= 0) ::close(nowhere);
  }
  Hush(const Hush&) = delete;
  Hush& operator=(const Hush&) = delete;
  ~Hush() {
    if (stderr_ < 0) return;
    ::dup2(stderr_, STDERR_FILENO);
    ::close(stderr_);
  }

 private:
  int stderr_;
};

// Throws Error if the library does not start. It would print pages about the reason until it can be told not to.
void start_library() {
  const Hush hush;
  // At exit the library would close again what it could not close for lack of space, and crash. We close all files
  // ourselves.
  H5dont_atexit();
  if (H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) < 0) {
    throw Error("cannot start the HDF5 library: not enough memory");
  }
}

using SelectedExtents = std::array<hsize_t, H5S_MAX_RANK>;

void select_box(const SelectedExtents& start, const SelectedExtents& counts, int rank, Hdf5Selection& selection) {
  H5Sselect_hyperslab(selection.file.id(), H5S_SELECT_SET, start.data(), nullptr, counts.data(), nullptr);
  selection.memory = Hdf5Handle(H5Screate_simple(rank, counts.data(), nullptr), H5Sclose);
}

// The number after `key` in a description; empty if there is none.
std::string_view number_behind(std::string_view description, std::string_view key) {
  const auto found = description.find(key);
  if (found == std::string_view::npos) return "";
  const std::string_view rest = description.substr(found + key.size());
  return rest.substr(0, rest.find_first_not_of("0123456789"));
}

}  // namespace

Hdf5Lock::Hdf5Lock() {
  static std::mutex mutex;
  const InStage waiting(WorkerStage::kLibraryLock);
  lock_ = std::unique_lock(mutex);
  static std::once_flag started;
  std::call_once(started, start_library);
  // The library's default is to print errors, and each thread has a default of its own.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string hdf5_reason(std::string_view description) {
  if (description.empty()) return "the HDF5 library gives no reason";
  if (description.starts_with("truncated file")) {
    return fmt::format("truncated file, {} bytes of {}", number_behind(description, "eof = "),
                       number_behind(description, "stored_eof = "));
  }
  // The useful text ends where the library begins to list variables of the program.
  const std::string_view what = description.substr(0, description.find_first_of(":,\n"));
  constexpr std::string_view kReason = "error message = '";
  if (const auto begin = description.find(kReason); begin != std::string_view::npos) {
    const std::string_view reason = description.substr(begin + kReason.size());
    return fmt::format("{}: {}", what, reason.substr(0, reason.find('\'')));
  }
  return std::string(description.find(" = ") == std::string_view::npos ? description.substr(0, description.find('\n'))
                                                                       : what);
}

// The description at the bottom of the library's error stack, where the error was detected.
std::string hdf5_last_error() {
  std::string text;
  const auto visit = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    auto& found = *static_cast<std::string*>(out);
    if (error->desc != nullptr && *error->desc != '\0') found = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, visit, &text);
  return hdf5_reason(text);
}

Error hdf5_failure(std::string_view operation, const std::filesystem::path& path, const std::string& why) {
  return Error(fmt::format("cannot {} {}: {}", operation, path.string(), why));
}

Hdf5Selection::Hdf5Selection(Hdf5Id dataset, std::span<const std::uint64_t> origin,
                             std::span<const std::uint64_t> extents)
    : file(H5Dget_space(dataset), H5Sclose) {
  SelectedExtents start{};
  SelectedExtents counts{};
  std::ranges::copy(origin, start.begin());
  std::ranges::copy(extents, counts.begin());
  select_box(start, counts, static_cast<int>(extents.size()), *this);
}

Hdf5Selection::Hdf5Selection(Hdf5Id dataset, std::uint64_t first, std::uint64_t count)
    : file(H5Dget_space(dataset), H5Sclose) {
  SelectedExtents start{};
  SelectedExtents counts{};
  const int rank = H5Sget_simple_extent_dims(file.id(), counts.data(), nullptr);
  if (rank < 1) return;
  start[0] = first;
  counts[0] = count;
  select_box(start, counts, rank, *this);
}

}  // namespace loadline
