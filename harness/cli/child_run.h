// Runs in processes of their own, whose results are believed only where they can be no others.
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

// What a run in another process was asked for.
struct ChildRequest {
  RunOptions options;                   // all of them
  std::vector<const OptionRow*> given;  // those that it must have applied; it may have its own defaults for others
  std::vector<Cell> cells;              // that it has to have; beside OVERHEAD
  std::chrono::system_clock::time_point began;  // before it was started
  std::optional<Build> build;                   // that it has to be of; nullopt: any
};

// Why `result` cannot be the answer to the request, to be read behind "the result ": "is partial", "was begun at
// 2026-01-01T00:00:00Z, before the run was started". Empty where it can: it is complete, was begun after the request,
// was written to options.output by a run with the options that were given, is of the build, and has the cells, each
// with options.trials trials.
std::string fault_of(const Result& result, const ChildRequest& request);

class ChildRuns {
 public:
  // `trials` of each cell in each run.
  explicit ChildRuns(std::size_t trials);
  ChildRuns(const ChildRuns&) = delete;
  ChildRuns& operator=(const ChildRuns&) = delete;
  ~ChildRuns();

  // One run of this side's binary with its options, without first epochs and ceilings, its streams ours; nullopt where
  // it was stopped. Each run writes to a path that was never there. Throws Error naming side, binary and reason: it
  // cannot be started, ends with another exit code than 0, or its result is absent, cannot be read, has a fault, is one
  // that another run of this object had written, or of another build than the side's run before.
  std::optional<Result> run(const Side& side, const std::stop_token& stop);

 private:
  Result checked_result(const std::filesystem::path& path, const ChildRequest& request, std::string_view who);

  std::size_t trials_;
  std::filesystem::path directory_;  // gone with this object
  std::size_t runs_ = 0;
  std::set<std::string> run_ids_;
  std::map<std::string_view, Build> builds_;  // by side
};

}  // namespace loadline
