// What every call of the HDF5 library in storage/ needs: the lock, the library's errors, and selections of a dataset.
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

// Hold this lock during each call of the library, whose state is shared by the whole process. A thread-safe build of
// the library has its own lock, but waiting inside the library would look like reading, so we take this one first.
// The first lock starts the library; throws Error if that fails.
class Hdf5Lock {
 public:
  Hdf5Lock();

 private:
  std::unique_lock<std::mutex> lock_;
};

// The library's description of an error in plain words: without the variables and addresses that it lists too, and
// with the system's reason if it gives one.
std::string hdf5_reason(std::string_view description);

// What went wrong in the previous call, which was made under the same lock.
std::string hdf5_last_error();

// "cannot read data.h5: why".
Error hdf5_failure(std::string_view operation, const std::filesystem::path& path, const std::string& why);

// A selected box, in the file and in memory. Allocates nothing, because readers select while the clock runs.
struct Hdf5Selection {
  Hdf5Selection(Hdf5Id dataset, std::span<const std::uint64_t> origin, std::span<const std::uint64_t> extents);
  // Selects whole rows.
  Hdf5Selection(Hdf5Id dataset, std::uint64_t first, std::uint64_t count);

  Hdf5Handle file;
  Hdf5Handle memory;
};

}  // namespace loadline
