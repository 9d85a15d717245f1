// Fuzz targets without a fuzzer: on the same inputs every time, in a build by any compiler.
#pragma once

#include <cstdint>
#include <vector>

namespace loadline::test {

// Valid inputs of every kind, from which replay makes others. Each target defines its own.
std::vector<std::vector<std::uint8_t>> fuzz_seeds();

}  // namespace loadline::test
