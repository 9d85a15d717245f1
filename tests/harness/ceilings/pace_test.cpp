#include "harness/ceilings/pace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <vector>

#include "harness/machine/usage.h"
#include "loaders/error.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;

class Pace1 : public testing::Test {
 protected:
  // A piece of work: three units that take `time`.
  Work lasting(Time time) {
    return [this, time](std::size_t thread) {
      EXPECT_EQ(thread, 0U);
      clock_.advance(time);
      ++pieces_;
      return 3.0;
    };
  }

  test::FakeClock clock_;
  std::stop_source stop_;
  int pieces_ = 0;
};

TEST_F(Pace1, IsTheWorkOverTheTime) {
  const auto pace = pace_of(1, lasting(1ms), {.warm_up = 0ms, .timed = 10ms}, clock_, {});
  ASSERT_TRUE(pace.has_value());
  EXPECT_DOUBLE_EQ(pace->amount, 30);
  EXPECT_DOUBLE_EQ(pace->seconds, 0.01);
  EXPECT_DOUBLE_EQ(pace->per_second(), 3000);
}

TEST_F(Pace1, HasTheCpuTimeOfTheWorkThatCounts) {
  const Work busy = [&](std::size_t) {
    const double begin = thread_cpu_seconds();
    while (thread_cpu_seconds() < begin + 2e-3) continue;
    clock_.advance(1ms);
    return 1.0;
  };
  const auto pace = pace_of(1, busy, {.warm_up = 20ms, .timed = 2ms}, clock_, {});
  ASSERT_TRUE(pace.has_value());
  EXPECT_GE(pace->cpu_seconds, 4e-3);
  EXPECT_LT(pace->cpu_seconds, 20e-3) << "the warm-up does not count";
}

TEST_F(Pace1, DoesNotCountTheWarmUp) {
  const auto pace = pace_of(1, lasting(1ms), {.warm_up = 5ms, .timed = 10ms}, clock_, {});
  ASSERT_TRUE(pace.has_value());
  EXPECT_EQ(pieces_, 15);
  EXPECT_DOUBLE_EQ(pace->amount, 30);
  EXPECT_DOUBLE_EQ(pace->seconds, 0.01);
}

TEST_F(Pace1, CountsWholePiecesOfWorkAndTheTimeTheyTake) {
  const auto pace = pace_of(1, lasting(4ms), {.warm_up = 0ms, .timed = 10ms}, clock_, {});
  ASSERT_TRUE(pace.has_value());
  EXPECT_DOUBLE_EQ(pace->amount, 9);
  EXPECT_DOUBLE_EQ(pace->seconds, 0.012);
}

TEST_F(Pace1, CountsOnePieceIfThatTakesLongerThanTheTime) {
  const auto pace = pace_of(1, lasting(20ms), {.warm_up = 5ms, .timed = 10ms}, clock_, {});
  ASSERT_TRUE(pace.has_value());
  EXPECT_DOUBLE_EQ(pace->amount, 3);
  EXPECT_DOUBLE_EQ(pace->seconds, 0.02);
}

TEST_F(Pace1, LooksAtTheClockLessOftenTheShorterThePieces) {
  // 1, 2, 4, 8 and 16 pieces between looks. The 16 take longer than 10 µs, so their number stays at 16.
  const auto pace = pace_of(1, lasting(1us), {.warm_up = 31us, .timed = 17us}, clock_, {});
  ASSERT_TRUE(pace.has_value());
  EXPECT_EQ(pieces_, 31 + 32);
  EXPECT_DOUBLE_EQ(pace->amount, 3 * 32);
}

TEST_F(Pace1, EndsWithTheWork) {
  const Work three_pieces = [this](std::size_t) {
    clock_.advance(1ms);
    return pieces_++ < 3 ? std::optional(5.0) : std::nullopt;
  };
  const auto pace = pace_of(1, three_pieces, {.warm_up = 0ms, .timed = 1h}, clock_, {});
  ASSERT_TRUE(pace.has_value());
  EXPECT_DOUBLE_EQ(pace->amount, 15);
  EXPECT_DOUBLE_EQ(pace->seconds, 0.004);
}

TEST_F(Pace1, GoesOnAfterPiecesThatComeToNothing) {
  const Work every_third_fails = [this](std::size_t) {
    clock_.advance(1ms);
    return ++pieces_ % 3 == 0 ? 0.0 : 1.0;
  };
  // The warm-up ends with two pieces, so the first timed piece is one of those.
  const auto pace = pace_of(1, every_third_fails, {.warm_up = 2ms, .timed = 9ms}, clock_, {});
  ASSERT_TRUE(pace.has_value());
  EXPECT_EQ(pieces_, 11);
  EXPECT_DOUBLE_EQ(pace->amount, 6);
  EXPECT_DOUBLE_EQ(pace->seconds, 0.009);
}

TEST_F(Pace1, IsAbsentIfTheWorkIsStopped) {
  const Work stopping = [this](std::size_t) {
    stop_.request_stop();
    clock_.advance(1ms);
    return 1.0;
  };
  EXPECT_EQ(pace_of(1, stopping, {.warm_up = 0ms, .timed = 1h}, clock_, stop_.get_token()), std::nullopt);
}

TEST_F(Pace1, ThrowsWhatTheWorkThrows) {
  const Work failing = [](std::size_t) -> double { throw Error("cannot read shard.bin"); };
  EXPECT_THROW(pace_of(1, failing, {.warm_up = 0ms, .timed = 1ms}, clock_, {}), Error);
}

TEST(Pace, OfManyThreadsIsTheWorkOfAllOverTheTimeOfOne) {
  // A clock that stands still until all three have worked, then jumps: each thread does one piece in one second.
  class Jumping final : public Clock {
   public:
    Time now() const override { return done == 3 ? 1s : 0s; }
    void sleep_until(Time, const std::stop_token&) override {}
    std::atomic<int> done{0};
  } clock;
  std::vector<int> pieces(3);
  const Work work = [&](std::size_t thread) {
    if (pieces[thread]++ == 0) ++clock.done;
    while (clock.done < 3) continue;
    return 2.0;
  };
  const auto pace = pace_of(3, work, {.warm_up = 0ms, .timed = 1s}, clock, {});
  ASSERT_TRUE(pace.has_value());
  EXPECT_EQ(pieces, (std::vector{1, 1, 1}));
  EXPECT_DOUBLE_EQ(pace->amount, 6);
  EXPECT_DOUBLE_EQ(pace->seconds, 1);
}

// Passes for each thread on its own, from 0 on.
class OwnTime final : public Clock {
 public:
  Time now() const override { return passed(); }
  void sleep_until(Time /*time*/, const std::stop_token& /*stop*/) override {}
  static Time& passed() {
    thread_local Time passed{};
    return passed;
  }
};

TEST(Pace, OfManyThreadsDoesNotCountIdleOnesIfTheWorkRunsOut) {
  const OwnTime clock;
  std::atomic<bool> taken{false};
  const Work one_piece = [&](std::size_t) -> std::optional<double> {
    if (taken.exchange(true)) return std::nullopt;
    OwnTime::passed() += 50ms;
    return 1.0;
  };
  const auto pace = pace_of(4, one_piece, {.warm_up = 0ms, .timed = 1h}, clock, {});
  ASSERT_TRUE(pace.has_value());
  EXPECT_DOUBLE_EQ(pace->amount, 1);
  EXPECT_DOUBLE_EQ(pace->seconds, 0.05);
  EXPECT_DOUBLE_EQ(pace->per_second(), 20);
}

TEST(Pace, OfThreadsThatWaitInOneQueueIsTheRateOfThatQueueAfterAWarmUp) {
  const OwnTime clock;
  constexpr std::size_t kThreads = 4;
  std::vector<int> pieces(kThreads);
  // One piece in 10 ms, for each thread in turn.
  const Work work = [&](std::size_t thread) {
    OwnTime::passed() = 10ms * (thread + 1 + kThreads * static_cast<std::size_t>(pieces[thread]++));
    return 1.0;
  };
  const auto pace = pace_of(kThreads, work, {.warm_up = 1ms, .timed = 50ms}, clock, {});
  ASSERT_TRUE(pace.has_value());
  EXPECT_DOUBLE_EQ(pace->per_second(), 100);
}

TEST(Pace, OfManyThreadsEndsWhenOneFails) {
  SteadyClock clock;
  const Work work = [](std::size_t thread) -> double {
    if (thread == 1) throw Error("cannot read shard.bin");
    return 1;
  };
  EXPECT_THROW(pace_of(2, work, {.warm_up = 0ms, .timed = 1ms}, clock, {}), Error);
}

}  // namespace
}  // namespace loadline
