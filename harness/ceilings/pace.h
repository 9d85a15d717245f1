// How fast threads repeat a piece of work.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>

#include "synthetic/clock.h"

namespace loadline {

struct Pace {
  double amount = 0;  // of work that all threads together did while the clock ran
  // How long this took: the mean over the threads, because none waits for the last one. If a thread found no work left,
  // the longest time of those that did some, because the others were idle meanwhile.
  double seconds = 0;
  // CPU time of all these threads while the clock ran; nullopt where other threads did part of the work.
  std::optional<double> cpu_seconds = {};

  double per_second() const { return amount / seconds; }
};

// Does one piece of work as thread `thread`, counted from 0, and returns how much that was, which may be 0; nullopt
// when no work is left. Each thread passes only its own number, so per-thread state needs no lock.
using Work = std::function<std::optional<double>(std::size_t thread)>;

// How long the threads repeat it.
struct Durations {
  Time warm_up;  // work that does not count
  Time timed;    // work that counts: at least one piece per thread, however long that takes
};

// Runs `work` on `threads` threads at the same time; a single one is the calling thread. Reads the clock so rarely
// that its cost does not show. nullopt when stopped. Throws what the work throws, and Error when a thread cannot be
// started.
std::optional<Pace> pace_of(std::size_t threads, const Work& work, const Durations& durations, const Clock& clock,
                            const std::stop_token& stop);

}  // namespace loadline
