#include "harness/machine/environment.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(Environment, HoldsThisMachineAndThisBuild) {
  const Environment environment = this_environment();
  EXPECT_GE(environment.machine.threads_in_force, 1U);
  EXPECT_EQ(environment.build.version, this_build().version);
}

}  // namespace
}  // namespace loadline
