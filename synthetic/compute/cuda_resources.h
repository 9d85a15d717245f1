// Resources of the CUDA runtime, released by destructors. Every function throws Error with the request and the
// runtime's answer.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "synthetic/compute/cuda_kernels.h"

struct CUevent_st;
struct CUgraphExec_st;

namespace loadline::cuda {

// Throws unless `status` means success: "compute cuda: cannot <what>: <why>".
void check(int status, std::string_view what);
// The same for the kernels that this thread has launched so far.
void check_launches();
// Makes the thread use the first device from now on. Throws if no device can be used.
void use_first_device();

// Zeroed device memory.
class DeviceMemory {
 public:
  DeviceMemory(std::size_t size_bytes, std::string_view what_for);

  void* data() const { return data_.get(); }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }

 private:
  struct Free {
    void operator()(void* data) const;
  };
  std::unique_ptr<void, Free> data_;
};

// Host memory that the device reads and writes by itself.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t size_bytes);

  template <typename T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }

 private:
  struct Free {
    void operator()(void* data) const;
  };
  std::unique_ptr<void, Free> data_;
};

// Pins someone else's host memory while it lives; the memory must live longer.
class PinnedRange {
 public:
  explicit PinnedRange(std::span<std::byte> bytes);

 private:
  struct Unregister {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Unregister> data_;
};

// A point in a stream. A thread that waits for it sleeps.
class Event {
 public:
  Event();

  void record(StreamHandle stream);
  void wait() const;
  bool reached() const;
  // Time since `before`, negative if that came later. Both must have been waited for.
  float milliseconds_since(const Event& before) const;
  CUevent_st* handle() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(CUevent_st* event) const;
  };
  std::unique_ptr<CUevent_st, Destroy> handle_;
};

// Work that is captured once and launched repeatedly. Empty until captured.
class Graph {
 public:
  explicit operator bool() const { return handle_ != nullptr; }
  void launch(StreamHandle stream) const;

 private:
  friend class Stream;
  struct Destroy {
    void operator()(CUgraphExec_st* graph) const;
  };
  std::unique_ptr<CUgraphExec_st, Destroy> handle_;
};

// Executes its work in order, concurrently with other streams.
class Stream {
 public:
  Stream();

  StreamHandle handle() const { return handle_.get(); }
  // Later work on this stream waits for the event; the caller does not.
  void wait_for(const Event& event);
  void copy_to_device(void* to, const void* from, std::size_t size_bytes);
  void copy_to_host(void* to, const void* from, std::size_t size_bytes);
  // The caller waits for all work so far.
  void drain() const;
  // The same for destructors: no error is left to report.
  void drain_quietly() const noexcept;

  // Captures the work that `launch` gives this stream, without executing it.
  template <typename Launch>
  Graph capture(Launch launch) {
    begin_capture();
    try {
      launch();
    } catch (...) {
      abandon_capture();
      throw;
    }
    return end_capture();
  }

 private:
  void begin_capture();
  void abandon_capture() noexcept;
  Graph end_capture();

  struct Destroy {
    void operator()(CUstream_st* stream) const;
  };
  std::unique_ptr<CUstream_st, Destroy> handle_;
};

// While it lives, names what the thread launches, for profilers.
class ProfilerRange {
 public:
  explicit ProfilerRange(const char* name);
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange();
};

}  // namespace loadline::cuda
