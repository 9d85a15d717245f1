#include "harness/measure/memory_trial.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <new>
#include <optional>

namespace loadline {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
// What the process takes in addition to the sum: stacks, the heap, pages of libraries.
constexpr std::uint64_t kBeside = 32 * kStep;

// Runs in a child of a process that may have threads, so it uses only system calls.
[[noreturn]] void take(std::uint64_t bytes, std::atomic<std::uint64_t>& taken) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
    [[maybe_unused]] const auto written = ::write(score, "1000", 4);
    ::close(score);
  }
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) ::_exit(1);
  volatile auto* pages = static_cast<std::byte*>(memory);
  constexpr std::uint64_t kPage = 4096;
  for (std::uint64_t at = 0; at < bytes; at += kPage) {
    pages[at] = std::byte{1};
    if (at % kStep == 0) taken = at;
  }
  taken = bytes;
  ::_exit(0);
}

// How much a child got; nullopt if no child can be started.
std::optional<std::uint64_t> taken_by_child(std::uint64_t bytes) {
  void* shared =
      ::mmap(nullptr, sizeof(std::atomic<std::uint64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return std::nullopt;
  auto* taken = new (shared) std::atomic<std::uint64_t>(0);
  std::optional<std::uint64_t> result;
  if (const pid_t child = ::fork(); child == 0) {
    take(bytes, *taken);
  } else if (child > 0) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) result = taken->load();
  }
  ::munmap(shared, sizeof(std::atomic<std::uint64_t>));
  return result;
}

}  // namespace

void try_memory(std::uint64_t bytes, Machine& machine) {
  if (machine.cgroup_memory_seen || machine.let_memory_left_bytes || bytes <= machine.tried_memory_bytes) return;
  // A need that is refused anyway is not tried.
  if (bytes > machine.memory_available_bytes.value_or(bytes)) return;
  const std::uint64_t wanted = bytes + kBeside;
  const auto taken = taken_by_child(wanted);
  if (!taken) return;
  if (*taken == wanted) {
    machine.tried_memory_bytes = bytes;
  } else {
    machine.let_memory_left_bytes = *taken - std::min(*taken, kBeside);
  }
}

}  // namespace loadline
