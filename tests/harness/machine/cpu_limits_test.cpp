#include "harness/machine/cpu_limits.h"

#include <gtest/gtest.h>

#include "tests/harness/machine/fake_system.h"

namespace loadline {
namespace {

TEST(CpuLimits, AreTheAffinityMaskAndTheQuota) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
      .write("/proc/self/cgroup", "0::/job\n")
      .write("/sys/fs/cgroup/job/cpu.max", "50000 100000\n");
  EXPECT_EQ(cpu_limits_from(system.files(), {0, 1, 2, 8}),
            (CpuLimits{.affinity_list = "0-2,8", .cgroup_cpu_limit = 0.5}));
}

TEST(CpuLimits, ThatTheSystemDoesNotReportAreMissing) {
  EXPECT_EQ(cpu_limits_from(FakeSystem().files(), {}), CpuLimits());
}

TEST(CpuLimits, AreDescribedInWords) {
  EXPECT_EQ(text_of(CpuLimits()), "unknown CPUs");
  EXPECT_EQ(text_of({.affinity_list = "0-3", .cgroup_cpu_limit = {}}), "CPUs 0-3");
  EXPECT_EQ(text_of({.affinity_list = {}, .cgroup_cpu_limit = 0.5}), "a quota of 0.5 CPUs");
  EXPECT_EQ(text_of({.affinity_list = "0-3", .cgroup_cpu_limit = 1.5}), "CPUs 0-3 and a quota of 1.5 CPUs");
}

TEST(CpuLimits, OfThisProcessIncludeItsCpus) {
  EXPECT_TRUE(cpu_limits_now().affinity_list.has_value());
}

}  // namespace
}  // namespace loadline
