// What `run` and `ceilings` print about a result and do with it.
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

// How `run` and `ceilings` differ: what they measure and what they show.
struct MeasuringVerb {
  std::string (*scope)(const Result& prepared, const Schedule& schedule);
  std::string (*figures)(const Result& result, const Judgement& judgement, std::size_t width);
  bool cells;  // whether cells are measured; then the result is saved even without --output
};

// The stream for text: data and text for people never share one.
std::FILE* stream_for_text(const std::optional<ResultFile>& file);

// Prints a dozen lines.
void print_summary(const Result& result, const Judgement& judgement, std::FILE* out);
// Prints all figures. Warnings go to stderr, except those that repeat `failure`.
void print_result(const MeasuringVerb& verb, const Result& result, const Judgement& judgement, std::string_view failure,
                  std::FILE* out);

// What a signal left, and how to continue it.
std::string interruption_text(const Result& result, const std::optional<ResultFile>& file, const MeasuringVerb& verb);
// What remains after a rank was lost.
std::string lost_text(const std::string& sentence, const Result& result, const std::optional<ResultFile>& file);

// After the run: keeps its result as a baseline, then compares it with one. Does neither with an incomplete result.
// Returns an exit code.
int settle_baselines(const RunRequest& request, const Result& result, const Judgement& judgement);

}  // namespace loadline
