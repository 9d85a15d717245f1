// A training step in Python as a sink.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "synthetic/compute/compute.h"

namespace loadline {

// Calls step(batch) for each batch: with one of a script's loader as that gave it, with one of ours as (images,
// labels), which are tensors where the program has PyTorch loaded, and otherwise arrays of NumPy, over the loader's own
// memory. `name` is its name in messages. Called without the GIL.
std::unique_ptr<Sink> make_script_step(std::string name, pybind11::object step, const ComputeContext& context);

}  // namespace loadline
