// What `loadline doctor` found, for people. Pure functions, safe from any thread.
#pragma once

#include <span>
#include <string>

#include "harness/judge/checkup.h"

namespace loadline {

// A line a symptom, those that disturb most first, and below them how many there are.
std::string checkup_text(std::span<const Symptom> symptoms);

}  // namespace loadline
