// The parts of the extension module, each in the file of its name.
#pragma once

#include <pybind11/pybind11.h>

namespace loadline {

void bind_loop(pybind11::module_& module);
void bind_loop_result(pybind11::module_& module);
void bind_recorder(pybind11::module_& module);

}  // namespace loadline
