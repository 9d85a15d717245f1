// What the runs show, in sentences, before any figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/show/report/subjects.h"

namespace loadline {

struct RunVerdict {
  std::string title;                      // which run it is: "A: 20261121T095800Z-3fa2c1, started ... on host"
  std::vector<std::string> sentences;     // one per workload, then what was searched for
  std::vector<std::string> advice;        // what to use, and on the next line the command for it
  std::vector<std::string> predictions;   // after a line that explains them; empty without predictions
  std::string noise;                      // how much the trials vary; empty if no cell has two
  std::vector<std::string> warnings;      // one per kind, including failures
  std::vector<std::string> all_warnings;  // every single one, if there are more of them
  std::string command;                    // quoted for a shell
};

RunVerdict verdict_of(const Run& run);

// That a partial result is all there is, and why.
std::string unfinished_text(const Result& result);

// Whether a line of advice is a command rather than a sentence.
bool is_command(std::string_view line);

}  // namespace loadline
