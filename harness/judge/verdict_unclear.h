// The words of a verdict that cannot say what the limit is. A part of verdict.h.
#pragma once

#include <string>

#include "harness/judge/verdict_class.h"

namespace loadline {

// Why not, by `doubt`, what is known, and what would tell.
std::string unclear_sentence(const Evidence& evidence, const Figures& figures, Doubt doubt);

// Where not all of IO, SYNTHETIC and FULL were measured: which, why, and what is known.
std::string incomplete_sentence(const Evidence& evidence, const Figures& figures);

}  // namespace loadline
