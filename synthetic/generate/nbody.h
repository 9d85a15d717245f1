// Generates two fields that resemble those of a cosmological simulation: periodic, with smooth structure on several
// scales.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>

#include "synthetic/generate/generate.h"

namespace loadline {

struct NbodyOptions {
  std::size_t size = 256;  // values along each side, 8 to 16384; the file has 36 * size^3 bytes
  std::uint64_t seed = 1;
};

// Writes one HDF5 file: `Nbody` [4, size, size, size] (density and three velocities of dark matter) and `Hydro` [5,
// size, size, size] (density, temperature and three velocities of gas, which follow from the former plus some noise),
// f32, each contiguous; the same on every machine for the same options. Uses one thread and little memory, whatever
// the size. The file appears complete or not at all; missing parents are created; `progress` counts planes. Throws
// usage Error for a size out of range, and Error if something else is at `path`, if storage refuses, and if `stop` was
// requested. After an Error nothing is left behind.
Generated make_nbody(const std::filesystem::path& path, const NbodyOptions& options,
                     const GenerateProgress& progress = {}, const std::stop_token& stop = {});

}  // namespace loadline
