// Results read back.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/result/result.h"

namespace loadline {

// The inverse of result_json(), but for how to get the data of a cell, which the file does not tell. What was judged is
// not read: it follows from the trials, by judge_run(). Options that the file does not have are as they stand by
// themselves; unknown members are left alone. Throws Error naming `source`, the place and what is wanted: for what is
// cut short or no JSON, is no result, or is one of another schema version; for fields that are missing or of another
// type; for trials that give no rate; for indices of what is not there; for names that this program does not know; and
// for cells or ceilings that stand twice.
Result parse_result(std::string_view text, const std::string& source);

// The result in a file.
Result load_result(const std::filesystem::path& path);

}  // namespace loadline
