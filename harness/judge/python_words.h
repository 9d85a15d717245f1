// Advice in the terms of the run that it is for: of a Python program, or of a run with --until-ci.
#pragma once

#include <string>
#include <string_view>

namespace loadline {

// A sentence with its command-line options replaced by their equivalents in a program that measures its own loop:
// num_workers for --workers, trials=5 for --trials 5. A sentence without options stays as it is. `loads_ahead`:
// whether the loader reports workers; if not, the advice is to use workers before anything else.
std::string in_python(std::string_view sentence, bool loads_ahead = true);

// A sentence for a run with --until-ci, where --trials sets only the pilot: it names the options that raise the number
// of trials instead, "use more trials (a larger --max-trials or a smaller --until-ci)" for "use more --trials".
std::string with_until_ci(std::string_view sentence);

}  // namespace loadline
