// The outcome of a training run: plain data, which measure/ fills, file/ reads and writes, and show/ prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/machine/environment.h"
#include "harness/machine/usage.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"
#include "synthetic/compute/compute.h"

namespace loadline {

struct EpochResult {
  double wall_seconds = 0;         // of training; in the first epoch, from before the dataset was opened
  double wait_seconds = 0;         // for data, once training had begun
  double first_batch_seconds = 0;  // the part of these for the first batch
  Score training;
  std::optional<Score> validation;
  double validation_seconds = 0;
  std::vector<StageSummary> stages;  // parts of the wall time, which add up to it; empty if the trainer reports none
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
  std::optional<StagedCopy> staged;  // as in DatasetFacts
  bool classifies = false;           // the target is a label
  std::string compute_description;
  double open_seconds = 0;           // of the first epoch: until the dataset was open
  double loader_setup_seconds = 0;   // until slots were allocated and workers started
  double compute_setup_seconds = 0;  // until kernels were generated and weights drawn
  std::string validation_data;       // empty: there is none
  std::string why_no_validation;
  std::vector<EpochResult> epochs;
};

}  // namespace loadline
