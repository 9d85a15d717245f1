#include "harness/result/loader_stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace loadline {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

WorkerTimes having_spent(std::chrono::nanoseconds read, std::chrono::nanoseconds decode) {
  WorkerTimes times;
  times.spent[static_cast<std::size_t>(WorkerStage::kRead)] = read;
  times.spent[static_cast<std::size_t>(WorkerStage::kDecode)] = decode;
  return times;
}

std::vector<std::string_view> stage_names(const LoaderStages& of_loader) {
  std::vector<std::string_view> names;
  for (const LoaderStage& one : of_loader.stages) names.push_back(name(one.stage));
  return names;
}

const std::vector<double>& seconds_in(WorkerStage stage, const LoaderStages& of_loader) {
  const auto found = std::ranges::find(of_loader.stages, stage, &LoaderStage::stage);
  if (found == of_loader.stages.end()) throw std::out_of_range("no such stage");
  return found->seconds;
}

TEST(LoaderStages, AreWhatEachWorkerSpentBetweenTwoLooks) {
  const std::vector<WorkerTimes> before{having_spent(1s, 2s), having_spent(0s, 5s)};
  const std::vector<WorkerTimes> after{having_spent(1500ms, 4s), having_spent(250ms, 5s)};
  const auto stages = loader_stages_between(before, after);
  ASSERT_TRUE(stages.has_value());
  EXPECT_EQ(stages->workers(), 2U);
  EXPECT_FALSE(stages->foreign());
  EXPECT_THAT(stage_names(*stages), ElementsAre("order", "slot wait", "window wait", "open", "read", "library lock",
                                                "inflate", "decode", "tokenise", "transform", "hand over", "idle"));
  EXPECT_THAT(seconds_in(WorkerStage::kRead, *stages), ElementsAre(0.5, 0.25));
  EXPECT_THAT(seconds_in(WorkerStage::kDecode, *stages), ElementsAre(2, 0));
  EXPECT_THAT(seconds_in(WorkerStage::kOrder, *stages), ElementsAre(0, 0)) << "which took no time, and is known";
}

TEST(LoaderStages, WithoutAnEarlierLookAreAllTimeSpent) {
  const std::vector<WorkerTimes> after{having_spent(1s, 2s)};
  EXPECT_THAT(seconds_in(WorkerStage::kDecode, *loader_stages_between({}, after)), ElementsAre(2));
}

TEST(LoaderStages, AreAbsentIfALoaderDoesNotReportThem) {
  EXPECT_FALSE(loader_stages_between({}, {}).has_value());
}

TEST(LoaderStages, OfAForeignLoaderAreItsNextCallsAndTheRest) {
  WorkerTimes times{.foreign = true};
  times.spent[static_cast<std::size_t>(WorkerStage::kNextCall)] = 3s;
  times.spent[static_cast<std::size_t>(WorkerStage::kIdle)] = 1s;
  const auto stages = loader_stages_between({}, {{times}});
  EXPECT_TRUE(stages->foreign());
  EXPECT_THAT(stage_names(*stages), ElementsAre("next call", "idle"));
  EXPECT_THAT(seconds_in(WorkerStage::kNextCall, *stages), ElementsAre(3));

  const LoaderStages of_python = loader_stages_of_next_calls(3, 4);
  EXPECT_THAT(stage_names(of_python), ElementsAre("next call", "idle"));
  EXPECT_THAT(of_python.stages[1].seconds, ElementsAre(1));
}

}  // namespace
}  // namespace loadline
