// Data that is copied to the nodes before it is read.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/cli/progress.h"
#include "harness/cli/rank_session.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"
#include "harness/result/staging_record.h"
#include "loaders/storage/file_lock.h"
#include "synthetic/clock.h"

namespace loadline {

struct StagedCopies {
  std::map<std::filesystem::path, StagedCopy> by_path;  // of the copy
  std::vector<std::shared_ptr<const HeldFile>> uses;    // of those on this node, by its first rank: while this lives no
                                                        // other run replaces them
};

// Has the data of these cells be where they look for it, for as long as the value lives. Of several ranks one on each
// node copies, and all wait. Empty where nothing is to be staged; none when `stop` was requested before the end.
// `ranks` may be null. Throws Error, on all ranks where one of them cannot.
std::optional<StagedCopies> stage_data(std::span<const Cell> cells, const std::string& directory, RankSession* ranks,
                                       Clock& clock, const std::stop_token& stop, Progress& progress);

// Notes the copies that datasets of a run are, in place of what an earlier part of the run had.
void note_staged(const StagedCopies& copies, Result& result);

}  // namespace loadline
