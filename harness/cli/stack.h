// The stacks of this process and its threads. A limit may have made them too small to run any of its functions.
#pragma once

namespace loadline {

// Call before any other thread starts. Raises a stack limit (RLIMIT_STACK) that is lower than usual as far as the
// system allows, and gives later threads the stack that they need regardless. Throws Error if the limit stays too
// low.
void secure_stack();

}  // namespace loadline
