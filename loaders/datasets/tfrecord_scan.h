// Locates the records of a TFRecord file and the image and label in each, and checks their checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "loaders/datasets/shard_index.h"

namespace loadline {

// Adds the samples of a file to an index, with their leads. Reads all of each record except the image. A record that
// cannot be parsed because it is damaged becomes a sample too, which is_sound_record() refuses. Throws Error naming the
// file, the byte at which the record begins and what is wrong with it.
void scan_tfrecord(const std::filesystem::path& path, ShardIndex& index);

// Whether the record that the scan found at byte `at` of a mapped file is whole and matches its checksum. Reads all
// of it.
bool is_sound_record(std::span<const std::byte> file, std::uint64_t at);

}  // namespace loadline
