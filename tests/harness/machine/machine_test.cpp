#include "harness/machine/machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/harness/machine/fake_system.h"

namespace loadline {
namespace {

void write_cache(FakeSystem& system, int cpu, int index, const char* level, const char* type, const char* size,
                 const char* shared) {
  const std::string directory = fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}", cpu, index);
  system.write(directory + "/level", level)
      .write(directory + "/type", type)
      .write(directory + "/size", size)
      .write(directory + "/shared_cpu_list", shared);
}

void write_topology(FakeSystem& system, int cpu, const char* package, const char* siblings) {
  const std::string directory = fmt::format("/sys/devices/system/cpu/cpu{}/topology", cpu);
  system.write(directory + "/physical_package_id", package).write(directory + "/thread_siblings_list", siblings);
}

TEST(Machine, KnowsNothingAboutASystemWithoutFiles) {
  const FakeSystem system;
  const Machine machine = machine_from(system.files(), {});
  EXPECT_EQ(machine.hostname, std::nullopt);
  EXPECT_EQ(machine.operating_system, std::nullopt);
  EXPECT_EQ(machine.kernel_release, std::nullopt);
  EXPECT_EQ(machine.virtualised, std::nullopt);
  EXPECT_EQ(machine.cpu_model, std::nullopt);
  EXPECT_EQ(machine.sockets, std::nullopt);
  EXPECT_EQ(machine.physical_cores, std::nullopt);
  EXPECT_EQ(machine.logical_cpus, std::nullopt);
  EXPECT_EQ(machine.numa_nodes, std::nullopt);
  EXPECT_EQ(machine.cpu_governor, std::nullopt);
  EXPECT_EQ(machine.clocksource, std::nullopt);
  EXPECT_EQ(machine.load_average_1_minute, std::nullopt);
  EXPECT_EQ(machine.affinity_cpus, std::nullopt);
  EXPECT_EQ(machine.affinity_list, std::nullopt);
  EXPECT_EQ(machine.cgroup_cpu_limit, std::nullopt);
  EXPECT_EQ(machine.threads_in_force, 1U);
  EXPECT_EQ(machine.memory_total_bytes, std::nullopt);
  EXPECT_EQ(machine.memory_available_bytes, std::nullopt);
  EXPECT_EQ(machine.cgroup_memory_limit_bytes, std::nullopt);
  EXPECT_EQ(machine.transparent_huge_pages, std::nullopt);
  EXPECT_EQ(machine.l1d_cache_bytes, std::nullopt);
  EXPECT_EQ(machine.l2_cache_bytes, std::nullopt);
  EXPECT_EQ(machine.l3_cache_bytes, std::nullopt);
  EXPECT_EQ(machine.l3_sharing_cpus, std::nullopt);
  EXPECT_EQ(machine.last_level_cache_bytes, std::nullopt);
}

TEST(Machine, ReadsNamesAndSettings) {
  FakeSystem system;
  system.write("/proc/sys/kernel/hostname", "node042\n")
      .write("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n")
      .write("/etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n")
      .write("/proc/cpuinfo", "model name\t: AMD EPYC\nflags\t: fpu hypervisor\n")
      .write("/proc/loadavg", "0.52 1.25 3.00 2/345 6789\n")
      .write("/sys/devices/system/cpu/cpu4/cpufreq/scaling_governor", "performance\n")
      .write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n")
      .write("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  const Machine machine = machine_from(system.files(), {4, 5});
  EXPECT_EQ(machine.hostname, "node042");
  EXPECT_EQ(machine.kernel_release, "6.1.0-18-amd64");
  EXPECT_EQ(machine.operating_system, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(machine.cpu_model, "AMD EPYC");
  EXPECT_EQ(machine.virtualised, true);
  EXPECT_EQ(machine.load_average_1_minute, 0.52);
  EXPECT_EQ(machine.cpu_governor, "performance");
  EXPECT_EQ(machine.clocksource, "tsc");
  EXPECT_EQ(machine.transparent_huge_pages, "always");
}

TEST(Machine, TakesTheNameOfTheSystemFromEitherPlaceQuotedOrNot) {
  FakeSystem system;
  system.write("/usr/lib/os-release", "PRETTY_NAME=Something\n");
  EXPECT_EQ(machine_from(system.files(), {0}).operating_system, "Something");
}

TEST(Machine, ReadsMemoryInBytes) {
  FakeSystem system;
  system.write("/proc/meminfo", "MemTotal:       16384 kB\nMemFree:          100 kB\nMemAvailable:    8192 kB\n");
  const Machine machine = machine_from(system.files(), {0});
  EXPECT_EQ(machine.memory_total_bytes, 16'777'216U);
  EXPECT_EQ(machine.memory_available_bytes, 8'388'608U);
}

TEST(Machine, CountsSocketsCoresAndThreadsSeparately) {
  FakeSystem system;
  system.write("/sys/devices/system/cpu/online", "0-3,6-7\n").write("/sys/devices/system/node/online", "0-1\n");
  write_topology(system, 0, "0\n", "0,2\n");
  write_topology(system, 1, "0\n", "1,3\n");
  write_topology(system, 2, "0\n", "0,2\n");
  write_topology(system, 3, "0\n", "1,3\n");
  write_topology(system, 6, "1\n", "6-7\n");
  write_topology(system, 7, "1\n", "6-7\n");
  const Machine machine = machine_from(system.files(), {0});
  EXPECT_EQ(machine.sockets, 2U);
  EXPECT_EQ(machine.physical_cores, 3U);
  EXPECT_EQ(machine.logical_cpus, 6U);
  EXPECT_EQ(machine.numa_nodes, 2U);
}

TEST(Machine, DoesNotCountSocketsIfTheFirmwareReportsNone) {
  FakeSystem system;
  system.write("/sys/devices/system/cpu/online", "0-1\n");
  write_topology(system, 0, "-1\n", "0\n");
  write_topology(system, 1, "-1\n", "1\n");
  const Machine machine = machine_from(system.files(), {0});
  EXPECT_EQ(machine.sockets, std::nullopt);
  EXPECT_EQ(machine.physical_cores, 2U);
}

TEST(Machine, LimitsThreadsByAffinityAndCgroup) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
      .write("/proc/self/cgroup", "0::/job\n")
      .write("/sys/fs/cgroup/job/cpu.max", "150000 100000\n")
      .write("/sys/fs/cgroup/job/memory.max", "1073741824\n");
  const Machine machine = machine_from(system.files(), {0, 1, 2, 3, 8});
  EXPECT_EQ(machine.affinity_cpus, 5U);
  EXPECT_EQ(machine.affinity_list, "0-3,8");
  EXPECT_EQ(machine.cgroup_cpu_limit, 1.5);
  EXPECT_EQ(machine.cgroup_memory_limit_bytes, 1'073'741'824U);
  EXPECT_EQ(machine.threads_in_force, 2U);
}

TEST(Machine, LimitsCpusInForceByTheQuota) {
  Machine machine{.threads_in_force = 2};
  EXPECT_EQ(cpus_in_force(machine), 2);
  machine.cgroup_cpu_limit = 8;
  EXPECT_EQ(cpus_in_force(machine), 2);
  machine.threads_in_force = 1;
  machine.cgroup_cpu_limit = 0.5;
  EXPECT_EQ(cpus_in_force(machine), 0.5);
}

TEST(MemoryInForce, IsTheSmallerOfTheMachinesMemoryAndTheCgroupLimit) {
  EXPECT_EQ(memory_in_force(Machine{}), std::nullopt);
  EXPECT_EQ(memory_in_force(Machine{.memory_total_bytes = 3000}), 3000U);
  EXPECT_EQ(memory_in_force(Machine{.memory_total_bytes = 3000, .cgroup_memory_limit_bytes = 2000}), 2000U);
  EXPECT_EQ(memory_in_force(Machine{.memory_total_bytes = 3000, .cgroup_memory_limit_bytes = 4000}), 3000U);
  EXPECT_GT(memory_in_force().value_or(0), 0U);
}

TEST(Machine, LeavesTheMemoryThatAllLimitsAllow) {
  EXPECT_EQ(memory_left_bytes({}), ~std::uint64_t{0});
  EXPECT_EQ(memory_left_bytes({.memory_available_bytes = 3000, .cgroup_memory_limit_bytes = 2000}), 2000U);
  EXPECT_EQ(memory_left_bytes({.cgroup_memory_limit_bytes = 2000, .cgroup_memory_left_bytes = 500}), 500U);
}

TEST(Machine, ReadsTheCachesOfTheFirstCpuItMayUse) {
  FakeSystem system;
  write_cache(system, 2, 0, "1\n", "Data\n", "48K\n", "2\n");
  write_cache(system, 2, 1, "1\n", "Instruction\n", "32K\n", "2\n");
  write_cache(system, 2, 2, "2\n", "Unified\n", "2048K\n", "2\n");
  write_cache(system, 2, 3, "3\n", "Unified\n", "32768K\n", "0-7\n");
  const Machine machine = machine_from(system.files(), {2});
  EXPECT_EQ(machine.l1d_cache_bytes, 49'152U);
  EXPECT_EQ(machine.l2_cache_bytes, 2'097'152U);
  EXPECT_EQ(machine.l3_cache_bytes, 33'554'432U);
  EXPECT_EQ(machine.l3_sharing_cpus, 8U);
  EXPECT_EQ(machine.last_level_cache_bytes, 33'554'432U);
}

TEST(Machine, AddsUpEachLastLevelCacheOnce) {
  FakeSystem system;
  for (const int cpu : {0, 1}) write_cache(system, cpu, 0, "3", "Unified", "16M", "0-1");
  for (const int cpu : {2, 3}) write_cache(system, cpu, 0, "3", "Unified", "16M", "2-3");
  EXPECT_EQ(machine_from(system.files(), {0, 1}).last_level_cache_bytes, 16'777'216U);
  EXPECT_EQ(machine_from(system.files(), {0, 1, 2}).last_level_cache_bytes, 33'554'432U);
}

TEST(Machine, TakesTheSecondLevelAsTheLastIfThereIsNoThird) {
  FakeSystem system;
  write_cache(system, 0, 0, "1", "Data", "64K", "0");
  write_cache(system, 0, 1, "2", "Unified", "1M", "0");
  const Machine machine = machine_from(system.files(), {0});
  EXPECT_EQ(machine.l3_cache_bytes, std::nullopt);
  EXPECT_EQ(machine.last_level_cache_bytes, 1'048'576U);
}

TEST(Machine, DoesNotSumLastLevelCachesWhenOneIsUnknown) {
  FakeSystem system;
  write_cache(system, 0, 0, "3", "Unified", "16M", "0");
  write_cache(system, 1, 0, "2", "Unified", "1M", "1");
  write_cache(system, 1, 1, "3", "Unified", "0K", "1");
  EXPECT_EQ(machine_from(system.files(), {0, 1}).last_level_cache_bytes, std::nullopt);
}

TEST(Machine, OfThisProcessKnowsWhatEveryLinuxReports) {
  const Machine machine = this_machine();
  EXPECT_TRUE(machine.architecture.has_value());
  EXPECT_GE(machine.page_size_bytes.value_or(0), 4096U);
  EXPECT_GT(machine.memory_total_bytes.value_or(0), 0U);
  EXPECT_GE(machine.affinity_cpus.value_or(0), machine.threads_in_force);
}

TEST(CpuBoost, IsWhatTheFrequencyDriverReports) {
  EXPECT_EQ(cpu_boost(FakeSystem().files()), std::nullopt);
  const auto with = [](const char* path, const char* text) {
    FakeSystem system;
    system.write(path, text);
    return cpu_boost(system.files());
  };
  EXPECT_EQ(with("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"), true);
  EXPECT_EQ(with("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"), false);
  EXPECT_EQ(with("/sys/devices/system/cpu/cpufreq/boost", "1\n"), true);
  EXPECT_EQ(with("/sys/devices/system/cpu/cpufreq/boost", "0\n"), false);
}

TEST(AddHosts, NamesEachOnceInOrder) {
  Machine machine;
  add_hosts({}, machine);
  EXPECT_EQ(machine.hostname, std::nullopt);
  EXPECT_EQ(hosts_of(machine), std::vector<std::string>());
  add_hosts({.hostname = "n2"}, machine);
  add_hosts({.hostname = "n1, n2"}, machine);
  EXPECT_EQ(machine.hostname, "n2, n1");
  EXPECT_EQ(hosts_of(machine), (std::vector<std::string>{"n2", "n1"}));
}

}  // namespace
}  // namespace loadline
