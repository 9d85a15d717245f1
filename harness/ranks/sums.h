// Summing gradients over the ranks of a run.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/ranks/ranks.h"
#include "loaders/system/memory.h"
#include "synthetic/compute/gradient_sum.h"

namespace loadline {

// Sums over all ranks, by the same transport as their messages. Borrows the ranks. Use it on the thread of their
// exchanges.
class RankSums final : public GradientSum {
 public:
  explicit RankSums(Ranks& ranks) : ranks_(ranks) {}

  std::size_t ranks() const override { return ranks_.size(); }
  std::optional<std::span<float>> meet(std::size_t values) override;
  void start(std::span<float> part) override;
  bool poll() override;
  // Polls continuously, yielding to other threads, as MPI's own waiting does: polling makes the sums progress.
  // Returns when the run has failed. Ranks fails the run if another rank does not join in time.
  bool wait() override;

 private:
  Ranks& ranks_;
  std::optional<HugeMemory> room_;
  std::vector<HugeMemory> left_behind_;  // memory that sums of a failed run may still write to
  bool pending_ = false;
};

}  // namespace loadline
