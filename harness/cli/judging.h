// What all verbs that compare results share.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/screen.h"
#include "harness/cli/verbs.h"
#include "harness/judge/diff.h"
#include "harness/judge/walk.h"

namespace loadline {

// Uses the noise floor that the request names, or else those known for the hosts on which `base` was measured. Throws
// Error as parse_noise() does, and if a noise floor is poor_noise().
DiffOptions diff_options(const JudgeRequest& request, const Result& base);

// kExitFailed if a gate lost what it guards; kExitRegression if a comparison is as bad as --fail-on names, or worse.
int exit_code(const JudgeRequest& request, const std::vector<ResultDiff>& diffs);
int exit_code(const JudgeRequest& request, const Walk& walk);

// What the gates have lost, as one sentence; empty if nothing.
std::string lost_text(const std::vector<ResultDiff>& diffs);

// `format` is one of diff_formats(). Text tables are at most `width` columns wide.
std::string format_diff(const std::string& format, const std::vector<ResultDiff>& diffs, std::size_t width);
std::string format_walk(const std::string& format, const Walk& walk, std::size_t width);

// Writes a comparison to stdout: text by put_text(), formats for other programs unchanged.
void put_diff(const std::string& format, const std::string& comparison, Colours colours);

// "text", "markdown", "csv", "json".
std::vector<std::string_view> diff_formats();

}  // namespace loadline
