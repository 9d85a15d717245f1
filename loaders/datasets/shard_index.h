// Locates the samples in shards (shards.h) and keeps that index from one run to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "loaders/datasets/labels.h"
#include "loaders/sample_index.h"

namespace loadline {

// Places and labels of encoded samples in their shards: 16 to 20 bytes per sample. The samples of a shard are
// consecutive, in file order.
struct ShardIndex {
  std::vector<SampleIndex> ends;       // per shard: one beyond its last sample
  std::vector<std::uint64_t> offsets;  // per sample: its first byte in the shard
  std::vector<std::uint32_t> bytes;    // per sample
  std::vector<std::int32_t> labels;    // per sample: at least 0, below kMostClasses
  std::vector<std::uint32_t> leads;    // per sample: its distance from the start of its record; empty unless requested

  std::size_t shard_of(SampleIndex index) const;
};

// Used while shards are scanned.
inline constexpr std::int32_t kNoLabel = -1;    // the sample has none
inline constexpr std::int32_t kLostLabel = -2;  // the sample is damaged, so that nobody knows whether it has one

// Adds the samples of one shard to `index`, which is empty before. Leaves `ends` alone.
using ScanShard = std::function<void(const std::filesystem::path& shard, ShardIndex& index)>;

// The index of all shards. Scans them on as many threads as there are CPUs, one thread per shard. An index of 4,096
// samples or more is kept in loadline's folder in the user's cache directory, and reused while the size, inode and
// times of every shard stay the same. Throws Error like `scan` for the first shard that it refuses, and if there are
// no samples, more than can be counted, or only some have labels. If no sample has a label, all are of class 0, and so
// are those whose labels are lost.
ShardIndex index_of(const std::vector<std::filesystem::path>& shards, std::string_view format, const ScanShard& scan);

// The key of a kept index: a digest of the format and of the names, sizes, inodes and times of all shards.
std::uint64_t identity_of(const std::vector<std::filesystem::path>& shards, std::string_view format);
// std::nullopt if there is no such file, it is damaged, or it belongs to other shards.
std::optional<ShardIndex> load_index(const std::filesystem::path& file, std::uint64_t identity);
// Throws Error if it cannot be written.
void save_index(const std::filesystem::path& file, std::uint64_t identity, const ShardIndex& index);

}  // namespace loadline
