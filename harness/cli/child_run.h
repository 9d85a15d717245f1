// Runs in separate processes. A result is accepted only if it can come from no other run.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/side.h"
#include "harness/result/result.h"

namespace loadline {

// What a run in another process has to do.
struct ChildRequest {
  RunOptions options;                   // all of them
  std::vector<const OptionRow*> given;  // options that it must have applied; for others it may have its own defaults
  std::vector<Cell> cells;              // cells that it must have, apart from OVERHEAD
  std::chrono::system_clock::time_point began;  // a moment before it was started
  std::optional<Build> build;                   // the build that must have made it; nullopt: any
};

// Why `result` cannot be the answer to the request, as the end of a sentence after "the result ": "is partial", "was
// begun at 2026-01-01T00:00:00Z, before the run was started". Empty if it can: it is complete, was begun after the
// request, was written to options.output by a run with the given options and by this build, and has the requested
// cells, each with options.trials trials.
std::string fault_of(const Result& result, const ChildRequest& request);

class ChildRuns {
 public:
  // Each run has `trials` trials of each cell.
  explicit ChildRuns(std::size_t trials);
  ChildRuns(const ChildRuns&) = delete;
  ChildRuns& operator=(const ChildRuns&) = delete;
  ~ChildRuns();

  // One run of this side's binary with its options, without first epochs and ceilings, on our standard streams;
  // nullopt when stopped. Each run writes to a new path. Throws Error naming side, binary and reason if the run
  // cannot be started or ends with an exit code other than 0, or if its result is missing, unreadable or at fault,
  // was already returned by another run of this object, or comes from another build than the side's run before.
  std::optional<Result> run(const Side& side, const std::stop_token& stop);

 private:
  Result checked_result(const std::filesystem::path& path, const ChildRequest& request, std::string_view who);

  std::size_t trials_;
  std::filesystem::path directory_;  // removed with this object
  std::size_t runs_ = 0;
  std::set<std::string> run_ids_;
  std::map<std::string_view, Build> builds_;  // by side
};

}  // namespace loadline
