#include "harness/machine/cpu_info.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(CpuInfo, ReadsModelAndHypervisorFlagOnX86) {
  const CpuInfo info = parse_cpu_info(
      "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\n"
      "model\t\t: 17\nmodel name\t: AMD EPYC 9654 96-Core Processor\n"
      "flags\t\t: fpu vme sse2 hypervisor lahf_lm\n");
  EXPECT_EQ(info.model, "AMD EPYC 9654 96-Core Processor");
  EXPECT_EQ(info.virtualised, true);
}

TEST(CpuInfo, KnowsBareMetalByTheMissingFlag) {
  EXPECT_EQ(parse_cpu_info("flags\t\t: fpu vme hypervisors\n").virtualised, false);
}

TEST(CpuInfo, NamesAKnownArmCoreByItsNumbers) {
  const CpuInfo info = parse_cpu_info(
      "processor\t: 0\nBogoMIPS\t: 2000.00\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\n"
      "CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd4f\n");
  EXPECT_EQ(info.model, "Arm Neoverse-V2");
  EXPECT_EQ(info.virtualised, std::nullopt);
}

TEST(CpuInfo, DescribesAnUnknownArmCoreByItsNumbers) {
  EXPECT_EQ(parse_cpu_info("CPU implementer\t: 0x7f\nCPU part\t: 0x123\n").model, "ARM implementer 0x7f part 0x123");
}

TEST(CpuInfo, ReadsTheModelOnPower) {
  EXPECT_EQ(parse_cpu_info("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n").model, "POWER9, altivec supported");
}

TEST(CpuInfo, LearnsNothingFromEmptyText) {
  EXPECT_EQ(parse_cpu_info("").model, std::nullopt);
  EXPECT_EQ(parse_cpu_info("").virtualised, std::nullopt);
}

}  // namespace
}  // namespace loadline
