// Files that a ceiling reads through the page cache, and so has to take out of it before.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "harness/machine/usage.h"
#include "loaders/datasets/dataset.h"

namespace loadline {

struct FilePart {
  std::filesystem::path path;
  std::size_t size;  // bytes, from the first on
};

// How much of the files is dropped at a time and, so that the ceilings after this one find it as it was, read again.
inline constexpr std::size_t kMostBytesDropped = std::size_t{128} << 20;

// So many of a dataset's files are read, evenly spread over all of them.
inline constexpr std::size_t kMostFiles = 4096;

// Drops them from the page cache, and from what `dataset` has mapped. Throws Error where more than 1 % of them stays,
// having read them again; where the system does not tell, check_from_device() does.
void drop(const Dataset& dataset, std::span<const FilePart> parts);

// Reads them again. Throws Error.
void restore(std::span<const FilePart> parts);

// That of `bytes` read nine in ten came from a device, by the system's own count; throws Error otherwise.
void check_from_device(std::size_t bytes, const Usage& used);

}  // namespace loadline
