// One of the sides that `loadline ab` compares and `loadline aa` repeats.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/interrupt.h"
#include "harness/plan/options.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// The file of this program, whatever name it was started by.
inline constexpr const char* kThisProgram = "/proc/self/exe";

// One of two sides.
struct Side {
  std::string_view option;              // the option that gave its own options
  RunOptions options;                   // all of them
  std::vector<std::string> words;       // as given, for a command line
  std::vector<const OptionRow*> given;  // their rows
  std::string binary;
};

// Applies the words of `text`, the value of `option`, on top of `common`. An empty `binary` means this program.
// Throws usage Error as split_words() and apply_words() do.
Side make_side(const RunOptions& common, const std::vector<std::string>& common_words, std::string_view option,
               const std::string& text, const std::string& binary);

// The context for plans of this process.
PlanContext this_context();

// Prints that a signal ended the command and what is kept; returns the exit code.
int interrupted(const Interrupt& interrupt, const std::string& what_is_kept);

// Throws the Error of the first cell that failed, if any.
void throw_first_failure(const Result& result);

}  // namespace loadline
