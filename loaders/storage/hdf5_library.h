// What every call of the HDF5 library needs, for the files of storage/ that make them: the lock, its errors, and what
// is selected of a dataset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "loaders/error.h"
#include "loaders/storage/hdf5_handle.h"

namespace loadline {

// Held during each call of the library, so that there is one call at a time: the library's state is one for the whole
// process, and so is the lock. A thread-safe build has a lock of its own, and this one is taken all the same, because
// waiting inside the library would look like reading. The first lock starts the library; throws Error if that fails.
class Hdf5Lock {
 public:
  Hdf5Lock();

 private:
  std::unique_lock<std::mutex> lock_;
};

// What the library says of an error, in words: without its own variables and addresses, which it lists as well, and
// with the system's reason where it names one.
std::string hdf5_reason(std::string_view description);

// What went wrong in the call before, made under the same lock.
std::string hdf5_last_error();

// "cannot read data.h5: why".
Error hdf5_failure(std::string_view operation, const std::filesystem::path& path, const std::string& why);

// A selected box, in the file and in memory. Allocates nothing: readers select while the clock runs.
struct Hdf5Selection {
  Hdf5Selection(Hdf5Id dataset, std::span<const std::uint64_t> origin, std::span<const std::uint64_t> extents);
  // Of whole rows.
  Hdf5Selection(Hdf5Id dataset, std::uint64_t first, std::uint64_t count);

  Hdf5Handle file;
  Hdf5Handle memory;
};

}  // namespace loadline
