// A result and a training run as TensorBoard shows them: runs, which are directories, and the events in them. Pure
// functions that throw like those of events.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/result/result.h"
#include "harness/result/training.h"

namespace loadline {

struct EventFile {
  std::filesystem::path path;  // below the requested directory
  std::string events;
};

// <run id>/<name of the cell>/events.out.tfevents.<start>.<host>.<end of the run id> for each cell, its trials as
// steps from 1 and its settings as hyperparameters; and one of that name next to them, for the run as a whole.
std::vector<EventFile> event_files(const Result& result);

// <run id>/events.out.tfevents.<start>.<host>.<end of the run id>, with what is known before the first epoch.
EventFile training_file(const TrainingResult& result);
// What to append after the latest epoch, which ended at `time`: seconds since 1970, UTC.
std::string epoch_events(const TrainingResult& result, double time);
// What to append at the end.
std::string end_events(const TrainingResult& result, double time);

}  // namespace loadline
