// Batches of our loaders for loops in Python.
#pragma once

#include <pybind11/pybind11.h>

namespace loadline {

void bind_loader(pybind11::module_& module);

}  // namespace loadline
