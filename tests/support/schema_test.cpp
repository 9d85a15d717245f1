#include "tests/support/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace loadline::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

const json kSchema = json::parse(R"({
  "type": "object",
  "required": ["name", "sizes"],
  "additionalProperties": false,
  "properties": {
    "name": {"type": "string", "pattern": "^[a-z]+$", "minLength": 2},
    "sizes": {"type": "array", "minItems": 1, "maxItems": 2, "uniqueItems": true, "items": {"$ref": "#/$defs/size"}},
    "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "mode": {"enum": ["io", "full"]}
  },
  "if": {"properties": {"mode": {"const": "io"}}, "required": ["mode"]},
  "then": {"required": ["note"]},
  "$defs": {"size": {"type": "integer", "minimum": 1, "maximum": 9}}
})");

std::vector<std::string> wrong(const char* text) {
  return violations(kSchema, json::parse(text));
}

TEST(SchemaOfTests, AcceptsDocumentsThatFit) {
  EXPECT_THAT(wrong(R"({"name": "ab", "sizes": [1, 9]})"), IsEmpty());
  EXPECT_THAT(wrong(R"({"name": "ab", "sizes": [1], "note": null, "mode": "io"})"), IsEmpty());
}

TEST(SchemaOfTests, NamesThePlaceOfEachViolation) {
  EXPECT_THAT(wrong(R"({"sizes": [1]})"), ElementsAre("/: lacks \"name\""));
  EXPECT_THAT(wrong(R"({"name": "A", "sizes": [1]})"),
              ElementsAre("/name: minLength 2", "/name: pattern \"^[a-z]+$\""));
  EXPECT_THAT(wrong(R"({"name": "ab", "sizes": []})"), ElementsAre("/sizes: minItems 1"));
  EXPECT_THAT(wrong(R"({"name": "ab", "sizes": [1, 1]})"), ElementsAre("/sizes: uniqueItems true"));
  EXPECT_THAT(wrong(R"({"name": "ab", "sizes": [1, 2, 3]})"), ElementsAre("/sizes: maxItems 2"));
  EXPECT_THAT(wrong(R"({"name": "ab", "sizes": [0, 1.5]})"),
              ElementsAre("/sizes/0: minimum 1", "/sizes/1: want type \"integer\", got 1.5"));
  EXPECT_THAT(wrong(R"({"name": "ab", "sizes": [1], "note": 3})"), ElementsAre("/note: want type \"string\", got 3"));
  EXPECT_THAT(wrong(R"({"name": "ab", "sizes": [1], "more": 3})"), ElementsAre("/more: want nothing here, by false"));
  EXPECT_THAT(wrong(R"({"name": "ab", "sizes": [1], "mode": "io"})"), ElementsAre("/: lacks \"note\""));
}

TEST(SchemaOfTests, RefusesUnknownKeywords) {
  EXPECT_THROW(violations(json::parse(R"({"maxProperties": 3})"), json::object()), std::runtime_error);
}

TEST(SchemaOfTests, AppliesToDocumentsOfTheToolOnly) {
  EXPECT_THAT(violations_of_result(R"({"schema_version": 4})"), testing::Contains("/: lacks \"cells\""));
  EXPECT_THAT(violations_of_result(R"({"diff_schema_version": 2})"), testing::Contains("/: lacks \"diffs\""));
  EXPECT_THAT(violations_of_result(R"({"training_version": 1})"), testing::Contains("/: lacks \"epochs\""));
  EXPECT_THAT(violations_of_result(R"({"training_version": 1, "samples": 0})"),
              testing::Contains("/samples: minimum 1"))
      << "by a definition of results";
  EXPECT_THAT(violations_of_result(R"({"noise_schema_version": 2})"), IsEmpty());
  EXPECT_THAT(violations_of_result("a text"), IsEmpty());
}

}  // namespace
}  // namespace loadline::test
