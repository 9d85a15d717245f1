// Rows of the section "Where the time goes": the stages of a step and of a loader, in microseconds a sample.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/show/report/data_table.h"

namespace loadline {

// What the workers of a loader spent on one of its stages, in seconds, a number a worker.
struct StageOfWorkers {
  std::string name;
  std::vector<double> worker_seconds;
};

// The columns behind those that name a configuration.
std::vector<Column> stage_columns();

// A row a stage that took time, each behind `named`. Times are the mean of the workers for one of `samples`, so that
// the stages add up to the wall time of a sample, as those of the step do. No rows without samples.
std::vector<std::vector<Datum>> loader_stage_rows(const std::vector<Datum>& named,
                                                  std::span<const StageOfWorkers> stages, std::uint64_t samples);

}  // namespace loadline
