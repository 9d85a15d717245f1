#include "harness/measure/apart.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "loaders/foreign_call.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::failed;
using test::thrown_by;

// Patience of 1 ns is enough: work that hangs in these tests hangs until a stop is requested, or for ever.
ApartOptions options(bool overdue) {
  return {.who = "loader ./a.so", .stop = {}, .overdue = [overdue] { return overdue; }, .patience = Time(1)};
}

// Waits in a foreign call until a stop is requested.
void wait_for(const std::stop_token& stop) {
  const ForeignCall call("next()");
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

TEST(RunApart, RunsOnAThreadOfItsOwn) {
  std::thread::id where;

  run_apart([&](const std::stop_token&) { where = std::this_thread::get_id(); }, options(false));

  EXPECT_NE(where, std::this_thread::get_id());
  EXPECT_NE(where, std::thread::id());
}

TEST(RunApart, PassesOnWhatIsThrown) {
  EXPECT_EQ(thrown_by([] { run_apart([](const std::stop_token&) { throw Error("no shard"); }, options(false)); }),
            failed("no shard"));
}

TEST(RunApart, PassesOnARequestToStop) {
  std::stop_source source;
  source.request_stop();
  ApartOptions asked = options(false);
  asked.stop = source.get_token();
  bool stopped = false;

  run_apart(
      [&](const std::stop_token& stop) {
        wait_for(stop);
        stopped = stop.stop_requested();
      },
      asked);

  EXPECT_TRUE(stopped);
}

TEST(RunApart, StopsWhatHangsWhenItsTimeIsUp) {
  EXPECT_EQ(thrown_by([] { run_apart(wait_for, options(true)); }),
            failed("loader ./a.so: next() did not return before the run's time was up, and was stopped"));
  EXPECT_FALSE(any_left_behind());
}

TEST(RunApart, LeavesBehindWhatDoesNotStop) {
  // The thread outlives the test, and so must what it refers to.
  struct Never {
    std::mutex mutex;
    std::condition_variable condition;
  };
  const auto never = std::make_shared<Never>();
  const auto hang = [never](const std::stop_token&) {
    const ForeignCall call("open()");
    std::unique_lock lock(never->mutex);
    never->condition.wait(lock, [] { return false; });
  };

  const std::string why = thrown_by([&] { run_apart(hang, options(true)); }).message;

  EXPECT_EQ(why.substr(0, 38), "loader ./a.so: open() has not returned") << why;
  EXPECT_TRUE(any_left_behind());
}

TEST(RunWatched, RunsOnTheCallingThread) {
  std::thread::id where;

  run_watched([&](const std::stop_token&) { where = std::this_thread::get_id(); }, options(false));

  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(RunWatched, PassesOnWhatIsThrown) {
  EXPECT_EQ(thrown_by([] { run_watched([](const std::stop_token&) { throw Error("no shard"); }, options(false)); }),
            failed("no shard"));
}

TEST(RunWatched, PassesOnARequestToStop) {
  std::stop_source source;
  source.request_stop();
  ApartOptions asked = options(false);
  asked.stop = source.get_token();

  EXPECT_EQ(thrown_by([&] { run_watched(wait_for, asked); }).message, "");
}

TEST(RunWatched, TellsWhatHungWhenAStopWasRequested) {
  std::stop_source source;
  ApartOptions asked = options(false);
  asked.stop = source.get_token();
  // Asked once it hangs.
  asked.overdue = [&source] {
    source.request_stop();
    return false;
  };
  const auto hang = [](const std::stop_token& stop) {
    const ForeignCall call("make_loader()", "loader train.py:make_loader");
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, stop, [] { return false; });
    throw Error("interrupted", Error::Kind::kInterrupted);
  };

  const std::string hung = run_watched(hang, asked);

  EXPECT_TRUE(hung.starts_with("loader train.py:make_loader: make_loader() has not returned ")) << hung;
}

TEST(RunWatched, CountsAnInterruptionAsTheEnd) {
  const auto interrupted = [](const std::stop_token&) { throw Error("interrupted", Error::Kind::kInterrupted); };

  EXPECT_EQ(run_watched(interrupted, options(false)), "");
}

TEST(RunWatchedDeathTest, GivesUpOnACallThatNothingEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto hang = [](const std::stop_token&) {
    const ForeignCall call("next()");
    for (;;) ::pause();
  };
  ApartOptions last = options(true);
  last.give_up = [](const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    ::_exit(7);
  };

  EXPECT_EXIT(run_watched(hang, last), testing::ExitedWithCode(7), "loader ./a.so: next\\(\\) has not returned");
}

TEST(RunWatched, StopsWhatHangsWhenItsTimeIsUp) {
  EXPECT_EQ(thrown_by([] { run_watched(wait_for, options(true)); }),
            failed("loader ./a.so: next() did not return before the run's time was up, and was stopped"));
}

}  // namespace
}  // namespace loadline
