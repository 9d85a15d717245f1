// Options of a run inside one argument, such as `--base '--workers 4 --prefetch 8'`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/options.h"

namespace loadline {

// Splits at white space. '...' and "..." keep words together, and outside '...' a \ takes the next character
// literally. Throws usage Error that begins with `option` if a quote is not closed.
std::vector<std::string> split_words(std::string_view option, std::string_view text);

// Sets the options that the words name: --name VALUE, --name=VALUE, or --name for a flag. Returns their rows, in
// order. Takes only options that are is_for_pairs(), except output and quiet. Throws usage Error that begins with
// `option`.
std::vector<const OptionRow*> apply_words(std::string_view option, const std::vector<std::string>& words,
                                          RunOptions& options);

}  // namespace loadline
