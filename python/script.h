// Loaders and training steps in the user's Python, for everything that the tool does with its own.
#pragma once

#include <pybind11/pybind11.h>

namespace loadline {

void bind_script(pybind11::module_& module);

}  // namespace loadline
