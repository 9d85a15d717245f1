// Data that is copied to the nodes before it is read.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "harness/cli/progress.h"
#include "harness/cli/rank_session.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"
#include "harness/result/staging_record.h"
#include "synthetic/clock.h"

namespace loadline {

// By the path of the copy.
using StagedCopies = std::map<std::filesystem::path, StagedCopy>;

// Has the data of these cells be where they look for it. Of several ranks one on each node copies, and all wait. Empty
// where nothing is to be staged; none when `stop` was requested before the end. `ranks` may be null. Throws Error, on
// all ranks where one of them cannot.
std::optional<StagedCopies> stage_data(std::span<const Cell> cells, const std::string& directory, RankSession* ranks,
                                       Clock& clock, const std::stop_token& stop, Progress& progress);

// Notes the copies that datasets of a run are, in place of what an earlier part of the run had.
void note_staged(const StagedCopies& copies, Result& result);

}  // namespace loadline
