#include "loaders/error.h"

#include "loaders/printable.h"

namespace loadline {

// File names and libraries' messages come from outside, and a message must be one line wherever it is shown.
Error::Error(const std::string& message, Kind kind) : std::runtime_error(printable(message)), kind_(kind) {}

}  // namespace loadline
