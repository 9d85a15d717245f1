#include "harness/result/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/machine/machine.h"
#include "harness/machine/run_id.h"
#include "harness/result/merge_completeness.h"
#include "harness/result/merge_names.h"
#include "harness/result/merge_paths.h"
#include "harness/result/merge_refusals.h"
#include "harness/result/merger.h"
#include "loaders/error.h"

namespace loadline {
namespace {

std::chrono::system_clock::time_point start_of(const MergePart& part) {
  const auto time = parse_utc_timestamp(part.result.started);
  if (!time) throw Error(fmt::format("{}: started: want a time in UTC, got '{}'", part.source, part.result.started));
  return *time;
}

// Orders places by time: checks come after all others, as in a run.
void number_places(Result& result) {
  struct Moment {
    double seconds;
    std::size_t before;
    std::size_t* place;
  };
  std::size_t next = 0;
  const auto number = [&](std::vector<Moment> moments) {
    std::ranges::stable_sort(moments, [](const Moment& a, const Moment& b) {
      return std::pair(a.seconds, a.before) < std::pair(b.seconds, b.before);
    });
    for (const Moment& moment : moments) *moment.place = next++;
  };
  std::vector<Moment> moments;
  const auto note = [&](auto& trial) { moments.push_back({trial.started_seconds, trial.place, &trial.place}); };
  for (CellResult& cell : result.cells) std::ranges::for_each(cell.trials, note);
  for (CeilingResult& ceiling : result.ceilings) std::ranges::for_each(ceiling.trials, note);
  number(std::exchange(moments, {}));
  for (CellResult& check : result.checks) std::ranges::for_each(check.trials, note);
  number(std::move(moments));
}

// Everything in the merged result that was not measured.
void set_frame(const std::vector<MergePart>& parts, Result& result) {
  const Result& first = parts.front().result;
  result.started = first.started;
  result.arguments = first.arguments;
  result.options = first.options;
  result.options.part.clear();
  result.kernels = first.kernels;
  result.environment = first.environment;
  result.loop = first.loop;
  result.status = Status::kComplete;
  if (!all_shares(parts)) {
    result.status = Status::kPartial;
    result.options.part = known_shares(parts);
    for (const MergePart& part : parts) {
      // An absent number is less than any.
      result.divided_configurations = std::max(result.divided_configurations, part.result.divided_configurations);
    }
  }
  result.finished = first.finished;
  for (const MergePart& part : parts) {
    add_hosts(part.result.environment.machine, result.environment.machine);
    add_builds(part.result, result);
    if (part.result.status == Status::kPartial) result.status = Status::kPartial;
    // An absent time is less than any.
    result.finished =
        !part.result.finished || !result.finished ? std::nullopt : std::max(result.finished, part.result.finished);
    for (std::string& run : runs_of(part.result)) result.merged_from.push_back(std::move(run));
  }
}

}  // namespace

std::vector<std::string> runs_of(const Result& result) {
  return result.merged_from.empty() ? std::vector{result.run_id} : result.merged_from;
}

Result merge_results(std::vector<MergePart> parts, const std::string& run_id, bool allow_mismatch) {
  if (parts.size() < 2) throw usage_error(fmt::format("merge: want at least two results, got {}", parts.size()));
  refuse_repeated_runs(parts);
  std::ranges::stable_sort(parts, {}, start_of);
  spell_alike(parts);
  refuse_unlike_parts(parts, allow_mismatch);
  Merger merger;
  set_frame(parts, merger.result());
  const auto start = start_of(parts.front());
  const bool all_parts = all_shares(parts);
  for (MergePart& part : parts) {
    const double after = std::chrono::duration<double>(start_of(part) - start).count();
    merger.add(std::move(part.result), after);
  }
  Result result = std::move(merger.result());
  result.run_id = run_id;
  name_apart(result);
  number_places(result);
  if (all_parts && has_all_trials(result)) result.status = Status::kComplete;
  return result;
}

void add_builds(const Result& part, Result& result) {
  std::vector<std::string> names = part.other_builds;
  names.push_back(name_of(part.environment.build));
  for (std::string& name : names) {
    const bool known = name == name_of(result.environment.build) ||
                       std::ranges::find(result.other_builds, name) != result.other_builds.end();
    if (!known) result.other_builds.push_back(std::move(name));
  }
}

}  // namespace loadline
