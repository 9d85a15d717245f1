// Detects that a dataset changes while it is measured.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "harness/result/result.h"
#include "loaders/datasets/dataset.h"
#include "loaders/storage/file_stamp.h"

namespace loadline {

// Remembers size, inode and change times of a dataset's files and checks them later. It reads no file and does not
// change the page cache, so it can be called between any trials.
//
// In a folder of many files it checks 512 files, spread evenly over all, and up to 512 of their directories, whose
// times reveal any file that is removed, added or replaced. A file that is overwritten in place or truncated goes
// unnoticed if it is not one of the 512.
class DatasetWatch {
 public:
  explicit DatasetWatch(const DatasetInfo& info);

  // Throws Error naming the first file or directory that has changed since this object was made.
  void check() const;

  static constexpr std::size_t kMostFiles = 512;

 private:
  std::vector<std::pair<std::filesystem::path, std::optional<FileStamp>>> stamps_;
};

// Throws Error if the result's dataset with this index has changed since prepare_run() opened it or, if that did not,
// since the first call for it.
void check_dataset(std::vector<DatasetWatch>& watches, const Result& result, std::size_t dataset);

}  // namespace loadline
