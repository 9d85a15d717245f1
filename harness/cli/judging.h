// What every verb that compares results has in common.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/screen.h"
#include "harness/cli/verbs.h"
#include "harness/judge/diff.h"
#include "harness/judge/walk.h"

namespace loadline {

// With the noise floor that was named, or else that of each host on which `base` was measured, where there is one.
// Throws Error as parse_noise() does, and for one that is poor_noise().
DiffOptions diff_options(const JudgeRequest& request, const Result& base);

// kExitFailed where a gate has lost what it guards; kExitRegression where one of these is what --fail-on names, or
// worse.
int exit_code(const JudgeRequest& request, const std::vector<ResultDiff>& diffs);
int exit_code(const JudgeRequest& request, const Walk& walk);

// What the gates have lost, as one sentence; empty where they have lost nothing.
std::string lost_text(const std::vector<ResultDiff>& diffs);

// In one of the formats of diff_formats(); the tables of text in at most `width` columns.
std::string format_diff(const std::string& format, const std::vector<ResultDiff>& diffs, std::size_t width);
std::string format_walk(const std::string& format, const Walk& walk, std::size_t width);

// A comparison in this format on stdout: text as put_text() writes it, what other programs read as it is.
void put_diff(const std::string& format, const std::string& comparison, Colours colours);

// "text", "markdown", "csv", "json".
std::vector<std::string_view> diff_formats();

}  // namespace loadline
