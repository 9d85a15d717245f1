// What a run takes of the memory, added up from what is known before anything is allocated, and held against the limits
// that stand. Pure functions of plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/machine/machine.h"
#include "harness/result/result.h"

namespace loadline {

struct MemoryPart {
  std::string what;  // it is for, such as "the slots of mnist/IO/serial/batch:8"
  std::uint64_t bytes = 0;
};

struct MemoryNeed {
  std::vector<MemoryPart> parts;   // of what is there at the run's height
  std::uint64_t mapped_bytes = 0;  // beside them, of the address space alone: files, stacks of threads

  std::uint64_t total_bytes() const;
};

// Of a prepared run: all datasets at once with their labels, and of its cells and ceilings the one that takes most, as
// they come one after the other. What a decoder takes for an image is not known and not in it. `processes` do the same
// on this machine at the same time. A sum that cannot be counted is the highest number.
MemoryNeed memory_need(const Result& prepared, std::size_t processes = 1);

// Held against the limit that leaves the least room: what the system has available and the control group leaves; for
// one process alone RLIMIT_AS and RLIMIT_DATA. Nothing here locks memory, so that RLIMIT_MEMLOCK is none.
MemoryUse memory_use(const MemoryNeed& need, const Machine& machine, std::size_t processes = 1);

// Throws usage Error with the sum, its largest part and the limit where it is more than that leaves.
void check_memory(const MemoryUse& use);

}  // namespace loadline
