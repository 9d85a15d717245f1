// A batch of our own loaders, as a Python loop gets it.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "loaders/batch.h"
#include "loaders/tensor.h"
#include "python/array.h"

namespace loadline {

// (images, labels), or (inputs, targets) for crops, and optionally the indices of the samples, as views of the slot's
// own memory, which `owner` keeps alive. Call it with the GIL.
pybind11::tuple batch_arrays(const Slot& slot, const SampleFormat& format, const std::shared_ptr<void>& owner,
                             ArrayForm form, bool with_indices);

}  // namespace loadline
