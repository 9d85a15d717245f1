// Results and configurations as JSON text. results/README.md documents every field, results/schema.json its type.
#pragma once

#include <string>
#include <string_view>

#include "harness/judge/judgement.h"
#include "harness/plan/options.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

inline constexpr int kSchemaVersion = 4;

// The whole result, indented. Google Benchmark's compare.py can read it too. Numbers are finite; what is missing is
// null.
std::string result_json(const Result& result, const Judgement& judgement);

// All fields that a result may have, as JSON. results/renew.py makes results/schema.json and the tables of
// results/README.md from it; form_of() in harness/file/json/record.h documents its form.
std::string result_outline();

// The options as --dump-config prints them and --config reads them.
std::string config_json(const RunOptions& options);

// Sets the options that `text` has: the output of config_json(), or a whole result, whose "config" is used except for
// its output file. null leaves an option alone. Throws usage Error that names `source` and what is wrong in it.
void apply_config(std::string_view text, const std::string& source, RunOptions& options);

}  // namespace loadline
