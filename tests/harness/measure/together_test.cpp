#include "harness/measure/together.h"

#include <gtest/gtest.h>

#include <array>

#include "harness/measure/trial.h"
#include "tests/harness/measure/simulated_rig.h"
#include "tests/harness/ranks/local_messages.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;
using test::Behaviour;
using test::FakeClock;
using test::SimulatedRig;

// A trial of 1 s of two ranks, the second of which behaves like this.
std::array<Trial, 2> trials_of(const Behaviour& second) {
  std::array<Trial, 2> trials;
  on_all(2, kPatient, [&](Ranks& ranks, LocalWorld& /*world*/) {
    FakeClock clock;
    const SimulatedRig rig(clock, Mode::kSynthetic, ranks.is_first() ? Behaviour{.step = 1ms} : second);
    Together together(ranks, clock);
    trials.at(ranks.rank()) = run_trial(rig, {.length = Time(1s), .together = &together}, clock, {}).value();
  });
  return trials;
}

TEST(Together, TakesAsManyBatchesAsTheSlowestRankInTheTimeOfATrial) {
  const auto [first, second] = trials_of({.step = 10ms});
  EXPECT_EQ(first.batches, 99U) << "rounded down";
  EXPECT_EQ(second.batches, 99U);
}

TEST(Together, MeasuresAgainIfARankWasHeldUpWhileItWarmedUp) {
  // The stretch that the number of batches comes from has some hundred steps.
  const auto [first, second] = trials_of({.step = 1ms, .held_up = 60, .held_up_for = 60s});
  EXPECT_NEAR(first.wall_seconds, 1, 0.1);
  EXPECT_NEAR(second.wall_seconds, 1, 0.1);
  EXPECT_EQ(first.batches, second.batches);
}

}  // namespace
}  // namespace loadline
