// Shared by formats whose samples follow each other in a number of files, the shards: finds the shards and maps them
// all.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"
#include "loaders/datasets/shard_index.h"
#include "loaders/storage/mapping.h"

namespace loadline {

// How a format names its shards.
struct ShardNames {
  std::string_view format;
  bool (*is_shard)(std::string_view name);                        // by the name alone
  bool (*is_compressed)(std::string_view name);                   // a shard that was compressed afterwards
  std::string_view consolation = ": gzip hardly shrinks images";  // follows the advice to uncompress it
};

// The split named by a word in a file name: train, or one of val, valid, validation, eval and test.
std::optional<Split> split_in_name(std::string_view name);
// The directory of a split's shards: train, or val, validation or test, below `path`; `path` itself if it has no
// train. Throws Error if only the other split has a directory.
std::filesystem::path directory_of_split(const std::filesystem::path& path, Split split);

// The shards at `path`, which is one shard or a directory, in the order of their names. If names in the directory
// name splits (split_in_name()), only the shards of `split`. Throws Error naming what is missing or compressed, and
// usage Error if `split` is test and no name in the directory names a split.
std::vector<std::filesystem::path> shards_at(const std::filesystem::path& path, Split split, const ShardNames& names);

// Whether shards_at() would find any, compressed or not.
bool has_shards(const std::filesystem::path& path, const ShardNames& names);

// Maps all shards. Any thread.
class MappedShards {
 public:
  // Throws Error naming the shard if it cannot be mapped or is too short for its samples.
  MappedShards(const std::vector<std::filesystem::path>& shards, ShardIndex index);

  const ShardIndex& index() const { return index_; }
  const MappedFile& shard_of(SampleIndex index) const { return *files_[index_.shard_of(index)]; }
  StoredSample sample(SampleIndex index) const {
    return shard_of(index).bytes().subspan(index_.offsets[index], index_.bytes[index]);
  }
  void check_intact() const;
  void check_files() const;
  void forget_pages() const;
  std::vector<MappedBytes> mapped_files() const;

 private:
  ShardIndex index_;
  std::vector<std::unique_ptr<MappedFile>> files_;
};

// The description of a dataset of shards.
DatasetInfo shards_info(std::string_view format, const std::vector<std::filesystem::path>& shards,
                        const ShardIndex& index);

}  // namespace loadline
