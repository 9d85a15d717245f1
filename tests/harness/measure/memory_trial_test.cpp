#include "harness/measure/memory_trial.h"

#include <gtest/gtest.h>

namespace loadline::test {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

TEST(MemoryTrial, RecordsThatThereWasEnough) {
  Machine machine{.cgroup_memory_seen = false};
  try_memory(8 * kMebibyte, machine);
  EXPECT_EQ(machine.tried_memory_bytes, 8 * kMebibyte);
  EXPECT_EQ(machine.let_memory_left_bytes, std::nullopt);
}

TEST(MemoryTrial, IsSkippedIfLimitsAreVisible) {
  Machine machine{.cgroup_memory_seen = true};
  try_memory(8 * kMebibyte, machine);
  EXPECT_EQ(machine.tried_memory_bytes, 0U);
}

TEST(MemoryTrial, IsSkippedIfTheSystemHasTooLittle) {
  Machine machine{.memory_available_bytes = kMebibyte, .cgroup_memory_seen = false};
  try_memory(8 * kMebibyte, machine);
  EXPECT_EQ(machine.tried_memory_bytes, 0U);
}

}  // namespace
}  // namespace loadline::test
