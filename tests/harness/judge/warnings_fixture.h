// Warnings of results made by hand.
#pragma once

#include <map>
#include <string>

#include "harness/judge/warnings.h"
#include "tests/harness/support/results.h"

namespace loadline::test {

// The last message of each id.
inline std::map<std::string, std::string> warnings(const Result& result) {
  std::map<std::string, std::string> texts;
  for (const Warning& warning : judge_run(result).warnings) texts[warning.id] = warning.message;
  return texts;
}

inline Result sound() {
  return result_of({{.mode = Mode::kIo, .rates = {1000, 1010, 1020}}, overhead()});
}

}  // namespace loadline::test
