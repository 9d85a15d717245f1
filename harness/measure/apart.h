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
};

// Runs `work` on its own thread, watches its foreign calls and waits until it returns; rethrows what it throws. The
// token passed to `work` requests a stop when a stop is requested here, and when the work hangs and is overdue. If
// the work still hangs after that, its thread is abandoned together with everything that it refers to, and touches
// none of it again. Throws Error if the thread was abandoned, and if work that hung and was overdue returned later.
void run_apart(const std::function<void(const std::stop_token&)>& work, const ApartOptions& options);

// Runs `work` as its kind of hanging requires: plainly, by run_watched() or by run_apart().
void run_guarded(Hang hang, const std::function<void(const std::stop_token&)>& work, const ApartOptions& options);

// Like run_apart(), but runs `work` on this thread and waits for it however long it hangs: for calls that end when
// told to stop. Throws Error if the work hung until then, or if no thread can be started to watch it.
void run_watched(const std::function<void(const std::stop_token&)>& work, const ApartOptions& options);

// Whether any thread was abandoned. The process must then end without running the destructors of static objects,
// which the thread may still use.
bool any_left_behind();

}  // namespace loadline
