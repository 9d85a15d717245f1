#include "harness/machine/mounts.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

constexpr DeviceNumber kRootDisk{8, 1};
constexpr DeviceNumber kDataDisk{259, 2};

std::string point_of(std::string_view mountinfo, const char* path, DeviceNumber device) {
  const auto mount = mount_of(parse_mountinfo(mountinfo), path, device);
  return mount ? mount->mount_point.string() : "none";
}

TEST(Mounts, ParsesEveryFieldOfALine) {
  const auto mounts =
      parse_mountinfo("36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:7 - ext3 /dev/root rw,errors=continue\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].device, (DeviceNumber{98, 0}));
  EXPECT_EQ(mounts[0].root, "/mnt1");
  EXPECT_EQ(mounts[0].mount_point, "/mnt2");
  EXPECT_EQ(mounts[0].options, "rw,noatime");
  EXPECT_EQ(mounts[0].file_system, "ext3");
  EXPECT_EQ(mounts[0].source, "/dev/root");
  EXPECT_EQ(mounts[0].super_options, "rw,errors=continue");
}

TEST(Mounts, ParsesALineWithoutTags) {
  const auto mounts = parse_mountinfo("27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].file_system, "ext4");
}

TEST(Mounts, ParsesALineWithoutASource) {
  const auto mounts = parse_mountinfo("27 1 0:31 / /run rw - tmpfs  rw,size=4k\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].source, "");
  EXPECT_EQ(mounts[0].super_options, "rw,size=4k");
}

TEST(Mounts, UnescapesBlanksTabsAndBackslashes) {
  const auto mounts = parse_mountinfo("40 27 8:2 / /data/my\\040set\\011a\\134b rw - ext4 /dev/sd\\040a rw\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].mount_point, "/data/my set\ta\\b");
  EXPECT_EQ(mounts[0].source, "/dev/sd a");
}

TEST(Mounts, LeavesABackslashWithoutThreeOctalDigitsAlone) {
  const auto mounts = parse_mountinfo("40 27 8:2 / /data\\09x\\04 rw - ext4 /dev/sda rw\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].mount_point, "/data\\09x\\04");
}

TEST(Mounts, LeavesOutLinesThatDoNotParse) {
  EXPECT_TRUE(parse_mountinfo("nonsense\n1 2 3 4 5 6 7 8 9 10\n1 2 a:b / / rw - ext4 /dev/sda rw\n-\n").empty());
  EXPECT_TRUE(parse_mountinfo("").empty());
}

TEST(Mounts, FindsTheDeepestMountThatHoldsThePath) {
  constexpr std::string_view kMounts =
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "2 1 259:2 / /data rw - xfs /dev/nvme0n1p2 rw\n"
      "3 1 8:1 /x /database rw - ext4 /dev/sda1 rw\n";
  EXPECT_EQ(point_of(kMounts, "/data/cifar/batch.bin", kDataDisk), "/data");
  EXPECT_EQ(point_of(kMounts, "/data", kDataDisk), "/data");
  EXPECT_EQ(point_of(kMounts, "/home/data", kRootDisk), "/");
}

TEST(Mounts, DoesNotMistakeALongerNameForASubdirectory) {
  constexpr std::string_view kMounts =
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "2 1 8:1 /x /data rw - ext4 /dev/sda1 rw\n";
  EXPECT_EQ(point_of(kMounts, "/database/file", kRootDisk), "/");
}

TEST(Mounts, TakesTheMountOfTheDeviceWhenAnotherHidesADeeperOne) {
  constexpr std::string_view kMounts =
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "2 1 8:17 / /data/inner rw - ext4 /dev/sdb1 rw\n"
      "3 1 259:2 / /data rw - xfs /dev/nvme0n1p2 rw\n";
  EXPECT_EQ(point_of(kMounts, "/data/inner/file", kDataDisk), "/data");
}

TEST(Mounts, TakesTheLastOfTwoMountsOnOnePoint) {
  const auto mounts = parse_mountinfo(
      "1 0 0:50 / /data rw - nfs first:/export rw\n"
      "2 1 0:50 / /data rw - nfs second:/export rw\n");
  EXPECT_EQ(mount_of(mounts, "/data/file", {0, 50})->source, "second:/export");
}

TEST(Mounts, DecidesByPathIfNoMountHasTheDevice) {
  constexpr std::string_view kBtrfs =
      "1 0 0:25 /@ / rw - btrfs /dev/sda2 rw\n"
      "2 1 0:25 /@home /home rw - btrfs /dev/sda2 rw\n";
  EXPECT_EQ(point_of(kBtrfs, "/home/user/data", {0, 61}), "/home");
}

TEST(Mounts, FindsNoMountForAPathOutsideAllOfThem) {
  EXPECT_EQ(point_of("2 1 259:2 / /data rw - xfs /dev/nvme0n1p2 rw\n", "/home", kDataDisk), "none");
  EXPECT_EQ(point_of("", "/home", kDataDisk), "none");
}

TEST(Mounts, MakesAPathRelativeToADirectory) {
  EXPECT_EQ(path_within("/", "/a/b"), "a/b");
  EXPECT_EQ(path_within("/a", "/a/b/c"), "b/c");
  EXPECT_EQ(path_within("/a", "/a"), "");
  EXPECT_EQ(path_within("/a", "/ab"), std::nullopt);
  EXPECT_EQ(path_within("/a/b", "/a"), std::nullopt);
}

}  // namespace
}  // namespace loadline
