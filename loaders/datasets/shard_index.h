// Where the samples of shards begin (shards.h), and an index of that which is kept from one run to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "loaders/sample_index.h"

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

}  // namespace loadline
