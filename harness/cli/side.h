// What `loadline ab` compares and `loadline aa` repeats.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/interrupt.h"
#include "harness/plan/options.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// What this program runs as, whatever it was called by.
inline constexpr const char* kThisProgram = "/proc/self/exe";

// One of two sides.
struct Side {
  std::string_view option;              // that its own options were given by
  RunOptions options;                   // all of them
  std::vector<std::string> words;       // those that were given, for a command line
  std::vector<const OptionRow*> given;  // their rows
  std::string binary;
};

// `common` and the words that stand in `text`, the value of `option`, on top of them. No binary is this program. Throws
// usage Error as split_words() and apply_words() do.
Side make_side(const RunOptions& common, const std::vector<std::string>& common_words, std::string_view option,
               const std::string& text, const std::string& binary);

// Where a plan is made for: this process.
PlanContext this_context();

// Says that a signal ended it and what is kept, and returns the exit code.
int interrupted(const Interrupt& interrupt, const std::string& what_is_kept);

// Throws Error for the first cell that failed.
void throw_first_failure(const Result& result);

}  // namespace loadline
