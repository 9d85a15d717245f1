// How samples are numbered.
#pragma once

#include <cstdint>

namespace loadline {

using SampleIndex = std::uint32_t;  // place of a sample in its dataset; a dataset holds fewer than 2^32 - 1

}  // namespace loadline
