// What was measured and where, as text.
#pragma once

#include <string>

#include "harness/result/result.h"

namespace loadline {

// The machine, the program and the data, in a few lines.
std::string setting_text(const Result& result);

// ", fingerprint 0123456789abcdef", and of how many samples if not of all; empty without a fingerprint.
std::string fingerprint_text(const DatasetFacts& facts);

}  // namespace loadline
