// The small files in which a Linux system describes itself: /proc, /sys and /etc, under a root that tests choose.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loadline {

// A value; holds nothing open. Safe to call concurrently. Never throws over what cannot be read: that is nullopt.
class SystemFiles {
 public:
  explicit SystemFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  // The whole file, named as on a real system ("/proc/cpuinfo"); an empty file is an empty text.
  std::optional<std::string> text(const std::filesystem::path& path) const;
  // The file's text without blanks around it; nullopt also when nothing is left.
  std::optional<std::string> line(const std::filesystem::path& path) const;
  bool exists(const std::filesystem::path& path) const;
  // Names of the directories in it, in no order; empty where it cannot be listed.
  std::vector<std::string> directories(const std::filesystem::path& path) const;
  // Where the file really is, for who opens it himself.
  std::filesystem::path under_root(const std::filesystem::path& path) const;

 private:
  std::filesystem::path root_;
};

}  // namespace loadline
