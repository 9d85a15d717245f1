#include "harness/machine/storage_facts.h"

#include <gtest/gtest.h>

#include "tests/harness/machine/fake_system.h"

namespace loadline {
namespace {

TEST(StorageFacts, DescribeAWholeDisk) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", "1 0 8:0 / / rw,relatime - ext4 /dev/sda rw,discard\n")
      .link_directory("/sys/dev/block/8:0", "/sys/devices/pci/block/sda")
      .write("/sys/devices/pci/block/sda/queue/rotational", "1\n")
      .write("/sys/devices/pci/block/sda/device/model", "HGST HUS726060AL\n");
  const StorageFacts facts = storage_from(system.files(), "/home/data", {8, 0});
  EXPECT_EQ(facts.file_system, "ext4");
  EXPECT_EQ(facts.device, "/dev/sda");
  EXPECT_EQ(facts.mount_point, "/");
  EXPECT_EQ(facts.mount_options, "rw,relatime,discard");
  EXPECT_EQ(facts.network, false);
  EXPECT_EQ(facts.rotational, true);
  EXPECT_EQ(facts.device_model, "HGST HUS726060AL");
}

TEST(StorageFacts, OfAPartitionComeFromItsDisk) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", "1 0 259:2 / / rw - xfs /dev/nvme0n1p2 rw\n")
      .link_directory("/sys/dev/block/259:2", "/sys/devices/pci/block/nvme0n1/nvme0n1p2")
      .write("/sys/devices/pci/block/nvme0n1/queue/rotational", "0\n")
      .write("/sys/devices/pci/block/nvme0n1/device/model", "Fast Disk 2000                      \n");
  const StorageFacts facts = storage_from(system.files(), "/data", {259, 2});
  EXPECT_EQ(facts.rotational, false);
  EXPECT_EQ(facts.device_model, "Fast Disk 2000");
}

TEST(StorageFacts, FindTheDeviceByItsNameWhereTheFileSystemHidesItsNumber) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", "1 0 0:25 /@home /home rw - btrfs /dev/sda2 rw,subvol=/@home\n")
      .link_directory("/sys/class/block/sda2", "/sys/devices/pci/block/sda/sda2")
      .write("/sys/devices/pci/block/sda/queue/rotational", "0\n");
  const StorageFacts facts = storage_from(system.files(), "/home/data", {0, 61});
  EXPECT_EQ(facts.network, false);
  EXPECT_EQ(facts.rotational, false);
  EXPECT_EQ(facts.device_model, std::nullopt);
}

TEST(StorageFacts, TrustAVirtualDiskOnlyIfItSaysThatItDoesNotRotate) {
  FakeSystem system;
  system.write("/proc/self/mountinfo", "1 0 254:1 / / rw - ext4 /dev/vda1 rw\n")
      .link_directory("/sys/dev/block/254:1", "/sys/devices/virtio0/block/vda/vda1")
      .write("/sys/devices/virtio0/block/vda/vda1/uevent", "MAJOR=254\nMINOR=1\nDEVNAME=vda1\nDEVTYPE=partition\n")
      .write("/sys/devices/virtio0/block/vda/queue/rotational", "1\n");
  EXPECT_EQ(storage_from(system.files(), "/data", {254, 1}).rotational, std::nullopt);
  system.write("/sys/devices/virtio0/block/vda/queue/rotational", "0\n");
  EXPECT_EQ(storage_from(system.files(), "/data", {254, 1}).rotational, false);
}

TEST(StorageFacts, OfANetworkFileSystemHaveNoDevice) {
  FakeSystem system;
  system
      .write("/proc/self/mountinfo",
             "1 0 8:0 / / rw - ext4 /dev/sda rw\n"
             "2 1 0:52 / /scratch ro,noatime - nfs4 server:/export rw,vers=4.2,noatime,rsize=1048576\n")
      .link_directory("/sys/class/block/export", "/sys/devices/export")
      .write("/sys/devices/export/queue/rotational", "1\n");
  const StorageFacts facts = storage_from(system.files(), "/scratch/cifar10", {0, 52});
  EXPECT_EQ(facts.file_system, "nfs4");
  EXPECT_EQ(facts.device, "server:/export");
  EXPECT_EQ(facts.mount_point, "/scratch");
  EXPECT_EQ(facts.mount_options, "ro,noatime,vers=4.2,rsize=1048576");
  EXPECT_EQ(facts.network, true);
  EXPECT_EQ(facts.rotational, std::nullopt);
  EXPECT_EQ(facts.device_model, std::nullopt);
}

TEST(StorageFacts, AreMissingIfNothingIsKnown) {
  const FakeSystem system;
  const StorageFacts facts = storage_from(system.files(), "/data", {8, 1});
  EXPECT_EQ(facts.file_system, std::nullopt);
  EXPECT_EQ(facts.network, std::nullopt);
  EXPECT_EQ(facts.rotational, std::nullopt);
}

TEST(StorageFacts, DistinguishNetworkFileSystemsFromLocalOnes) {
  for (const char* type : {"nfs", "nfs4", "lustre", "gpfs", "beegfs", "ceph", "cifs", "fuse.sshfs", "9p"}) {
    EXPECT_EQ(is_network_file_system(type, false), true) << type;
  }
  EXPECT_EQ(is_network_file_system("ext4", true), false);
  EXPECT_EQ(is_network_file_system("fuseblk", true), false);
  for (const char* type : {"tmpfs", "btrfs", "zfs"}) EXPECT_EQ(is_network_file_system(type, false), false) << type;
}

TEST(StorageFacts, DoNotGuessAboutFuseDriversOverlaysAndUnknownTypes) {
  for (const char* type : {"fuse.squashfuse", "overlay", "newfs"}) {
    EXPECT_EQ(is_network_file_system(type, false), std::nullopt) << type;
  }
}

TEST(StorageFacts, OfAMissingPathAreAllUnknown) {
  const StorageFacts facts = storage_of("/no/such/path");
  EXPECT_EQ(facts.file_system, std::nullopt);
  EXPECT_EQ(facts.mount_point, std::nullopt);
}

TEST(StorageFacts, OfARealPathNameItsFileSystem) {
  EXPECT_EQ(storage_of("/proc/self/status").file_system, "proc");
}

}  // namespace
}  // namespace loadline
