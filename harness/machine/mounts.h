// What is mounted where: the lines of /proc/self/mountinfo.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

struct DeviceNumber {
  unsigned major_number = 0;  // 0 for file systems without a block device of their own
  unsigned minor_number = 0;

  bool operator==(const DeviceNumber&) const = default;
};

struct Mount {
  DeviceNumber device;
  std::filesystem::path root;  // which directory of the file system is mounted; not "/" for a bind mount
  std::filesystem::path mount_point;
  std::string options;  // of this mount, such as "rw,relatime"
  std::string file_system;
  std::string source;         // the device, server or pool
  std::string super_options;  // of the file system, such as "rw,vers=4.2,rsize=1048576"
};

// In the order of the text, which is the order of mounting. Lines that do not parse are left out.
std::vector<Mount> parse_mountinfo(std::string_view text);

// The mount that a file lies on: the deepest of those whose mount point contains `canonical` and whose device is
// `device`; of equals, the one mounted last. If no mount has that device (btrfs subvolumes, overlays), only the paths
// decide.
std::optional<Mount> mount_of(const std::vector<Mount>& mounts, const std::filesystem::path& canonical,
                              DeviceNumber device);

// `path` relative to `directory`, "" when they are the same; nullopt when it does not lie in it.
std::optional<std::filesystem::path> path_within(const std::filesystem::path& directory,
                                                 const std::filesystem::path& path);

}  // namespace loadline
