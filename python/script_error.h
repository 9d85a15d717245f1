// Errors in the user's Python: located there, and loadline errors from there on.
#pragma once

#include <pybind11/pybind11.h>

#include <string_view>

#include "loaders/error.h"

namespace loadline {

// Prints the exception's own traceback on stderr; returns the Error for it, in which it is named in a line behind
// `who`. With the GIL. Where it is a KeyboardInterrupt it is thrown on: that ends the run.
Error script_error(std::string_view who, pybind11::error_already_set& exception);

}  // namespace loadline
