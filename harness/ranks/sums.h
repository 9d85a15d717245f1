// The sums of gradients of the ranks of a run.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/ranks/ranks.h"
#include "loaders/system/memory.h"
#include "synthetic/compute/gradient_sum.h"

namespace loadline {

// Over all ranks, carried by what carries their messages. Borrows the ranks. The thread of their exchanges.
class RankSums final : public GradientSum {
 public:
  explicit RankSums(Ranks& ranks) : ranks_(ranks) {}

  std::size_t ranks() const override { return ranks_.size(); }
  std::optional<std::span<float>> meet(std::size_t values) override;
  void start(std::span<float> part) override;
  bool poll() override;
  // It looks all the time, giving way to other threads, as MPI's own waiting does: sums go on while it looks. Ends when
  // the run has failed, and fails it where another rank does not come for as long as Ranks waits for one.
  bool wait() override;

 private:
  Ranks& ranks_;
  std::optional<HugeMemory> room_;
  std::vector<HugeMemory> left_behind_;  // that sums of a run that has failed may still write to
  bool pending_ = false;
};

}  // namespace loadline
