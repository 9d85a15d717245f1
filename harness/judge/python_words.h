// Advice as a program in Python can follow it.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// A sentence that names options of the command line, with what stands for them in a program that measures its own loop:
// num_workers for --workers, trials=5 for --trials 5. A sentence that names none stays as it is. `loads_ahead`: whether
// the loader says to have workers; one that does not is told to, before anything else.
std::string in_python(std::string_view sentence, bool loads_ahead = true);

}  // namespace loadline
