// Results of several ranks made by hand, of one configuration: thread-pool with two workers and, by default, batches of
// 100.
#pragma once

#include <string>
#include <vector>

#include "tests/harness/support/results.h"

namespace loadline::test {

struct RanksRequest {
  std::size_t ranks = 1;
  std::vector<double> io = {};  // samples per second of all ranks together, one per trial
  std::vector<double> synthetic = {};
  std::vector<double> full = {};
  double wait_share = 0;   // the share of a rank's FULL time in which it waits for the loader
  double early_share = 0;  // the share of the FULL time that is left when all ranks but the last end
  std::size_t batch_size = 100;
  std::size_t cpus_of_rank = 2;
  bool dealt = false;
  std::vector<std::string> hosts = {"n1"};  // the ranks take them in turn
};

inline void add_rank_shares(Trial& trial, const RanksRequest& request) {
  trial.wait.total_seconds = request.wait_share * trial.wall_seconds;
  if (request.ranks == 1) return;
  TrialRanks ranks;
  for (std::size_t rank = 0; rank < request.ranks; ++rank) {
    const bool last = rank + 1 == request.ranks;
    ranks.each.push_back({.rank = rank,
                          .wall_seconds = trial.wall_seconds * (last ? 1 : 1 - request.early_share),
                          .batches = trial.batches / request.ranks,
                          .samples = trial.samples / request.ranks,
                          .wait_seconds = trial.wait.total_seconds});
  }
  trial.ranks = std::move(ranks);
}

inline Result ranks_result(const RanksRequest& request) {
  std::vector<CellRequest> cells;
  const auto add = [&](Mode mode, const std::vector<double>& rates) {
    if (rates.empty()) return;
    cells.push_back(
        {.mode = mode, .rates = rates, .loader = "thread-pool", .workers = 2, .batch_size = request.batch_size});
  };
  add(kIo, request.io);
  add(kSynthetic, request.synthetic);
  add(kFull, request.full);
  Result result = result_of(cells);
  result.run_id = "run-" + std::to_string(request.ranks);
  result.status = Status::kComplete;
  for (CellResult& cell : result.cells) {
    cell.cell.sampler.world_size = request.ranks;
    for (Trial& trial : cell.trials) {
      if (cell.cell.mode == kFull) add_rank_shares(trial, request);
    }
  }
  result.environment.machine.threads_in_force = request.cpus_of_rank;
  if (request.ranks == 1) return result;
  RunRanks ranks{.launcher = "mpirun", .library = "MPI"};
  for (std::size_t rank = 0; rank < request.ranks; ++rank) {
    RankPlace place{.host = request.hosts[rank % request.hosts.size()], .dealt = request.dealt};
    for (std::size_t cpu = 0; cpu < request.cpus_of_rank; ++cpu) {
      place.cpus.push_back((rank / request.hosts.size()) * request.cpus_of_rank + cpu);
    }
    ranks.places.push_back(std::move(place));
  }
  result.ranks = std::move(ranks);
  return result;
}

}  // namespace loadline::test
