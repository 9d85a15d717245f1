#include "harness/monitor/energy.h"

#include <gtest/gtest.h>

#include "tests/harness/machine/fake_system.h"
#include "tests/support/this_build.h"

namespace loadline {
namespace {

FakeSystem& zone(FakeSystem& system, const std::string& name, const char* kind, const char* microjoules) {
  const std::string place = "/sys/class/powercap/" + name + "/";
  return system.write(place + "name", std::string(kind) + "\n")
      .write(place + "max_energy_range_uj", "10000000\n")
      .write(place + "energy_uj", std::string(microjoules) + "\n");
}

TEST(Energy, CountsOnPastTheEndOfACountersRange) {
  EXPECT_EQ(microjoules_between(100, 350, 1000), 250U);
  EXPECT_EQ(microjoules_between(900, 50, 1000), 150U);
  EXPECT_EQ(microjoules_between(7, 7, 1000), 0U);
  EXPECT_EQ(microjoules_between(2000, 50, 1000), 50U);
}

TEST(Energy, SumsPackagesAndMemorySeparately) {
  FakeSystem system;
  zone(system, "intel-rapl:0", "package-0", "1000000");
  zone(system, "intel-rapl:0:0", "core", "77");
  zone(system, "intel-rapl:0:1", "dram", "500000");
  zone(system, "intel-rapl:1", "package-1", "9500000");
  zone(system, "intel-rapl-mmio:0", "package-0", "1000000");
  const EnergyMeter meter(system.files());
  EXPECT_TRUE(meter.has_counters());
  const EnergyReading before = meter.now();
  zone(system, "intel-rapl:0", "package-0", "3000000");
  zone(system, "intel-rapl:0:1", "dram", "750000");
  zone(system, "intel-rapl:1", "package-1", "500000");
  const auto used = meter.used(before, meter.now());
  ASSERT_TRUE(used.has_value());
  EXPECT_NEAR(used->cpu_joules.value_or(0), 3.0, 1e-9);
  EXPECT_NEAR(used->memory_joules.value_or(0), 0.25, 1e-9);
  EXPECT_EQ(used->gpu_joules, std::nullopt);
  EXPECT_NEAR(used->joules().value_or(0), 3.25, 1e-9);
}

TEST(Energy, IsUnknownIfOnePackageOfTwoCannotBeRead) {
  FakeSystem system;
  zone(system, "intel-rapl:0", "package-0", "1000000");
  zone(system, "intel-rapl:1", "package-1", "unreadable");
  const EnergyMeter meter(system.files());
  const EnergyReading before = meter.now();
  EXPECT_EQ(meter.used(before, meter.now()), std::nullopt);
}

TEST(Energy, IsUnknownIfThereAreNoCounters) {
  const FakeSystem system;
  const EnergyMeter meter(system.files());
  EXPECT_FALSE(meter.has_counters());
  EXPECT_EQ(meter.used(meter.now(), meter.now()), std::nullopt);
}

TEST(Energy, OfGpusIsThatOfAllOfThemOrUnknown) {
  const FakeSystem system;
  const auto rocm = open_rocm_smi((std::string(test::kGpus) + "librocm_smi64.so").c_str());
  ASSERT_NE(rocm, nullptr);
  const EnergyMeter one(system.files(), {rocm});
  const EnergyReading before = one.now();
  const auto used = one.used(before, one.now());
  ASSERT_TRUE(used.has_value());
  EXPECT_NEAR(used->gpu_joules.value_or(0), 31, 1e-6);
  EXPECT_EQ(used->cpu_joules, std::nullopt);

  const auto nvml = open_nvml((std::string(test::kGpus) + "libnvidia-ml.so.1").c_str());
  const EnergyMeter two(system.files(), {nvml});  // one of its devices does not count
  EXPECT_EQ(two.used(two.now(), two.now()), std::nullopt);
}

}  // namespace
}  // namespace loadline
