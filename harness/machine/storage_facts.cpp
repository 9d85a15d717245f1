#include "harness/machine/storage_facts.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "harness/machine/kernel_text.h"

namespace loadline {
namespace {

constexpr auto kNetwork = std::to_array<std::string_view>({
    "9p",          "afs",          "beegfs",        "ceph",
    "cifs",        "fuse.beegfs",  "fuse.ceph",     "fuse.ceph-fuse",
    "fuse.cvmfs2", "fuse.dfuse",   "fuse.gcsfuse",  "fuse.glusterfs",
    "fuse.goofys", "fuse.juicefs", "fuse.mount-s3", "fuse.rclone",
    "fuse.s3fs",   "fuse.sshfs",   "gpfs",          "lustre",
    "nfs",         "nfs4",         "orangefs",      "panfs",
    "pvfs2",       "quobyte",      "smb3",          "wekafs",
});

// Local, though without a block device of their own.
constexpr auto kLocal = std::to_array<std::string_view>({
    "bcachefs",
    "btrfs",
    "devtmpfs",
    "hugetlbfs",
    "ramfs",
    "tmpfs",
    "zfs",
});

std::optional<std::string> unless_empty(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

std::string joined_options(const Mount& mount) {
  std::string joined = mount.options;
  const auto own = split(mount.options, ',');
  for (const std::string_view option : split(mount.super_options, ',')) {
    // The mount decides whether writing is allowed; the file system below may differ.
    if (option == "rw" || option == "ro" || std::find(own.begin(), own.end(), option) != own.end()) continue;
    joined += fmt::format(",{}", option);
  }
  return joined;
}

// The device's directory below /sys; btrfs and its like hide the number, and only the source names the device.
std::optional<std::filesystem::path> device_directory(const SystemFiles& files, const Mount& mount) {
  const std::filesystem::path source = mount.source;
  const std::array<std::filesystem::path, 2> candidates{
      fmt::format("/sys/dev/block/{}:{}", mount.device.major_number, mount.device.minor_number),
      "/sys/class/block" / source.filename(),
  };
  if (files.exists(candidates[0])) return candidates[0];
  if (source.parent_path() == "/dev" && files.exists(candidates[1])) return candidates[1];
  return std::nullopt;
}

// A partition has neither queue nor model; the disk it is part of is the directory above.
std::optional<std::string> device_line(const SystemFiles& files, const std::filesystem::path& directory,
                                       const char* name) {
  const auto own = files.line(directory / name);
  return own ? own : files.line(directory / ".." / name);
}

// Linux treats every disk as rotational unless it says otherwise, and paravirtual disks (vda, xvda) cannot say so.
bool is_paravirtual(const SystemFiles& files, const std::filesystem::path& directory) {
  const std::string event = files.text(directory / "uevent").value_or("");
  const std::string_view name = value_of(event, "DEVNAME", '=').value_or("");
  return name.starts_with("vd") || name.starts_with("xvd");
}

std::optional<bool> is_rotational(const SystemFiles& files, const std::filesystem::path& directory) {
  const auto flag = device_line(files, directory, "queue/rotational");
  if (flag == "0") return false;
  if (flag == "1" && !is_paravirtual(files, directory)) return true;
  return std::nullopt;
}

template <typename Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::optional<bool> is_network_file_system(std::string_view file_system, bool has_block_device) {
  if (contains(kNetwork, file_system)) return true;
  if (has_block_device || contains(kLocal, file_system)) return false;
  return std::nullopt;
}

StorageFacts storage_from(const SystemFiles& files, const std::filesystem::path& canonical, DeviceNumber device) {
  const auto mount = mount_of(parse_mountinfo(files.text("/proc/self/mountinfo").value_or("")), canonical, device);
  if (!mount) return {};
  StorageFacts facts;
  facts.file_system = unless_empty(mount->file_system);
  facts.device = unless_empty(mount->source);
  facts.mount_point = unless_empty(mount->mount_point.string());
  facts.mount_options = unless_empty(joined_options(*mount));
  facts.network = is_network_file_system(mount->file_system, mount->device.major_number != 0);
  if (const auto directory = device_directory(files, *mount)) {
    facts.rotational = is_rotational(files, *directory);
    facts.device_model = device_line(files, *directory, "device/model");
  }
  return facts;
}

StorageFacts storage_of(const std::filesystem::path& path) {
  std::error_code failed;
  const auto canonical = std::filesystem::canonical(path, failed);
  struct stat status {};
  if (failed || ::stat(canonical.c_str(), &status) != 0) return {};
  return storage_from(SystemFiles(), canonical, {major(status.st_dev), minor(status.st_dev)});
}

}  // namespace loadline
