// Training runs made by hand.
#pragma once

#include "harness/measure/train.h"
#include "tests/harness/support/results.h"

namespace loadline::test {

// Three epochs of 100 samples that take 4, 2 and 2 s, each followed by validation.
inline TrainingResult training() {
  TrainingResult result;
  result.run_id = "20261121T095800Z-3fa2c1";
  result.started = "2026-11-21T09:58:00Z";
  result.finished = "2026-11-21T09:58:09Z";
  result.status = Status::kComplete;
  result.arguments = {"loadline", "train", "--data", "/tmp/<b>"};
  result.environment.build.version = "1.2.3";
  result.environment.machine.hostname = "node1";
  result.environment.machine.threads_in_force = 4;
  result.cell = cell_result({.mode = kFull, .rates = {}, .loader = "thread-pool", .workers = 2});
  result.cell.cell.compute = "cnn";
  result.dataset.samples = 100;
  result.classifies = true;
  result.compute_description = "lenet, 61706 weights";
  result.open_seconds = 0.25;
  result.loader_setup_seconds = 0.5;
  result.compute_setup_seconds = 1;
  result.validation_data = "/data/mnist";
  for (int i = 0; i < 3; ++i) {
    const double wall = i == 0 ? 4 : 2;
    EpochResult epoch{
        .wall_seconds = wall,
        .wait_seconds = 0.5,
        .first_batch_seconds = 0.25,
        .training = {.samples = 100, .loss_sum = 200.0 - 50 * i, .correct = 25U * static_cast<unsigned>(i + 1)},
        .validation = Score{.samples = 10, .loss_sum = 15, .correct = 4},
        .validation_seconds = 0.125};
    if (i == 0) epoch.stages.push_back({"set-up", 1, 1.75});
    epoch.stages.push_back({"host waits", 10, 0.5});
    epoch.stages.push_back({"forward", 10, 1});
    epoch.stages.push_back({"other", 10, wall - 1.5 - (i == 0 ? 1.75 : 0)});
    result.epochs.push_back(epoch);
  }
  return result;
}

}  // namespace loadline::test
