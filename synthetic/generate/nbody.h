// A cosmological simulation's two fields, or rather what resembles them: smooth structure on several scales, periodic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>

#include "synthetic/generate/generate.h"

namespace loadline {

struct NbodyOptions {
  std::size_t size = 256;  // values along each side, from 8 to 16384: 36 bytes for each of size^3
  std::uint64_t seed = 1;
};

// Writes one HDF5 file: `Nbody` [4, size, size, size] (density and three velocities of dark matter) and `Hydro` [5,
// size, size, size] (density, temperature and three velocities of gas, which follow from the former but for some noise
// of their own), f32, each in one piece; the same on every machine for the same options. Uses one thread and little
// memory, whatever the size. Appears whole or not at all; `progress` counts planes. Throws a usage error for a size out
// of range, and Error when anything else is at `path`, when storage refuses, and when `stop` was requested. After an
// Error nothing is left behind.
Generated make_nbody(const std::filesystem::path& path, const NbodyOptions& options,
                     const GenerateProgress& progress = {}, const std::stop_token& stop = {});

}  // namespace loadline
