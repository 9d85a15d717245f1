// What the runs say in sentences, before any figure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/show/report/subjects.h"

namespace loadline {

struct RunVerdict {
  std::string title;                      // which run it is: "A: 20261121T095800Z-3fa2c1, started ... on host"
  std::vector<std::string> sentences;     // a workload each, then what was searched for
  std::vector<std::string> advice;        // what to use, and in the line behind it the command for it
  std::vector<std::string> predictions;   // what they are first; empty without any
  std::string noise;                      // how much the trials vary; empty where no cell has two
  std::vector<std::string> warnings;      // one a kind, what failed among them
  std::vector<std::string> all_warnings;  // each by itself, where these are more
  std::string command;                    // as a shell takes it
};

RunVerdict verdict_of(const Run& run);

// Whether a line of advice is a command rather than a sentence.
bool is_command(std::string_view line);

}  // namespace loadline
