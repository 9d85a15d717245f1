// Going on with a run that was interrupted, or ended by its time limit.
#pragma once

#include <cstdint>
#include <string>

#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// Whether the run has all the trials that it was to have, so that there is nothing to go on with.
bool is_finished(const Result& result);

// Throws usage Error that begins with `source`, where `earlier` comes from, and names every option in which the two
// differ. Where the result goes, what is printed and how long it may take are each part's own.
void check_same_options(const RunOptions& earlier, const RunOptions& now, const std::string& source);

// Puts the cells of `plan` into the order of those of `earlier`, on which the order of trials depends, and gives them
// their names.
void arrange_like(const Result& earlier, Plan& plan);

// How much alike what is gone on with and what is there now have to be.
enum class Kinship : std::uint8_t {
  kSame,      // data, machine and program
  kSameData,  // and machine: another build of the program, and other versions of what it runs on, will do
  kTaken,     // rank 0 has handled it, in a run of several
};

// Gives `prepared`, which prepare_run() has made of such a plan, what `earlier` has measured: it becomes the same run
// in one more part. Returns how many seconds the parts so far took: up to the end of the last trial. Throws Error that
// begins with `source` and names all that differs, where it is not the same data, machine and program. Another host of
// the same kind will do, if a placement gives threads the same CPUs there: `machine.hostname` then names both.
// `other_builds` names another build.
double continue_from(Result earlier, const std::string& source, Result& prepared, Kinship kinship = Kinship::kSame);

}  // namespace loadline
