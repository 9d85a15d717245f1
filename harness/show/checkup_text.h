// What `loadline doctor` found, as text. Pure functions, safe from any thread.
#pragma once

#include <span>
#include <string>

#include "harness/judge/checkup.h"

namespace loadline {

// One line per symptom, the most disturbing first, and below them how many there are.
std::string checkup_text(std::span<const Symptom> symptoms);

}  // namespace loadline
