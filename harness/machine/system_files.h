// The small files in which a Linux system describes itself: /proc, /sys and /etc, under a root that tests choose.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loadline {

// A value; keeps no file open. Safe to call concurrently. Never throws for a file that cannot be read: it returns
// nullopt.
class SystemFiles {
 public:
  explicit SystemFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  // The whole file. `path` is as on a real system ("/proc/cpuinfo"). An empty file gives an empty text.
  std::optional<std::string> text(const std::filesystem::path& path) const;
  // The file's text without surrounding blanks; nullopt also when nothing is left.
  std::optional<std::string> line(const std::filesystem::path& path) const;
  bool exists(const std::filesystem::path& path) const;
  // The names of the directories in it, in no order; empty if it cannot be listed.
  std::vector<std::string> directories(const std::filesystem::path& path) const;
  // Where the file really is, for callers that open it themselves.
  std::filesystem::path under_root(const std::filesystem::path& path) const;

 private:
  std::filesystem::path root_;
};

}  // namespace loadline
