// What the verdict predicts, for people.
#pragma once

#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// A line a prediction, with what was measured where it was. Empty without predictions.
std::string predictions_text(const Result& result, const Judgement& judgement);

}  // namespace loadline
