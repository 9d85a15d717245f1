// What the verdict predicts, as text.
#pragma once

#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// One line per prediction, with the measured figure if there is one; a sentence if --check-verdict found nothing to
// measure. Empty without predictions otherwise.
std::string predictions_text(const Result& result, const Judgement& judgement);

}  // namespace loadline
