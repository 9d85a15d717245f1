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
  std::optional<std::string> hostname;          // of several, as merged and resumed results have: "n1, n2"
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
  std::size_t threads_in_force = 1;          // what affinity and limit leave

  std::optional<std::uint64_t> memory_total_bytes;
  std::optional<std::uint64_t> memory_available_bytes;  // when asked
  std::optional<std::uint64_t> cgroup_memory_limit_bytes;
  // Of what limits leave, when asked; for the run itself, and in no file.
  std::optional<std::uint64_t> cgroup_memory_left_bytes;
  std::optional<std::uint64_t> address_space_left_bytes;  // RLIMIT_AS
  std::optional<std::uint64_t> data_left_bytes;           // RLIMIT_DATA
  // Whether a limit of the cgroup would be seen; where not, the run tries what it is let take (memory_trial.h).
  bool cgroup_memory_seen = true;
  std::uint64_t tried_memory_bytes = 0;                // that it was let take
  std::optional<std::uint64_t> let_memory_left_bytes;  // where it was not
  std::optional<std::uint64_t> thread_stack_bytes;     // that a thread reserves
  std::optional<std::uint64_t> page_size_bytes;
  std::optional<std::string> transparent_huge_pages;  // "always", "madvise" or "never"

  std::optional<std::uint64_t> l1d_cache_bytes;  // each of these: one cache, of the first CPU
  std::optional<std::uint64_t> l2_cache_bytes;
  std::optional<std::uint64_t> l3_cache_bytes;
  std::optional<std::size_t> l3_sharing_cpus;  // CPUs that share that L3
  // All last-level caches of the CPUs in the affinity mask together: a dataset smaller than this measures the cache.
  std::optional<std::uint64_t> last_level_cache_bytes;
};

// The CPUs' worth of time that the process may use: the threads in force, or what a quota leaves of them, such as 0.5.
double cpus_in_force(const Machine& machine);

// Whether the CPUs may go beyond their base frequency, as the driver of their frequency tells; nullopt where it does
// not.
std::optional<bool> cpu_boost(const SystemFiles& files);

// Whose names `hostname` has, in its order.
std::vector<std::string> hosts_of(const Machine& machine);

// Names the hosts of `other` behind those of `machine`, each once.
void add_hosts(const Machine& other, Machine& machine);

// What a process may still take, by the system and by its cgroup; huge where neither tells. What the cgroup has used
// counts, its page cache does not.
std::uint64_t memory_left_bytes(const Machine& machine);

// What the process may fill, with pages of the files that it reads too: the machine's memory, or what a control group
// allows of it. std::nullopt: not known.
std::optional<std::uint64_t> memory_in_force(const Machine& machine);
// Of this process, as it is when this is first called. Any thread.
std::optional<std::uint64_t> memory_in_force();

// This machine, now, for a process that a batch job has given `job_cpus`. Never throws over a fact that is missing.
Machine this_machine(std::optional<std::size_t> job_cpus = std::nullopt);

// The part that system files tell, for a process that may run on `affinity`.
Machine machine_from(const SystemFiles& files, const std::vector<std::size_t>& affinity,
                     std::optional<std::size_t> job_cpus = std::nullopt);

}  // namespace loadline
