#include "loaders/system/affinity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::size_t kMostSets = 64;  // of 1024 CPUs each

bool set_affinity(std::span<const std::size_t> cpus) {
  const std::size_t sets = std::ranges::max(cpus) / (sizeof(cpu_set_t) * 8) + 1;
  std::vector<cpu_set_t> mask(sets);
  for (const std::size_t cpu : cpus) CPU_SET_S(cpu, sets * sizeof(cpu_set_t), mask.data());
  return ::sched_setaffinity(0, sets * sizeof(cpu_set_t), mask.data()) == 0;
}

}  // namespace

std::vector<std::size_t> affinity_cpus() {
  // The kernel refuses a mask smaller than its own with EINVAL and does not tell the size it needs.
  for (std::size_t sets = 1; sets <= kMostSets; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    const std::size_t mask_bytes = sets * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, mask_bytes, mask.data()) == 0) {
      std::vector<std::size_t> cpus;
      for (std::size_t cpu = 0; cpu < mask_bytes * 8; ++cpu) {
        if (CPU_ISSET_S(cpu, mask_bytes, mask.data())) cpus.push_back(cpu);
      }
      return cpus;
    }
    if (errno != EINVAL) break;
  }
  return {};
}

int this_thread_id() {
  return ::gettid();
}

void keep_this_thread_on(std::span<const std::size_t> cpus) {
  if (set_affinity(cpus)) return;
  throw Error(
      fmt::format("cannot pin a thread to CPUs {}: {}", fmt::join(cpus, ","), std::generic_category().message(errno)));
}

PinnedThread::PinnedThread(std::span<const std::size_t> cpus) {
  if (cpus.empty()) return;
  before_ = affinity_cpus();
  keep_this_thread_on(cpus);
}

PinnedThread::~PinnedThread() {
  if (before_.empty()) return;
  try {
    set_affinity(before_);
  } catch (const std::bad_alloc&) {
    // The thread stays where it is.
  }
}

}  // namespace loadline
