#include "harness/judge/stored_reads.h"

#include <algorithm>

#include "harness/judge/loader_time.h"

namespace loadline {

double stored_bytes_per_sample(const CellResult& cell, const DatasetFacts& facts) {
  const DatasetInfo& info = facts.info;
  if (info.volume) {
    const auto edge = static_cast<double>(cell.cell.dataset.crop_edge);
    return static_cast<double>(info.volume->channels()) * edge * edge * edge * sizeof(float);
  }
  if (info.tokens && !cell.trials.empty() && cell.trials.back().samples > 0) {
    const Trial& trial = cell.trials.back();
    return static_cast<double>(trial.bytes) / static_cast<double>(trial.samples);
  }
  return info.samples == 0 ? 0 : static_cast<double>(info.all_bytes()) / static_cast<double>(info.samples);
}

bool reads_from_storage(const CellResult& cell, const DatasetFacts& facts) {
  const CacheLooks& looks = cell.trials.front().page_cache;
  const bool found_cold = looks.before && looks.before->pages > 0 &&
                          2 * looks.before->resident_pages.value_or(looks.before->pages) < looks.before->pages;
  // The page cache does not show what a FUSE server or a network file system keeps.
  const bool elsewhere =
      facts.storage.network.value_or(false) || facts.storage.file_system.value_or("").starts_with("fuse");
  return cell.cell.cache == CacheState::kCold || found_cold || elsewhere;
}

double seconds_per_sample_in(const CellResult& cell, std::initializer_list<WorkerStage> stages) {
  double seconds = 0;
  if (const auto time = loader_time_of(cell)) {
    for (const StageShare& share : time->stages) {
      if (std::ranges::count(stages, share.stage) > 0) seconds += share.seconds_per_sample;
    }
  }
  return seconds;
}

}  // namespace loadline
