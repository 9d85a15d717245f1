// Copying data to the nodes before it is read.
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
  std::map<std::filesystem::path, StagedCopy> by_path;  // by path of the copy
  // The copies on this node, held by its first rank: while this lives, no other run replaces them.
  std::vector<std::unique_ptr<const HeldFile>> uses;
};

// Copies the data of these cells to where the cells expect it, and keeps it there while the returned value lives.
// With several ranks, one rank per node copies and all wait. Empty if there is nothing to stage; nullopt when `stop`
// was requested before the end. `ranks` may be null. Throws Error on all ranks if one of them fails.
std::optional<StagedCopies> stage_data(std::span<const Cell> cells, const std::string& directory, RankSession* ranks,
                                       Clock& clock, const std::stop_token& stop, Progress& progress);

// Records in `result` which datasets are copies, replacing what an earlier part of the run recorded.
void note_staged(const StagedCopies& copies, Result& result);

}  // namespace loadline
