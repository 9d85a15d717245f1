#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/exclusions.h"
#include "harness/cli/judging.h"
#include "harness/cli/opening.h"
#include "harness/cli/output.h"
#include "harness/cli/result_file.h"
#include "harness/cli/screen.h"
#include "harness/cli/side.h"
#include "harness/cli/streams.h"
#include "harness/cli/turns.h"
#include "harness/cli/verbs.h"
#include "harness/machine/run_id.h"
#include "loaders/error.h"
#include "loaders/printable.h"
#include "synthetic/clock.h"

namespace loadline {
namespace {

void check(const PairsRequest& request) {
  if (request.pairs < 2) {
    throw usage_error(fmt::format("--pairs {}: want at least 2, because one pair has no interval", request.pairs));
  }
  if (request.run.options.output == "-") throw usage_error("--output -: ab writes two results; give it a file");
  metric_named(request.judging.metric);
}

// "out" of "out.json".
std::string stem_of(const std::string& output) {
  static constexpr std::string_view kEnding = ".json";
  if (output.empty()) {
    return fmt::format("loadline-{}", make_run_id(std::chrono::system_clock::now(), std::random_device{}()));
  }
  return output.ends_with(kEnding) ? output.substr(0, output.size() - kEnding.size()) : output;
}

// One process monitors the machine all the time or not at all.
void check_alike(const RunOptions& base, const RunOptions& changed) {
  const auto refuse = [](std::string_view option) {
    throw usage_error(fmt::format("--{}: both sides share a process; give it to both, or use --processes", option));
  };
  if (base.monitor != changed.monitor) refuse("monitor");
  if (base.counters != changed.counters) refuse("counters");
}

// Whether each trial needs a process of its own.
bool in_processes(const PairsRequest& request, const Side& base, const Side& changed) {
  return request.processes || base.binary != kThisProgram || changed.binary != kThisProgram;
}

struct BothSides {
  Side base;
  Side changed;
  OutputRules rules;  // against overwriting the data of either
};

BothSides make_sides(const PairsRequest& request) {
  const RunOptions& options = request.run.options;
  Side base = make_side(options, request.words, "--base", request.base, request.base_binary);
  Side changed = make_side(options, request.words, "--new", request.changed, request.changed_binary);
  if (base.words == changed.words && base.binary == changed.binary) {
    throw usage_error("--base and --new: they do not differ; `loadline aa` measures how much identical runs differ");
  }
  if (!in_processes(request, base, changed)) check_alike(base.options, changed.options);
  const std::array plans{make_plan(base.options, this_context()), make_plan(changed.options, this_context())};
  tell_idle_exclusions(plans);
  std::vector<Cell> cells;
  for (const Plan& plan : plans) cells.insert(cells.end(), plan.cells.begin(), plan.cells.end());
  return {std::move(base), std::move(changed), output_rules(request.run, cells)};
}

// Why they took so long to stop: a call that returned late, or one that was abandoned, which fails its cell.
void tell_what_hung(const std::string& hung, const PairedResults& sides) {
  if (!hung.empty()) print_error(hung);
  for (const Result* side : {&sides.base, &sides.changed}) {
    for (const CellResult& cell : side->cells) {
      if (cell.error) print_error(*cell.error);
    }
  }
}

}  // namespace

int ab_verb(const std::function<PairsRequest()>& ask) {
  Interrupt interrupt;
  SteadyClock clock;
  Opening opening(nullptr, clock, interrupt.token(), [&] { return interrupt.signal(); });
  PairsRequest request;
  std::optional<BothSides> made;
  opening.run([&] {
    request = ask();
    check(request);
    made = make_sides(request);
  });
  if (!made) return opening.interrupted();
  const auto& [base, changed, rules] = *made;
  const std::string stem = stem_of(request.run.options.output);
  ResultFile base_file(stem + "-base.json", rules);
  ResultFile changed_file(stem + "-new.json", rules);
  const PairsSaver saver{.due = [&] { return base_file.is_due(clock) && changed_file.is_due(clock); },
                         .save =
                             [&](const PairedResults& sides) {
                               for (const auto& news : {base_file.save_in_passing(sides.base, clock),
                                                        changed_file.save_in_passing(sides.changed, clock)}) {
                                 if (news) print_error(*news);
                               }
                             }};
  const auto [sides, complete, hung] = in_processes(request, base, changed)
                                           ? take_turns_in_processes(request, base, changed, interrupt, saver)
                                           : take_turns_here(request, base, changed, interrupt, saver);
  if (!complete) tell_what_hung(hung, sides);
  if (!sides.base.has_trials() || !sides.changed.has_trials()) {
    if (interrupt.signal() != 0) return interrupted(interrupt, "nothing was measured and no result written");
    throw_first_failure(sides.base);
    throw_first_failure(sides.changed);
  }
  base_file.finish(sides.base, judge_run(sides.base));
  changed_file.finish(sides.changed, judge_run(sides.changed));
  if (!complete) {
    return interrupted(interrupt,
                       fmt::format("what was measured so far is in {} and {}", base_file.path(), changed_file.path()));
  }
  JudgeRequest judging = request.judging;
  judging.noise = "none";  // a noise floor is for separate runs, and these alternate
  const std::vector diffs{diff_pairs({printable(base_file.path()), sides.base},
                                     {printable(changed_file.path()), sides.changed},
                                     diff_options(judging, sides.base))};
  put_diff(request.format, format_diff(request.format, diffs, width_of(stdout)), request.run.colours);
  throw_first_failure(sides.base);
  throw_first_failure(sides.changed);
  return exit_code(request.judging, diffs);
}

}  // namespace loadline
