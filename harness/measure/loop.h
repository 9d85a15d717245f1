// The one loop of loadline: pull a batch, hand it over, note the times. Feed and sink determine what the trial
// measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stop_token>

#include "harness/measure/wait_histogram.h"
#include "loaders/loader.h"
#include "synthetic/clock.h"
#include "synthetic/compute/compute.h"

namespace loadline {

struct Batches {
  std::uint64_t count = 0;
};

struct Stretch;

// How long a stretch of the loop is: a number of batches, or up to the first batch that ends at or after a time, or
// whichever comes first.
struct Length {
  Length(Batches limit) : batches(limit.count) {}  // NOLINT(google-explicit-constructor): Batches{5} reads as a length
  Length(Time limit) : time(limit) {}              // NOLINT(google-explicit-constructor)
  Length(Batches most_batches, Time most_time) : batches(most_batches.count), time(most_time) {}

  std::uint64_t batches = std::numeric_limits<std::uint64_t>::max();
  Time time = Time::max();
  std::uint64_t round = 1;  // batches; a stretch ends only after a whole round
  // Called before each round; true ends the stretch early. Empty: never.
  std::function<bool(const Stretch&)> enough;
  bool enough_takes_time = false;  // its time counts in `wall`, but not as a wait
};

struct Stretch {
  Time wall{};  // from before the first pull to the return of the last sink call
  std::uint64_t batches = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;          // of assembled data
  std::uint64_t tokens = 0;         // that samples predict
  std::uint64_t token_places = 0;   // places for tokens; 0: samples are not tokens
  std::uint64_t tokens_cut = 0;     // tokens that did not fit into their samples
  Stores stores = Stores::kCached;  // of the last batch
  WaitHistogram waits;              // for the feed; the rest of `wall` is spent in the sink
  Time first_wait{};                // the wait for the first batch, also in `waits`
  bool complete = false;            // ran the whole length: neither stopped nor at the end of the feed
};

// Runs the loop for one stretch, on the thread of the feed's consumer. Ends early when the sink has ended, or after
// the current batch when a stop is requested. Throws what the feed or the sink throws. Continues the stretch
// `so_far`, which counts towards `length`, as if no time had passed since.
Stretch run_loop(Feed& feed, Sink& sink, const Clock& clock, const Length& length, const std::stop_token& stop,
                 const Stretch& so_far = {});

// Waits for everything that the sink has launched; that time counts in the stretch.
void finish(Stretch& stretch, Sink& sink, const Clock& clock);
// The same for Sink::run_down().
void run_down(Stretch& stretch, Sink& sink, const Clock& clock);

}  // namespace loadline
