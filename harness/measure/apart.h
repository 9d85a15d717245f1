// Running what may never return.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "loaders/loader.h"
#include "synthetic/clock.h"

namespace loadline {

struct ApartOptions {
  std::string who;                // whose calls may never return, for the message: "loader ./libmine.so"
  std::stop_token stop;           // ends the work
  std::function<bool()> overdue;  // whether to abandon the work if it hangs; polled now and then
  Time patience{};                // how long a foreign call (foreign_call.h) may last before it is taken to hang
};

// Runs `work` on a thread of its own, whose foreign calls are watched, and waits until it returns; rethrows what it
// throws. `work` is asked to stop by the token that it is given: when a stop is requested, and when it hangs and is
// overdue. Where it still hangs then, the thread is left behind, and with it all that it refers to, of which it touches
// nothing any more. Throws Error where the work hung, whether or not it came back.
void run_apart(const std::function<void(const std::stop_token&)>& work, const ApartOptions& options);

// Runs `work` as calls that hang so want it: on this thread, watched, or apart.
void run_guarded(Hang hang, const std::function<void(const std::stop_token&)>& work, const ApartOptions& options);

// Runs `work` on this thread, as run_apart() does but that it is waited for however long it hangs: for calls that end
// when they are asked to. Throws Error where the work hung until then, or where no thread can be started to watch it.
void run_watched(const std::function<void(const std::stop_token&)>& work, const ApartOptions& options);

// Whether any thread was left behind. The process is then to end without the destructors of static objects, which the
// thread may still use.
bool any_left_behind();

}  // namespace loadline
