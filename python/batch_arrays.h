// A batch of our own loaders as what a loop in Python gets.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "loaders/batch.h"
#include "loaders/tensor.h"
#include "python/array.h"

namespace loadline {

// (images, labels), or (inputs, targets) of crops, and the indices of the samples where they are wanted: over the
// slot's own memory, which `owner` keeps. With the GIL.
pybind11::tuple batch_arrays(const Slot& slot, const SampleFormat& format, const std::shared_ptr<void>& owner,
                             ArrayForm form, bool with_indices);

}  // namespace loadline
