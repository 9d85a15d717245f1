// A recorded job as JSON; recording.h reads it.
#pragma once

#include <string>

#include "synthetic/recording/recording.h"

namespace loadline {

// The document of results/job_schema.json. Each of its long lists takes one line.
std::string recording_json(const Recording& job);

}  // namespace loadline
