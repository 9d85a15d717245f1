// The extension module loadline._core, which the Python files of the package use.
#include <pybind11/pybind11.h>

#include "harness/machine/build_facts.h"
#include "loaders/error.h"
#include "python/array.h"
#include "python/bind.h"
#include "python/loader.h"
#include "python/script.h"

namespace loadline {
namespace {

namespace py = pybind11;

PYBIND11_MODULE(_core, module) {
  module.doc() = "Native part of the package loadline; use the package.";
  py::register_exception<Error>(module, "Error", PyExc_RuntimeError);
  bind_loop(module);
  bind_loop_result(module);
  bind_recorder(module);
  bind_array(module);
  bind_loader(module);
  bind_script(module);
}

}  // namespace
}  // namespace loadline
