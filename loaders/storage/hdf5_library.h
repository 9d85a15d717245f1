// What every call of the HDF5 library needs, for the files of storage/ that make them: its turn, its errors, and what
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

// One call of the library at a time. Where it sees to that by a lock of its own, this one stands before it all the
// same, as waiting inside the library would look like reading. The state that two calls would spoil is the library's
// own and one for the whole process, and so is the lock. The first turn starts the library; throws Error where it does
// not come up.
class Hdf5Turn {
 public:
  Hdf5Turn();

 private:
  std::unique_lock<std::mutex> lock_;
};

// What the library says of an error, in words: without its own variables and addresses, which it lists as well, and
// with the system's reason where it names one.
std::string hdf5_reason(std::string_view description);

// What went wrong in the call before, in this turn.
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
