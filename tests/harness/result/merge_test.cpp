#include "harness/result/merge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/file/result_json.h"
#include "harness/file/result_reader.h"
#include "harness/judge/judgement.h"
#include "harness/result/merge_completeness.h"
#include "tests/harness/support/results.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::failed;
using test::thrown_by;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kId[] = "20261121T120000Z-00000f";

// One of several runs, started `minute` minutes after ten.
Result part(unsigned minute, const std::vector<test::CellRequest>& cells) {
  Result result = test::result_of(cells);
  result.run_id = fmt::format("20261121T10{:02}00Z-000000", minute);
  result.started = fmt::format("2026-11-21T10:{:02}:00Z", minute);
  result.finished = fmt::format("2026-11-21T10:{:02}:30Z", minute);
  result.status = Status::kComplete;
  result.arguments = {"loadline", "run", fmt::format("{}", minute)};
  result.environment.machine.hostname = "node";
  std::size_t place = 0;
  for (CellResult& cell : result.cells) {
    for (std::size_t round = 0; round < cell.trials.size(); ++round) {
      cell.trials[round].round = round;
      cell.trials[round].place = place;
      cell.trials[round].started_seconds = static_cast<double>(place++);
    }
  }
  return result;
}

test::CellRequest io(const std::string& loader, std::vector<double> rates) {
  return {.mode = Mode::kIo, .rates = std::move(rates), .loader = loader};
}

Result merged(Result a, Result b, bool allow_mismatch = false) {
  return merge_results({{"a.json", std::move(a)}, {"b.json", std::move(b)}}, kId, allow_mismatch);
}

test::Thrown merge_refusal(Result a, Result b, bool allow_mismatch = false) {
  return thrown_by([&] { merged(std::move(a), std::move(b), allow_mismatch); });
}

std::vector<std::string> names(const Result& result) {
  std::vector<std::string> names;
  for (const CellResult& cell : result.cells) names.push_back(cell.cell.name());
  return names;
}

// The parts of a merge, by their files: "p1.json" is the first.
std::vector<MergePart> shares_named(const std::vector<std::string>& shares) {
  std::vector<MergePart> parts;
  for (const std::string& share : shares) {
    const auto number = static_cast<unsigned>(parts.size() + 1);
    Result one = part(number, {io(fmt::format("loader-{}", number), {10})});
    one.options.part = share;
    one.options.trials = 1;
    one.divided_configurations = 20;
    parts.push_back({fmt::format("p{}.json", number), std::move(one)});
  }
  return parts;
}

TEST(Merge, PutsTheCellsOfAllPartsInOrderOfTimeIntoOneResult) {
  const Result result = merged(part(5, {io("flow-graph", {3}), test::overhead()}), part(1, {io("serial", {1, 2})}));
  EXPECT_THAT(names(result), ElementsAre("mnist/IO/serial/batch:100", "mnist/IO/flow-graph/batch:100", "OVERHEAD"));
  EXPECT_EQ(result.run_id, kId);
  EXPECT_THAT(result.merged_from, ElementsAre("20261121T100100Z-000000", "20261121T100500Z-000000"));
  EXPECT_EQ(result.started, "2026-11-21T10:01:00Z");
  EXPECT_EQ(result.finished, "2026-11-21T10:05:30Z");
  EXPECT_EQ(result.arguments.back(), "1");
  EXPECT_EQ(result.status, Status::kComplete);
  EXPECT_EQ(result.datasets.size(), 1U);
}

TEST(Merge, GivesACellTheTrialsOfAllPartsWithRoundsAndPlacesOfTheirOwn) {
  Result later = part(2, {io("serial", {30}), test::overhead()});
  later.cells[0].trials[0].clock_started_seconds = 0.25;
  const Result result = merged(part(1, {io("serial", {10, 20}), test::overhead()}), std::move(later));
  ASSERT_EQ(result.cells.size(), 2U);
  EXPECT_THAT(rates_of(result.cells[0]), ElementsAre(10, 20, 30));
  std::vector<std::size_t> rounds;
  std::vector<std::size_t> places;
  for (const Trial& trial : result.cells[0].trials) {
    rounds.push_back(trial.round);
    places.push_back(trial.place);
  }
  EXPECT_THAT(rounds, ElementsAre(0, 1, 3));  // OVERHEAD had three
  EXPECT_THAT(places, ElementsAre(0, 1, 5));
  EXPECT_EQ(result.cells[0].trials[2].started_seconds, 60);
  EXPECT_EQ(result.cells[0].trials[2].clock_started_seconds, 60.25);
  EXPECT_EQ(result.cells[1].trials.size(), 6U);
}

TEST(Merge, IsReadBackByteForByte) {
  Result a = part(1, {io("serial", {10, 20}), test::overhead()});
  test::add_ceiling(a, test::ceiling("gather", 1), {40, 41}, {0});
  Result b = part(2, {io("serial", {30}), test::overhead()});
  b.cells[0].cell.transform.dtype = b.cells[0].cell.photo.dtype = b.cells[0].cell.volume.dtype = DType::kU8;
  test::add_ceiling(b, test::ceiling("gather", 1), {50}, {0});
  const Result result = merged(std::move(a), std::move(b));
  const std::string text = result_json(result, judge_run(result));
  const Result again = parse_result(text, "merged.json");
  EXPECT_EQ(result_json(again, judge_run(again)), text);
}

TEST(Merge, SeparatesCellsAndCeilingsOfTheSameNameInDifferentParts) {
  Result a = part(1, {io("serial", {10})});
  test::add_ceiling(a, test::ceiling("gather", 1), {40}, {0});
  test::add_ceiling(a, test::ceiling("memory-read", 1), {7}, {});
  Result b = part(2, {io("serial", {30})});
  b.cells[0].cell.transform.dtype = DType::kU8;
  test::add_ceiling(b, test::ceiling("memory-read", 1), {8}, {});
  test::add_ceiling(b, test::ceiling("gather", 1), {50}, {0});
  const Result result = merged(std::move(a), std::move(b));
  EXPECT_THAT(names(result), ElementsAre("mnist/IO/serial/batch:100/dtype:f32", "mnist/IO/serial/batch:100/dtype:u8"));
  ASSERT_EQ(result.ceilings.size(), 3U);
  EXPECT_EQ(result.ceilings[0].ceiling.id(), "gather/mnist/data:0/batch:100/dtype:f32/threads:1");
  EXPECT_EQ(result.ceilings[1].trials.size(), 2U);
  EXPECT_EQ(result.ceilings[2].ceiling.id(), "gather/mnist/data:0/batch:100/dtype:u8/threads:1");
  EXPECT_EQ(result.ceilings[2].cell, 1U);
  EXPECT_THAT(result.cells[1].bounds, ElementsAre(2));
}

TEST(Merge, NamesTheSettingsThatVaryBetweenParts) {
  Result a = part(1, {io("serial", {10})});
  a.cells[0].cell.transform.mean = {0.5F};
  Result b = part(2, {io("serial", {30})});
  b.cells[0].cell.transform.dtype = DType::kU8;
  b.cells[0].cell.sampler.batch_size = 50;
  EXPECT_THAT(names(merged(a, b)),
              ElementsAre("mnist/IO/serial/batch:100/dtype:f32", "mnist/IO/serial/batch:50/dtype:u8"));
  b.cells[0].cell.sampler.batch_size = 100;
  EXPECT_THAT(names(merged(a, b)),
              ElementsAre("mnist/IO/serial/batch:100/dtype:f32", "mnist/IO/serial/batch:100/dtype:u8"))
      << "bytes have no mean";
}

TEST(Merge, KeepsRanksApart) {
  Result a = part(1, {io("serial", {10})});
  Result b = part(1, {io("serial", {30})});
  b.run_id = "20261121T100100Z-000001";
  b.environment.machine.hostname = "other";
  a.cells[0].cell.sampler.world_size = b.cells[0].cell.sampler.world_size = 2;
  b.cells[0].cell.sampler.rank = 1;
  const Result result = merged(std::move(a), std::move(b));
  EXPECT_THAT(names(result), ElementsAre("mnist/IO/serial/batch:100/rank:0", "mnist/IO/serial/batch:100/rank:1"));
  EXPECT_EQ(result.environment.machine.hostname, "node, other");
}

TEST(Merge, UnitesTheSameDataAndKeepsOtherDataApart) {
  Result a = part(1, {io("serial", {10})});
  Result b = part(2, {io("serial", {30}), {.mode = Mode::kSynthetic, .rates = {5}}});
  b.datasets.push_back(b.datasets.front());
  b.datasets.front().path = "/data/other";
  b.datasets.front().fingerprint = 7;
  b.cells[0].cell.data = "/data/other";
  b.cells[1].dataset = 1;
  const Result result = merged(std::move(a), std::move(b));
  ASSERT_EQ(result.datasets.size(), 2U);
  EXPECT_EQ(result.cells[1].dataset, 1U);
  EXPECT_EQ(result.cells[2].dataset, 0U);
}

TEST(Merge, IsCompleteOnlyWhenAllPartsAndSharesAre) {
  Result a = part(1, {io("serial", {10})});
  Result b = part(2, {io("flow-graph", {30})});
  a.options.part = "1/2";
  b.options.part = "2/2";
  EXPECT_EQ(merged(a, b).status, Status::kComplete);
  EXPECT_EQ(merged(a, b).options.part, "");
  b.options.part = "2/3";
  a.options.part = "1/3";
  EXPECT_EQ(merged(a, b).status, Status::kPartial);
  b.options.part = a.options.part = "";
  b.status = Status::kPartial;
  b.finished.reset();
  EXPECT_EQ(merged(a, b).status, Status::kPartial);
  EXPECT_EQ(merged(a, b).finished, std::nullopt);
}

TEST(Merge, IsCompleteIfAnotherRunHasTheTrialsThatAStoppedOneLacks) {
  Result stopped = part(1, {io("serial", {10})});
  stopped.status = Status::kPartial;
  stopped.options.trials = 3;
  Result whole = part(2, {io("serial", {20, 30})});
  whole.options.trials = 3;
  EXPECT_EQ(merged(stopped, whole).status, Status::kComplete);
  whole.cells[0].trials.pop_back();
  EXPECT_EQ(merged(stopped, whole).status, Status::kPartial);
}

// It used to be that of the first part: "5 of 5 cells have fewer trials than requested, the fewest 7".
TEST(Merge, KnowsWhyACellHasNoMoreTrialsFromAllParts) {
  const auto stopped_of = [](Stopped first, Stopped second, std::vector<double> further, const RunOptions& options) {
    Result a = part(1, {io("serial", {10, 20})});
    Result b = part(2, {io("serial", std::move(further))});
    a.options = b.options = options;
    a.cells[0].stopped = first;
    b.cells[0].stopped = second;
    return merged(a, b).cells[0].stopped;
  };
  const RunOptions three{.trials = 3};
  EXPECT_EQ(stopped_of(Stopped::kTimeLimit, Stopped::kTrials, {1, 2, 3}, three), Stopped::kTrials);
  EXPECT_EQ(stopped_of(Stopped::kTimeLimit, Stopped::kTimeLimit, {1}, three), Stopped::kTrials);
  EXPECT_EQ(stopped_of(Stopped::kTimeLimit, Stopped::kTimeLimit, {}, three), Stopped::kTimeLimit);
  EXPECT_EQ(stopped_of(Stopped::kTrials, Stopped::kTimeLimit, {1}, {.trials = 2}), Stopped::kTrials);
  const RunOptions narrow{.trials = 3, .until_ci = 0.01};
  EXPECT_EQ(stopped_of(Stopped::kTimeLimit, Stopped::kInterval, {1, 2, 3}, narrow), Stopped::kInterval);
  EXPECT_EQ(stopped_of(Stopped::kTimeLimit, Stopped::kTimeLimit, {1, 2, 3}, narrow), Stopped::kTimeLimit);
}

TEST(Merge, MissesNoShareThatHasNoConfiguration) {
  Result a = part(1, {io("serial", {10})});
  Result b = part(2, {io("flow-graph", {30})});
  a.options.part = "1/5";
  b.options.part = "2/5";
  a.divided_configurations = b.divided_configurations = 2;
  EXPECT_EQ(merged(a, b).status, Status::kComplete);
  EXPECT_EQ(merged(a, b).divided_configurations, std::nullopt);
  a.divided_configurations = b.divided_configurations = 3;
  EXPECT_EQ(merged(a, b).status, Status::kPartial);
}

// It used to be complete.
TEST(Merge, LacksAShareThatARunOfAnotherSweepCannotReplace) {
  Result whole = part(1, {io("serial", {10})});
  Result half = part(2, {io("flow-graph", {30})});
  half.options.part = "1/2";
  whole.options.loaders = {"serial"};
  whole.options.trials = half.options.trials = 1;
  EXPECT_EQ(merged(whole, half).status, Status::kPartial);
  half.divided_configurations = 1;
  EXPECT_EQ(merged(whole, half).status, Status::kComplete) << "the other share is empty";
}

// It used to lack the other shares.
TEST(Merge, LacksNoShareOfASweepThatAnotherPartHasAsAWhole) {
  std::vector<MergePart> parts = shares_named({"1/3", ""});
  EXPECT_EQ(merge_results(parts, kId, false).status, Status::kComplete);
  EXPECT_EQ(missing_shares(parts), "");
  parts[1].result.options.seed = 2;
  EXPECT_EQ(merge_results(parts, kId, false).status, Status::kPartial);
  EXPECT_EQ(missing_shares(parts), "shares 2/3 and 3/3 are missing");
}

TEST(Merge, OfSweepsInDifferentNumbersOfSharesNeedsAllSharesOfEach) {
  std::vector<MergePart> parts;
  unsigned minute = 1;
  for (const char* const share : {"1/2", "2/2", "1/3", "2/3", "3/3"}) {
    Result one = part(minute++, {io("serial", {10})});
    one.options.part = share;
    parts.push_back({share, std::move(one)});
  }
  EXPECT_EQ(merge_results(parts, kId, false).status, Status::kComplete);
  parts.pop_back();
  EXPECT_EQ(merge_results(parts, kId, false).status, Status::kPartial);
}

// It used to be complete, although shares of lists in different orders lack some cells and repeat others.
TEST(Merge, OfSharesOfDifferentSweepsIsIncompleteAndSaysInWhatTheyDiffer) {
  std::vector<MergePart> parts = shares_named({"1/3", "2/3", "3/3"});
  EXPECT_EQ(merge_results(parts, kId, false).status, Status::kComplete);
  RunOptions& last = parts[2].result.options;
  last.loaders = {"thread-pool", "serial"};
  const Result partial = merge_results(parts, kId, false);
  EXPECT_EQ(partial.status, Status::kPartial);
  EXPECT_TRUE(lacks_shares(partial));
  EXPECT_EQ(partial.options.part, "") << "a further merge may not take the shares for those of one sweep";
  EXPECT_EQ(missing_shares(parts), "the shares are of different sweeps: p3.json has another --loader than p1.json");
  last.loaders = {"serial", "thread-pool"};
  last.exclude = {"batch_size=128"};
  EXPECT_EQ(merge_results(parts, kId, false).status, Status::kPartial);
  EXPECT_EQ(missing_shares(parts), "the shares are of different sweeps: p3.json has another --exclude than p1.json");
}

TEST(Merge, OfAllSharesOfDifferentSweepsIsComplete) {
  std::vector<MergePart> parts = shares_named({"1/2", "2/2", "1/2", "2/2"});
  parts[2].result.options.seed = parts[3].result.options.seed = 2;
  EXPECT_EQ(merge_results(parts, kId, false).status, Status::kComplete);
  EXPECT_EQ(missing_shares(parts), "");
  parts.pop_back();
  EXPECT_EQ(merge_results(parts, kId, false).status, Status::kPartial);
  EXPECT_EQ(missing_shares(parts), "share 2/2 is missing");
}

TEST(Merge, TakesSharesForThoseOfOneSweepWhereOnlyTheirFilesTrialsOrCopiesDiffer) {
  std::vector<MergePart> parts = shares_named({"1/2", "2/2"});
  RunOptions& last = parts[1].result.options;
  last.output = "second.json";
  last.quiet = true;
  last.stage = "/scratch/task-2";
  last.time_limit = 60;
  EXPECT_EQ(merge_results(parts, kId, false).status, Status::kComplete);
}

// The path of data, and where it led; nullptr: not known.
struct DataPath {
  const char* path;
  const char* canonical = nullptr;
};

// Two shares that read these.
std::vector<MergePart> shares_of(DataPath first, DataPath second) {
  std::vector<MergePart> parts = shares_named({"1/2", "2/2"});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const DataPath& data = i == 0 ? first : second;
    Result& result = parts[i].result;
    result.options.data = data.path;
    result.cells[0].cell.data = data.path;
    result.cells.push_back(test::cell_result({.mode = Mode::kSynthetic, .rates = {5}}));
    result.cells[1].cell.data = data.path;
    result.datasets[0].path = data.path;
    if (data.canonical != nullptr) result.datasets[0].canonical_path = data.canonical;
    result.datasets[0].info.files = {std::filesystem::path(data.path) / "train"};
  }
  return parts;
}

void expect_whole(DataPath first, DataPath second) {
  SCOPED_TRACE(fmt::format("{} and {}", first.path, second.path));
  const std::vector<MergePart> parts = shares_of(first, second);
  EXPECT_EQ(missing_shares(parts), "");
  const Result whole = merge_results(parts, kId, false);
  EXPECT_EQ(whole.status, Status::kComplete);
  EXPECT_THAT(names(whole),
              ElementsAre("mnist/IO/loader-1/batch:100", "mnist/SYNTHETIC/batch:100", "mnist/IO/loader-2/batch:100"));
  ASSERT_EQ(whole.datasets.size(), 1U);
  EXPECT_EQ(whole.datasets[0].path, first.path);
}

// They used to be shares of different sweeps.
TEST(Merge, TakesTheSameDataForTheSameHoweverItIsSpelt) {
  for (const auto& [first, second] :
       {std::pair("mn", "./mn"), {"./mn", "mn/"}, {"old/../mn/", "mn"}, {"/d/mn", "//d/mn"}}) {
    expect_whole({first}, {second});
  }
  const std::vector<MergePart> apart = shares_of({"mn"}, {"/d/mn"});
  EXPECT_EQ(missing_shares(apart), "the shares are of different sweeps: p2.json has another --data than p1.json");
  EXPECT_EQ(merge_results(apart, kId, false).datasets.size(), 2U);
}

TEST(Merge, TakesPathsThatLedToOnePlaceForTheSameData) {
  expect_whole({"mn", "/d/mn"}, {"/d/mn", "/d/mn"});
  expect_whole({"/d/mn", "/d/mn"}, {"../mn/", "/d/mn"});
  expect_whole({"/link/to/mn", "/d/mn"}, {"mn", "/d/mn"});
  expect_whole({"mn", "/d/mn"}, {"/d/mn"});
  expect_whole({"mn"}, {"./mn", "/d/mn"});
  EXPECT_EQ(merge_results(shares_of({"mn"}, {"./mn", "/d/mn"}), kId, false).datasets[0].canonical_path, "/d/mn");
}

TEST(Merge, KeepsPathsThatLedToTwoPlacesApart) {
  const std::vector<MergePart> apart = shares_of({"mn", "/d/mn"}, {"/e/mn", "/e/mn"});
  EXPECT_EQ(missing_shares(apart), "the shares are of different sweeps: p2.json has another --data than p1.json");
  const Result both = merge_results(apart, kId, false);
  ASSERT_EQ(both.datasets.size(), 2U);
  EXPECT_EQ(both.datasets[1].path, "/e/mn");
  EXPECT_EQ(both.datasets[1].canonical_path, "/e/mn");
}

// As where each run had its own working directory, on storage that is mounted elsewhere on another node.
TEST(Merge, TakesOnePathForTheSameDataIfItsSamplesAre) {
  expect_whole({"mn", "/node1/mn"}, {"mn", "/node2/mn"});
}

TEST(Merge, SaysWhichSharesAreMissing) {
  EXPECT_EQ(missing_shares(shares_named({"1/3"})), "shares 2/3 and 3/3 are missing");
  EXPECT_EQ(missing_shares(shares_named({"1/3,3/3"})), "share 2/3 is missing");
  EXPECT_EQ(missing_shares(shares_named({"1/3", "2/2"})), "shares 2/3, 3/3 and 1/2 are missing");
  EXPECT_EQ(missing_shares(shares_named({"2/12"})),
            "shares 1/12, 3/12, 4/12, 5/12, 6/12, 7/12, 8/12, 9/12 and 3 more are missing");
  EXPECT_EQ(missing_shares(shares_named({"19/100", "1/100"})),
            "shares 2/100, 3/100, 4/100, 5/100, 6/100, 7/100, 8/100, 9/100 and 10 more are missing")
      << "there are 20 configurations";
  EXPECT_EQ(missing_shares(shares_named({""})), "");
  EXPECT_EQ(missing_shares(shares_named({"anything"})), "") << "files may say anything";
  EXPECT_EQ(merge_results(shares_named({"1/1", "anything"}), kId, false).status, Status::kPartial);
}

// Having all trials of its own cells used to be enough.
TEST(Merge, OfAMergeThatLacksSharesIsIncompleteToo) {
  Result a = part(1, {io("serial", {10})});
  Result b = part(2, {io("flow-graph", {30})});
  a.options.part = "1/3";
  b.options.part = "2/3";
  a.options.trials = b.options.trials = 1;
  const Result once = merged(a, b);
  EXPECT_EQ(once.status, Status::kPartial);
  Result other = part(3, {io("serial", {20})});
  other.options = {.loaders = {"serial"}, .trials = 1};
  EXPECT_EQ(merged(once, other).status, Status::kPartial);
}

TEST(Merge, OfAMergeThatLacksSharesIsCompleteWithTheOthers) {
  std::vector<Result> shares;
  for (unsigned i = 1; i <= 3; ++i) {
    Result share = part(i, {io(fmt::format("loader-{}", i), {10})});
    share.options.part = fmt::format("{}/3", i);
    share.options.trials = 1;
    share.divided_configurations = 3;
    shares.push_back(std::move(share));
  }
  const Result two = merged(shares[0], shares[1]);
  EXPECT_EQ(two.status, Status::kPartial);
  EXPECT_EQ(two.options.part, "1/3,2/3");
  EXPECT_EQ(missing_shares(two), "share 3/3 is missing");
  const Result three = merge_results({{"two.json", two}, {"c.json", shares[2]}}, "20261121T130000Z-00000f", false);
  EXPECT_EQ(three.status, Status::kComplete);
  EXPECT_EQ(three.options.part, "");
  EXPECT_EQ(three.divided_configurations, std::nullopt);
  EXPECT_FALSE(lacks_shares(three));
  EXPECT_THAT(three.merged_from, testing::SizeIs(3));
}

// Only trials tell that a merge that lacks shares lacks nothing else.
TEST(Merge, OfAMergeThatLacksSharesStaysIncompleteIfTrialsDoNotSayWhatIsAll) {
  const auto statuses_of = [](const RunOptions& options, std::optional<Stopped> stopped = {}) {
    std::vector<MergePart> shares;
    for (unsigned i = 1; i <= 3; ++i) {
      Result share = part(i, {io(fmt::format("loader-{}", i), {10})});
      share.cells[0].stopped = stopped;
      share.options = options;
      share.options.part = fmt::format("{}/3", i);
      shares.push_back({fmt::format("{}.json", i), std::move(share)});
    }
    const Result two = merge_results({shares[0], shares[1]}, kId, false);
    const Result one_by_one = merge_results({{"two.json", two}, shares[2]}, "20261121T130000Z-00000f", false);
    EXPECT_EQ(one_by_one.options.part, "");
    return std::pair(merge_results(shares, kId, false).status, one_by_one.status);
  };
  EXPECT_EQ(statuses_of({.trials = 1}), std::pair(Status::kComplete, Status::kComplete));
  const std::pair only_at_once(Status::kComplete, Status::kPartial);
  const std::pair always(Status::kComplete, Status::kComplete);
  const RunOptions narrow{.trials = 5, .until_ci = 0.01};
  EXPECT_EQ(statuses_of(narrow, Stopped::kInterval), always) << "it used to be complete only at once";
  EXPECT_EQ(statuses_of(narrow, Stopped::kMaxTrials), always);
  EXPECT_EQ(statuses_of(narrow, Stopped::kTimeLimit), only_at_once);
  EXPECT_EQ(statuses_of(narrow), only_at_once);
  EXPECT_EQ(statuses_of({.trials = 1, .check_verdict = true}), only_at_once);
  EXPECT_EQ(statuses_of({.trials = 2, .time_limit = 1}), only_at_once);
}

TEST(Merge, OfRunsUntilAnIntervalIsCompleteOnceCellsEndedByItAndCeilingsHaveTheirRounds) {
  const auto status_of = [](std::optional<Stopped> first, std::optional<Stopped> second, std::size_t ceilings) {
    Result a = part(1, {io("serial", {10, 11, 12}), io("flow-graph", {20, 21})});
    Result b = part(2, {io("serial", {13})});
    for (Result* const one : {&a, &b}) {
      one->options = {.trials = 2, .until_ci = 0.01};
      one->status = Status::kPartial;
    }
    a.cells[0].stopped = first;
    a.cells[1].stopped = Stopped::kMaxTrials;
    b.cells[0].stopped = second;
    test::add_ceiling(a, test::ceiling("gather", 1), std::vector<double>(ceilings, 40), {0, 1});
    return merged(std::move(a), std::move(b)).status;
  };
  EXPECT_EQ(status_of(std::nullopt, Stopped::kInterval, 4), Status::kComplete);
  EXPECT_EQ(status_of(Stopped::kInterval, std::nullopt, 4), Status::kComplete);
  EXPECT_EQ(status_of(std::nullopt, std::nullopt, 4), Status::kPartial);
  EXPECT_EQ(status_of(std::nullopt, Stopped::kInterval, 3), Status::kPartial) << "a round ended before its ceiling";
}

TEST(Merge, OfAMergeThatDoesNotSayItsSharesStaysIncomplete) {
  Result a = part(1, {io("serial", {10})});
  Result b = part(2, {io("flow-graph", {30})});
  a.options.part = "1/3";
  b.options.part = "2/3";
  a.options.trials = b.options.trials = 1;
  Result once = merged(a, b);
  once.options.part = "";  // as in files of older versions
  Result c = part(3, {io("serial", {20})});
  c.options.part = "3/3";
  c.options.trials = 1;
  const Result more = merged(once, c);
  EXPECT_EQ(more.status, Status::kPartial);
  EXPECT_EQ(more.options.part, "");
}

// They used to become complete as soon as their trials added up.
TEST(Merge, OfMergesThatLackTheSameShareAndTrialsStaysIncomplete) {
  const auto two_of_three = [](unsigned minute) {
    Result a = part(minute, {io("serial", {10})});
    Result b = part(minute + 1, {io("flow-graph", {30})});
    a.options.part = "1/3";
    b.options.part = "2/3";
    for (Result* const share : {&a, &b}) {
      share->options.trials = 2;
      share->status = Status::kPartial;
      share->divided_configurations = 3;
    }
    return merged(std::move(a), std::move(b));
  };
  const Result once = two_of_three(1);
  EXPECT_EQ(once.divided_configurations, 3U);
  EXPECT_TRUE(lacks_shares(once));
  const Result twice = merged(once, two_of_three(3));
  EXPECT_EQ(twice.cells.front().trials.size(), 2U);
  EXPECT_EQ(twice.status, Status::kPartial);
  EXPECT_TRUE(lacks_shares(twice));
}

TEST(Merge, LacksNoSharesIfItLacksOnlyTrials) {
  Result a = part(1, {io("serial", {10})});
  a.status = Status::kPartial;
  a.options.trials = 3;
  Result b = part(2, {io("serial", {20})});
  b.status = Status::kPartial;
  EXPECT_FALSE(lacks_shares(merged(a, b)));
  EXPECT_FALSE(lacks_shares(a)) << "it is no merge";
}

TEST(Merge, RefusesARecordingThatChangedBetweenTheParts) {
  const NamedFile recording{.named_by = "replay:file=job.json", .path = "job.json", .hash = 1};
  Result a = part(1, {io("serial", {10})});
  Result b = part(2, {io("serial", {20})});
  a.named_files = {recording};
  b.named_files = {recording};
  EXPECT_EQ(merged(a, b).named_files.size(), 1U);
  b.named_files[0].hash = 2;
  EXPECT_EQ(
      merge_refusal(a, b, true),
      failed("cannot merge b.json with a.json: job.json has changed in between (its hash was 0000000000000001 and "
             "is 0000000000000002)"));
}

TEST(Merge, CanBeMergedFurther) {
  const Result once = merged(part(1, {io("serial", {10})}), part(2, {io("serial", {20})}));
  const Result twice = merged(once, part(3, {io("serial", {30})}));
  EXPECT_EQ(twice.merged_from.size(), 3U);
  EXPECT_EQ(twice.cells.front().trials.size(), 3U);
  EXPECT_EQ(merge_refusal(once, part(2, {io("serial", {20})})),
            failed("cannot merge b.json: run 20261121T100200Z-000000 is already in a.json"));
}

TEST(Merge, RefusesARepeatedRunAndFewerThanTwoRuns) {
  const Result one = part(1, {io("serial", {10})});
  EXPECT_EQ(merge_refusal(one, one), failed("cannot merge b.json: run 20261121T100100Z-000000 is already in a.json"));
  EXPECT_EQ(thrown_by([&] {
              merge_results({{"a.json", one}}, kId, false);
            }),
            test::usage("merge: want at least two results, got 1"));
}

TEST(Merge, RefusesPartsOfDifferentBuildsOrMachinesAndNamesAllDifferences) {
  const Result a = part(1, {io("serial", {10})});
  Result b = part(2, {io("serial", {30})});
  b.environment.build.version = "1.2.4";
  b.kernels = "avx512";
  b.environment.machine.threads_in_force = 8;
  EXPECT_EQ(merge_refusal(a, b),
            failed("cannot merge b.json with a.json: it differs in version (1.2.4, not 1.2.3), kernels "
                   "(avx512, not avx2), CPUs in force (8, not 4); --allow-mismatch merges them anyway"));
  EXPECT_EQ(merged(a, b, true).cells.front().trials.size(), 2U);
}

// Trials of 0.03 s and of 0.05 s used to be those of one cell.
TEST(Merge, RefusesTrialsOfAnotherLengthAndInSharesAnotherNumberOfTrials) {
  Result a = part(1, {io("serial", {10})});
  Result b = part(2, {io("serial", {30})});
  b.options.trials = 3;
  EXPECT_EQ(merge_refusal(a, b).message, "") << "further trials";
  b.options.part = "1/4";
  EXPECT_EQ(merge_refusal(a, b),
            failed("cannot merge b.json with a.json: it differs in --trials (3, not 5); --allow-mismatch merges them "
                   "anyway"));
  b.options.part = "";
  b.options.trial_seconds = 0.03;
  b.options.warm_up_batches = 2;
  EXPECT_EQ(merge_refusal(a, b),
            failed("cannot merge b.json with a.json: it differs in --trial-seconds (0.03, not 0.5), --warm-up-batches "
                   "(2, not unset); --allow-mismatch merges them anyway"));
  EXPECT_EQ(merged(a, b, true).cells.front().trials.size(), 2U);
}

TEST(Merge, RefusesOtherSamplesUnderTheSameNameWhateverIsAllowed) {
  const Result a = part(1, {io("serial", {10})});
  Result b = part(2, {io("serial", {30})});
  b.datasets.front().fingerprint = 1;
  EXPECT_EQ(merge_refusal(a, b, true),
            failed("cannot merge b.json with a.json: /data/mnist held other samples (fingerprint "
                   "0000000000000001, not 123456789abcdef0)"));
}

TEST(Merge, RefusesSearchesAndInvalidTimes) {
  const Result a = part(1, {io("serial", {10})});
  Result b = part(2, {io("serial", {30})});
  b.search = Search{.kind = "max-rate"};
  EXPECT_EQ(merge_refusal(a, b), failed("cannot merge b.json: it is the result of a search"));
  b.search = std::nullopt;
  b.best = Best{};
  EXPECT_EQ(merge_refusal(a, b), failed("cannot merge b.json: it is the result of a search"));
  b.started = "noon";
  EXPECT_EQ(merge_refusal(a, b), failed("b.json: started: want a time in UTC, got 'noon'"));
}

}  // namespace
}  // namespace loadline
