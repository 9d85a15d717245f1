// Datasets copied into this process's memory.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>

#include "loaders/datasets/dataset.h"
#include "loaders/system/numa.h"

namespace loadline {

// Copies `dataset` to huge-page memory: same info, labels and bytes. Copies only its first samples if all would take
// more than `most_bytes`. Throws Error if the label of one is out of range. Not for volumes and tokens, whose formats
// use copy_bytes().
std::unique_ptr<Dataset> copy_to_memory(const Dataset& dataset,
                                        std::size_t most_bytes = std::numeric_limits<std::size_t>::max(),
                                        const MemoryPlace& place = {});

// Copies everything that dataset.visit() delivers, back to back, to huge-page memory: info().all_bytes() bytes in
// all.
NodeMemory copy_bytes(const Dataset& dataset, const MemoryPlace& place);

}  // namespace loadline
