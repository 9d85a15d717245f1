// A command that several processes run as one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/interrupt.h"
#include "harness/cli/verbs.h"
#include "harness/measure/together.h"
#include "harness/plan/plan.h"
#include "harness/ranks/mpi.h"
#include "harness/ranks/ranks.h"
#include "harness/result/rank_record.h"
#include "harness/result/result.h"
#include "harness/result/staging_record.h"
#include "synthetic/clock.h"

namespace loadline {

// What each rank of a run does in addition to a single process: agree on the same plan, on the same data, with the
// same build, and to tell the others. Rank 0 alone prints and writes. Made on the main thread before any other is
// started, like Interrupt, which it has. One thread.
class RankSession {
 public:
  // Starts MPI and gives this rank its CPUs. Throws Error.
  RankSession(const Launch& launch, double timeout_seconds);

  // Runs a command on all ranks. Returns the exit code of all: that of rank 0, or what a failure of any makes it, whose
  // sentence rank 0 has printed then.
  int run(const std::function<int()>& command);

  bool is_first() const { return ranks_.is_first(); }
  Ranks& ranks() { return ranks_; }
  const Interrupt& interrupt() const { return interrupt_; }
  Together& together() { return *together_; }
  const RunRanks& facts() const { return facts_; }
  std::size_t ranks_here() const;  // on this host
  // Whether no rank with a lower number runs on this host: what one rank a node does is its task.
  bool is_first_here() const { return first_here_; }

  // The request of all: rank 0's earlier result, this rank's share. Throws Error where it asks for something that ranks
  // do not have, and where a rank was started with other options than rank 0 or is another build.
  void share_request(RunRequest& request);
  // The number that rank 0 has.
  std::size_t of_first(std::size_t mine);
  // What copying took on all nodes, from what it took on each: that of its first rank, nothing of the others, none
  // where it was stopped. All have as many copies in the same order. Waits for all. None where any was stopped.
  std::optional<std::vector<StagedCopy>> share_staging(const std::optional<std::vector<StagedCopy>>& own);
  // Brings the cells into rank 0's order. Throws Error where a rank has others.
  void share_plan(Plan& plan);
  // Throws Error if a rank has prepared different data. Returns whether all ranks finished preparing.
  bool check_prepared(bool done, const Result& result);

 private:
  const Interrupt interrupt_;
  SteadyClock clock_;
  Ranks ranks_;
  std::optional<Together> together_;
  RunRanks facts_;
  bool first_here_ = true;
};

// The processes that this one was started with, if they form one run: not if each got its share by --rank
// and --world-size.
std::optional<Launch> launch_of_run(bool has_own_share);

}  // namespace loadline
