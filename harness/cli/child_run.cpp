#include "harness/cli/child_run.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <tuple>

#include "harness/cli/child.h"
#include "harness/file/result_reader.h"
#include "harness/machine/build_facts.h"
#include "harness/machine/run_id.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWithinTheRun = "its result";

// Distinguishes two builds, independent of the libraries they found.
auto identity(const Build& build) {
  return std::tie(build.version, build.git_revision, build.git_dirty, build.build_type, build.compiler, build.flags,
                  build.sanitizer);
}

// What every version of this program records about a cell, whatever its name.
auto identity(const Cell& cell) {
  return std::tuple(std::string_view(cell.workload), cell.mode, cell.loader.value_or(""), cell.workers,
                    cell.sampler.batch_size);
}

bool has_cells(const Result& result, const std::vector<Cell>& cells) {
  std::vector<const Cell*> found;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.mode != Mode::kOverhead) found.push_back(&cell.cell);
  }
  return std::ranges::equal(
      found, cells, {}, [](const Cell* cell) { return identity(*cell); },
      [](const Cell& cell) { return identity(cell); });
}

std::string fault_of_trials(const Result& result, std::size_t trials) {
  for (const CellResult& cell : result.cells) {
    if (cell.cell.mode == Mode::kOverhead) continue;
    if (cell.error) return fmt::format("has a failed cell {}: {}", cell.cell.name(), *cell.error);
    if (cell.trials.size() == trials) continue;
    return fmt::format("has {} trials of {} instead of {}", cell.trials.size(), cell.cell.name(), trials);
  }
  return "";
}

std::string fault_of_options(const Result& result, const ChildRequest& request) {
  if (result.options.output != request.options.output) return "has another command line";
  for (const OptionRow* row : request.given) {
    if (read_option(result.options, *row) == read_option(request.options, *row)) continue;
    return fmt::format("has another --{} than requested", row->name);
  }
  return "";
}

// Results hold their start time in seconds.
bool begun_before(const std::string& started, std::chrono::system_clock::time_point began) {
  const auto time = parse_utc_timestamp(started);
  return !time || *time < std::chrono::floor<std::chrono::seconds>(began);
}

std::vector<Cell> cells_of(const RunOptions& options) {
  std::vector<Cell> cells = make_plan(options, this_context()).cells;
  std::erase_if(cells, [](const Cell& cell) { return cell.mode == Mode::kOverhead; });
  return cells;
}

}  // namespace

std::string fault_of(const Result& result, const ChildRequest& request) {
  if (result.status != Status::kComplete) return "is partial";
  if (begun_before(result.started, request.began)) {
    return fmt::format("began at {}, before the run was started", result.started);
  }
  if (std::string fault = fault_of_options(result, request); !fault.empty()) return fault;
  if (request.build && identity(*request.build) != identity(result.environment.build)) {
    return fmt::format("comes from another build, {} {}", result.environment.build.version,
                       result.environment.build.git_revision.value_or("of an unknown revision"));
  }
  if (!has_cells(result, request.cells)) return "has different cells than requested";
  return fault_of_trials(result, request.options.trials);
}

ChildRuns::ChildRuns(std::size_t trials) : trials_(trials) {
  std::string pattern = (fs::temp_directory_path() / "loadline-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw Error(fmt::format("cannot create a directory like {}: {}", pattern, std::strerror(errno)));
  }
  directory_ = pattern;
}

ChildRuns::~ChildRuns() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

std::optional<Result> ChildRuns::run(const Side& side, const std::stop_token& stop) {
  const fs::path file = directory_ / fmt::format("run-{}.json", ++runs_);
  ChildRequest request{.options = side.options,
                       .given = side.given,
                       .cells = cells_of(side.options),
                       .began = std::chrono::system_clock::now(),
                       .build = {}};
  request.options.trials = trials_;
  request.options.output = file.string();
  // For another program we can only check that it stays the same.
  if (side.binary == kThisProgram) request.build = this_build();
  if (const auto known = builds_.find(side.option); known != builds_.end()) request.build = known->second;

  std::vector<std::string> words = side.binary == kThisProgram ? this_program() : std::vector{side.binary};
  words.emplace_back("run");
  words.insert(words.end(), side.words.begin(), side.words.end());
  for (const auto& [option, value] :
       {std::pair("--trials", fmt::format("{}", trials_)), {"--ceilings", "off"}, {"--first-epoch-seconds", "0"}}) {
    words.insert(words.end(), {option, value});
  }
  words.insert(words.end(), {"--quiet", "--output", file.string()});

  const std::string who = fmt::format("{}: {} run", side.option, side.binary);
  const int code = run_child(words, stop);
  if (stop.stop_requested()) return std::nullopt;
  if (is_interrupted(code)) throw Error(fmt::format("{} was stopped by another process", who));
  if (code != 0) throw Error(fmt::format("{} ended with exit code {}", who, code));
  Result result = checked_result(file, request, who);
  builds_.emplace(side.option, result.environment.build);
  return result;
}

Result ChildRuns::checked_result(const fs::path& path, const ChildRequest& request, std::string_view who) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) throw Error(fmt::format("{} wrote no result", who));
  Result result;
  try {
    result = parse_result(read_text(path), std::string(kWithinTheRun));
  } catch (const Error& error) {
    throw Error(fmt::format("{} wrote something that cannot be used: {}", who, error.what()));
  }
  if (!run_ids_.insert(result.run_id).second) {
    throw Error(fmt::format("{} wrote the result of an earlier run again, {}", who, result.run_id));
  }
  if (const std::string fault = fault_of(result, request); !fault.empty()) {
    throw Error(fmt::format("{} wrote something that cannot be used: {} {}", who, kWithinTheRun, fault));
  }
  return result;
}

}  // namespace loadline
