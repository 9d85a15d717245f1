#include "harness/machine/cgroup.h"

#include <gtest/gtest.h>

#include "tests/harness/machine/fake_system.h"

namespace loadline {
namespace {

constexpr const char* kUnified = "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(Cgroup, ParsesCpuMaxAsCores) {
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max("max 100000\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_max("150000\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_max("150000 0\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_max(""), std::nullopt);
}

TEST(Cgroup, ParsesQuotaAndPeriodAsCores) {
  EXPECT_EQ(parse_cfs_limit("400000\n", "100000\n"), 4.0);
  EXPECT_EQ(parse_cfs_limit("-1\n", "100000\n"), std::nullopt);
}

TEST(Cgroup, TreatsAHugeMemoryLimitAsNoLimit) {
  EXPECT_EQ(parse_memory_limit("8589934592\n"), 8'589'934'592U);
  EXPECT_EQ(parse_memory_limit("max\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("9223372036854771712\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("9223372036854710272\n"), std::nullopt);
}

TEST(Cgroup, TakesTheTightestLimitFromOwnGroupToRoot) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", kUnified)
      .write("/proc/self/cgroup", "0::/batch/job7/step0\n")
      .write("/sys/fs/cgroup/batch/cpu.max", "800000 100000\n")
      .write("/sys/fs/cgroup/batch/memory.max", "17179869184\n")
      .write("/sys/fs/cgroup/batch/job7/cpu.max", "250000 100000\n")
      .write("/sys/fs/cgroup/batch/job7/memory.max", "max\n")
      .write("/sys/fs/cgroup/batch/job7/step0/cpu.max", "max 100000\n")
      .write("/sys/fs/cgroup/other/cpu.max", "10000 100000\n");
  const CgroupLimits limits = cgroup_limits(system.files());
  EXPECT_EQ(limits.cpus, 2.5);
  EXPECT_EQ(limits.memory_bytes, 17'179'869'184U);
}

TEST(Cgroup, ReadsTheLimitOfAContainerAtTheMountPoint) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", kUnified)
      .write("/proc/self/cgroup", "0::/\n")
      .write("/sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(cgroup_limits(system.files()).cpus, 3.0);
}

TEST(Cgroup, ReadsTheMountPointWhenTheGroupLiesOutsideIt) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", kUnified)
      .write("/proc/self/cgroup", "0::/../../elsewhere\n")
      .write("/sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(cgroup_limits(system.files()).cpus, 3.0);
}

TEST(Cgroup, ReadsVersion1ControllersEachInItsOwnHierarchy) {
  FakeSystem system;
  system
      .write("/proc/self/mountinfo",
             "31 20 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
             "32 20 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
             "33 20 0:29 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n")
      .write("/proc/self/cgroup", "4:memory:/slurm/job_9\n3:cpu,cpuacct:/slurm/job:8\n1:name=systemd:/slurm\n0::/\n")
      .write("/sys/fs/cgroup/cpu,cpuacct/slurm/job:8/cpu.cfs_quota_us", "400000\n")
      .write("/sys/fs/cgroup/cpu,cpuacct/slurm/job:8/cpu.cfs_period_us", "100000\n")
      .write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
      .write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n")
      .write("/sys/fs/cgroup/memory/slurm/job_9/memory.limit_in_bytes", "4294967296\n")
      .write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const CgroupLimits limits = cgroup_limits(system.files());
  EXPECT_EQ(limits.cpus, 4.0);
  EXPECT_EQ(limits.memory_bytes, 4'294'967'296U);
}

TEST(Cgroup, ReadsAGroupRelativeToTheDirectoryThatIsMounted) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", "31 20 0:27 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n")
      .write("/proc/self/cgroup", "3:cpu:/docker/abc/inner\n")
      .write("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "50000\n")
      .write("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n")
      .write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n")
      .write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_limits(system.files()).cpus, 0.5);
}

TEST(Cgroup, HasNoLimitsWhereNothingIsMounted) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n").write("/proc/self/cgroup", "0::/x\n:\n");
  const CgroupLimits limits = cgroup_limits(system.files());
  EXPECT_EQ(limits.cpus, std::nullopt);
  EXPECT_EQ(limits.memory_bytes, std::nullopt);
}

TEST(Cgroup, CountsFilePagesAsMemoryThatIsLeft) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", kUnified)
      .write("/proc/self/cgroup", "0::/job\n")
      .write("/sys/fs/cgroup/job/memory.max", "1000000\n")
      .write("/sys/fs/cgroup/job/memory.current", "700000\n")
      .write("/sys/fs/cgroup/job/memory.stat", "anon 300000\nfile 400000\nactive_file 100000\ninactive_file 250000\n");
  EXPECT_EQ(cgroup_limits(system.files()).memory_left_bytes, 650'000U);
  system.write("/sys/fs/cgroup/job/memory.current", "2000000\n");
  EXPECT_EQ(cgroup_limits(system.files()).memory_left_bytes, 0U) << "more than the limit, which was lowered";
}

TEST(Cgroup, ReadsTheMemoryThatIsLeftFromTheFilesOfVersion1) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", "32 20 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n")
      .write("/proc/self/cgroup", "4:memory:/job\n")
      .write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4194304\n")
      .write("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "3145728\n")
      .write("/sys/fs/cgroup/memory/job/memory.stat",
             "active_file 1\ninactive_file 1\ntotal_active_file 1048576\ntotal_inactive_file 0\n");
  EXPECT_EQ(cgroup_limits(system.files()).memory_left_bytes, 2'097'152U);
}

TEST(Cgroup, ReportsWhetherItCouldSeeAMemoryLimit) {
  FakeSystem unified;
  unified.write("/proc/self/mountinfo", kUnified)
      .write("/proc/self/cgroup", "0::/\n")
      .write("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  EXPECT_TRUE(cgroup_limits(unified.files()).memory_seen);
  FakeSystem version1;
  version1.write("/proc/self/mountinfo", "32 20 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n")
      .write("/proc/self/cgroup", "4:memory:/job\n")
      .write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_TRUE(cgroup_limits(version1.files()).memory_seen);
  FakeSystem hidden;
  hidden.write("/proc/self/mountinfo", kUnified).write("/proc/self/cgroup", "0::/\n");
  EXPECT_FALSE(cgroup_limits(hidden.files()).memory_seen) << "a container may have an empty /sys";
  EXPECT_FALSE(cgroup_limits(FakeSystem().files()).memory_seen) << "or an empty /proc";
  FakeSystem without_groups;
  without_groups.write("/proc/self/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n");
  EXPECT_TRUE(cgroup_limits(without_groups.files()).memory_seen) << "there is none";
}

}  // namespace
}  // namespace loadline
