// What `run` and `ceilings` print about a result and do with it.
#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/cli/result_file.h"
#include "harness/cli/verbs.h"
#include "harness/judge/judgement.h"
#include "harness/measure/schedule.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// How `run` and `ceilings` differ: what they measure and what they show.
struct MeasuringVerb {
  std::string (*scope)(const Result& prepared, const Schedule& schedule);
  std::string (*figures)(const Result& result, const Judgement& judgement, std::size_t width);
  bool cells;  // whether cells are measured; then the result is saved even without --output
};

// The stream for text: data and text for people never share one.
std::FILE* stream_for_text(const std::optional<ResultFile>& file);

// Prints summary_text() and what options requested beside it.
void print_summary(const Result& result, const Judgement& judgement, std::FILE* out);
// Prints all figures. Warnings go to stderr, except those that repeat `failure`.
void print_result(const MeasuringVerb& verb, const Result& result, const Judgement& judgement, std::string_view failure,
                  std::FILE* out);

// What a signal left, and how to continue it.
std::string interruption_text(const RunRequest& request, const Result& result, const std::optional<ResultFile>& file,
                              const MeasuringVerb& verb);
// The same after `sentence`, which says why a rank was lost.
std::string lost_text(const std::string& sentence, const RunRequest& request, const Result& result,
                      const std::optional<ResultFile>& file, const MeasuringVerb& verb);

// Before the run: throws Error if its result could not be compared with the baseline because of the machine, the build
// or the number of ranks of `begun`, because `cells` have no workload or no mode in common with it, or because a noise
// floor is poor. With several ranks, call it on the first, whose result it is.
void check_baseline(const RunRequest& request, const Result& begun, std::span<const Cell> cells);
// After the run: compares its result with a baseline, then keeps it as one, unless the comparison failed. Does neither
// with an incomplete result. Prints to `out`; `file` holds the result, and is empty if it cannot be read again. Returns
// an exit code.
int settle_baselines(const RunRequest& request, const Result& result, const Judgement& judgement,
                     const std::string& file, std::FILE* out);

}  // namespace loadline
