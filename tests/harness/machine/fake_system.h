// A system made of files: what a test writes is all that /proc, /sys and /etc hold.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/machine/system_files.h"

namespace loadline {

class FakeSystem {
 public:
  FakeSystem() {
    std::string name = testing::TempDir() + "/loadline_system_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory for the test");
    root_ = name;
  }
  FakeSystem(const FakeSystem&) = delete;
  FakeSystem& operator=(const FakeSystem&) = delete;
  ~FakeSystem() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  FakeSystem& write(const std::filesystem::path& path, std::string_view text) {
    const auto file = root_ / path.relative_path();
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return *this;
  }

  // Makes a symbolic link at `path` to the directory `target`, and the directory if it is missing.
  FakeSystem& link_directory(const std::filesystem::path& path, const std::filesystem::path& target) {
    const auto link = root_ / path.relative_path();
    std::filesystem::create_directories(root_ / target.relative_path());
    std::filesystem::create_directories(link.parent_path());
    std::filesystem::create_directory_symlink(root_ / target.relative_path(), link);
    return *this;
  }

  SystemFiles files() const { return SystemFiles(root_); }

 private:
  std::filesystem::path root_;
};

}  // namespace loadline
