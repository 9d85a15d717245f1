// Values of an HDF5 dataset that are stored in other files: external storage and virtual datasets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "loaders/storage/hdf5_handle.h"

namespace loadline {

// The other files that hold values of `dataset`, which is called `name` in the open `file` at `path`; for virtual
// sources of a virtual dataset, also their sources. Throws Error naming the path, the dataset and a source that is
// missing or too short: for most of these the library would silently return zeros. Calls the library, so the caller
// must hold Hdf5Lock.
std::vector<std::filesystem::path> hdf5_sources(Hdf5Id file, Hdf5Id dataset, const std::filesystem::path& path,
                                                const std::string& name);

}  // namespace loadline
