// Options of a run inside one argument, such as those of `--base '--workers 4 --prefetch 8'`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/options.h"

namespace loadline {

// Separated by white space; '...' and "..." keep it together, and \ takes what follows as it is, but inside of '...'.
// Throws usage Error that begins with `option` where a quotation does not end.
std::vector<std::string> split_words(std::string_view option, std::string_view text);

// Sets what the words say: --name VALUE, --name=VALUE, or --name of a flag. Returns the rows of these, in their order.
// Only options that is_for_pairs(), but for output and quiet. Throws usage Error that begins with `option`.
std::vector<const OptionRow*> apply_words(std::string_view option, const std::vector<std::string>& words,
                                          RunOptions& options);

}  // namespace loadline
