// Hostile results: whatever a file contains, its readers either report it or refuse it with one sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/file/result_json.h"
#include "harness/file/result_reader.h"
#include "harness/judge/diff.h"
#include "harness/judge/judgement.h"
#include "harness/result/merge.h"
#include "harness/show/report/report.h"
#include "tests/harness/support/loader_stages.h"
#include "tests/harness/support/results.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/this_build.h"

namespace loadline {
namespace {

using test::failed;
using test::thrown_by;
using testing::HasSubstr;

using Json = nlohmann::ordered_json;

std::string sound_text() {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {900, 910}, .loader = "thread-pool", .workers = 2},
                                   {.mode = Mode::kSynthetic, .rates = {1500, 1510}},
                                   {.mode = Mode::kFull, .rates = {850, 860}, .loader = "thread-pool", .workers = 2},
                                   test::overhead()});
  result.run_id = "20261121T095800Z-3fa2c1";
  result.started = "2026-11-21T09:58:00Z";
  result.finished = "2026-11-21T09:59:00Z";
  result.status = Status::kComplete;
  result.memory = MemoryUse{
      .needed_bytes = 1000, .largest_bytes = 900, .largest = "slots", .available_bytes = 2000, .limit = "MemAvailable"};
  for (Trial& trial : result.cells[2].trials) test::spend(trial, 2, {{WorkerStage::kDecode, 1}});
  result.cells[0].trials[0].changed_cpus = CpuLimits{.affinity_list = "0", .cgroup_cpu_limit = 0.5};
  test::add_ceiling(result, test::ceiling("gather", 2), {1000, 1010}, {0});
  return result_json(result, judge_run(result));
}

test::Thrown reading(const std::string& text) {
  return thrown_by([&] { parse_result(text, "r.json"); });
}

// Does everything that a result is read for. Throws only Error.
void use(const std::string& text) {
  const Result result = parse_result(text, "r.json");
  const std::vector<Result> results{result};
  const std::vector<Judgement> judgements{judge_run(result)};
  report_text(results, judgements);
  report_markdown(results, judgements);
  report_csv(results);
  report_html(results, judgements);
  result_json(result, judgements.front());
  diff_results({"a", result}, {"b", result}, {});
  Result other = result;
  other.run_id += "x";
  merge_results({{.source = "a", .result = result}, {.source = "b", .result = other}}, "merged", true);
}

void visit_leaves(Json& json, const std::function<void(Json& leaf)>& visit) {
  if (json.is_structured()) {
    for (auto& item : json) visit_leaves(item, visit);
  } else {
    visit(json);
  }
}

// Replaces each leaf that `wanted` selects by each of `values`, one leaf at a time. Takes only every damage_stride()th
// leaf; `first` selects the one to start with.
void replace_each(const std::function<bool(const Json& leaf)>& wanted, const std::vector<Json>& values,
                  std::size_t first = 0) {
  Json json = Json::parse(sound_text());
  json.erase("benchmarks");
  std::vector<Json*> leaves;
  visit_leaves(json, [&](Json& leaf) {
    if (wanted(leaf)) leaves.push_back(&leaf);
  });
  ASSERT_GT(leaves.size(), 50U);
  for (std::size_t i = first % test::damage_stride(); i < leaves.size(); i += test::damage_stride()) {
    Json* leaf = leaves[i];
    const Json before = *leaf;
    for (const Json& value : values) {
      *leaf = value;
      try {
        use(json.dump());
      } catch (const Error& error) {
        EXPECT_STRNE(error.what(), "");
      }
    }
    *leaf = before;
  }
}

bool is_number(const Json& leaf) {
  return leaf.is_number();
}

// Separate tests, so that they run in parallel: together they take longer than all other tests of files.
TEST(HostileResult, WithZeroOrLessAsAnyNumberIsReportedOrRefused) {
  replace_each(is_number, {0, -1});
}

TEST(HostileResult, WithAnyNumberTooLargeOrTooSmallIsReportedOrRefused) {
  replace_each(is_number, {1e30, 1e-300}, 1);
}

TEST(HostileResult, WithTheLargestIntegerOrNullAsAnyNumberIsReportedOrRefused) {
  replace_each(is_number, {18'446'744'073'709'551'615U, nullptr}, 2);
}

TEST(HostileResult, WithAnyTextIsReportedOrRefused) {
  replace_each([](const Json& leaf) { return leaf.is_string(); }, {"", "=1\n\033[2J\xe2\x80\xae", "x/y:z,\"'|`<b>", 7});
}

TEST(HostileResult, IsRefusedIfItIsNestedTooDeep) {
  const std::string lists(100'000, '[');
  EXPECT_EQ(reading(R"({"schema_version": 4, "cells": )" + lists),
            failed("r.json: neither a result nor a configuration: its values are nested more than 64 deep"));
  EXPECT_EQ(reading(R"({"benchmarks": )" + lists),
            failed("r.json: neither a result nor a configuration: its values are nested more than 64 deep"));
}

TEST(HostileResult, IsRefusedIfItHasTooManyValues) {
  if (test::kSanitized) GTEST_SKIP() << "takes long, and other tests read the same way";
  std::string text = R"({"benchmarks": [)";
  for (std::size_t i = 0; i < (std::size_t{1} << 24); ++i) text += "1,";
  EXPECT_EQ(reading(text + "1]}"),
            failed("r.json: neither a result nor a configuration: it has more than 16777216 values"));
}

TEST(HostileResult, IsRefusedIfATextIsTooLong) {
  const std::string text((1 << 20) + 1, 'x');
  EXPECT_EQ(
      reading(R"({"run_id": ")" + text + "\"}"),
      failed(
          "r.json: neither a result nor a configuration: it contains a text of 1048577 bytes, want at most 1048576"));
  EXPECT_EQ(
      reading("{\"" + text + "\": 1}"),
      failed(
          "r.json: neither a result nor a configuration: it contains a text of 1048577 bytes, want at most 1048576"));
}

TEST(HostileResult, IsRefusedIfANumberIsTooLarge) {
  EXPECT_EQ(reading(R"({"schema_version": 4, "x": 1.5e31})"),
            failed("r.json: neither a result nor a configuration: the number 1.5e31 is too large"));
  EXPECT_THAT(reading(R"({"x": -1e300})").message, HasSubstr("the number -1e300 is too large"));
}

TEST(HostileResult, HasItsControlCharactersEscaped) {
  Json json = Json::parse(sound_text());
  json["machine"]["hostname"] = "a\nb\033[2J";
  json["cells"][0]["workload"] = "mnist\033[31m";
  const Result result = parse_result(json.dump(), "r.json");
  EXPECT_EQ(result.environment.machine.hostname, R"(a\nb\x1b[2J)");
  EXPECT_EQ(result.cells[0].cell.workload, R"(mnist\x1b[31m)");
}

TEST(HostileResult, KeepsPathsAsTheyAre) {
  Json json = Json::parse(sound_text());
  json["datasets"][0]["path"] = "/a\nb";
  json["cells"][0]["data"] = "/a\nb";
  const Result result = parse_result(json.dump(), "r.json");
  EXPECT_EQ(result.datasets[0].path, "/a\nb");
  EXPECT_EQ(result.cells[0].cell.data, "/a\nb");
}

}  // namespace
}  // namespace loadline
