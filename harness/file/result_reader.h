// Results read back.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/result/result.h"

namespace loadline {

// The inverse of result_json(), except for how to get the data of a cell, which is not in the file. Judgements are
// not read: judge_run() makes them from the trials. Options that the file lacks keep their defaults; unknown members
// are ignored. Throws Error that names `source`, the place and what is wanted: for text that is truncated, is not
// JSON, is not a result, or has an unsupported schema version; for fields that are missing or of the wrong type; for
// trials without a rate; for indices out of range; for names that this program does not know; and for cells or
// ceilings that appear twice.
Result parse_result(std::string_view text, const std::string& source);

// The result in a file.
Result load_result(const std::filesystem::path& path);

}  // namespace loadline
