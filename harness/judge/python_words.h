// Advice in terms that a Python program can follow.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// A sentence with its command-line options replaced by their equivalents in a program that measures its own loop:
// num_workers for --workers, trials=5 for --trials 5. A sentence without options stays as it is. `loads_ahead`:
// whether the loader reports workers; if not, the advice is to use workers before anything else.
std::string in_python(std::string_view sentence, bool loads_ahead = true);

}  // namespace loadline
