// What formats have in common whose samples lie one behind the other in a number of files, the shards: which files
// these are, and all of them mapped.
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
  bool (*is_compressed)(std::string_view name);                   // a shard that was compressed after it was written
  std::string_view consolation = ": gzip hardly shrinks images";  // behind the advice to uncompress it
};

// The split that a name says by one of its words: train, or one of val, valid, validation, eval and test.
std::optional<Split> split_in_name(std::string_view name);
// Where the shards of a split lie below `path`: in train, or in val, validation or test; itself where there is no
// train. Throws Error where the split has no directory and the other has.
std::filesystem::path directory_of_split(const std::filesystem::path& path, Split split);

// The shards at `path`, which is one of them or a directory, in the order of their names. In a directory whose names
// say so (a word of the name is train, or one of val, valid, validation, eval and test) those of the split. Throws
// Error naming what is missing or compressed, and usage Error where a directory is one split alone and not this one.
std::vector<std::filesystem::path> shards_at(const std::filesystem::path& path, Split split, const ShardNames& names);

// Whether shards_at() would find any, compressed or not.
bool has_shards(const std::filesystem::path& path, const ShardNames& names);

// All shards mapped. Any thread.
class MappedShards {
 public:
  // Throws Error naming a shard that cannot be mapped or is too short for its samples.
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

// What a dataset of shards says of itself.
DatasetInfo shards_info(std::string_view format, const std::vector<std::filesystem::path>& shards,
                        const ShardIndex& index);

}  // namespace loadline
