// Turns errors in the user's Python into loadline errors.
#pragma once

#include <pybind11/pybind11.h>

#include <string_view>

#include "loaders/error.h"

namespace loadline {

// Whether a KeyboardInterrupt that comes while no thread watches is for the command line, which then owns the process,
// rather than for the program that called it. The main thread, outside of any call of a script.
void take_interrupts(bool owns_process);

// Prints the exception's traceback on stderr and returns an Error with `who` and the exception on one line. Of a
// KeyboardInterrupt it makes an Error of kind kInterrupted if this thread was told to stop or the command line
// takes it, and otherwise rethrows it unless this thread is watched: then the script raised it. Call it with the GIL.
Error script_error(std::string_view who, pybind11::error_already_set& exception);

}  // namespace loadline
