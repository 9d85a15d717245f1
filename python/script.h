// Loaders and training steps in the user's Python, usable wherever the tool's own are.
#pragma once

#include <pybind11/pybind11.h>

namespace loadline {

void bind_script(pybind11::module_& module);

}  // namespace loadline
