// How fast threads get on with a piece of work that they do over and over.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>

#include "synthetic/clock.h"

namespace loadline {

struct Pace {
  double amount = 0;   // of work done while the clock ran, by all threads together
  double seconds = 0;  // that took, as the mean over the threads: none waits for the last to end

  double per_second() const { return amount / seconds; }
};

// Does one piece of work as thread `thread`, counted from 0, and returns how much that was; 0 when there is no more to
// do. Each thread calls it with its own number only, so what belongs to a number needs no lock.
using Work = std::function<double(std::size_t thread)>;

struct Stint {
  Time warm_up;  // of work that does not count
  Time timed;    // of work that does; at least one piece a thread, however long that takes
};

// `threads` threads do `work` at the same time, one of them on the calling thread where there is only one. Reads the
// clock so seldom that its own cost does not show. None when stopped. Throws what the work throws, and Error when a
// thread cannot be had.
std::optional<Pace> pace_of(std::size_t threads, const Work& work, const Stint& stint, const Clock& clock,
                            const std::stop_token& stop);

}  // namespace loadline
