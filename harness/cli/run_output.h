// What `run` and `ceilings` say of a result and do with it.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "harness/cli/result_file.h"
#include "harness/cli/verbs.h"
#include "harness/judge/judgement.h"
#include "harness/measure/schedule.h"

namespace loadline {

// What sets `run` and `ceilings` apart: what is measured, and what of it is shown.
struct MeasuringVerb {
  std::string (*scope)(const Result& prepared, const Schedule& schedule);
  std::string (*figures)(const Result& result, const Judgement& judgement, std::size_t width);
  bool cells;  // whether they are measured, and the result is kept though nobody asked for it
};

// Data and people's text never share a stream.
std::FILE* stream_for_text(const std::optional<ResultFile>& file);

// A dozen lines, and where the rest is. `file`: of the result, empty where it goes to stdout.
void print_summary(const Result& result, const Judgement& judgement, std::FILE* out, const std::string& file);
// All figures; warnings go to stderr, but those that say what `failure` says.
void print_result(const MeasuringVerb& verb, const Result& result, const Judgement& judgement, std::string_view failure,
                  std::FILE* out);

// What a signal left, and how to go on with it.
std::string interruption_text(const Result& result, const std::optional<ResultFile>& file, const MeasuringVerb& verb);
// What the loss of a rank left.
std::string lost_text(const std::string& sentence, const std::optional<ResultFile>& file);

// After the run: its result as a baseline, then against one. What did not come to its end is neither. Returns an exit
// code.
int settle_baselines(const RunRequest& request, const Result& result, const Judgement& judgement);

}  // namespace loadline
