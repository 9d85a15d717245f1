// Continuing a run that was interrupted or ended by its time limit.
#pragma once

#include <cstdint>
#include <string>

#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// Whether the run has all its trials, so that there is nothing to continue.
bool is_finished(const Result& result);

// Throws usage Error if the options differ; it begins with `source`, the origin of `earlier`, and names every option
// that differs. Output file, verbosity and time limit may differ.
void check_same_options(const RunOptions& earlier, const RunOptions& now, const std::string& source);

// Puts the cells of `plan` into the order of `earlier`, which determines the order of trials, and gives them the same
// names.
void arrange_like(const Result& earlier, Plan& plan);

// How closely the earlier run and the present one must match.
enum class RequiredMatch : std::uint8_t {
  kSame,      // same data, machine and program
  kSameData,  // same data and machine; another build of the program and other versions of its environment are accepted
  kChecked,   // in a run of several ranks, rank 0 has checked this
};

// Copies what `earlier` has measured into `prepared`, which prepare_run() has made of such a plan: it becomes one
// more part of the same run. Returns the seconds that the parts so far took, up to the end of the last trial or to the
// last sample of the monitor, whichever is later: the next part continues from there, so its times exceed all earlier
// ones. Throws Error that begins with `source` and names all differences if data, machine or program do not match as
// `match` requires. Accepts another host of the same kind if the placement gives threads the same CPUs there;
// `machine.hostname` then names both hosts. `other_builds` then names another build.
double continue_from(Result earlier, const std::string& source, Result& prepared,
                     RequiredMatch match = RequiredMatch::kSame);

}  // namespace loadline
