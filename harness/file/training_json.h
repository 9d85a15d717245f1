// A training run as JSON text. results/README.md documents every field, results/train_schema.json its type.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/result/training.h"

namespace loadline {

inline constexpr int kTrainingVersion = 1;

// Indented. Numbers are finite; what is missing is null.
std::string training_json(const TrainingResult& result);

// All fields that such a document may have, as JSON. results/renew.py makes results/train_schema.json from it;
// form_of() in harness/file/json/record.h documents its form.
std::string training_outline();

// Whether the text is such a document, of any version.
bool is_training(std::string_view text);

// The inverse, except for the options and for why there was no validation. Throws Error that names `source`, the
// place in it, what is wanted and what was found.
TrainingResult parse_training(std::string_view text, const std::string& source);

// The same for a file.
TrainingResult load_training(const std::filesystem::path& path);

}  // namespace loadline
