#include "loaders/system/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "loaders/error.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using testing::ElementsAre;

[[noreturn]] void fail_at(std::size_t i) {
  throw Error("number " + std::to_string(i));
}

TEST(InParallel, CallsItsWorkOnceForEachNumber) {
  std::vector<std::atomic<int>> calls(1000);
  in_parallel(calls.size(), 4, [&](std::size_t, std::size_t i) { ++calls[i]; });
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i], 1) << i;
}

TEST(InParallel, DoesNothingForNoNumbers) {
  in_parallel(0, 4, [](std::size_t, std::size_t i) { fail_at(i); });
}

TEST(InParallel, TakesNumbersInOrderOnTheCallingThreadIfThatIsTheOnlyOne) {
  const auto caller = std::this_thread::get_id();
  for (const std::size_t threads : {0, 1}) {
    std::vector<std::size_t> taken;
    in_parallel(4, threads, [&](std::size_t worker, std::size_t i) {
      EXPECT_EQ(worker, 0U);
      EXPECT_EQ(std::this_thread::get_id(), caller);
      taken.push_back(i);
    });
    EXPECT_THAT(taken, ElementsAre(0, 1, 2, 3));
  }
}

TEST(InParallel, NumbersItsThreadsFromTheCallingOne) {
  constexpr std::size_t kThreads = 4;
  std::latch all_at_work(kThreads);
  std::vector<std::thread::id> threads(kThreads);
  in_parallel(kThreads, kThreads, [&](std::size_t worker, std::size_t) {
    all_at_work.arrive_and_wait();
    threads[worker] = std::this_thread::get_id();
  });
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  const std::set<std::thread::id> different(threads.begin(), threads.end());
  EXPECT_EQ(different.size(), kThreads);
  EXPECT_FALSE(different.contains(std::thread::id()));
}

TEST(InParallel, HasNoMoreThreadsThanNumbers) {
  std::atomic<std::size_t> most = 0;
  in_parallel(2, 100, [&](std::size_t worker, std::size_t) {
    if (worker > 0) most = worker;
  });
  EXPECT_LT(most, 2U);
}

TEST(InParallel, TakesNoFurtherNumbersAfterAFailure) {
  std::vector<std::size_t> taken;
  const auto work = [&](std::size_t, std::size_t i) {
    taken.push_back(i);
    if (i == 2) fail_at(i);
  };
  EXPECT_EQ(test::thrown_by([&] { in_parallel(1000, 1, work); }), test::failed("number 2"));
  EXPECT_THAT(taken, ElementsAre(0, 1, 2));
}

TEST(InParallel, ThrowsTheFailureWithTheLowestNumberWhicheverComesFirst) {
  for (const std::size_t first : {0, 1}) {
    std::latch failing(1);
    const auto work = [&](std::size_t, std::size_t i) {
      i == first ? failing.count_down() : failing.wait();
      fail_at(i);
    };
    EXPECT_EQ(test::thrown_by([&] { in_parallel(2, 2, work); }), test::failed("number 0"));
  }
}

TEST(InParallel, FinishesWhatItHasBegunBeforeItThrows) {
  constexpr std::size_t kThreads = 4;
  std::latch all_at_work(kThreads);
  std::atomic<std::size_t> finished = 0;
  const auto work = [&](std::size_t, std::size_t i) {
    all_at_work.arrive_and_wait();
    if (i == 1) fail_at(i);
    ++finished;
  };
  EXPECT_EQ(test::thrown_by([&] { in_parallel(kThreads, kThreads, work); }), test::failed("number 1"));
  EXPECT_EQ(finished, kThreads - 1);
}

}  // namespace
}  // namespace loadline
