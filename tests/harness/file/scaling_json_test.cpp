#include "harness/file/scaling_json.h"

#include <gtest/gtest.h>

#include "loaders/error.h"
#include "tests/harness/support/ranks.h"

namespace loadline {
namespace {

ScalingStudy small_study() {
  const Result one = test::ranks_result({.ranks = 1, .full = {100, 102}});
  const Result two = test::ranks_result({.ranks = 2, .full = {150, 153}, .early_share = 0.1});
  const Judgement of_one = judge_run(one);
  const Judgement of_two = judge_run(two);
  const std::vector<ScalingPart> parts{{"a.json", one, of_one}, {"b.json", two, of_two}};
  return scaling_study(parts, std::nullopt, 0.8);
}

TEST(ScalingJson, IsReadBackAsItWas) {
  const std::string text = scaling_json(small_study());
  EXPECT_TRUE(is_scaling_study(text));
  EXPECT_EQ(scaling_json(parse_scaling_study(text, "s.json")), text);
}

TEST(ScalingJson, RefusesInvalidStudies) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      parse_scaling_study(text, "s.json");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_FALSE(is_scaling_study("{}"));
  EXPECT_EQ(refusal(R"({"scaling_schema_version": 9})"),
            "s.json: a scaling study of version 9, but this loadline reads 1: make it again from its results with "
            "loadline scale");
  std::string text = scaling_json(small_study());
  text.replace(text.find("\"ranks\": 1"), 10, "\"ranks\": 0");
  EXPECT_EQ(refusal(text), "s.json: sources[0].ranks: want a number above 0, got 0");
}

}  // namespace
}  // namespace loadline
