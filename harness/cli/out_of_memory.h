// Ends the process when memory runs out and no caller can handle it.
#pragma once

#include <string_view>

namespace loadline {

inline constexpr std::string_view kOutOfMemory = "out of memory";

// Before anything else of the process. Memory that runs out is an exception, which becomes a sentence and an exit code
// where exceptions do. But some functions of libraries allocate though they promise not to throw: of the JSON library
// the destructor, of the standard library the step to the next entry of a directory. From there no exception gets
// anywhere. Then the process ends by the same sentence and the same exit code, at once; what was saved stays.
void end_orderly_without_memory();

}  // namespace loadline
