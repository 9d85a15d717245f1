// Training for some epochs, as a job would do it, rather than trials.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/measure/usage.h"
#include "harness/plan/plan.h"
#include "harness/result/environment.h"
#include "harness/result/result.h"
#include "synthetic/clock.h"
#include "synthetic/compute/compute.h"

namespace loadline {

struct EpochResult {
  double wall_seconds = 0;         // of training; the first epoch's from before the dataset was opened
  double wait_seconds = 0;         // for data, once training had begun
  double first_batch_seconds = 0;  // of these, for the first batch
  Score training;
  std::optional<Score> validation;
  double validation_seconds = 0;
  std::vector<StageSummary> stages;  // parts of the wall time, which add up to it; empty if the trainer has no parts
  Usage usage;                       // of training

  double samples_per_second() const { return static_cast<double>(training.samples) / wall_seconds; }
};

struct TrainingResult {
  std::string run_id;
  std::string started;  // ISO 8601, UTC
  std::optional<std::string> finished;
  Status status = Status::kPartial;
  std::vector<std::string> arguments;  // of the command line
  RunOptions options;
  Environment environment;
  CellResult cell;  // without trials
  DatasetInfo dataset;
  bool classifies = false;  // the target is a label
  std::string compute_description;
  double open_seconds = 0;           // of the first epoch: until the dataset was open
  double loader_setup_seconds = 0;   // until slots were there and workers started
  double compute_setup_seconds = 0;  // until kernels were generated and weights drawn
  std::string validation_data;       // empty: there is none
  std::string why_no_validation;
  std::vector<EpochResult> epochs;
};

class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;

  // Between epochs, on the thread of run_training().
  virtual void on_epoch(const TrainingResult& result) = 0;
};

struct TrainingPlan {
  Cell cell;                       // FULL, with a compute that learns
  std::optional<Cell> validation;  // the same compute on samples that are not learned from, in their own order
  std::size_t epochs = 1;
};

// The cell of a training run: one loader, one number of workers, one batch size. Throws usage Error for lists, and for
// a compute that does not learn. Validation is on the test split without augmentation, where the format has splits.
TrainingPlan plan_training(const RunOptions& options, std::size_t epochs, const PlanContext& context);

// Trains. Fills what of `result` is not there before: all but what names the run. A requested stop ends it after the
// batch in hand, and leaves the epochs that are whole. Throws what the loader or the compute throws.
void run_training(const TrainingPlan& plan, TrainingResult& result, Clock& clock, const std::stop_token& stop,
                  TrainingObserver& observer);

}  // namespace loadline
