// Makes one result of several.
#pragma once

#include <string>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

struct MergePart {
  std::string source;  // its file, for messages
  Result result;
};

// Puts what the parts measured into one result with the id `run_id`. A cell that several parts have, by its settings,
// gets the trials of all of them; cells of different ranks stay separate, and OVERHEAD becomes one cell. Different
// cells with the same name get what distinguishes them added to their names. Datasets and ceilings are united.
//
// The parts are ordered by their start times, to the second: trials of a later part have later rounds, and places are
// ordered by time. Command line, options, machine, job and page cache are those of the first part, with the names of
// all hosts. What the processes used as a whole is left out. The result is complete when no share of the cells (--part)
// is missing and all parts are complete, or has_all_trials(). Its options name no share, unless it lacks some: then
// they name those that it has, and it keeps divided_configurations, so that a further merge can add the others; shares
// of different sweeps can only be completed by merging all of them at once. Such a merge is itself a part that is not
// complete, and nothing in it says whether it lacks anything else, so the further one is complete only by the trials:
// shares of a run with check_verdict or a time limit that was reached have to be merged all at once. Data that parts
// spell differently, such as "mn" and "./mn", or "mn" and the absolute path where it led, is the same (merge_paths.h).
//
// Throws usage Error for fewer than two parts. Throws Error for a run that appears twice, for different data or
// another recording, plug-in or script under the same name, for the result of a search, and, unless `allow_mismatch`,
// for parts of different builds, kernels or kinds of machine, for trials of different lengths and, with shares, for
// different numbers of trials, naming all differences.
Result merge_results(std::vector<MergePart> parts, const std::string& run_id, bool allow_mismatch);

// The ids of the runs whose trials a result has: its own, or those that were merged into it.
std::vector<std::string> runs_of(const Result& result);

// Adds the builds of `part`, which becomes a part of `result`, to the other builds of `result`, each once.
void add_builds(const Result& part, Result& result);

}  // namespace loadline
