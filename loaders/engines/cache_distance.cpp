#include "loaders/engines/cache_distance.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace loadline {
namespace {

using Clock = std::chrono::steady_clock;

// Round trips of 60 to 80 ns were seen within a core complex, 340 to 360 ns between two; within one large Intel socket
// they stay below 200 ns.
constexpr std::chrono::nanoseconds kFar{200};
constexpr int kPartners = 3;
constexpr int kRoundTrips = 64;  // a sample; the best of them counts, so that an interruption does not
constexpr int kSamples = 8;
constexpr std::chrono::microseconds kPatience{500};  // with one partner

struct alignas(128) Ball {
  std::atomic<int> at{0};  // odd: with the partner; negative: the game is over
};

void return_ball(Ball& ball) {
  for (int expected = 1;; expected += 2) {
    int at = ball.at.load(std::memory_order_acquire);
    while (at != expected) {
      if (at < 0) return;
      at = ball.at.load(std::memory_order_acquire);
    }
    // Fails only when the game was ended in between.
    if (!ball.at.compare_exchange_strong(at, expected + 1, std::memory_order_acq_rel)) return;
  }
}

// The best mean round trip of the samples that were completed in time; zero where none was.
Clock::duration play(Ball& ball) {
  const auto give_up = Clock::now() + kPatience;
  Clock::duration best = Clock::duration::max();
  int at = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    const auto begin = Clock::now();
    for (int trip = 0; trip < kRoundTrips; ++trip, at += 2) {
      ball.at.store(at + 1, std::memory_order_release);
      for (int spins = 1; ball.at.load(std::memory_order_acquire) != at + 2; ++spins) {
        if (spins % 1024 == 0 && Clock::now() > give_up)
          return best == Clock::duration::max() ? Clock::duration(0) : best;
      }
    }
    best = std::min(best, (Clock::now() - begin) / kRoundTrips);
  }
  return best;
}

}  // namespace

bool caches_are_far_apart() {
  for (int partner = 0; partner < kPartners; ++partner) {
    Ball ball;
    std::jthread other([&ball] { return_ball(ball); });
    const auto round_trip = play(ball);
    ball.at.store(-1, std::memory_order_release);
    if (round_trip > kFar) return true;
  }
  return false;
}

}  // namespace loadline
