// Fuzz targets without a fuzzer: the same inputs every time, in any compiler's build.
#pragma once

#include <cstdint>
#include <vector>

namespace loadline::test {

// What a target's inputs are made from: valid ones, of every kind. Each target has its own.
std::vector<std::vector<std::uint8_t>> fuzz_seeds();

}  // namespace loadline::test
