// A sink that calls a training step in Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "synthetic/compute/compute.h"

namespace loadline {

// Calls step(batch) for each batch. A batch of a script's loader is passed unchanged. A batch of our loaders is
// passed as (images, labels) over the loader's own memory: tensors if the program has loaded PyTorch, otherwise NumPy
// arrays. `name` is its name in messages. Call it without the GIL.
std::unique_ptr<Sink> make_script_step(std::string name, pybind11::object step, const ComputeContext& context);

}  // namespace loadline
