#include "python/script_error.h"

#include <fmt/format.h>

#include <string>

#include "loaders/foreign_call.h"
#include "python/python_call.h"

namespace loadline {

namespace py = pybind11;

namespace {

bool takes_interrupts = false;

std::string told(const py::error_already_set& exception) {
  return py::module_::import("loadline.scripts")
      .attr("told")(exception.type(), exception.value(), exception.trace() ? exception.trace() : py::none())
      .cast<std::string>();
}

}  // namespace

void take_interrupts(bool owns_process) {
  takes_interrupts = owns_process;
}

Error script_error(std::string_view who, py::error_already_set& exception) {
  if (exception.matches(PyExc_KeyboardInterrupt)) {
    const bool watched = watched_thread() != nullptr;
    if (told_to_stop() || (takes_interrupts && !watched)) {
      return Error(fmt::format("{}: interrupted", who), Error::Kind::kInterrupted);
    }
    if (!watched) throw exception;
    // Signals reach a watched thread only by its stop, so the script itself raised this one.
  }
  try {
    return Error(fmt::format("{}: {}", who, told(exception)));
  } catch (py::error_already_set& another) {
    // Signal handlers may raise at any moment: PyTorch does so when a worker has died, and that exception says more.
    if (another.matches(PyExc_KeyboardInterrupt)) throw;
    return Error(fmt::format("{}: {}", who, told(another)));
  }
}

}  // namespace loadline
