// Says in a sentence what crashed when a signal such as SIGSEGV ends the process.
#pragma once

namespace loadline {

// Call this early in the process, on the main thread. SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT then print one
// sentence on stderr, which names the foreign call in which the thread was (foreign_call.h), before they have
// their previous effect. A thread that has overflowed its stack can do so only if it has another one for signals
// (give_signals_a_stack()), as this thread and those of trials with foreign code have. Builds with a sanitizer, which
// says more, keep its handlers.
void name_crashes();

}  // namespace loadline
