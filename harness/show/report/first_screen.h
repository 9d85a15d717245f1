// What the first screen of a report says: what was measured, where and when, the outcome, what to do, how sure that
// is and how noisy the trials were. Pure functions, safe from any thread.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/show/report/subjects.h"

namespace loadline {

struct WorkloadVerdict {
  std::string workload;
  std::string sentence;             // what limits it
  std::string more;                 // the sentences after it; may be empty
  std::vector<std::string> advice;  // what to use, and on the next line the command for it
  std::string sure;                 // the interval behind the sentence
};

struct FirstScreen {
  std::vector<std::pair<std::string, std::string>>
      facts;  // such as "Machine" and its description; only those that are known
  std::vector<WorkloadVerdict> workloads;
  std::vector<std::string> others;  // sentences about the run: that it did not finish, what was searched for
};

FirstScreen first_screen_of(const Run& run);

// What was measured, on what host and when: "cifar10 on node1, 2026-11-21".
std::string title_of(std::span<const Run> runs);

}  // namespace loadline
