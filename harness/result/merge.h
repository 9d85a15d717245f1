// One result of several.
#pragma once

#include <string>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

struct MergePart {
  std::string source;  // its file, for messages
  Result result;
};

// What the parts measured as one result with the id `run_id`. A cell that several parts have, one of the same settings,
// gets the trials of all; those of other ranks are cells of their own, and OVERHEAD is one cell. What distinguishes
// cells that had the same name in different parts is added to their names. Datasets and ceilings are united.
//
// The parts go by the time at which they were started, to the second: the trials of a later one have later rounds, and
// places are by time. Command line, options, machine, job and page cache are those of the first, without its share of
// the cells (--part) and with the names of all hosts; what the processes took as a whole is left out. It is complete
// when all parts are, and all shares are there.
//
// Throws usage Error for fewer than two parts, and Error for a run that comes twice, for data that was not the same
// under the same name, for the result of a search, and, unless `allow_mismatch`, for parts of different builds,
// kernels or kinds of machine, naming all that differs.
Result merge_results(std::vector<MergePart> parts, const std::string& run_id, bool allow_mismatch);

// Names the builds of `part` behind those of `result`, of which it becomes a part, each once.
void add_builds(const Result& part, Result& result);

}  // namespace loadline
