// Values of an HDF5 dataset that lie in other files: external storage, and virtual datasets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "loaders/storage/hdf5_handle.h"

namespace loadline {

// The other files in which the values of `dataset` are, which is called `name` in the open `file` at `path`; of a
// virtual dataset whose sources are virtual too, also those of theirs. Throws Error naming the path, the dataset and a
// source that is missing or too short: the library would not mind and read zeros in its place. Makes calls of the
// library, so it needs Hdf5Lock (hdf5.cpp).
std::vector<std::filesystem::path> hdf5_sources(Hdf5Id file, Hdf5Id dataset, const std::filesystem::path& path,
                                                const std::string& name);

}  // namespace loadline
