// What the CUDA runtime lends, given back by destructors. Every function throws Error saying what was asked of the
// device and what the runtime answered.
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

// Throws unless `status` is the runtime's for success: "compute cuda: cannot <what>: <why>".
void check(int status, std::string_view what);
// Of the kernels launched by this thread so far.
void check_launches();
// Throws where there is no device that can be used; from here on the thread uses the first.
void use_first_device();

// Memory of the device, zeroed.
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

// Memory of the host that the device reads and writes by itself.
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

// Makes memory of someone else's such memory, for as long as it lives; the memory must live longer.
class PinnedRange {
 public:
  explicit PinnedRange(std::span<std::byte> bytes);

 private:
  struct Unregister {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Unregister> data_;
};

// A point in a stream. Whoever waits for it sleeps.
class Event {
 public:
  Event();

  void record(StreamHandle stream);
  void wait() const;
  bool reached() const;
  // From `before`, negative where that is reached later; both were waited for.
  float milliseconds_since(const Event& before) const;
  CUevent_st* handle() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(CUevent_st* event) const;
  };
  std::unique_ptr<CUevent_st, Destroy> handle_;
};

// Work launched once and again. Empty until captured.
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

// Does what it is given one after the other, beside what other streams do.
class Stream {
 public:
  Stream();

  StreamHandle handle() const { return handle_.get(); }
  // What comes later on this stream waits for the event; the caller does not.
  void wait_for(const Event& event);
  void copy_to_device(void* to, const void* from, std::size_t size_bytes);
  void copy_to_host(void* to, const void* from, std::size_t size_bytes);
  // The caller waits for all that was given so far.
  void drain() const;
  // The same for destructors: no error is left to report.
  void drain_quietly() const noexcept;

  // What `launch` gives this stream, not yet executed.
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

// Names what the thread launches while it lives, for profilers.
class ProfilerRange {
 public:
  explicit ProfilerRange(const char* name);
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange();
};

}  // namespace loadline::cuda
