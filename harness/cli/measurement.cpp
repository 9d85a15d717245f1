#include "harness/cli/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <span>
#include <string>

#include "harness/cli/baselines.h"
#include "harness/cli/child.h"
#include "harness/cli/cli.h"
#include "harness/cli/exclusions.h"
#include "harness/cli/opening.h"
#include "harness/cli/progress.h"
#include "harness/cli/rank_session.h"
#include "harness/cli/reporter.h"
#include "harness/cli/result_file.h"
#include "harness/cli/run_files.h"
#include "harness/cli/run_output.h"
#include "harness/cli/running_command.h"
#include "harness/cli/screen.h"
#include "harness/cli/staging.h"
#include "harness/cli/streams.h"
#include "harness/cli/trace_file.h"
#include "harness/cli/verbs.h"
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
#include "harness/measure/prepare.h"
#include "harness/measure/resume.h"
#include "harness/measure/run.h"
#include "harness/measure/schedule.h"
#include "harness/measure/watch.h"
#include "harness/plan/find.h"
#include "harness/plan/plan.h"
#include "harness/show/benchy.h"
#include "harness/show/best_text.h"
#include "harness/show/job_text.h"
#include "harness/show/schedule_text.h"
#include "harness/show/setting_text.h"
#include "harness/show/summary_text.h"
#include "harness/show/warning_text.h"
#include "loaders/datasets/image_listing.h"
#include "loaders/error.h"
#include "loaders/printable.h"
#include "loaders/storage/staged_copy.h"
#include "loaders/system/affinity.h"
#include "synthetic/clock.h"

namespace loadline {
namespace {

Result begin_result(const RunRequest& request, const Plan& plan) {
  Result result;
  if (request.ranks != nullptr) result.ranks = request.ranks->facts();
  const auto now = std::chrono::system_clock::now();
  result.run_id = make_run_id(now, std::random_device{}());
  result.started = utc_timestamp(now);
  result.arguments = request.arguments;
  result.options = request.options;
  result.divided_configurations = plan.divided_configurations;
  result.kernels = kernels_in(request.options);
  result.environment = this_environment();
  return result;
}

// What a plan needs to know of this machine. All ranks take rank 0's number of threads, or their cells would differ.
PlanContext plan_context_here(RankSession* ranks) {
  const std::size_t threads = threads_in_force();
  return {.threads_in_force = ranks == nullptr ? threads : ranks->of_first(threads),
          .cpus = affinity_cpus(),
          .nodes = numa_nodes_now(),
          .data_directory = data_directory()};
}

// The last thing that is printed, because it ends the run.
void throw_if_failed(const std::string& failure) {
  if (!failure.empty()) throw Error(failure);
}

// A plan that is measured, from the data to the result on screen and in its file. Each step returns an exit code if
// the command ends with it. The steps run on one thread, except that conclude() runs on a second one, and ends the
// process, if the first is stuck in a function of the user.
class Measurement {
 public:
  // Borrows everything.
  Measurement(const MeasuringVerb& verb, const RunRequest& request, RunningCommand& command, Opening& opening,
              const PlanContext& plan_context, const Plan& plan);

  int run();

 private:
  RunContext make_context();
  std::optional<std::string> save(const Result& part);
  std::optional<int> open_data();
  std::optional<int> prepare();
  int show_plan(const Schedule& schedule);
  void say_if_the_job_ends_first(const Schedule& schedule);
  void announce(const Schedule& schedule);
  bool run_all();
  bool check_predictions();
  void run_as_far_as_may_be();
  [[noreturn]] void give_up(const Cell& cell, const std::string& why);
  int conclude();
  void print(const Judgement& judgement, const std::string& failure) const;
  void write(const Judgement& judgement);
  std::optional<int> trace_cells();

  bool prints() const { return loadline::prints(request_); }
  bool summarises() const { return !request_.options.quiet && verb_.cells && !request_.details; }
  bool finds_best() const { return request_.options.find == kFindBest; }

  const MeasuringVerb& verb_;
  const RunRequest& request_;
  RankSession* const ranks_;  // null: a single process
  RunningCommand& command_;
  Opening& opening_;
  const PlanContext& plan_context_;
  const Plan& plan_;
  Result result_;
  std::optional<ResultFile> file_;
  Instruments instruments_;
  const std::optional<TraceFile> trace_;
  const SaveResult save_;
  Reporter reporter_;
  std::uint64_t peak_rss_bytes_ = 0;
  std::string hung_;  // where the run was stopped
  std::string lost_;  // a rank, and the run with it
  RunContext context_;
  std::optional<StagedCopies> staged_;
};

Measurement::Measurement(const MeasuringVerb& verb, const RunRequest& request, RunningCommand& command,
                         Opening& opening, const PlanContext& plan_context, const Plan& plan)
    : verb_(verb),
      request_(request),
      ranks_(request.ranks),
      command_(command),
      opening_(opening),
      plan_context_(plan_context),
      plan_(plan),
      result_(begin_result(request, plan)),
      file_(open_result_file(verb, request, plan, result_)),
      instruments_(request.dry_run || !prints() ? RunOptions() : request.options),
      trace_(open_trace_file(request, plan, file_)),
      save_(file_ ? saving_to(*file_, command.clock()) : SaveResult()),
      reporter_(request.options, file_ ? SaveResult([this](const Result& part) { return save(part); }) : SaveResult(),
                command.clock()),
      context_(make_context()) {
  instruments_.attach(context_);
}

RunContext Measurement::make_context() {
  return {.clock = command_.clock(),
          .stop = command_.stop(),
          .observer = reporter_,
          .try_computes = verb_.cells && !request_.dry_run,
          .peak_rss_bytes = &peak_rss_bytes_,
          .processes = ranks_ == nullptr ? processes_here(request_.options.world_size) : ranks_->ranks_here(),
          .cpu_limits = cpu_limits_now,
          .joint = ranks_ == nullptr ? nullptr : &ranks_->joint_trials(),
          .times_resumed = [this] { return command_.times_resumed(); },
          .give_up = [this](const Cell& cell, const std::string& why) { give_up(cell, why); },
          .hung = &hung_};
}

std::optional<std::string> Measurement::save(const Result& part) {
  if (&part == &result_ && file_->is_due(command_.clock())) instruments_.note(result_);
  return save_(part);
}

int Measurement::run() {
  const ListingWatch watch([this](std::size_t done, std::size_t all, std::size_t files) {
    reporter_.progress().status(fmt::format("listing {} of {} directories: {} files", done, all, files));
  });
  if (prints()) check_baseline(request_, result_, plan_.cells);
  if (const auto code = open_data()) return *code;
  if (const auto code = prepare()) return *code;
  const Schedule schedule = schedule_of(result_, request_.options, verb_.cells,
                                        seconds(command_.clock().now() - context_.start), context_.tried);
  if (request_.dry_run) return prints() ? show_plan(schedule) : kExitOk;
  announce(schedule);
  run_as_far_as_may_be();
  return conclude();
}

std::optional<int> Measurement::open_data() {
  // A continued run knows its place in time only when it is prepared.
  if (!request_.earlier && !request_.dry_run) instruments_.start(plan_.cells, {}, context_);
  staged_ =
      stage_data(plan_.cells, request_.options.stage, ranks_, command_.clock(), context_.stop, reporter_.progress());
  if (staged_) return std::nullopt;
  if (prints()) {
    print_interruption("interrupted while copying the data; nothing was measured and no result written");
  }
  return kExitSignal + command_.signal();
}

std::optional<int> Measurement::prepare() {
  bool prepared = false;
  opening_.run([&] { prepared = prepare_run(plan_, result_, context_); });
  note_staged(*staged_, result_);
  if (ranks_ == nullptr ? !prepared : !ranks_->check_prepared(prepared, result_)) {
    return prints() ? opening_.interrupted() : kExitSignal + command_.signal();
  }
  if (!request_.earlier) return std::nullopt;
  const RequiredMatch match = !prints()                 ? RequiredMatch::kChecked
                              : request_.allow_mismatch ? RequiredMatch::kSameData
                                                        : RequiredMatch::kSame;
  context_.earlier_seconds = continue_from(*request_.earlier, request_.resume, result_, match);
  note_staged(*staged_, result_);
  if (!request_.dry_run) instruments_.start(plan_.cells, result_.monitor, context_);
  return std::nullopt;
}

int Measurement::show_plan(const Schedule& schedule) {
  if (!request_.options.stage.empty()) {
    for (const Cell& cell : plan_.cells) check_stage_directory(cell.data, request_.options.stage);
  }
  put_text(stdout, fmt::format("{}\n{}{}", setting_text(result_), plan_text(result_, schedule, width_of(stdout)),
                               finds_best() ? best_scope_text(result_, request_.options, context_.tried) + '\n' : ""));
  if (request_.options.find.empty()) say_if_the_job_ends_first(schedule);
  return kExitOk;
}

void Measurement::announce(const Schedule& schedule) {
  if (finds_best()) reporter_.progress().milestone(best_scope_text(result_, request_.options, context_.tried));
  if (!request_.options.find.empty()) return;
  reporter_.expect(TimeLeft(result_.options, verb_.cells, context_.tried));
  reporter_.progress().milestone(verb_.scope(result_, schedule));
  say_if_the_job_ends_first(schedule);
}

void Measurement::say_if_the_job_ends_first(const Schedule& schedule) {
  const std::string short_job = short_job_text(result_.environment.job, schedule.most_seconds, command_.utc_now());
  if (short_job.empty()) return;
  reporter_.progress().milestone(verb_.cells ? fmt::format("{}; --time-limit makes it fit", short_job) : short_job);
}

// Returns false when stopped before the end.
bool Measurement::run_all() {
  const RunOptions& options = plan_.options;
  const bool done = options.find.empty() ? run_plan(plan_, result_, context_)
                                         : find_and_run(options, plan_context_, result_, context_);
  if (!done || (options.check_verdict && !check_predictions())) return false;
  const bool taken = take_fingerprints(result_, context_);
  return ranks_ == nullptr ? taken : ranks_->check_prepared(taken, result_);
}

bool Measurement::check_predictions() {
  add_checks(result_);
  if (result_.checks.empty()) return true;  // the summary says so
  reporter_.progress().milestone(fmt::format("checking {}", plural(result_.checks.size(), "prediction")));
  return run_further(plan_.options, result_, result_.checks, context_);
}

// If a rank is lost, what the others have is kept.
void Measurement::run_as_far_as_may_be() {
  try {
    if (run_all()) result_.status = Status::kComplete;
  } catch (const Error& error) {
    if (ranks_ == nullptr || !ranks_->ranks().failure()) throw;
    lost_ = error.what();
  }
}

void Measurement::give_up(const Cell& cell, const std::string& why) {
  end_process([&] {
    if (!prints()) print_error(why);
    if (ranks_ != nullptr && command_.signal() == 0) {
      lost_ = why;
      return conclude();
    }
    hung_ = why;
    const auto failed = std::ranges::find(result_.cells, &cell, [](const CellResult& one) { return &one.cell; });
    if (command_.signal() == 0 && failed != result_.cells.end()) {
      failed->error = why;
      failed->stopped = Stopped::kError;
    }
    return conclude();
  });
}

int Measurement::conclude() {
  // One that comes when everything is measured changes nothing.
  const int signal = result_.status == Status::kComplete ? 0 : command_.signal();
  if (!prints()) {
    if (!lost_.empty()) throw Error(lost_);
    return signal == 0 ? kExitOk : kExitSignal + signal;
  }
  result_.finished = command_.utc_now();
  instruments_.note(result_);
  const Judgement judgement = judge_run(result_);
  result_.process = command_.used(peak_rss_bytes_);
  reporter_.progress().clear();
  const std::string failure = !lost_.empty() ? lost_text(lost_, request_, result_, file_, verb_)
                              : signal == 0  ? failure_text(result_)
                                             : "";
  // Before the file is written, so that the figures are not lost if that fails.
  if (signal == 0 || result_.has_trials()) print(judgement, failure);
  write(judgement);
  if (!lost_.empty()) throw Error(failure);
  if (signal != 0) {
    if (!hung_.empty()) print_error(hung_);
    print_interruption(interruption_text(request_, result_, file_, verb_));
    return kExitSignal + signal;
  }
  if (result_.status != Status::kComplete) throw_if_failed(failure);
  throw_if_failed(no_trial_text(result_));
  if (const auto code = trace_cells()) return *code;
  throw_if_failed(failure);
  // For ceilings alone nothing else reports it, and nothing checks after the last trial.
  for (std::size_t i = 0; i < result_.datasets.size(); ++i) check_dataset(context_.watches, result_, i);
  const bool named = file_ && file_->can_be_read_again();
  return settle_baselines(request_, result_, judgement, named ? file_->path() : "", stream_for_text(file_));
}

void Measurement::print(const Judgement& judgement, const std::string& failure) const {
  std::FILE* const out = stream_for_text(file_);
  if (summarises()) {
    print_summary(result_, judgement, out);
  } else if (!request_.options.quiet) {
    print_result(verb_, result_, judgement, failure, out);
  }
  if (!request_.summary.empty() && result_.status == Status::kComplete) {
    put(out, '\n' + benchy_summary(result_, judgement));
  }
}

void Measurement::write(const Judgement& judgement) {
  if (!file_) return;
  file_->finish(result_, judgement);
  const bool nothing = result_.status != Status::kComplete && !result_.has_trials();
  if (request_.options.quiet || !file_->can_be_read_again() || nothing) return;
  // Not before the file holds them.
  if (summarises()) {
    put_text(stdout, result_text(file_->path()));
  } else {
    put(stdout, fmt::format("\nresult: {}\n", printable(file_->path())));
  }
}

std::optional<int> Measurement::trace_cells() {
  if (!trace_) return std::nullopt;
  if (trace_->measure_and_write(request_.trace_trials, result_, context_, reporter_.progress(),
                                request_.options.quiet)) {
    if (!request_.options.quiet) put(stream_for_text(file_), fmt::format("trace: {}\n", printable(trace_->path())));
    return std::nullopt;
  }
  const int signal = command_.signal();
  if (signal == 0) return std::nullopt;
  print_interruption("interrupted; no trace is written");
  return kExitSignal + signal;
}

}  // namespace

int measure(const MeasuringVerb& verb, const RunRequest& request) {
  if (request.dry_run && prints(request)) check_stdout();
  RunningCommand command(request.ranks);
  const PlanContext plan_context = plan_context_here(request.ranks);
  // Known before anything is opened.
  if (!request.baseline.empty()) existing_baseline("--baseline", request.baseline);
  if (!request.save_baseline.empty() && prints(request)) {
    const auto baseline = new_baseline("--save-baseline", request.save_baseline, request.overwrite);
    if (!request.dry_run) check_keepable(baseline);
  }
  RunOptions planned = request.options;
  if (request.dry_run) planned.stage.clear();  // it copies nothing
  Opening opening(&request.options, command.clock(), command.stop(), [&command] { return command.signal(); });
  std::optional<Plan> plan;
  opening.run([&] { plan = make_plan(planned, plan_context); });
  if (!plan) return opening.interrupted();
  tell_idle_exclusions(std::span(&*plan, 1));
  plan->ceilings_alone = !verb.cells;
  if (request.earlier) arrange_like(*request.earlier, *plan);
  if (request.ranks != nullptr) request.ranks->share_plan(*plan);
  return Measurement(verb, request, command, opening, plan_context, *plan).run();
}

}  // namespace loadline
