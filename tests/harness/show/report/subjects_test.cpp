#include "harness/show/report/subjects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loaders/error.h"
#include "tests/harness/show/report/runs.h"

namespace loadline {
namespace {

using test::Reported;
using test::result_of;
using test::sweep;

std::vector<std::string> names_of(const std::vector<Subject>& subjects) {
  std::vector<std::string> names;
  for (const Subject& subject : subjects) names.push_back(subject.workload + ": " + subject.name);
  return names;
}

TEST(Subjects, AreOrderedByLoaderAndWorkersWithinAWorkload) {
  const Reported reported({sweep()});
  const ReportData data = reported.data();
  EXPECT_THAT(names_of(data.subjects), testing::ElementsAre("mnist: thread-pool x 1", "mnist: thread-pool x 2"));
  EXPECT_EQ(data.subjects[0].rank, 1U);
  EXPECT_EQ(data.subjects[1].rank, 0U) << "the fastest";
  EXPECT_THAT(data.subjects[1].cells, testing::ElementsAre(1, 2, 4));
}

TEST(Subjects, AreRankedAlikeInAllRuns) {
  Result slower = sweep();
  slower.cells[4].trials = {test::trial_of(100, 100)};
  const Reported reported({sweep(), slower});
  const ReportData data = reported.data();
  EXPECT_THAT(names_of(data.subjects), testing::ElementsAre("mnist: thread-pool x 1", "mnist: thread-pool x 1",
                                                            "mnist: thread-pool x 2", "mnist: thread-pool x 2"));
  EXPECT_EQ(data.subjects[2].rank, 0U);
  EXPECT_EQ(data.subjects[3].rank, 0U);
  EXPECT_EQ(data.runs[data.subjects[0].run].name, "A");
  EXPECT_EQ(data.runs[data.subjects[1].run].name, "B");
}

TEST(Subjects, AreNamedByTheSettingsInWhichTheyDiffer) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1}, .loader = "thread-pool", .workers = 2},
                             {.mode = Mode::kIo, .rates = {2}, .loader = "thread-pool", .workers = 2}});
  result.cells[0].cell.cache = CacheState::kCold;
  const Reported reported({result});
  const ReportData data = reported.data();
  EXPECT_THAT(names_of(data.subjects),
              testing::ElementsAre("mnist: thread-pool x 2, cache cold", "mnist: thread-pool x 2, cache warm"));
  EXPECT_EQ(data.names.series(result.cells[0].cell), "thread-pool, cache cold");
  EXPECT_EQ(data.names.without(result.cells[0].cell, "cache"), "thread-pool x 2");
}

TEST(Names, LeaveTheComputeOutOfIoWhichHasNone) {
  Result result = sweep();
  result.cells[3].cell.compute = "device:samples_per_second=7";
  const Reported reported({sweep(), result});
  const Names names = reported.data().names;
  EXPECT_EQ(names.series(result.cells[0].cell), "thread-pool");
  EXPECT_EQ(names.series(result.cells[3].cell), "thread-pool, compute device:samples_per_second=7");
}

TEST(Subjects, AreTheBatchesOfSyntheticWhereItIsAlone) {
  const Reported reported({result_of({{.mode = Mode::kSynthetic, .rates = {1000}}})});
  EXPECT_THAT(names_of(reported.data().subjects), testing::ElementsAre("mnist: resident batches of 100"));
}

// Both used to be "resident batches of 100".
TEST(Subjects, OfSyntheticAloneHaveItsAxes) {
  Result result = result_of({{.mode = Mode::kSynthetic, .rates = {1000}}, {.mode = Mode::kSynthetic, .rates = {2000}}});
  for (CellResult& cell : result.cells) cell.cell.axes = {"compute"};
  result.cells[1].cell.compute = "drain";
  const Reported reported({result});
  EXPECT_THAT(names_of(reported.data().subjects),
              testing::ElementsAre("mnist: resident batches of 100, compute:device:samples_per_second=1000",
                                   "mnist: resident batches of 100, compute:drain"));
}

TEST(Subjects, AreLeftOutWithoutTrials) {
  const Reported reported({result_of({{.mode = Mode::kIo, .rates = {}}})});
  EXPECT_TRUE(reported.data().subjects.empty());
}

TEST(Runs, AreNamedByLetters) {
  const std::vector<Result> results(28);
  const std::vector<Judgement> judgements(28);
  const auto runs = runs_of(results, judgements);
  EXPECT_EQ(runs[0].name, "A");
  EXPECT_EQ(runs[25].name, "Z");
  EXPECT_EQ(runs[26].name, "AA");
  EXPECT_EQ(runs[27].name, "AB");
  EXPECT_EQ(run_name(702), "AAA");
  EXPECT_THROW(runs_of(results, {}), Error);
}

}  // namespace
}  // namespace loadline
