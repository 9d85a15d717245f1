#include "harness/measure/joint_trials.h"

#include <gtest/gtest.h>

#include <array>
#include <future>

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
    JointTrials joint(ranks, clock);
    trials.at(ranks.rank()) = run_trial(rig, {.length = Time(1s), .joint = &joint}, clock, {}).value();
  });
  return trials;
}

TEST(JointTrials, TakesAsManyBatchesAsTheSlowestRankInTheTimeOfATrial) {
  const auto [first, second] = trials_of({.step = 10ms});
  EXPECT_EQ(first.batches, 99U) << "rounded down";
  EXPECT_EQ(second.batches, 99U);
}

TEST(JointTrials, MeasuresAgainIfARankWasHeldUpWhileItWarmedUp) {
  // The stretch that the number of batches comes from has some hundred steps.
  const auto [first, second] = trials_of({.step = 1ms, .held_up = 60, .held_up_for = 60s});
  EXPECT_NEAR(first.wall_seconds, 1, 0.1);
  EXPECT_NEAR(second.wall_seconds, 1, 0.1);
  EXPECT_EQ(first.batches, second.batches);
}

// What the first rank's workers read before the second has dropped the files' pages, or before the clock starts, would
// be free, or be dropped again.
TEST(JointTrials, MakesNoLoaderOfAColdTrialBeforeAllRanksAreReadyForIt) {
  std::promise<void> first_has_a_loader;
  bool second_was_ready = false;
  bool second_found_a_loader = false;
  std::array<double, 2> setup_seconds{};
  on_all(2, kPatient, [&](Ranks& ranks, LocalWorld& /*world*/) {
    FakeClock clock;
    Behaviour behaviour{.service = 1ms, .step = 1ms, .epoch = 100};
    if (ranks.is_first()) {
      behaviour.on_feed = [&] { first_has_a_loader.set_value(); };
    } else {
      behaviour.on_sink = [&] {
        second_found_a_loader = first_has_a_loader.get_future().wait_for(50ms) == std::future_status::ready;
        clock.advance(3s);
        second_was_ready = true;
      };
    }
    SimulatedRig rig(clock, Mode::kFull, behaviour);
    rig.cell().cache = CacheState::kCold;
    JointTrials joint(ranks, clock);
    const auto trial = run_trial(rig, {.length = Time(1s), .joint = &joint}, clock, {});
    setup_seconds.at(ranks.rank()) = trial.value().setup_seconds;
  });
  EXPECT_TRUE(second_was_ready);
  EXPECT_FALSE(second_found_a_loader);
  EXPECT_NEAR(setup_seconds[0], 0, 0.01);
  EXPECT_NEAR(setup_seconds[1], 3, 0.01);
}

}  // namespace
}  // namespace loadline
