// Handles of the HDF5 library, for the files in storage/ that call it; these check its types against those here.
#pragma once

#include <cstdint>
#include <utility>

namespace loadline {

using Hdf5Id = std::int64_t;  // hid_t

// A library handle, closed by the destructor.
class Hdf5Handle {
 public:
  using Close = int (*)(Hdf5Id);

  Hdf5Handle() = default;
  Hdf5Handle(Hdf5Id id, Close how) : id_(id), close_(how) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  Hdf5Id id() const { return id_; }
  bool valid() const { return id_ >= 0; }
  // Closes now; returns whether that succeeded.
  bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  Hdf5Id id_ = -1;
  Close close_ = nullptr;
};

}  // namespace loadline
