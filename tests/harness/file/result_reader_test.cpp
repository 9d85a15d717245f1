#include "harness/file/result_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/file/result_json.h"
#include "harness/judge/judgement.h"
#include "harness/machine/build_facts.h"
#include "loaders/names.h"
#include "tests/harness/support/loader_stages.h"
#include "tests/harness/support/results.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/this_build.h"

namespace loadline {
namespace {

using test::failed;
using test::thrown_by;
using testing::HasSubstr;

using Json = nlohmann::ordered_json;

std::string result_text_of(const Result& result) {
  return result_json(result, judge_run(result));
}

// A loader-bound result with a ceiling, a check, a search, and something in every list.
Result full_result() {
  Result result =
      test::result_of({{.mode = Mode::kIo, .rates = {900, 910, 905}, .loader = "thread-pool", .workers = 2},
                       {.mode = Mode::kSynthetic, .rates = {1500, 1510, 1505}},
                       {.mode = Mode::kFull, .rates = {850, 860, 855}, .loader = "thread-pool", .workers = 2},
                       test::overhead()});
  result.run_id = "20261121T095800Z-3fa2c1";
  result.started = "2026-11-21T09:58:00Z";
  result.finished = "2026-11-21T09:59:00Z";
  result.status = Status::kComplete;
  result.arguments = {"loadline", "run", "--prefetch", "2,3"};
  result.merged_from = {"20261121T095800Z-000001", "20261121T095800Z-000002"};
  result.other_builds = {"loadline 1.2.2 (0123456789ab)"};
  write_option(result.options, row_named(run_options(), "option", "prefetch"), "2,3");
  write_option(result.options, row_named(run_options(), "option", "workers"), "2");
  result.environment.build.libraries = {{"fmt", "9.1.0"}, {"oneDNN", std::nullopt}};
  result.environment.job = Job{.scheduler = "slurm",
                               .id = "17",
                               .array_id = "15",
                               .array_index = 2,
                               .name = "sweep",
                               .partition = "main",
                               .nodes = "n[1-2]",
                               .node_count = 2,
                               .cpus = 8,
                               .total_cpus = 16,
                               .memory_bytes = 1 << 30,
                               .ends = "2026-11-21T10:28:00Z",
                               .restarts = 1};
  result.process = RunUsage{.wall_seconds = 60, .usage = {.user_cpu_seconds = 50, .peak_rss_bytes = 1 << 20}};
  DatasetFacts& facts = result.datasets.front();
  facts.canonical_path = "/mnt/storage/mnist";
  for (int i = 0; i < 70; ++i) facts.info.files.emplace_back(fmt::format("/data/mnist/{}", i));
  facts.after = Residency{.pages = 10, .resident_pages = std::nullopt};
  test::add_ceiling(result, test::ceiling("gather", 2), {4000, 4100}, {0, 2});
  test::add_ceiling(result, test::ceiling("memory-read", 1), {}, {});
  result.ceilings.back().error = "no memory";
  CellResult& io = result.cells.front();
  io.prefetch = 4;
  io.first_epoch = FirstEpoch{.open_seconds = 0.25,
                              .first_batch_seconds = 0.5,
                              .wall_seconds = 3,
                              .samples = 600,
                              .batches = 6,
                              .complete = true,
                              .usage = {.user_cpu_seconds = 1.5}};
  for (SampleIndex i = 0; i < 70; ++i) io.skipped.emplace(i, fmt::format("sample {} is damaged", i));
  io.trials[1].stores = Stores::kStreaming;
  io.trials[1].pilot = true;
  io.trials[1].fill = Fill{.wall_seconds = 2, .batches = 30, .samples = 3000};
  io.trials[1].queue = QueueLevels{.ready_at_start = 4, .ready_at_end = 1};
  for (Trial& trial : io.trials) test::spend(trial, 2, {{WorkerStage::kDecode, 0.75}, {WorkerStage::kRead, 0.25}});
  io.first_epoch->loader_stages = loader_stages_of_next_calls(2, 3);
  io.trials[1].usage = {.run_delay_seconds = 0.5,
                        .blocked_io_seconds = 0.25,
                        .idle_seconds = 0.0625,
                        .steal_seconds = 0.125,
                        .throttled_seconds = 1,
                        .peak_rss_bytes = 1 << 20};
  io.trials[1].clock_started_seconds = 2.5;
  io.trials[1].energy = EnergyUse{.cpu_joules = 12.5, .memory_joules = std::nullopt, .gpu_joules = 100};
  io.trials[1].counters = TrialCounters();
  io.trials[1].counters->consumer.page_faults = 3;
  io.trials[1].counters->workers.emplace().instructions = 1'000'000'000'000;
  result.counters = CounterFacts{.user_mode_only = true, .refusal = "cycles are not counted, because of it"};
  result.monitor = MonitorRecord{.period_seconds = 0.2, .halvings = 1, .cpu_seconds = 0.01};
  result.monitor->times_seconds = {0, 0.4};
  result.monitor->series = {
      {"cpu user", "cpu0", "share", "/proc/stat", {std::numeric_limits<double>::quiet_NaN(), 0.25}}};
  result.named_files = {{.named_by = "replay:file=job.json", .path = "job.json", .hash = 0x123}};
  CellResult& full = result.cells[2];
  full.error = "cannot read on";
  for (Trial& trial : full.trials) {
    trial.compute_description = "lenet, 61706 weights";
    trial.stages = {{.name = "forward", .hits = 100, .total_seconds = 0.125}};
    trial.usage.device_read_bytes = 4096;
  }
  result.checks.push_back({.cell = full.cell, .trials = {test::trial_of(1490, 100)}});
  result.checks.front().cell.compute = "device:samples_per_second=2000";
  result.search =
      Search{.kind = "max-rate", .utilisation = 0.9, .probes = {}, .found = 1200.5, .confirmed = std::nullopt};
  result.search->probes = {{.value = 1000, .synthetic = {1, 2}, .full = {3, 4}, .enough = true, .confirms = true}};
  return result;
}

// The text of full_result() after a change.
std::string changed(const std::function<void(Json&)>& change) {
  Json json = Json::parse(result_text_of(full_result()));
  change(json);
  return json.dump();
}

void expect_refusal(const std::string& sentence, const std::function<void(Json&)>& change) {
  SCOPED_TRACE(sentence);
  const std::string text = changed(change);
  EXPECT_EQ(thrown_by([&] { parse_result(text, "result.json"); }), failed("result.json: " + sentence));
}

void expect_refusal_of_text(const std::string& sentence, const std::string& text) {
  EXPECT_EQ(thrown_by([&] { parse_result(text, "result.json"); }), failed("result.json: " + sentence));
}

TEST(ResultReader, ReproducesWhatWasWrittenByteForByte) {
  const std::string text = result_text_of(full_result());
  EXPECT_EQ(result_text_of(parse_result(text, "result.json")), text);
}

TEST(ResultReader, RefusesASeriesWithoutAValueForEachTime) {
  expect_refusal("monitor.series[0].values: want 2, one for each time, got 1",
                 [](Json& json) { json["monitor"]["series"][0]["values"] = {1.5}; });
}

TEST(ResultReader, ReproducesTheCommittedExample) {
  const std::string text =
      test::bytes_of(std::string(test::kRepository) + "/results/example-fashion-mnist-cifar10.json");
  EXPECT_EQ(result_text_of(parse_result(text, "example")), text);
}

TEST(ResultReader, RestoresFieldsThatTheTextDoesNotShow) {
  const Result result = parse_result(result_text_of(full_result()), "result.json");
  EXPECT_EQ(result.status, Status::kComplete);
  EXPECT_EQ(result.environment.job, full_result().environment.job);
  EXPECT_EQ(result.process->usage.user_cpu_seconds, 50);
  EXPECT_EQ(result.options.axes, (std::vector<Axis>{{.option = "prefetch", .values = {"2", "3"}}}));
  EXPECT_EQ(result.ceilings[0].ceiling, test::ceiling("gather", 2));
  EXPECT_EQ(result.cells[2].bounds, std::vector<std::size_t>{0});
  EXPECT_EQ(result.cells[0].cell.name(), "mnist/IO/thread-pool/workers:2/batch:100");
  EXPECT_EQ(result.cells[0].trials[1].stores, Stores::kStreaming);
  EXPECT_EQ(result.cells[2].trials[2].compute_description, "lenet, 61706 weights");
  EXPECT_EQ(result.datasets[0].fingerprint, 0x123456789abcdef0U);
  EXPECT_EQ(result.named_files[0].hash, 0x123U);
}

TEST(ResultReader, KeepsTheOrderOfChannels) {
  Result result = full_result();
  EXPECT_FALSE(Json::parse(result_text_of(result))["datasets"][0].contains("channels_last"));
  result.datasets[0].info.channels_last = true;
  const std::string text = result_text_of(result);
  EXPECT_EQ(Json::parse(text)["datasets"][0]["channels_last"], true);
  EXPECT_TRUE(parse_result(text, "result.json").datasets[0].info.channels_last);
}

// The description of the first trial used to stand for all.
TEST(ResultReader, KeepsAllDescriptionsOfTheComputeOfACell) {
  Result result = full_result();
  result.cells[2].trials[1].compute_description = "another lenet";
  const std::string text = result_text_of(result);
  const std::string both = "lenet, 61706 weights; in other trials: another lenet";
  EXPECT_EQ(Json::parse(text)["cells"][2]["compute_description"], both);
  Result again = parse_result(text, "result.json");
  EXPECT_EQ(again.cells[2].trials[2].compute_description, both);
  again.cells[2].trials.push_back(result.cells[2].trials[0]);
  EXPECT_EQ(Json::parse(result_text_of(again))["cells"][2]["compute_description"], both) << "measured later";
}

TEST(ResultReader, WritesRowsForBenchmarkToolsThatAreNumberedWithoutPilots) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {1, 2, 3, 4}}});
  result.cells[0].trials[0].pilot = result.cells[0].trials[1].pilot = true;
  const Json json = Json::parse(result_text_of(result));
  ASSERT_EQ(json["benchmarks"].size(), 2U);
  EXPECT_EQ(json["benchmarks"][0]["repetitions"], 2);
  EXPECT_EQ(json["benchmarks"][0]["repetition_index"], 0);
  EXPECT_EQ(json["benchmarks"][1]["repetition_index"], 1);
}

TEST(ResultReader, KeepsTheNumberOfUnlistedItems) {
  const Result result = parse_result(result_text_of(full_result()), "result.json");
  EXPECT_EQ(result.cells[0].skipped.size(), 64U);
  EXPECT_EQ(result.cells[0].skipped_count(), 70U);
  EXPECT_EQ(result.datasets[0].info.files.size(), 64U);
  EXPECT_EQ(result.datasets[0].files_left_out, 6U);
}

TEST(ResultReader, AcceptsMembersInAnyOrderAndIgnoresUnknownOnes) {
  const std::string text = result_text_of(full_result());
  nlohmann::json sorted = nlohmann::json::parse(text);
  sorted["something else"] = {{"benchmarks", {1, 2}}};
  sorted["cells"][0]["something else"] = nullptr;
  EXPECT_EQ(result_text_of(parse_result(sorted.dump(), "result.json")), text);
}

TEST(ResultReader, DerivesJudgementsFromTheTrialsAlone) {
  const std::string text = changed([](Json& json) {
    json["cells"][0]["samples_per_second"] = nullptr;
    for (const char* judged : {"configurations", "headlines", "predictions", "warnings", "benchmarks", "context"}) {
      json.erase(judged);
    }
  });
  EXPECT_EQ(result_text_of(parse_result(text, "result.json")), result_text_of(full_result()));
}

TEST(ResultReader, GivesAMissingOptionItsDefault) {
  const std::string text = changed([](Json& json) { json["config"].erase("max_cells"); });
  EXPECT_EQ(parse_result(text, "result.json").options.max_cells, RunOptions().max_cells);
}

// Removes what version 4 added, and undoes what it changed in meaning.
void make_version_3(Json& json) {
  constexpr std::array kOfUsage{"run_delay_seconds", "blocked_io_seconds", "steal_seconds", "throttled_seconds"};
  json["schema_version"] = 3;
  for (const char* list : {"cells", "checks"}) {
    for (Json& cell : json[list]) {
      for (Json& trial : cell["trials"]) {
        for (const char* added : {"pilot", "fill", "queue"}) trial.erase(added);
        for (const char* added : kOfUsage) trial.erase(added);
        trial["peak_rss_bytes"] = 5000;
      }
      if (cell["first_epoch"].is_null()) continue;
      for (const char* added : kOfUsage) cell["first_epoch"].erase(added);
      cell["first_epoch"]["peak_rss_bytes"] = 5000;
    }
  }
  for (const char* added : kOfUsage) json["process"].erase(added);
  json.erase("other_builds");
}

TEST(ResultReader, GivesFieldsThatVersion3LackedTheirDefaults) {
  const Result result = parse_result(changed(make_version_3), "result.json");
  const Trial& trial = result.cells[0].trials[1];
  EXPECT_EQ(trial.stores, Stores::kStreaming);
  EXPECT_FALSE(trial.pilot);
  EXPECT_FALSE(trial.fill.has_value());
  EXPECT_FALSE(trial.queue.has_value());
  EXPECT_EQ(trial.usage.run_delay_seconds, std::nullopt);
  EXPECT_EQ(trial.usage.blocked_io_seconds, std::nullopt);
  EXPECT_EQ(trial.usage.steal_seconds, std::nullopt);
  EXPECT_EQ(trial.usage.throttled_seconds, std::nullopt);
  EXPECT_EQ(result.process->usage.user_cpu_seconds, 50);
}

TEST(ResultReader, TakesTheMemoryPeakOfTheProcessFromVersion3ButNotThoseOfTrials) {
  const Result result = parse_result(changed(make_version_3), "result.json");
  EXPECT_EQ(result.cells[0].trials[0].usage.peak_rss_bytes, std::nullopt);
  EXPECT_EQ(result.cells[0].first_epoch->usage.peak_rss_bytes, std::nullopt);
  EXPECT_EQ(result.process->usage.peak_rss_bytes, 1U << 20);
}

TEST(ResultReader, RequiresAFieldOfVersion4InAFileOfVersion4) {
  expect_refusal("cells[2].trials[1]: 'fill' is missing",
                 [](Json& json) { json["cells"][2]["trials"][1].erase("fill"); });
}

TEST(ResultReader, RefusesTextThatIsNotJson) {
  const std::string text = result_text_of(full_result());
  expect_refusal_of_text("not JSON: it is empty", "");
  expect_refusal_of_text("not JSON: it is empty", " \n");
  expect_refusal_of_text("not JSON: it is cut short", text.substr(0, text.size() / 2));
  expect_refusal_of_text("not JSON: it is cut short", text.substr(0, text.size() - 2));
  expect_refusal_of_text("not JSON: byte 1 is not valid here", "PK\x03\x04");
  expect_refusal_of_text("not JSON: byte 13 is not valid here", R"({"a": [1, 2]]})");
  expect_refusal_of_text("not JSON: the number that ends at byte 11 is too large", R"({"a": 1e999})");
  expect_refusal_of_text("not JSON: byte 8 is not valid here", "{\"a\": \"\xff\"}");
}

TEST(ResultReader, RefusesJsonThatIsNotAResult) {
  expect_refusal_of_text("want a result of loadline, got a list", "[]");
  expect_refusal_of_text("not a result of loadline: it has no schema_version", R"({"context": {}, "benchmarks": []})");
  const std::string here = this_build().version;
  expect_refusal(fmt::format("written by loadline 1.2.3 as schema version 9, but this is loadline {}, which reads 1 to "
                             "4: use that version or a later one",
                             here),
                 [](Json& json) { json["schema_version"] = 9; });
  expect_refusal(fmt::format("written by another loadline as schema version 0, but this is loadline {}, which reads 1 "
                             "to 4: no such version exists",
                             here),
                 [](Json& json) {
                   json["schema_version"] = 0;
                   json.erase("build");
                 });
  expect_refusal("schema_version: want a whole number, got '4'", [](Json& json) { json["schema_version"] = "4"; });
}

TEST(ResultReader, NamesThePlaceOfAFieldThatIsMissingOrInvalid) {
  expect_refusal("'machine' is missing", [](Json& json) { json.erase("machine"); });
  expect_refusal("cells[2].trials[1]: 'wall_seconds' is missing",
                 [](Json& json) { json["cells"][2]["trials"][1].erase("wall_seconds"); });
  expect_refusal("cells[2].trials[1].wall_seconds: want a number, got null",
                 [](Json& json) { json["cells"][2]["trials"][1]["wall_seconds"] = nullptr; });
  expect_refusal("cells[0].trials: want a list, got an object",
                 [](Json& json) { json["cells"][0]["trials"] = Json::object(); });
  expect_refusal("machine: want an object, got 3", [](Json& json) { json["machine"] = 3; });
  expect_refusal("machine.threads_in_force: want a whole number, got -1",
                 [](Json& json) { json["machine"]["threads_in_force"] = -1; });
  expect_refusal("cells[0].trials[0].batches: want a whole number, got 1.5",
                 [](Json& json) { json["cells"][0]["trials"][0]["batches"] = 1.5; });
  expect_refusal("cells[0].skipped.samples[0].index: want a whole number up to 4294967295, got 4294967296",
                 [](Json& json) { json["cells"][0]["skipped"]["samples"][0]["index"] = 4294967296; });
  expect_refusal("build.libraries.fmt: want text, got a list",
                 [](Json& json) { json["build"]["libraries"]["fmt"] = Json::array(); });
  expect_refusal("datasets[0].fingerprint: want 16 hexadecimal digits, got '12'",
                 [](Json& json) { json["datasets"][0]["fingerprint"] = "12"; });
  expect_refusal("datasets[0].shape: want channels, height and width, got 2 items", [](Json& json) {
    json["datasets"][0]["shape"] = {1, 2};
  });
  expect_refusal("datasets[0].file_count: want at least the 64 files that are listed, got 63",
                 [](Json& json) { json["datasets"][0]["file_count"] = 63; });
  expect_refusal("cells[0].skipped.count: want at least the 64 samples that are listed, got 1",
                 [](Json& json) { json["cells"][0]["skipped"]["count"] = 1; });
  expect_refusal("cells[0].workers: want a whole number, got 'two'",
                 [](Json& json) { json["cells"][0]["workers"] = "two"; });
  expect_refusal("cells[0].mean: want a list of numbers, got 'a'",
                 [](Json& json) { json["cells"][0]["mean"] = {"a"}; });
  expect_refusal("cells[0].data: want a setting, got an object",
                 [](Json& json) { json["cells"][0]["data"] = Json::object(); });
  expect_refusal("cells[0]: 'dtype' is missing", [](Json& json) { json["cells"][0].erase("dtype"); });
  expect_refusal("config: --trials: want a whole number from 1 to 100000, got '0'",
                 [](Json& json) { json["config"]["trials"] = 0; });
}

TEST(ResultReader, RefusesTrialsThatGiveNoRate) {
  const auto of_trial = [](const char* key, const Json& value) {
    return [=](Json& json) { json["cells"][0]["trials"][0][key] = value; };
  };
  expect_refusal("cells[0].trials[0].wall_seconds: want a number above 0, got 0", of_trial("wall_seconds", 0.0));
  expect_refusal("cells[0].trials[0].wall_seconds: want a number above 0, got -2", of_trial("wall_seconds", -2));
  expect_refusal("cells[0].trials[0].samples: want a number above 0, got 0", of_trial("samples", 0));
  expect_refusal("cells[0].trials[0].batches: want a number above 0, got 0", of_trial("batches", 0));
  expect_refusal(
      "cells[0].trials[0].wall_seconds: want at least 1e-09 seconds, which is as much as a clock can tell, got 1e-300",
      of_trial("wall_seconds", 1e-300));
  expect_refusal("cells[0].first_epoch.samples: want a number above 0, got 0",
                 [](Json& json) { json["cells"][0]["first_epoch"]["samples"] = 0; });
  expect_refusal("ceilings[0].trials[0].amount: want a number above 0, got 0",
                 [](Json& json) { json["ceilings"][0]["trials"][0]["amount"] = 0; });
  expect_refusal("search.probes[0].full_samples_per_second: want at least one rate, and all of them above 0",
                 [](Json& json) {
                   json["search"]["probes"][0]["full_samples_per_second"] = {1, 0};
                 });
  expect_refusal("cells[0].world_size: want a number above 0, got 0",
                 [](Json& json) { json["cells"][0]["world_size"] = 0; });
}

TEST(ResultReader, RefusesImpossibleStagesOfALoader) {
  const auto of_stages = [](const Json& value) {
    return [=](Json& json) { json["cells"][0]["trials"][0]["loader_stages"] = value; };
  };
  const std::string stages = "cells[0].trials[0].loader_stages";
  expect_refusal(stages + ": want an object, got 3", of_stages(3));
  expect_refusal(stages + ": want at least one stage of a loader", of_stages({{"sleep", {1, 2}}}));
  expect_refusal(stages + ".read: want a list, got 1", of_stages({{"read", 1}}));
  expect_refusal(stages + ".read: want a number of seconds for each worker, got a list",
                 of_stages({{"read", Json::array()}}));
  expect_refusal(stages + ".read: want no negative number", of_stages({{"read", {1, -1}}}));
  expect_refusal(stages + ".decode: want as many workers as the other stages have, 2",
                 of_stages({{"read", {1, 2}}, {"decode", {1, 2, 3}}}));
  expect_refusal(stages + ".read[1]: want a number, got null", of_stages({{"read", {1, nullptr}}}));
}

TEST(ResultReader, RefusesIndicesAndIdsOfMissingItems) {
  expect_refusal("cells[1].dataset: want an index below 1, got 1", [](Json& json) { json["cells"][1]["dataset"] = 1; });
  expect_refusal("checks[0].dataset: want an index below 1, got 7",
                 [](Json& json) { json["checks"][0]["dataset"] = 7; });
  expect_refusal("ceilings[0].cell: want an index below 4, got 4", [](Json& json) { json["ceilings"][0]["cell"] = 4; });
  expect_refusal("ceilings[0].dataset: want an index below 1, got 1", [](Json& json) {
    json["ceilings"][0]["dataset"] = 1;
    for (const std::size_t i : {0U, 2U}) json["cells"][i]["bounds"] = Json::array();
  });
  expect_refusal("cells[0].bounds: want ids of ceilings, got 'roof'",
                 [](Json& json) { json["cells"][0]["bounds"] = {"roof"}; });
  expect_refusal("cells: want at least one", [](Json& json) {
    json["cells"] = Json::array();
    json["ceilings"] = Json::array();
  });
}

// A loader can exceed gather-exchange, but earlier versions counted it among the bounds.
TEST(ResultReader, LeavesOutBoundsThatALoaderCanExceed) {
  const std::string exchange = "gather-exchange/mnist/data:0/batch:100/threads:2";
  const std::string text = changed([&](Json& json) {
    json["ceilings"][0]["kind"] = "gather-exchange";
    json["cells"][0]["bounds"] = {exchange};
    json["cells"][2]["bounds"] = {exchange};
  });
  const Result result = parse_result(text, "result.json");
  EXPECT_EQ(result.ceilings[0].ceiling.id(), exchange);
  EXPECT_EQ(result.ceilings[0].trials.size(), 2U) << "it stays measured";
  for (const CellResult& cell : result.cells) EXPECT_TRUE(cell.bounds.empty()) << cell.cell.name();
  EXPECT_FALSE(judge_run(result).cells[0].load_line.has_value());
}

TEST(ResultReader, AcceptsLoadersThatAreNotInstalled) {
  const std::string text = changed([](Json& json) { json["cells"][0]["loader"] = "./gone/libmine.so:shards=8"; });

  EXPECT_EQ(parse_result(text, "result.json").cells[0].cell.loader, "./gone/libmine.so:shards=8");
}

TEST(ResultReader, ReadsWhereLoadersComeFrom) {
  const std::string text = changed([](Json& json) {
    json["loaders"] = Json::parse(R"([
      {"loader": "./a.so", "name": "mine", "version": "1.2", "path": "/lib/a.so", "delivered": null},
      {"loader": "./b.so", "name": "", "version": "", "path": "/lib/b.so",
       "delivered": {"dtype": "u8", "shape": [3, 2], "labels": true, "indices": false}}])");
  });

  const Result result = parse_result(text, "result.json");

  ASSERT_EQ(result.loaders.size(), 2U);
  EXPECT_EQ(result.loaders[0].loader, "./a.so");
  EXPECT_EQ(result.loaders[0].origin, (LoaderOrigin{"mine", "1.2", "/lib/a.so"}));
  EXPECT_FALSE(result.loaders[0].delivered);
  EXPECT_EQ(result.loaders[1].delivered, (DeliveredFormat{"u8", {3, 2}, true, false}));
}

TEST(ResultReader, RefusesUnknownNames) {
  expect_refusal("status: want one of partial, complete, got 'done'", [](Json& json) { json["status"] = "done"; });
  expect_refusal("cells[0].mode: want one of IO, SYNTHETIC, FULL, OVERHEAD, got 'io'",
                 [](Json& json) { json["cells"][0]["mode"] = "io"; });
  const std::string abacus = changed([&](Json& json) { json["cells"][0]["compute"] = "abacus"; });
  EXPECT_THAT(thrown_by([&] { parse_result(abacus, "result.json"); }).message,
              HasSubstr("result.json: cells[0].compute: "));
  const std::string text = changed([](Json& json) { json["ceilings"][0]["kind"] = "gathering"; });
  EXPECT_THAT(thrown_by([&] { parse_result(text, "result.json"); }).message,
              HasSubstr("result.json: ceilings[0].kind: ceiling 'gathering': want one of memory-read, "));
  const std::string option = changed([](Json& json) { json["config"]["worker"] = 1; });
  EXPECT_THAT(thrown_by([&] { parse_result(option, "result.json"); }).message,
              HasSubstr("result.json: config: unknown option 'worker' (did you mean workers?)"));
}

TEST(ResultReader, RefusesRepetitionsAndIoWithoutALoader) {
  expect_refusal("cells[4] has the settings of cells[1]",
                 [](Json& json) { json["cells"].push_back(Json(json["cells"][1])); });
  expect_refusal("ceilings[2] repeats ceilings[0]",
                 [](Json& json) { json["ceilings"].push_back(Json(json["ceilings"][0])); });
  expect_refusal("cells[0]: IO needs a loader", [](Json& json) { json["cells"][0]["loader"] = nullptr; });
}

TEST(ResultReader, RefusesDeepNesting) {
  const std::size_t depth = 100'000;
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  const std::string too_deep = "neither a result nor a configuration: its values are nested more than 64 deep";
  expect_refusal_of_text(too_deep, "{\"a\": " + deep + "}");
  expect_refusal_of_text(too_deep, deep.substr(0, depth));
}

// Any file yields a result or an Error, and nothing worse.
void read_anything(const std::string& text) {
  try {
    const Result result = parse_result(text, "result.json");
    result_json(result, judge_run(result));
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()), "");
  }
}

TEST(ResultReader, SurvivesAFileCutAnywhere) {
  const std::string text = result_text_of(full_result());
  for (std::size_t i = 0; i < 200; ++i) {
    const std::string cut = text.substr(0, text.size() * i / 200);
    EXPECT_THAT(thrown_by([&] { parse_result(cut, "result.json"); }).message,
                testing::StartsWith("result.json: not JSON: "));
  }
}

TEST(ResultReader, SurvivesWrongCharacters) {
  const std::string text = result_text_of(full_result());
  std::size_t at = 0;
  for (std::size_t i = 0; i < 500 / test::damage_stride(); ++i) {
    std::string wrong = text;
    at = (at + 7919) % text.size();
    wrong[at] = "0919-.\"{}[],:ntx"[i % 16];
    read_anything(wrong);
  }
}

TEST(ResultReader, SurvivesMisplacedValues) {
  Json json = Json::parse(result_text_of(full_result()));
  const Json flat = json.flatten();
  const std::vector<Json> values{nullptr,       true,          0, -1, 18446744073709551615U, 1e308, 1e-308, "", "x",
                                 Json::array(), Json::object()};
  std::size_t i = 0;
  for (const auto& [pointer, value] : flat.items()) {
    if (++i % (4 * test::damage_stride()) != 0) continue;
    Json& leaf = json[Json::json_pointer(pointer)];
    Json before = std::exchange(leaf, values[i / (4 * test::damage_stride()) % values.size()]);
    read_anything(json.dump());
    leaf = std::move(before);
  }
}

TEST(ResultReader, NamesTheFileThatItCannotOpen) {
  EXPECT_EQ(thrown_by([] { load_result("none.json"); }), failed("cannot open none.json: No such file or directory"));
}

}  // namespace
}  // namespace loadline
