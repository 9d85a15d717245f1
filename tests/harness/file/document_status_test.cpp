#include "harness/file/document_status.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline {
namespace {

TEST(DocumentStatusTest, DistinguishesResultsFromOtherDocuments) {
  const auto result = document_status(R"({"schema_version": 1, "run_id": "a", "status": "complete"})");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_result);
  EXPECT_TRUE(result->complete);
  const auto stopped = document_status(" \n{\"schema_version\": 4, \"run_id\": \"a\", \"status\": \"partial\"}");
  ASSERT_TRUE(stopped);
  EXPECT_FALSE(stopped->complete);
  const auto training = document_status(R"({"training_version": 1, "run_id": "a", "status": "complete"})");
  ASSERT_TRUE(training);
  EXPECT_FALSE(training->is_result);
  EXPECT_TRUE(training->complete);
  const auto noise = document_status(R"({"noise_schema_version": 2})");
  ASSERT_TRUE(noise);
  EXPECT_FALSE(noise->is_result);
  EXPECT_TRUE(noise->complete);
}

TEST(DocumentStatusTest, TellsWhetherAStoppedRunCanGoOn) {
  const auto can_go_on = [](const std::string& status, const std::string& more) {
    return document_status(R"({"schema_version": 4, "run_id": "a", "status": ")" + status + "\"" + more + "}")
        ->resumable;
  };
  EXPECT_TRUE(can_go_on("partial", R"(, "config": {"find": ""})"));
  EXPECT_FALSE(can_go_on("complete", R"(, "config": {"find": ""})"));
  EXPECT_FALSE(can_go_on("partial", R"(, "config": {"find": "best"})")) << "a search";
  EXPECT_FALSE(can_go_on("partial", R"(, "loop": {}, "config": {"find": ""})")) << "the loop of a program";
  EXPECT_FALSE(can_go_on("partial", R"(, "merged_from": ["b", "c"], "config": {"find": ""})")) << "a merge";
  EXPECT_TRUE(can_go_on("partial", R"(, "merged_from": [], "config": {"find": ""})"));
}

TEST(DocumentStatusTest, RejectsForeignDocuments) {
  for (const std::string text :
       {"", " ", "text", "[1]", "{}", R"({"schema_version": 4})", R"({"schema_version": 4, "run_id": "a"})",
        R"({"schema_version": 4, "run_id": "a", "status": "open"})", R"({"schema_version": "4", "run_id": "a")",
        R"({"schema_version": 4, "run_id": 1, "status": "complete"})", R"({"run_id": "a", "status": "complete"})",
        R"({"schema_version": 4, "run_id": "a", "status": "complete")", R"({"context": {}, "benchmarks": []})"}) {
    EXPECT_FALSE(document_status(text)) << text;
  }
}

}  // namespace
}  // namespace loadline
