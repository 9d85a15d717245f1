// Files that a ceiling reads through the page cache, and so has to drop from it first.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>

#include "harness/machine/usage.h"
#include "loaders/datasets/dataset.h"

namespace loadline {

struct FilePart {
  std::filesystem::path path;
  std::size_t size;  // bytes, from the start of the file
};

// The most bytes that are dropped at a time. They are read again afterwards, so the next ceilings find the cache as
// it was.
inline constexpr std::size_t kMostBytesDropped = std::size_t{128} << 20;

// The most files of a dataset that are read, spread evenly over all of them.
inline constexpr std::size_t kMostFiles = 4096;

// Drops the parts from the page cache and from the mappings of `dataset`, calls `measure`, and reads the parts again,
// however that ends. Throws Error, without calling it, if more than 1 % stays cached. Where the system cannot report
// that, check_from_device() checks it afterwards.
void while_dropped(const Dataset& dataset, std::span<const FilePart> parts, const std::function<void()>& measure);

// Throws Error unless at least nine tenths of the `bytes` read came from a device, by the system's own count.
void check_from_device(std::size_t bytes, const Usage& used);

}  // namespace loadline
