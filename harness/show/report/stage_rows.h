// Rows of the section "Where the time goes": the stages of a step and of a loader, in microseconds per sample.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/show/report/data_table.h"

namespace loadline {

// Seconds that the workers of a loader spent on one of its stages, one number per worker.
struct StageOfWorkers {
  std::string name;
  std::vector<double> worker_seconds;
};

// The columns after those that identify a configuration.
std::vector<Column> stage_columns();

// One row per stage that took time, each beginning with `named`. Times are means over the workers per sample of
// `samples`, so the stages add up to the wall time per sample, like those of the step. No rows without samples.
std::vector<std::vector<Datum>> loader_stage_rows(const std::vector<Datum>& named,
                                                  std::span<const StageOfWorkers> stages, std::uint64_t samples);

}  // namespace loadline
