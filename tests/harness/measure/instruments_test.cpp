#include "harness/measure/instruments.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

// Two trials of a second each, and the recorded power of two GPUs.
Result powered() {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {10000, 10000}}});
  result.cells[0].trials[0].clock_started_seconds = 0;
  result.cells[0].trials[1].clock_started_seconds = 1;
  result.monitor = MonitorRecord{.period_seconds = 0.5, .times_seconds = {0, 0.5, 1, 1.5, 2}, .series = {}};
  result.monitor->series = {{"gpu power", "gpu0", "W", "NVML", {90, 100, 200, 300, 300}},
                            {"gpu power", "gpu1", "W", "NVML", {50, 50, 50, 50, 50}}};
  return result;
}

TEST(EnergyByPower, IsUsedForGpusThatDoNotCountTheirEnergy) {
  Result result = powered();
  result.cells[0].trials[1].energy = EnergyUse{.cpu_joules = 7, .memory_joules = std::nullopt, .gpu_joules = 11};
  add_energy_by_power(result, 2);
  ASSERT_TRUE(result.cells[0].trials[0].energy.has_value());
  EXPECT_DOUBLE_EQ(result.cells[0].trials[0].energy->gpu_joules.value_or(0), 200);
  EXPECT_EQ(result.cells[0].trials[1].energy->gpu_joules, 11) << "as it counted itself";
}

TEST(EnergyByPower, IsUnknownIfThePowerOfOneGpuIsUnknown) {
  Result result = powered();
  add_energy_by_power(result, 3);
  EXPECT_FALSE(result.cells[0].trials[0].energy.has_value());
  result.monitor.reset();
  add_energy_by_power(result, 2);
  EXPECT_FALSE(result.cells[0].trials[0].energy.has_value());
}

}  // namespace
}  // namespace loadline
