// How much memory a run needs, added up before anything is allocated and compared with the limits. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/machine/machine.h"
#include "harness/result/result.h"

namespace loadline {

struct MemoryPart {
  std::string what;  // what it is for, such as "the slots of mnist/IO/serial/batch:8"
  std::uint64_t bytes = 0;
};

struct MemoryNeed {
  std::vector<MemoryPart> parts;   // in use at the run's peak
  std::uint64_t mapped_bytes = 0;  // address space only, in addition: files, stacks of threads

  std::uint64_t total_bytes() const;
};

// The need of a prepared run: all datasets with their labels, and the largest of its cells and ceilings, because they
// run one after the other. Does not include what decoders take per image, which is not known. `processes`: how many
// do the same on this machine at the same time. A sum that overflows is the highest number.
MemoryNeed memory_need(const Result& prepared, std::size_t processes = 1);

// How much of a dataset is copied for the ceilings on samples in memory: at most an eighth of the memory that is left,
// and of labelled samples at most 256 MiB, which are enough. No part of a volume, tokens or text can stand for the
// whole: of these it is all or nothing.
std::uint64_t copied_for_ceilings_bytes(const DatasetInfo& info, const Machine& machine);

// What one trial of a ceiling of a prepared run needs.
std::uint64_t ceiling_bytes(const CeilingResult& ceiling, const Result& prepared);

// Compares the need with the limit that leaves the least room: the memory that the system has available, what the
// control group leaves or a trial found (memory_trial.h) and, per process, RLIMIT_AS and RLIMIT_DATA. RLIMIT_MEMLOCK
// does not matter because nothing here locks memory.
MemoryUse memory_use(const MemoryNeed& need, const Machine& machine, std::size_t processes = 1);

// Throws usage Error with the sum, its largest part and the limit if the need exceeds what the limit leaves.
void check_memory(const MemoryUse& use);

}  // namespace loadline
