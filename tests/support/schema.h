// Checks documents that the tool writes against the schemas in results/.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace loadline::test {

// What is wrong with `document` by `schema`, a line for each fault: "/cells/0/mode: want one of [...]". Knows the part
// of JSON Schema (draft 2020-12) that the schemas of results/ use. Throws std::runtime_error for a keyword that it does
// not know, so that nothing passes unchecked.
std::vector<std::string> violations(const nlohmann::json& schema, const nlohmann::json& document);

// The same for a text by the schema of results/ that it names. Returns nothing for any other text.
std::vector<std::string> violations_of_result(const std::string& text);

// Fails the test with everything that is wrong with this text, which is called `name`.
void expect_valid_result(const std::string& text, const std::string& name);

}  // namespace loadline::test
