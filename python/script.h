// Loaders and training steps of somebody's own Python, for the tool and all that it does with its own.
#pragma once

#include <pybind11/pybind11.h>

namespace loadline {

void bind_script(pybind11::module_& module);

}  // namespace loadline
