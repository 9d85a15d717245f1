// The stacks of this process and its threads, which a limit may have made too small for any of its functions.
#pragma once

namespace loadline {

// Before any other thread is started: raises a stack limit (RLIMIT_STACK) below that of a usual system as far as the
// system allows, and gives threads to come the stack they need whatever it is. Throws Error where it stays too small.
void secure_stack();

}  // namespace loadline
