// Documents that the tool writes, held to the schemas in results/.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace loadline::test {

// What is wrong with `document` by `schema`, a line each: "/cells/0/mode: want one of [...]". Knows as much of JSON
// Schema (draft 2020-12) as the schemas of results/ use; throws std::runtime_error for a keyword that it does not know,
// so that nothing passes unseen.
std::vector<std::string> violations(const nlohmann::json& schema, const nlohmann::json& document);

// The same of a text by the schema of results/ that it says to be of: a result or a comparison. Nothing of any other
// text.
std::vector<std::string> violations_of_result(const std::string& text);

// Fails the test with all that is wrong with this text, which is called `name`.
void expect_valid_result(const std::string& text, const std::string& name);

}  // namespace loadline::test
