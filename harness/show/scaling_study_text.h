// A scaling study as text and for other programs. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/judge/scaling_study.h"
#include "harness/show/wrap.h"

namespace loadline {

// "cifar10, thread-pool x 2: weak scaling of FULL, batches of 64 per rank".
std::string scaling_title(const RankCurve& curve, ScalingKind kind);

// A table for each configuration, its sentences below it, and the notes; tables in at most `width` columns.
std::string scaling_study_text(const ScalingStudy& study, std::size_t width = kUnlimited);

}  // namespace loadline
