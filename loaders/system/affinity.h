// Which CPUs a thread may run on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace loadline {

// The CPUs that the calling thread may run on, in ascending order; empty where the system does not tell. A thread that
// was pinned sees its own CPUs only.
std::vector<std::size_t> affinity_cpus();

// The system's number of the calling thread.
int this_thread_id();

// Keeps the calling thread on these CPUs from now on. Throws Error naming them where the system refuses.
void keep_this_thread_on(std::span<const std::size_t> cpus);

// Keeps the calling thread on some CPUs for as long as it lives, then lets it run where it might before. One thread.
class PinnedThread {
 public:
  // Empty: changes nothing. Throws Error naming the CPUs where the system refuses.
  explicit PinnedThread(std::span<const std::size_t> cpus);
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;
  ~PinnedThread();

 private:
  std::vector<std::size_t> before_;  // empty: nothing to undo
};

}  // namespace loadline
