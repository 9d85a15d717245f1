// Running work that may never return.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "loaders/loader.h"
#include "synthetic/clock.h"

namespace loadline {

struct ApartOptions {
  std::string who;                // for messages, the owner of the calls that may hang: "loader ./libmine.so"
  std::stop_token stop;           // ends the work
  std::function<bool()> overdue;  // whether to abandon the work if it hangs; polled regularly
  Time patience{};                // how long a foreign call (foreign_call.h) may last before it counts as hanging
  // Only for run_watched(): ends the process after a call that nothing ends, for the reason given; must not return. It
  // is called on another thread while the one of the work stands still, so it may use all that the work refers to, but
  // not the foreign code. If absent, waits however long the work hangs.
  std::function<void(const std::string& why)> give_up = {};
};

// Each of these returns a sentence about the call that hung when a stop was requested here; empty: none did.

// Runs `work` on its own thread, watches its foreign calls and waits until it returns; rethrows what it throws. The
// token passed to `work` requests a stop when a stop is requested here, and when the work hangs and is overdue. If
// the work still hangs after that, its thread is abandoned together with everything that it refers to, and touches
// none of it again. Throws Error if the thread was abandoned, and if work that hung and was overdue returned later.
std::string run_apart(const std::function<void(const std::stop_token&)>& work, const ApartOptions& options);

// Like run_apart(), but runs `work` on this thread: for calls that usually end when told to stop. If one does not,
// gives up. An Error of kind kInterrupted counts as the end of the work. Throws Error if the work hung until it was
// told to stop, or if no thread can be started to watch it.
std::string run_watched(const std::function<void(const std::stop_token&)>& work, const ApartOptions& options);

// Whether run_watched() gives up, from now on. It does at first; not where the process has work besides this.
void set_gives_up(bool may);

// Runs `work` as its kind of hanging requires: plainly, by run_watched() or by run_apart().
std::string run_guarded(Hang hang, const std::function<void(const std::stop_token&)>& work,
                        const ApartOptions& options);

// Whether any thread was abandoned. The process must then end without running the destructors of static objects,
// which the thread may still use.
bool any_left_behind();

}  // namespace loadline
