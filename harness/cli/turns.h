// Two sides measured in alternation.
#pragma once

#include <functional>
#include <string>

#include "harness/cli/interrupt.h"
#include "harness/cli/side.h"
#include "harness/cli/verbs.h"
#include "harness/measure/pairs.h"

namespace loadline {

struct Turns {
  PairedResults sides;
  bool complete = false;  // not stopped before the end
  std::string hung = {};  // a sentence about a call that hung when they were stopped; usually empty
};

// Called between trials with the results of both sides so far, without the warm-up pair.
struct PairsSaver {
  std::function<bool()> due;  // whether to save now; asked first because putting the results together takes time
  std::function<void(const PairedResults&)> save;
};

// Alternates one trial of each side, request.pairs times, after a warm-up pair that is discarded: all in this
// process, or each trial in its own process. Throws Error as run_pairs() and ChildRuns::run() do.
Turns take_turns_here(const PairsRequest& request, const Side& base, const Side& changed, Interrupt& interrupt,
                      const PairsSaver& saver);
Turns take_turns_in_processes(const PairsRequest& request, const Side& base, const Side& changed, Interrupt& interrupt,
                              const PairsSaver& saver);

}  // namespace loadline
