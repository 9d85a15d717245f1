// What formats have in common whose samples lie one behind the other in a number of files, the shards: which files
// these are, where in them the samples begin, and an index of that which is kept from one run to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/datasets/dataset.h"

namespace loadline {

// Where encoded samples lie in their shards, and what they are: 16 to 20 bytes a sample. Those of a shard are
// neighbours, in the order they lie in.
struct ShardIndex {
  std::vector<SampleIndex> ends;       // a shard: one beyond its last sample
  std::vector<std::uint64_t> offsets;  // a sample: its first byte in the shard
  std::vector<std::uint32_t> bytes;    // a sample
  std::vector<std::int32_t> labels;    // a sample; not below 0, and below kMostClasses
  std::vector<std::uint32_t> leads;    // per sample: its distance from the start of its record; empty unless requested

  std::size_t shard_of(SampleIndex index) const;
};

// More than any dataset of images has; what a file says beyond it would take the memory.
inline constexpr std::int32_t kMostClasses = 1 << 24;
inline constexpr std::int32_t kNoLabel = -1;  // while shards are scanned

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
// Error naming what is missing or compressed, and usage Error where there is one split alone and it is not this one.
std::vector<std::filesystem::path> shards_at(const std::filesystem::path& path, Split split, const ShardNames& names);

// Whether shards_at() would find any, compressed or not.
bool has_shards(const std::filesystem::path& path, const ShardNames& names);

// Adds the samples of one shard to an index, which is empty when it comes; `ends` is not its affair.
using ScanShard = std::function<void(const std::filesystem::path& shard, ShardIndex& index)>;

// The index of all shards: scanned by as many threads as there are CPUs, each shard by one. One of 4,096 samples or
// more is kept in loadline's folder in the user's cache directory, and taken from there as long as every shard is the
// file it was by its size, inode and times. Throws Error as `scan` does, for the first shard that it refuses, and where
// there are no samples, more than can be counted, or labels of some of them only. Where no sample has one, each is of
// class 0.
ShardIndex index_of(const std::vector<std::filesystem::path>& shards, std::string_view format, const ScanShard& scan);

// What it is kept by: of the format, and of names, sizes, inodes and times of all shards.
std::uint64_t identity_of(const std::vector<std::filesystem::path>& shards, std::string_view format);
// std::nullopt where there is no such file, or it is damaged or of other shards.
std::optional<ShardIndex> load_index(const std::filesystem::path& file, std::uint64_t identity);
// Throws Error where it cannot be written.
void save_index(const std::filesystem::path& file, std::uint64_t identity, const ShardIndex& index);

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
