// Datasets copied into this process's memory.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>

#include "loaders/datasets/dataset.h"
#include "loaders/system/numa.h"

namespace loadline {

// A copy of `dataset` in huge-page memory: same info, labels and bytes. Of its first samples alone where all of them
// would take more than `most_bytes`. Not of a volume, which copies itself (open_volume()).
std::unique_ptr<Dataset> copy_to_memory(const Dataset& dataset,
                                        std::size_t most_bytes = std::numeric_limits<std::size_t>::max(),
                                        const MemoryPlace& place = {});

}  // namespace loadline
