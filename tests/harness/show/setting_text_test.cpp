#include "harness/show/setting_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::result_of;

TEST(SettingText, NamesProgramMachineAndData) {
  EXPECT_EQ(setting_text(result_of({})),
            "loadline 1.2.3 (Release, avx2 kernels) on Example CPU, 4 of 8 CPUs in force\n"
            "data: /data/mnist (idx, 60000 samples of 1x28x28 u8, mapped, fingerprint 123456789abcdef0)\n");
  Result unread = result_of({});
  unread.datasets[0].fingerprint.reset();
  EXPECT_THAT(setting_text(unread), testing::EndsWith("60000 samples of 1x28x28 u8, mapped)\n"));
}

TEST(SettingText, SaysThatChannelsAreStoredLast) {
  Result result = result_of({});
  result.datasets[0].info.shape = {3, 32, 32};
  result.datasets[0].info.channels_last = true;
  EXPECT_THAT(setting_text(result),
              testing::HasSubstr("(idx, 60000 samples of 3x32x32 u8 stored with channels last, mapped, "));
}

TEST(SettingText, AdmitsWhatIsNotKnown) {
  Result result;
  result.kernels = "scalar";
  result.environment.build.version = "1.2.3";
  EXPECT_EQ(setting_text(result),
            "loadline 1.2.3 (build type unknown, scalar kernels) on an unknown CPU, 1 of an unknown number of CPUs in "
            "force\n");
}

TEST(SettingText, SaysHowManyCpusAQuotaLeaves) {
  Result result = result_of({});
  result.environment.machine.threads_in_force = 1;
  result.environment.machine.logical_cpus = 2;
  result.environment.machine.cgroup_cpu_limit = 0.5;
  EXPECT_THAT(setting_text(result), testing::HasSubstr("on Example CPU, 0.5 of 2 CPUs in force\n"));
}

TEST(SettingText, KeepsNamesFromOutsideOnOneLine) {
  Result result = result_of({});
  result.environment.machine.cpu_model = "a\nb\033[2J";
  result.datasets[0].path = "/data/new\nline";
  EXPECT_THAT(setting_text(result), testing::HasSubstr(R"(on a\nb\x1b[2J, )"));
  EXPECT_THAT(setting_text(result), testing::HasSubstr("data: /data/new\\nline (idx"));
}

}  // namespace
}  // namespace loadline
