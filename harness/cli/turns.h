// Two sides measured in turns.
#pragma once

#include <functional>

#include "harness/cli/interrupt.h"
#include "harness/cli/side.h"
#include "harness/cli/verbs.h"
#include "harness/measure/pairs.h"

namespace loadline {

struct Turns {
  PairedResults sides;
  bool complete = false;  // rather than stopped
};

// Told of both sides as far as they are, between trials, without the pair that is not kept.
struct PairsSaver {
  std::function<bool()> due;  // whether to save now: what is saved has to be put together first
  std::function<void(const PairedResults&)> save;
};

// One trial of each side in turns, request.pairs times, after a pair that is not kept: all in this process, or each
// trial in its own process. Throws Error as run_pairs() and ChildRuns::run() do.
Turns take_turns_here(const PairsRequest& request, const Side& base, const Side& changed, Interrupt& interrupt,
                      const PairsSaver& saver);
Turns take_turns_in_processes(const PairsRequest& request, const Side& base, const Side& changed, Interrupt& interrupt,
                              const PairsSaver& saver);

}  // namespace loadline
