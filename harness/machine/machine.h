// The machine as this process is allowed to use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/machine/system_files.h"

namespace loadline {

// What cannot be known is nullopt.
struct Machine {
  std::optional<std::string> hostname;          // merged and resumed results may have several: "n1, n2"
  std::optional<std::string> operating_system;  // such as "Debian GNU/Linux 12 (bookworm)"
  std::optional<std::string> kernel_release;
  std::optional<std::string> architecture;  // such as "x86_64"
  std::optional<bool> virtualised;

  std::optional<std::string> cpu_model;
  std::optional<std::size_t> sockets;
  std::optional<std::size_t> physical_cores;  // online
  std::optional<std::size_t> logical_cpus;    // online
  std::optional<std::size_t> numa_nodes;
  std::optional<std::string> cpu_governor;
  std::optional<std::string> clocksource;
  std::optional<double> load_average_1_minute;  // when asked

  std::optional<std::size_t> affinity_cpus;  // how many CPUs the affinity mask allows
  std::optional<std::string> affinity_list;  // which, such as "0-3,8"
  std::optional<double> cgroup_cpu_limit;    // cores
  std::size_t threads_in_force = 1;          // threads that affinity and limit allow

  std::optional<std::uint64_t> memory_total_bytes;
  std::optional<std::uint64_t> memory_available_bytes;  // when asked
  std::optional<std::uint64_t> cgroup_memory_limit_bytes;
  // What the limits leave, when asked. The run uses these; no file holds them.
  std::optional<std::uint64_t> cgroup_memory_left_bytes;
  std::optional<std::uint64_t> address_space_left_bytes;  // RLIMIT_AS
  std::optional<std::uint64_t> data_left_bytes;           // RLIMIT_DATA
  // Whether a cgroup limit would be visible; if not, the run tries how much it can take (memory_trial.h).
  bool cgroup_memory_seen = true;
  std::uint64_t tried_memory_bytes = 0;                // largest allocation that succeeded
  std::optional<std::uint64_t> let_memory_left_bytes;  // free memory, found when an allocation failed
  std::optional<std::uint64_t> thread_stack_bytes;     // reserved by each thread
  std::optional<std::uint64_t> page_size_bytes;
  std::optional<std::string> transparent_huge_pages;  // "always", "madvise" or "never"

  std::optional<std::uint64_t> l1d_cache_bytes;  // these three: one cache, that of the first CPU
  std::optional<std::uint64_t> l2_cache_bytes;
  std::optional<std::uint64_t> l3_cache_bytes;
  std::optional<std::size_t> l3_sharing_cpus;  // CPUs that share that L3
  // The sum of all last-level caches of the CPUs in the affinity mask. A smaller dataset measures the cache.
  std::optional<std::uint64_t> last_level_cache_bytes;
};

// How many CPUs' worth of time the process may use: the threads in force, or less under a quota, such as 0.5.
double cpus_in_force(const Machine& machine);

// Whether the CPUs may exceed their base frequency, according to the frequency driver; nullopt if it does not say.
std::optional<bool> cpu_boost(const SystemFiles& files);

// The hosts that `hostname` lists, in its order.
std::vector<std::string> hosts_of(const Machine& machine);

// Appends the hosts of `other` to those of `machine`, each once.
void add_hosts(const Machine& other, Machine& machine);

// How much memory the system and the cgroup still leave to a process; huge if neither is known. What the cgroup
// already uses is subtracted, except its page cache.
std::uint64_t memory_left_bytes(const Machine& machine);

// How much memory the process may fill, including cached pages of the files that it reads: the machine's memory, or
// less under a control group's limit. nullopt: not known.
std::optional<std::uint64_t> memory_in_force(const Machine& machine);
// The same for this process, as it was at the first call. Any thread.
std::optional<std::uint64_t> memory_in_force();

// This machine, now, for a process to which a batch job has given `job_cpus`. Never throws because a fact is missing.
Machine this_machine(std::optional<std::size_t> job_cpus = std::nullopt);

// The facts that system files hold, for a process that may run on `affinity`.
Machine machine_from(const SystemFiles& files, const std::vector<std::size_t>& affinity,
                     std::optional<std::size_t> job_cpus = std::nullopt);

}  // namespace loadline
