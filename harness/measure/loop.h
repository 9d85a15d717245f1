// The one loop of loadline: pull a batch, hand it over, note the times. Which feed and which sink makes the trial.
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

// How long a stretch of the loop is: so many batches, or up to the first batch that ends at or after so much time, or
// whichever comes first.
struct Length {
  Length(Batches limit) : batches(limit.count) {}  // NOLINT(google-explicit-constructor): Batches{5} reads as a length
  Length(Time limit) : time(limit) {}              // NOLINT(google-explicit-constructor)
  Length(Batches most_batches, Time most_time) : batches(most_batches.count), time(most_time) {}

  std::uint64_t batches = std::numeric_limits<std::uint64_t>::max();
  Time time = Time::max();
  std::uint64_t round = 1;  // batches; it goes on to the end of one
  // Ends it before that; asked before each round. Empty: nothing does.
  std::function<bool(const Stretch&)> enough;
  bool enough_takes_time = false;  // that counts into `wall`, and into no wait
};

struct Stretch {
  Time wall{};  // from before the first pull to the return of the last sink call
  std::uint64_t batches = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;          // of assembled data
  std::uint64_t tokens = 0;         // that samples had to predict
  std::uint64_t token_places = 0;   // for such; 0: samples are no tokens
  std::uint64_t tokens_cut = 0;     // that had no room in their samples
  Stores stores = Stores::kCached;  // of the last batch
  WaitHistogram waits;              // for the feed; the rest of `wall` is the sink
  Time first_wait{};                // of these, for the first batch
  bool complete = false;            // the whole length was run: neither stopped nor at the end of the feed
};

// Runs the loop for one stretch. A sink that has ended ends it. One thread, that of the feed's consumer. A requested
// stop ends it after the batch in hand. Throws what the feed or the sink throws. Goes on with the stretch `so_far`,
// whose length counts, as if no time had passed since.
Stretch run_loop(Feed& feed, Sink& sink, const Clock& clock, const Length& length, const std::stop_token& stop,
                 const Stretch& so_far = {});

// Waits for all that the sink has launched, which then counts into the time of the stretch.
void finish(Stretch& stretch, Sink& sink, const Clock& clock);

}  // namespace loadline
