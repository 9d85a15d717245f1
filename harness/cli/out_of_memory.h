// Ends the process when memory runs out and no caller can handle it.
#pragma once

#include <string_view>

namespace loadline {

inline constexpr std::string_view kOutOfMemory = "out of memory";

// Call this first in the process. Normally, running out of memory throws an exception, which becomes a sentence and
// an exit code like any other. But some library functions allocate although they promise not to throw, such as the
// JSON library's destructor and the step to the next entry of a directory. No exception can leave those. The process
// then ends at once with the same sentence and exit code; saved results stay.
void end_orderly_without_memory();

}  // namespace loadline
