#include "loaders/worker_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <numeric>
#include <string>
#include <vector>

namespace loadline {
namespace {

using testing::ElementsAre;

std::chrono::nanoseconds sum_of(const WorkerTimes& times) {
  return std::accumulate(times.spent.begin(), times.spent.end(), std::chrono::nanoseconds{0});
}

std::vector<WorkerStage> stages_of(const WorkerLog& log) {
  std::vector<WorkerStage> stages;
  for (const WorkerSpan& span : log.spans()) stages.push_back(span.stage);
  return stages;
}

TEST(WorkerStageNames, EndWithANullByte) {
  EXPECT_EQ(name(WorkerStage::kSlotWait), "slot wait");
  EXPECT_EQ(name(WorkerStage::kLibraryLock), "library lock");
  for (std::size_t i = 0; i < kWorkerStages; ++i) {
    const auto stage = static_cast<WorkerStage>(i);
    EXPECT_STREQ(name(stage).data(), std::string(name(stage)).c_str());
  }
}

TEST(WorkerClocks, AddUpToTheTimeThatHasPassed) {
  const auto before_making = std::chrono::steady_clock::now();
  WorkerClock clock;
  const auto after_making = std::chrono::steady_clock::now();
  clock.enter(WorkerStage::kRead);
  clock.enter(WorkerStage::kDecode);
  const auto before_looking = std::chrono::steady_clock::now();
  const WorkerTimes times = clock.now();
  const auto after_looking = std::chrono::steady_clock::now();
  EXPECT_GE(sum_of(times), before_looking - after_making);
  EXPECT_LE(sum_of(times), after_looking - before_making);
  EXPECT_GT(times.in(WorkerStage::kDecode), std::chrono::nanoseconds{0}) << "the stay in progress counts";
  EXPECT_EQ(times.in(WorkerStage::kInflate), std::chrono::nanoseconds{0});
}

TEST(WorkerClocks, LogConsecutiveStaysWithoutAGap) {
  WorkerLog log(16);
  WorkerClock clock(&log);
  clock.enter(WorkerStage::kOrder);
  clock.begin_batch(7);
  clock.enter(WorkerStage::kRead);
  clock.add_bytes(100);
  clock.add_bytes(20);
  clock.enter(WorkerStage::kHandOver);
  clock.end_batch();
  clock.enter(WorkerStage::kIdle);
  ASSERT_THAT(stages_of(log),
              ElementsAre(WorkerStage::kIdle, WorkerStage::kOrder, WorkerStage::kRead, WorkerStage::kHandOver));
  const auto spans = log.spans();
  EXPECT_EQ(spans[0].sequence, WorkerSpan::kNoBatch);
  EXPECT_EQ(spans[1].sequence, 7U) << "the order of a batch belongs to it, though it is known only when it is over";
  EXPECT_EQ(spans[2].sequence, 7U);
  EXPECT_EQ(spans[2].bytes, 120U);
  EXPECT_EQ(spans[3].bytes, 0U);
  EXPECT_EQ(spans[3].sequence, WorkerSpan::kNoBatch);
  for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_EQ(spans[i].begin, spans[i - 1].end);
}

TEST(WorkerLogs, CountTheStaysThatTheyHaveNoRoomFor) {
  WorkerLog log(2);
  WorkerClock clock(&log);
  for (int i = 0; i < 5; ++i) clock.enter(WorkerStage::kRead);
  EXPECT_EQ(log.spans().size(), 2U);
  EXPECT_EQ(log.lost(), 3U);
}

TEST(WorkerClocks, LogTheReadsThatAreInFlightWhenAStayEnds) {
  WorkerLog log(4);
  WorkerClock clock(&log);
  clock.set_reads_in_flight(5);
  clock.enter(WorkerStage::kRead);
  clock.set_reads_in_flight(3);
  clock.enter(WorkerStage::kDecode);
  clock.enter(WorkerStage::kIdle);
  EXPECT_EQ(log.spans()[0].reads_in_flight, 5U);
  EXPECT_EQ(log.spans()[1].reads_in_flight, 3U);
  EXPECT_EQ(log.spans()[2].reads_in_flight, 3U) << "as they were when nobody told otherwise";
}

std::string& ranges_told() {
  static std::string told;
  return told;
}

TEST(WorkerLogs, ReportWorkButNotIdleTimeToAProfiler) {
  ranges_told().clear();
  WorkerLog log(1, {.begin = [](const char* name) { ranges_told() += std::string("(") + name; },
                    .end = [] { ranges_told() += ")"; }});
  WorkerClock clock(&log);
  clock.enter(WorkerStage::kSlotWait);
  clock.enter(WorkerStage::kRead);
  clock.enter(WorkerStage::kIdle);
  clock.enter(WorkerStage::kOrder);
  clock.enter(WorkerStage::kIdle);
  EXPECT_EQ(ranges_told(), "(slot wait)(read)(order)") << "with room for one stay in the log, or none";
}

TEST(WorkerClocks, KnowTheThreadThatTheyBelongTo) {
  WorkerClock clock;
  EXPECT_EQ(clock.now().thread, 0);
  clock.belong_to_this_thread();
  EXPECT_EQ(clock.now().thread, ::gettid());
}

TEST(StaysInAStage, ReturnToTheStageBefore) {
  WorkerLog log(16);
  WorkerClock clock(&log);
  {
    const WorkingOn working(clock);
    clock.enter(WorkerStage::kTransform);
    const InStage reading(WorkerStage::kRead);
    { const InStage opening(WorkerStage::kOpen); }
    EXPECT_EQ(clock.stage(), WorkerStage::kRead);
  }
  EXPECT_EQ(clock.stage(), WorkerStage::kTransform);
  EXPECT_THAT(stages_of(log), ElementsAre(WorkerStage::kIdle, WorkerStage::kTransform, WorkerStage::kRead,
                                          WorkerStage::kOpen, WorkerStage::kRead));
}

TEST(StaysInAStage, BelongToNoClockOutsideALoader) {
  ASSERT_EQ(WorkerClock::current(), nullptr);
  const InStage reading(WorkerStage::kRead);
  count_read_bytes(10);
  EXPECT_EQ(WorkerClock::current(), nullptr);
}

TEST(StaysInAStage, CountForTheInnermostWork) {
  WorkerClock outer;
  WorkerClock inner;
  const WorkingOn on_outer(outer);
  {
    const WorkingOn on_inner(inner);
    const InStage decoding(WorkerStage::kDecode);
    EXPECT_EQ(inner.stage(), WorkerStage::kDecode);
    EXPECT_EQ(outer.stage(), WorkerStage::kIdle);
  }
  EXPECT_EQ(WorkerClock::current(), &outer);
}

}  // namespace
}  // namespace loadline
