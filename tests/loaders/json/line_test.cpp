#include "loaders/json/line.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

std::string json_text(std::string_view line, std::string_view key = "text") {
  std::string text = "of the line before";
  read_json_text(line, key, text);
  return text;
}

std::string json_refusal(std::string_view line) {
  return test::thrown_by([&] { json_text(line); }).message;
}

TEST(JsonLine, GivesTheTextOfTheMemberUnescaped) {
  EXPECT_EQ(json_text(R"({"text": "one"})"), "one");
  EXPECT_EQ(json_text(R"( {"id": 7, "text" : "a\n\"b\" \u00e9 \ud83d\ude00", "more": [null, true, -1.5]} )"),
            "a\n\"b\" \u00e9 \U0001f600");
  EXPECT_EQ(json_text(R"({"text": ""})"), "");
  EXPECT_EQ(json_text(R"({"text": "not this", "body": "this"})", "body"), "this");
}

TEST(JsonLine, ReadsOnlyTheOutermostObjectAndTheLastMemberOfAName) {
  EXPECT_EQ(json_text(R"({"meta": {"text": "inner"}, "text": "outer", "list": [{"text": "inner"}]})"), "outer");
  EXPECT_EQ(json_text(R"({"text": 1, "text": "a", "text": "b"})"), "b");
  EXPECT_EQ(json_refusal(R"({"text": "a", "text": 1})"), "its member text is not a string");
}

TEST(JsonLine, IsWrittenAsItIsRead) {
  EXPECT_EQ(json_line_of("text", "one"), R"({"text":"one"})");
  EXPECT_EQ(json_line_of("body", "a\n\"b\" \u00e9"), "{\"body\":\"a\\n\\\"b\\\" \u00e9\"}");
  for (const std::string_view text : {"", "a\r\n\tb", "\x01\x7f", "\U0001f600 \\u0041"}) {
    EXPECT_EQ(json_text(json_line_of("text", text)), text);
  }
}

TEST(JsonLine, SaysWhyThereIsNoText) {
  EXPECT_EQ(json_refusal(R"({"meta": {"text": "inner"}})"), "it has no member text, which --text-key names");
  EXPECT_EQ(json_refusal(R"({"text": ["a"]})"), "its member text is not a string");
  EXPECT_EQ(json_refusal(R"({"text": null})"), "its member text is not a string");
  EXPECT_EQ(json_refusal(R"(["text", "a"])"), "it is not an object");
  EXPECT_EQ(json_refusal(R"("text")"), "it is not an object");
  for (const char* broken : {"", "{", R"({"text": "a")", R"({"text": "a"} more)", R"({"text": "\ud83d"})",
                             "{\"text\": \"\xff\"}", "{\"text\": \"tab\tinside\"}", "text"}) {
    EXPECT_TRUE(json_refusal(broken).starts_with("it is not JSON: byte ")) << broken;
  }
}

}  // namespace
}  // namespace loadline
