// The records of a TFRecord file: where they lie, the image and the label in each, and their checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "loaders/datasets/shard_index.h"

namespace loadline {

// Adds the samples of a file to an index, with their leads. Reads the head of each record and what is in it apart from
// the image. Throws Error naming the file, the byte that the record begins at and what is wrong with it.
void scan_tfrecord(const std::filesystem::path& path, ShardIndex& index);

// Whether the record that begins at byte `at` of a mapped file, where the scan found one, is whole and has the checksum
// that the file says. Reads all of it.
bool is_sound_record(std::span<const std::byte> file, std::uint64_t at);

}  // namespace loadline
