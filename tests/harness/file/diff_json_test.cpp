#include "harness/file/diff_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "harness/judge/judgement.h"
#include "loaders/error.h"
#include "tests/harness/support/noise.h"
#include "tests/harness/support/results.h"
#include "tests/support/schema.h"

namespace loadline {
namespace {

using test::noise_of;
using test::result_of;

nlohmann::json parsed(const std::string& text) {
  test::expect_valid_result(text, "comparison");
  return nlohmann::json::parse(text);
}

TEST(DiffJson, HasNullForMissingValues) {
  const Result base = result_of({{.mode = Mode::kFull, .rates = {100}}, {.mode = Mode::kIo, .rates = {}}});
  const auto json = parsed(diff_json({diff_results({"a", base}, {"b", base}, {})}));
  EXPECT_EQ(json["diff_schema_version"], 2);
  EXPECT_EQ(json["walk"], nullptr);
  const auto& diff = json["diffs"][0];
  EXPECT_EQ(diff["verdict"], "inconclusive");
  EXPECT_EQ(diff["by"], nullptr);
  EXPECT_EQ(diff["cells"][0]["ratio"], 1.0);
  EXPECT_EQ(diff["cells"][0]["ci95"], nullptr);
  EXPECT_EQ(diff["cells"][0]["p"], nullptr);
  EXPECT_EQ(diff["cells"][1]["base"], nullptr);
  EXPECT_EQ(diff["cells"][1]["ratio"], nullptr);
  EXPECT_EQ(diff["cells"][1]["obstacle"], "the base has no trials");
}

TEST(DiffJson, ListsTheChangesBetweenMatchedCells) {
  const auto full = [](std::size_t workers) {
    return result_of({{.mode = Mode::kFull, .rates = {100, 100}, .loader = "thread-pool", .workers = workers},
                      {.mode = Mode::kSynthetic, .rates = {100, 100}}});
  };
  const Result base = full(1);
  const Result changed = full(2);
  const auto json = parsed(diff_json({diff_results({"a", base}, {"b", changed}, {})}));
  const auto& cell = json["diffs"][0]["cells"][0];
  EXPECT_EQ(cell["new_name"], "mnist/FULL/thread-pool/workers:2/batch:100");
  EXPECT_EQ(cell["matched_by"], "configuration");
  EXPECT_EQ(cell["changes"], nlohmann::json::parse(R"([{"what": "workers", "base": "1", "new": "2"}])"));
  EXPECT_EQ(cell["shares"]["compute"]["value"], 1.0);
  EXPECT_EQ(cell["shares"]["other_step"], false);
  EXPECT_EQ(cell["shares"]["after"]["stall"]["value"], 0.0);
}

TEST(WalkJson, HasAStepForEachResult) {
  const Result first = result_of({{.mode = Mode::kFull, .rates = {100, 100}, .loader = "thread-pool", .workers = 1}});
  const Result second = result_of({{.mode = Mode::kFull, .rates = {200, 200}, .loader = "thread-pool", .workers = 2}});
  const std::vector<Named> named{{"a", first}, {"b", second}};
  const std::vector<Judgement> judgements{judge_run(first), judge_run(second)};
  const auto json = parsed(walk_json(walk_results(named, judgements, {})));
  EXPECT_TRUE(json["diffs"].empty());
  EXPECT_EQ(json["walk"]["verdict"], "improvement");
  const auto& steps = json["walk"]["workloads"][0]["steps"];
  EXPECT_EQ(steps[0]["over_before"], nullptr);
  EXPECT_EQ(steps[0]["setting"], "thread-pool x 1, device:samples_per_second=1000, batch size 100");
  EXPECT_NEAR(steps[1]["over_first"]["ratio"].get<double>(), 2, 1e-9);
  EXPECT_EQ(steps[1]["io"], nullptr);
}

NoiseFloor noise_floor() {
  NoiseFloor noise = noise_of({{.cell = "a",
                                .workload = "mnist",
                                .mode = Mode::kIo,
                                .trial_seconds = 0.25,
                                .ratios = {1.01, 0.99, 1.02, 1.0, 0.98}}});
  noise.machine.kernel_release = "6.1.0";
  noise.machine.cgroup_cpu_limit = 0.5;
  noise.boost = true;
  return noise;
}

TEST(NoiseJson, IsReadBack) {
  const std::string text = noise_json(noise_floor());
  const NoiseFloor read = parse_noise(text, "noise.json");
  EXPECT_EQ(noise_json(read), text);
  EXPECT_EQ(read.of(Mode::kIo), noise_floor().of(Mode::kIo));
  EXPECT_EQ(read.machine.hostname, "host");
  EXPECT_EQ(read.machine.kernel_release, "6.1.0");
  EXPECT_EQ(read.machine.cgroup_cpu_limit, 0.5);
  EXPECT_EQ(read.boost, true);
  EXPECT_EQ(read.build.version, "1.2.3");
  EXPECT_EQ(read.pairs, 5U);
  EXPECT_EQ(read.trials, 3U);
}

std::string refusal(const std::string& text) {
  try {
    parse_noise(text, "noise.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(NoiseJson, RefusesAnythingElse) {
  EXPECT_EQ(refusal("{}"), "noise.json: not a noise floor as `loadline aa` writes it");
  EXPECT_EQ(refusal("[]"), "noise.json: not a noise floor as `loadline aa` writes it");
  EXPECT_EQ(refusal(R"({"noise_schema_version": 9})"),
            "noise.json: written by another loadline, noise schema version 9; this one reads 2; measure it again with "
            "`loadline aa`, or ignore it with `loadline diff --noise none`");
  std::string negative = noise_json(noise_floor());
  negative.replace(negative.find("0.98"), 4, "-0.98");
  EXPECT_EQ(refusal(negative), "noise.json: the ratios of a: want one above 0 for each of 5 pairs");
  std::string more = noise_json(noise_floor());
  more.replace(more.find("0.98"), 4, "0.98, 2");
  EXPECT_EQ(refusal(more), "noise.json: the ratios of a: want one above 0 for each of 5 pairs");
}

TEST(NoiseJson, RefusesTheStandardErrorThatAnOlderLoadlineCalledAFloor) {
  EXPECT_EQ(refusal(R"({"noise_schema_version": 1, "hostname": "host", "pairs": 20, "cells": []})"),
            "noise.json: an older loadline measured this noise floor within one run, which says nothing about two "
            "runs; measure it again with `loadline aa`, or ignore it with `loadline diff --noise none`");
}

}  // namespace
}  // namespace loadline
