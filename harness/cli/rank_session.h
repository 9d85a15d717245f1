// A command that several processes run as one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/interrupt.h"
#include "harness/cli/verbs.h"
#include "harness/measure/joint_trials.h"
#include "harness/plan/plan.h"
#include "harness/ranks/mpi.h"
#include "harness/ranks/ranks.h"
#include "harness/result/rank_record.h"
#include "harness/result/result.h"
#include "harness/result/staging_record.h"
#include "synthetic/clock.h"

namespace loadline {

// What a rank does beyond a single process: the ranks check that plan, data and build are the same, and tell each
// other of failures. Only rank 0 prints and writes. Construct it on the main thread before any other thread starts,
// because it holds an Interrupt. One thread.
class RankSession {
 public:
  // Starts MPI and gives this rank its CPUs. Throws Error.
  RankSession(const Launch& launch, double timeout_seconds);

  // Runs a command on all ranks. Returns the same exit code on all: that of rank 0, or that of a failure on any rank,
  // whose sentence rank 0 has then printed.
  int run(const std::function<int()>& command);

  bool is_first() const { return ranks_.is_first(); }
  Ranks& ranks() { return ranks_; }
  const Interrupt& interrupt() const { return interrupt_; }
  JointTrials& joint_trials() { return *joint_trials_; }
  const RunRanks& facts() const { return facts_; }
  std::size_t ranks_here() const;  // on this host
  // Whether no rank with a lower number runs on this host. This rank then does the work that each node needs once.
  bool is_first_here() const { return first_here_; }

  // Completes the request: rank 0's earlier result, this rank's share. Throws Error for options that do not work with
  // ranks, and if a rank has other options or another build than rank 0.
  void share_request(RunRequest& request);
  // Returns rank 0's number on all ranks.
  std::size_t of_first(std::size_t mine);
  // Combines what copying took on each node into what it took on all. The first rank of each node passes its copies,
  // the others pass an empty list; nullopt: stopped. All nodes have the same copies in the same order. Waits for all
  // ranks. Returns nullopt if any was stopped.
  std::optional<std::vector<StagedCopy>> share_staging(const std::optional<std::vector<StagedCopy>>& own);
  // Puts the cells into rank 0's order. Throws Error if a rank has other cells.
  void share_plan(Plan& plan);
  // Throws Error if a rank has prepared different data. Returns whether all ranks finished preparing.
  bool check_prepared(bool done, const Result& result);

 private:
  const Interrupt interrupt_;
  SteadyClock clock_;
  Ranks ranks_;
  std::optional<JointTrials> joint_trials_;
  RunRanks facts_;
  bool first_here_ = true;
};

// The processes that this one was started with, if they form one run. They do not if each got its share by --rank and
// --world-size.
std::optional<Launch> launch_of_run(bool has_own_share);

}  // namespace loadline
