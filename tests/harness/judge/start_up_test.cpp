#include "harness/judge/start_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::result_of;
using testing::HasSubstr;
using testing::Not;

// 60000 samples at 1000 a second: a warm epoch of 60 s.
Result starting(double open_seconds, double first_batch_seconds, bool complete = true) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {4000, 4000}}, {.mode = Mode::kFull, .rates = {1000, 1000}}});
  result.cells[0].first_epoch = FirstEpoch{.open_seconds = 1000, .samples = 60000, .complete = true};
  result.cells[1].first_epoch = FirstEpoch{.open_seconds = open_seconds,
                                           .first_batch_seconds = first_batch_seconds,
                                           .samples = complete ? std::uint64_t{60000} : 100,
                                           .complete = complete};
  return result;
}

std::string verdict_of_first(const Result& result) {
  return judge_run(result).configurations[0].verdict.sentence;
}

TEST(StartUp, IsSaidWhereItTakesLongerThanAnEpoch) {
  const Result result = starting(100, 50);
  const auto start_up = judge_run(result).configurations[0].start_up;
  ASSERT_TRUE(start_up.has_value());
  EXPECT_DOUBLE_EQ(start_up->seconds, 150);
  EXPECT_DOUBLE_EQ(start_up->warm_epoch.value, 60);
  EXPECT_TRUE(start_up->dominates);
  EXPECT_THAT(verdict_of_first(result),
              testing::EndsWith(" Start-up dominates a short training: opening the data and waiting for the first "
                                "batch took 150 s (measured once), longer than a warm epoch of 60.00 ± "
                                "0.00 s; keep data and loader open from one epoch to the next."));
}

// Warm, 60,000 samples take 15 s.
TEST(FirstEpoch, IsSaidToLoadMuchSlowerWhereItDid) {
  Result result = starting(1, 2);
  result.cells[0].first_epoch->first_batch_seconds = 10;
  result.cells[0].first_epoch->wall_seconds = 10 + 60;
  EXPECT_THAT(verdict_of_first(result),
              testing::EndsWith(" Loading alone took 4.0 times as long per sample in the first epoch (1.0 k samples/s, "
                                "measured once) as in the trials."));
  result.cells[0].first_epoch->wall_seconds = 10 + 20;
  EXPECT_THAT(verdict_of_first(result), Not(HasSubstr("first epoch")));
}

TEST(StartUp, OfAPythonLoaderIsThatOfIoWhichItServedFirst) {
  Result result = starting(100, 50);
  for (CellResult& cell : result.cells) cell.cell.loader = "train.py:make_loader";
  EXPECT_DOUBLE_EQ(judge_run(result).configurations[0].start_up->seconds, 1000);
}

TEST(StartUp, IsNotComparedWithAColdEpoch) {
  Result result = starting(100, 50);
  for (CellResult& cell : result.cells) cell.cell.cache = CacheState::kCold;
  EXPECT_FALSE(judge_run(result).configurations[0].start_up);
}

TEST(StartUp, IsNotSaidWhereEpochsOutweighIt) {
  const auto start_up = judge_run(starting(1, 2)).configurations[0].start_up;
  ASSERT_TRUE(start_up.has_value());
  EXPECT_FALSE(start_up->dominates);
  EXPECT_THAT(verdict_of_first(starting(1, 2)), Not(HasSubstr("Start-up")));
}

TEST(StartUp, IsComparedWithAnEpochOfTheDatasetWhereTheFirstWasIncomplete) {
  Result result = starting(100, 50, false);
  EXPECT_DOUBLE_EQ(judge_run(result).configurations[0].start_up->warm_epoch.value, 60);
  result.cells[1].cell.sampler.world_size = 4;
  EXPECT_DOUBLE_EQ(judge_run(result).configurations[0].start_up->warm_epoch.value, 15);
}

TEST(StartUp, IsAbsentWithoutAFirstEpochOrTrials) {
  Result result = starting(100, 50);
  result.cells[1].trials.clear();
  EXPECT_FALSE(judge_run(result).configurations[0].start_up.has_value());
  result = starting(100, 50);
  result.cells[1].first_epoch.reset();
  EXPECT_FALSE(judge_run(result).configurations[0].start_up.has_value());
}

}  // namespace
}  // namespace loadline
