// Notices that a dataset changes while it is measured.
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

// Remembers what the files of a dataset are (size, inode, times of change) and holds them to it. Reads no file and
// changes no page cache, so that it may be asked between any trials.
//
// Of a folder of many files it looks at 512 of them, evenly spread over all, and at up to 512 of their directories,
// whose times tell of any file that is removed, added or put in place of another: one that is overwritten in place or
// cut short may escape it if it is not among the 512.
class DatasetWatch {
 public:
  explicit DatasetWatch(const DatasetInfo& info);

  // Throws Error naming the first file or directory that is no longer what it was when this object was made.
  void check() const;

  static constexpr std::size_t kMostFiles = 512;

 private:
  std::vector<std::pair<std::filesystem::path, std::optional<FileStamp>>> stamps_;
};

// Holds the dataset with this index of the result to what it was: when it was opened, where prepare_run() did that, or
// else when it is first asked for.
void check_dataset(std::vector<DatasetWatch>& watches, const Result& result, std::size_t dataset);

}  // namespace loadline
