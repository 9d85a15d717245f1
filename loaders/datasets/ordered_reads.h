// Reads samples on many threads and hands them over in order, so that slow storage gets many requests at a time.
#pragma once

#include <cstddef>
#include <functional>

#include "loaders/datasets/dataset.h"

namespace loadline {

// How many samples are read at a time. The number suits storage rather than CPUs: these threads mostly wait.
inline constexpr std::size_t kOrderedReads = 32;

// Reads the samples `index_of(0)` to `index_of(count - 1)` and gives each to `visit(number, sample)`, in that order,
// until that returns false. Returns whether it reached the end. `visit` is called by several threads, one at a time;
// `index_of` by several at once. Throws what the first failing sample threw, in order, and what `visit` throws; it is
// not called again then.
bool read_in_order(const Dataset& dataset, std::size_t count,
                   const std::function<SampleIndex(std::size_t number)>& index_of,
                   const std::function<bool(std::size_t number, StoredSample sample)>& visit);

}  // namespace loadline
