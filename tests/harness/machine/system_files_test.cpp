#include "harness/machine/system_files.h"

#include <gtest/gtest.h>

#include "tests/harness/machine/fake_system.h"

namespace loadline {
namespace {

TEST(SystemFiles, ReadsAllOfAFileLongerThanOneBlock) {
  FakeSystem system;
  system.write("/proc/cpuinfo", std::string(10'000, 'x') + "end\n");
  EXPECT_EQ(system.files().text("/proc/cpuinfo"), std::string(10'000, 'x') + "end\n");
}

TEST(SystemFiles, ReadsFilesThatReportASizeOfZero) {
  EXPECT_GT(SystemFiles().text("/proc/self/stat").value_or("").size(), 0U);
}

TEST(SystemFiles, DistinguishesAnEmptyFileFromAMissingOne) {
  FakeSystem system;
  system.write("/sys/empty", "").write("/sys/blank", " \n");
  EXPECT_EQ(system.files().text("/sys/empty"), "");
  EXPECT_EQ(system.files().text("/sys/missing"), std::nullopt);
  EXPECT_EQ(system.files().line("/sys/blank"), std::nullopt);
}

TEST(SystemFiles, ReadsNoTextFromADirectory) {
  FakeSystem system;
  system.write("/sys/directory/file", "1");
  EXPECT_EQ(system.files().text("/sys/directory"), std::nullopt);
  EXPECT_TRUE(system.files().exists("/sys/directory"));
  EXPECT_FALSE(system.files().exists("/sys/other"));
}

TEST(SystemFiles, GivesALineWithoutItsEnd) {
  FakeSystem system;
  system.write("/sys/model", "  Fast Disk 2000   \n");
  EXPECT_EQ(system.files().line("/sys/model"), "Fast Disk 2000");
}

}  // namespace
}  // namespace loadline
