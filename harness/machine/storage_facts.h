// Where a dataset lies: its file system, mount and device.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "harness/machine/mounts.h"
#include "harness/machine/system_files.h"

namespace loadline {

// What cannot be known is nullopt.
struct StorageFacts {
  std::optional<std::string> file_system;  // such as "ext4"
  std::optional<std::string> device;       // as mounted: "/dev/nvme0n1p2", "server:/export"
  std::optional<std::string> mount_point;
  std::optional<std::string> mount_options;  // of the mount, then those of the file system
  std::optional<bool> network;               // a network or parallel file system
  std::optional<bool> rotational;            // nullopt also for paravirtual disks, which cannot deny it
  std::optional<std::string> device_model;
};

// All fields are nullopt if `path` does not exist. Never throws because a fact is missing.
StorageFacts storage_of(const std::filesystem::path& path);

// The same for a path that is already resolved: absolute, without links, on `device`.
StorageFacts storage_from(const SystemFiles& files, const std::filesystem::path& canonical, DeviceNumber device);

// Whether files of this type come over a network. nullopt for types that may do either (FUSE drivers, overlays) and
// for unknown ones that have no block device.
std::optional<bool> is_network_file_system(std::string_view file_system, bool has_block_device);

}  // namespace loadline
