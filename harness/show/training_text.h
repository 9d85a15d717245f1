// A training run, epoch by epoch. Pure functions, safe from any thread.
#pragma once

#include <string>

#include "harness/result/training.h"
#include "harness/show/wrap.h"

namespace loadline {

// One line per epoch, under a heading.
std::string training_text(const TrainingResult& result, std::size_t width = kUnlimited);

// The latest epoch, on one line.
std::string epoch_text(const TrainingResult& result);

// Why the first epoch took longer than later ones; empty if it did not, or there are no others.
std::string first_epoch_text(const TrainingResult& result);

}  // namespace loadline
