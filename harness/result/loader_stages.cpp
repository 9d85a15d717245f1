#include "harness/result/loader_stages.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace loadline {
namespace {

constexpr std::array kInOrder{WorkerStage::kOrder,     WorkerStage::kSlotWait, WorkerStage::kWindowWait,
                              WorkerStage::kOpen,      WorkerStage::kRead,     WorkerStage::kLibraryLock,
                              WorkerStage::kInflate,   WorkerStage::kDecode,   WorkerStage::kTokenise,
                              WorkerStage::kTransform, WorkerStage::kHandOver, WorkerStage::kNextCall,
                              WorkerStage::kIdle};
static_assert(kInOrder.size() == kWorkerStages);

bool is_known(WorkerStage stage, bool foreign) {
  if (stage == WorkerStage::kIdle) return true;
  return (stage == WorkerStage::kNextCall) == foreign;
}

}  // namespace

bool LoaderStages::foreign() const {
  return std::ranges::find(stages, WorkerStage::kNextCall, &LoaderStage::stage) != stages.end();
}

std::span<const WorkerStage> stages_in_order() {
  return kInOrder;
}

std::optional<LoaderStages> loader_stages_between(std::span<const WorkerTimes> before,
                                                  std::span<const WorkerTimes> after) {
  if (after.empty()) return std::nullopt;
  LoaderStages known;
  for (const WorkerStage stage : stages_in_order()) {
    if (!is_known(stage, after.front().foreign)) continue;
    LoaderStage& one = known.stages.emplace_back(LoaderStage{.stage = stage, .seconds = {}});
    for (std::size_t i = 0; i < after.size(); ++i) {
      const std::chrono::duration<double> spent =
          after[i].in(stage) - (before.empty() ? std::chrono::nanoseconds(0) : before[i].in(stage));
      one.seconds.push_back(std::max(0.0, spent.count()));
    }
  }
  return known;
}

LoaderStages loader_stages_of_next_calls(double seconds_in_them, double wall_seconds) {
  return {{{WorkerStage::kNextCall, {seconds_in_them}},
           {WorkerStage::kIdle, {std::max(0.0, wall_seconds - seconds_in_them)}}}};
}

}  // namespace loadline
