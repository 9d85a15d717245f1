// Training for some epochs as a job does, instead of trials.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/machine/environment.h"
#include "harness/machine/usage.h"
#include "harness/plan/plan.h"
#include "harness/result/training.h"
#include "synthetic/clock.h"
#include "synthetic/compute/compute.h"

namespace loadline {

class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;

  // Between epochs, on the thread of run_training().
  virtual void on_epoch(const TrainingResult& result) = 0;
};

struct TrainingPlan {
  Cell cell;                       // FULL, with a compute that learns
  std::optional<Cell> validation;  // the same compute on samples that are not trained on, in stored order
  std::size_t epochs = 1;
};

// The cell of a training run: one loader, one number of workers, one batch size. Throws usage Error for lists, and for
// a compute that does not learn. Validation is on the test split without augmentation, where the format has splits.
TrainingPlan plan_training(const RunOptions& options, std::size_t epochs, const PlanContext& context);

// Trains and fills in `result`, except what identifies the run, which the caller has set. A requested stop ends it
// after the current batch and keeps the complete epochs. Throws what the loader or the compute throws.
void run_training(const TrainingPlan& plan, TrainingResult& result, Clock& clock, const std::stop_token& stop,
                  TrainingObserver& observer);

}  // namespace loadline
