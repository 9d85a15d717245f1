#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/event_writer.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/opening.h"
#include "harness/cli/output.h"
#include "harness/cli/progress.h"
#include "harness/cli/result_file.h"
#include "harness/cli/screen.h"
#include "harness/cli/staging.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/file/training_json.h"
#include "harness/machine/run_id.h"
#include "harness/machine/threads.h"
#include "harness/measure/train.h"
#include "harness/plan/workloads.h"
#include "harness/show/training_text.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

class Follower final : public TrainingObserver {
 public:
  // `now` tells seconds since 1970, UTC. Both are borrowed; `events` may be null.
  Follower(bool quiet, TrainingEvents* events, const std::function<double()>& now)
      : progress_(quiet), events_(events), now_(now) {}

  void on_epoch(const TrainingResult& result) override {
    progress_.milestone(epoch_text(result));
    if (events_ != nullptr) events_->append(epoch_events(result, now_()));
  }

 private:
  Progress progress_;
  TrainingEvents* events_;
  const std::function<double()>& now_;
};

TrainingResult begun_result(const RunRequest& request, const TrainingPlan& plan,
                            std::chrono::system_clock::time_point now) {
  TrainingResult result;
  result.run_id = make_run_id(now, std::random_device{}());
  result.started = utc_timestamp(now);
  result.arguments = request.arguments;
  result.options = request.options;
  result.environment = this_environment();
  result.cell.cell = plan.cell;
  return result;
}

// The cells whose data the training reads.
std::vector<Cell> cells_read(const TrainingPlan& plan) {
  std::vector<Cell> cells{plan.cell};
  std::error_code ignored;
  if (plan.validation && std::filesystem::exists(plan.validation->staged_from, ignored)) {
    cells.push_back(*plan.validation);
  }
  return cells;
}

}  // namespace

int train_verb(const RunRequest& request, const TrainRequest& training) {
  if (training.epochs == 0) throw usage_error("--epochs 0: want at least 1");
  if (!training.tensorboard.empty()) check_tensorboard("--tensorboard");
  const Interrupt interrupt;
  SteadyClock clock;
  Opening opening(
      &request.options, clock, interrupt.token(), [&] { return interrupt.signal(); }, "trained");
  std::optional<TrainingPlan> made;
  opening.run([&] {
    made = plan_training(
        request.options, training.epochs,
        {.threads_in_force = threads_in_force(), .cpus = affinity_cpus(), .data_directory = data_directory()});
  });
  if (!made) return opening.interrupted();
  const TrainingPlan& plan = *made;
  const auto now = std::chrono::system_clock::now();
  const Time began = clock.now();
  TrainingResult result = begun_result(request, plan, now);
  // Opened before anything is measured, so that it fails early if it cannot be written.
  std::optional<ResultFile> file;
  if (!request.options.output.empty()) {
    file.emplace(request.options.output, output_rules(request, {plan.cell}));
  } else if (training.tensorboard.empty()) {
    check_stdout();
  }
  std::optional<TrainingEvents> events;
  if (!training.tensorboard.empty()) events.emplace(training.tensorboard, training_file(result));
  // By the clock of the epochs, because the wall clock may be set meanwhile.
  const auto time = [&] {
    return now + std::chrono::duration_cast<std::chrono::system_clock::duration>(clock.now() - began);
  };
  const std::function<double()> time_seconds = [&] {
    return std::chrono::duration<double>(time().time_since_epoch()).count();
  };
  Follower follower(request.options.quiet, events ? &*events : nullptr, time_seconds);
  Progress progress(request.options.quiet);
  const auto staged = stage_data(cells_read(plan), request.options.stage, nullptr, clock, interrupt.token(), progress);
  if (!staged) {
    print_error("interrupted while copying the data; nothing was trained and no result written");
    return kExitSignal + interrupt.signal();
  }
  if (const auto copy = staged->by_path.find(plan.cell.data); copy != staged->by_path.end())
    result.staged = copy->second;
  try {
    run_training(plan, result, clock, interrupt.token(), follower);
  } catch (...) {
    // The epochs before it stay valid.
    if (file && !result.epochs.empty()) file->finish(training_json(result));
    throw;
  }
  result.finished = utc_timestamp(time());
  if (interrupt.signal() != 0 && result.epochs.empty()) {
    if (events) events->finish();
    print_error("interrupted before the first epoch ended; no result written");
    return kExitSignal + interrupt.signal();
  }
  std::FILE* const out = names_stdout(result.options.output) ? stderr : stdout;
  if (!request.options.quiet) put_text(out, training_text(result, width_of(out)));
  if (file) file->finish(training_json(result));
  if (events) {
    events->append(end_events(result, time_seconds()));
    events->finish();
  }
  if (interrupt.signal() == 0) return kExitOk;
  print_error(fmt::format("interrupted after {} of {} epochs{}", result.epochs.size(), training.epochs,
                          file && file->can_be_read_again() ? fmt::format("; they are in {}", file->path()) : ""));
  return kExitSignal + interrupt.signal();
}

}  // namespace loadline
