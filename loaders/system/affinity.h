// Controls which CPUs a thread may run on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace loadline {

// The CPUs that the calling thread may run on, in ascending order; empty if the system does not tell. A pinned thread
// sees only its own CPUs.
std::vector<std::size_t> affinity_cpus();

// The system's number for the calling thread.
int this_thread_id();

// Keeps the calling thread on these CPUs from now on. Throws Error naming them if the system refuses.
void keep_this_thread_on(std::span<const std::size_t> cpus);

// Keeps the calling thread on some CPUs while it lives, then restores the earlier ones. One thread.
class PinnedThread {
 public:
  // Empty: changes nothing. Throws Error naming the CPUs if the system refuses.
  explicit PinnedThread(std::span<const std::size_t> cpus);
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;
  ~PinnedThread();

 private:
  std::vector<std::size_t> before_;  // empty: nothing to undo
};

}  // namespace loadline
