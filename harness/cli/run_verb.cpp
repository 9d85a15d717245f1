#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>

#include "harness/cli/baselines.h"
#include "harness/cli/child.h"
#include "harness/cli/cli.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/judging.h"
#include "harness/cli/opening.h"
#include "harness/cli/output.h"
#include "harness/cli/rank_session.h"
#include "harness/cli/reporter.h"
#include "harness/cli/result_file.h"
#include "harness/cli/run_output.h"
#include "harness/cli/screen.h"
#include "harness/cli/staging.h"
#include "harness/cli/streams.h"
#include "harness/cli/trace_file.h"
#include "harness/cli/verbs.h"
#include "harness/file/result_json.h"
#include "harness/file/result_reader.h"
#include "harness/judge/judgement.h"
#include "harness/judge/phrase.h"
#include "harness/machine/cpu_limits.h"
#include "harness/machine/job.h"
#include "harness/machine/numa_nodes.h"
#include "harness/machine/run_id.h"
#include "harness/machine/threads.h"
#include "harness/measure/check.h"
#include "harness/measure/find.h"
#include "harness/measure/instruments.h"
#include "harness/measure/meter.h"
#include "harness/measure/prepare.h"
#include "harness/measure/resume.h"
#include "harness/measure/run.h"
#include "harness/measure/schedule.h"
#include "harness/measure/watch.h"
#include "harness/plan/find.h"
#include "harness/plan/plan.h"
#include "harness/show/benchy.h"
#include "harness/show/best_text.h"
#include "harness/show/ceilings_table.h"
#include "harness/show/columns.h"
#include "harness/show/figures_text.h"
#include "harness/show/schedule_text.h"
#include "harness/show/summary_text.h"
#include "harness/show/table.h"
#include "loaders/datasets/image_listing.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/printable.h"
#include "loaders/storage/file_stamp.h"
#include "loaders/storage/staged_copy.h"
#include "loaders/system/affinity.h"
#include "loaders/transforms/kernels.h"
#include "synthetic/clock.h"

namespace loadline {
namespace {

Result begin_result(const RunRequest& request) {
  Result result;
  const auto now = std::chrono::system_clock::now();
  result.run_id = make_run_id(now, std::random_device{}());
  result.started = utc_timestamp(now);
  result.arguments = request.arguments;
  result.options = request.options;
  result.kernels = kernels_named(request.options.kernels).name;
  result.environment = this_environment();
  return result;
}

constexpr MeasuringVerb kRun{scope_text, figures_text, true};
constexpr MeasuringVerb kCeilings{ceilings_scope_text, ceilings_text, false};

// Checks that the file to continue is still as it was read: another process may have continued it in between.
void check_unchanged(const RunRequest& request) {
  if (!request.earlier_stamp || stamp_of(request.resume) == request.earlier_stamp) return;
  throw Error(fmt::format("--resume {}: another process wrote to it in the meantime; resume it again", request.resume));
}

// With several ranks, only the first.
bool prints(const RunRequest& request) {
  return request.ranks == nullptr || request.ranks->is_first();
}

std::optional<ResultFile> result_file(const MeasuringVerb& verb, const RunRequest& request, const Plan& plan,
                                      const Result& result) {
  if (request.dry_run || !prints(request)) return std::nullopt;
  const std::string& output = request.options.output;
  if (output.empty() && !verb.cells) return std::nullopt;
  ResultFile file(output.empty() ? fmt::format("loadline-{}.json", result.run_id) : output,
                  output_rules(request, plan.cells));
  check_unchanged(request);
  return file;
}

// The last thing that is printed, because it ends the run.
void throw_if_failed(const std::string& failure) {
  if (!failure.empty()) throw Error(failure);
}

bool check(const RunOptions& options, Result& result, RunContext& context, Progress& progress) {
  add_checks(result);
  if (result.checks.empty()) return true;  // the summary says so
  progress.milestone(fmt::format("checking {}", plural(result.checks.size(), "prediction")));
  return run_further(options, result, result.checks, context);
}

// The delays of threads that have ended are lost, so the delays of the whole process are not known. Trials restart
// the peak: `peak_rss_bytes` is the peak before the last one began.
Usage used_by_process(const UsageMeter& meter, const UsageReading& before, std::uint64_t peak_rss_bytes) {
  Usage used = difference(meter.now(), before);
  used.run_delay_seconds.reset();
  used.blocked_io_seconds.reset();
  if (used.peak_rss_bytes) used.peak_rss_bytes = std::max(*used.peak_rss_bytes, peak_rss_bytes);
  return used;
}

// Returns false when stopped before the end.
bool run_all(const Plan& plan, const PlanContext& plan_context, Result& result, RunContext& context, Progress& progress,
             RankSession* ranks) {
  const RunOptions& options = plan.options;
  const bool done =
      options.find.empty() ? run_plan(plan, result, context) : find_and_run(options, plan_context, result, context);
  if (!done || (options.check_verdict && !check(options, result, context, progress))) return false;
  const bool taken = take_fingerprints(result, context);
  return ranks == nullptr ? taken : ranks->check_prepared(taken, result);
}

// The same, but if a rank is lost, keeps what the others have, and the sentence about the loss in `lost`.
bool run_as_far_as_may_be(const Plan& plan, const PlanContext& plan_context, Result& result, RunContext& context,
                          Progress& progress, RankSession* ranks, std::string& lost) {
  try {
    return run_all(plan, plan_context, result, context, progress, ranks);
  } catch (const Error& error) {
    if (ranks == nullptr || !ranks->ranks().failure()) throw;
    lost = error.what();
    return false;
  }
}

// What ranks add to the plan: one number of threads for all.
PlanContext plan_context_here(RankSession* ranks) {
  const std::size_t threads = threads_in_force();
  return {.threads_in_force = ranks == nullptr ? threads : ranks->of_first(threads),
          .cpus = affinity_cpus(),
          .nodes = numa_nodes_now(),
          .data_directory = data_directory()};
}

// nullopt if not requested. The rules are those of a table, and it must not be the file of the result.
std::optional<TraceFile> trace_file(const RunRequest& request, const Plan& plan,
                                    const std::optional<ResultFile>& result) {
  if (request.trace.empty() || request.dry_run) return std::nullopt;
  const auto whole = [](const std::string& path) { return std::filesystem::weakly_canonical(path); };
  if (result && !result->to_stdout() && whole(request.trace) == whole(result->path())) {
    throw usage_error(fmt::format("--trace {}: it is the file of the result; name another", request.trace));
  }
  OutputRules rules = output_rules(request, plan.cells);
  rules.kind = OutputRules::Kind::kText;
  rules.goes_on = false;
  return TraceFile(request.trace, rules);
}

// Throws Error if the request differs from the run that it should continue.
void check_resume(const RunRequest& request) {
  if (request.resume.empty()) return;
  if (!request.options.find.empty()) {
    throw usage_error(
        fmt::format("--resume: a search by --find {} cannot be continued; run it again", request.options.find));
  }
  if (request.earlier) return check_same_options(request.earlier->options, request.options, request.resume);
  const auto normal = [](const std::string& path) { return std::filesystem::path(path).lexically_normal(); };
  if (normal(request.options.output) == normal(request.resume)) return;
  throw usage_error(
      fmt::format("--resume {}: it does not exist, and --output names a different file to start", request.resume));
}

int measure(const MeasuringVerb& verb, const RunRequest& request) {
  check_resume(request);
  if (request.earlier && is_finished(*request.earlier)) {
    if (!request.trace.empty()) {
      throw usage_error(
          fmt::format("--trace: {} is complete, so --resume measures nothing; trace a new run", request.resume));
    }
    const std::string failure = failure_text(*request.earlier);
    if (!request.options.quiet) {
      const Judgement judgement = judge_run(*request.earlier);
      if (request.details) {
        print_result(verb, *request.earlier, judgement, failure, stdout);
      } else {
        print_summary(*request.earlier, judgement, stdout);
        put_text(stdout, details_text(request.resume));
      }
      put(stdout, fmt::format("\nnothing to do: {} is complete\n", printable(request.resume)));
    }
    throw_if_failed(failure);
    return kExitOk;
  }
  RankSession* const ranks = request.ranks;
  std::optional<Interrupt> own_interrupt;
  if (ranks == nullptr) own_interrupt.emplace();
  const Interrupt& interrupt = ranks == nullptr ? *own_interrupt : ranks->interrupt();
  const auto signal = [&] { return ranks == nullptr ? interrupt.signal() : ranks->ranks().signal(); };
  const std::stop_token stop = ranks == nullptr ? interrupt.token() : ranks->ranks().stop_token();
  SteadyClock clock;
  const Time began = clock.now();
  const auto began_at = std::chrono::system_clock::now();
  const UsageMeter meter(affinity_cpus());
  const UsageReading used_before = meter.now();
  std::uint64_t peak_rss_bytes = 0;
  std::string hung;  // where the run was stopped
  const PlanContext plan_context = plan_context_here(ranks);
  // Known before anything is measured.
  if (!request.baseline.empty()) diff_options({}, load_result(existing_baseline("--baseline", request.baseline)));
  if (!request.save_baseline.empty()) new_baseline("--save-baseline", request.save_baseline, request.overwrite);
  RunOptions planned = request.options;
  if (request.dry_run) planned.stage.clear();  // it copies nothing
  Opening opening(request.options, clock, stop, signal);
  std::optional<Plan> made;
  opening.run([&] { made = make_plan(planned, plan_context); });
  if (!made) return opening.interrupted();
  Plan& plan = *made;
  plan.ceilings_alone = !verb.cells;
  if (request.earlier) arrange_like(*request.earlier, plan);
  if (ranks != nullptr) ranks->share_plan(plan);
  Result result = begin_result(request);
  if (ranks != nullptr) result.ranks = ranks->facts();
  std::optional<ResultFile> file = result_file(verb, request, plan, result);
  Instruments instruments(request.dry_run || !prints(request) ? RunOptions() : request.options);
  const SaveResult save = file ? saving_to(*file, clock) : SaveResult();
  const auto save_all = [&](const Result& part) {
    if (&part == &result && file->is_due(clock)) instruments.note(result);
    return save(part);
  };
  const std::optional<TraceFile> trace = trace_file(request, plan, file);
  Reporter reporter(request.options, file ? SaveResult(save_all) : SaveResult(), clock);
  RunContext context{.clock = clock,
                     .stop = stop,
                     .observer = reporter,
                     .try_computes = verb.cells && !request.dry_run,
                     .peak_rss_bytes = &peak_rss_bytes,
                     .processes = ranks == nullptr ? processes_here(request.options.world_size) : ranks->ranks_here(),
                     .cpu_limits = cpu_limits_now,
                     .together = ranks == nullptr ? nullptr : &ranks->together(),
                     .times_resumed = [&interrupt] { return interrupt.times_resumed(); },
                     .hung = &hung};
  instruments.attach(context);
  const ListingWatch watch([&](std::size_t done, std::size_t all, std::size_t files) {
    reporter.progress().status(fmt::format("listing {} of {} directories: {} files", done, all, files));
  });
  // A continued run knows its place in time only when it is prepared.
  if (!request.earlier && !request.dry_run) instruments.start(plan.cells, {}, context);
  const auto staged = stage_data(plan.cells, request.options.stage, ranks, clock, context.stop, reporter.progress());
  if (!staged) {
    if (prints(request))
      print_interruption("interrupted while copying the data; nothing was measured and no result written");
    return kExitSignal + signal();
  }
  bool prepared = false;
  opening.run([&] { prepared = prepare_run(plan, result, context); });
  note_staged(*staged, result);
  if (ranks == nullptr ? !prepared : !ranks->check_prepared(prepared, result)) {
    return prints(request) ? opening.interrupted() : kExitSignal + signal();
  }
  if (request.earlier) {
    const Kinship kinship = !prints(request)         ? Kinship::kTaken
                            : request.allow_mismatch ? Kinship::kSameData
                                                     : Kinship::kSame;
    context.earlier_seconds = continue_from(*request.earlier, request.resume, result, kinship);
  }
  note_staged(*staged, result);
  if (request.earlier && !request.dry_run) instruments.start(plan.cells, result.monitor, context);
  const Schedule schedule =
      schedule_of(result, request.options, verb.cells, seconds(clock.now() - context.start), context.tried);
  const bool best = request.options.find == kFindBest;
  if (request.dry_run && !prints(request)) return kExitOk;
  if (request.dry_run) {
    if (!request.options.stage.empty()) {
      for (const Cell& cell : plan.cells) check_stage_directory(cell.data, request.options.stage);
    }
    put_text(stdout, fmt::format("{}\n{}{}", setting_text(result), plan_text(result, schedule, width_of(stdout)),
                                 best ? best_scope_text(result, request.options, context.tried) + '\n' : ""));
    return kExitOk;
  }
  if (best) reporter.progress().milestone(best_scope_text(result, request.options, context.tried));
  if (request.options.find.empty()) {
    reporter.expect(TimeLeft(result.options, verb.cells, context.tried));
    reporter.progress().milestone(verb.scope(result, schedule));
  }
  std::string lost;  // a rank, and the run with it
  const auto conclude = [&] {
    if (!prints(request)) {
      if (!lost.empty()) throw Error(lost);
      return signal() == 0 ? kExitOk : kExitSignal + signal();
    }
    // By the clock of the trials: the wall clock may have been set meanwhile, and a run must not end before it begins.
    result.finished = utc_timestamp(began_at + clock.now() - began);
    instruments.note(result);
    const Judgement judgement = judge_run(result);
    result.process = RunUsage{.wall_seconds = seconds(clock.now() - began),
                              .usage = used_by_process(meter, used_before, peak_rss_bytes)};
    reporter.progress().clear();
    // Printed first, so that the figures are not lost if the file fails.
    const std::string failure = !lost.empty() ? lost_text(lost, file) : signal() == 0 ? failure_text(result) : "";
    const bool summarised = !request.options.quiet && verb.cells && !request.details;
    if (summarised) {
      print_summary(result, judgement, stream_for_text(file));
    } else if (!request.options.quiet) {
      print_result(verb, result, judgement, failure, stream_for_text(file));
    }
    if (!request.summary.empty() && result.status == Status::kComplete) {
      put(stream_for_text(file), '\n' + benchy_summary(result, judgement));
    }
    if (file) file->finish(result, judgement);
    // Not before the file holds them.
    if (summarised && file && !file->to_stdout()) put_text(stream_for_text(file), details_text(file->path()));
    if (file && !request.options.quiet && !file->to_stdout()) {
      put(stdout, fmt::format("{}result: {}\n", summarised ? "" : "\n", printable(file->path())));
    }
    if (!lost.empty()) throw Error(failure);
    if (signal() != 0) {
      if (!hung.empty()) print_error(hung);
      print_interruption(interruption_text(result, file, verb));
      return kExitSignal + signal();
    }
    if (result.status != Status::kComplete) throw_if_failed(failure);
    if (trace &&
        trace->measure_and_write(request.trace_trials, result, context, reporter.progress(), request.options.quiet)) {
      if (!request.options.quiet) put(stream_for_text(file), fmt::format("trace: {}\n", printable(trace->path())));
    } else if (signal() != 0) {
      print_interruption("interrupted; no trace is written");
      return kExitSignal + signal();
    }
    throw_if_failed(failure);
    // For ceilings alone nothing else reports it, and nothing checks after the last trial.
    for (std::size_t i = 0; i < result.datasets.size(); ++i) check_dataset(context.watches, result, i);
    return settle_baselines(request, result, judgement);
  };
  context.give_up = [&](const Cell& cell, const std::string& why) {
    end_process([&] {
      if (ranks != nullptr) throw Error(why);
      hung = why;
      const auto failed = std::ranges::find(result.cells, &cell, [](const CellResult& one) { return &one.cell; });
      if (signal() == 0 && failed != result.cells.end()) {
        failed->error = why;
        failed->stopped = Stopped::kError;
      }
      return conclude();
    });
  };
  if (run_as_far_as_may_be(plan, plan_context, result, context, reporter.progress(), ranks, lost)) {
    result.status = Status::kComplete;
  }
  return conclude();
}

}  // namespace

void load_earlier(RunRequest& request) {
  if (request.resume == "-") throw usage_error("--resume -: want a file, because the run writes to it again");
  if (std::filesystem::exists(request.resume)) {
    request.earlier_stamp = stamp_of(request.resume);
    request.earlier = load_result(request.resume);
    if (request.earlier->loop) {
      throw usage_error(
          fmt::format("--resume {}: it is the result of a program's own loop; run the program again with "
                      "loadline.wrap(overwrite=True)",
                      request.resume));
    }
    request.options = request.earlier->options;
    request.options.quiet = false;
  }
  request.options.output = request.resume;
}

int run_verb(const RunRequest& request) {
  if (!request.summary.empty() && request.summary != "benchy") {
    throw unknown_name("--summary", request.summary, std::vector<std::string_view>{"benchy"});
  }
  if (!request.dump_config) return measure(kRun, request);
  put(stdout, config_json(request.options));
  return kExitOk;
}

int ceilings_verb(const RunRequest& request) {
  RunRequest ceilings = request;
  ceilings.options.modes = {"io", "full"};
  ceilings.options.ceilings = "on";
  // From a configuration file: there are no trials to judge.
  ceilings.options.au.reset();
  ceilings.options.check_verdict = false;
  ceilings.options.find.clear();
  ceilings.options.cache = RunOptions().cache;
  std::erase_if(ceilings.options.axes, [](const Axis& axis) { return axis.option == "cache"; });
  ceilings.options.time_limit.reset();
  ceilings.options.until_ci.reset();
  ceilings.options.max_trials = RunOptions().max_trials;
  return measure(kCeilings, ceilings);
}

}  // namespace loadline
