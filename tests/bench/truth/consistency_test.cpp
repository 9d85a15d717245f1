#include "bench/truth/consistency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/judge/judgement.h"
#include "harness/show/figures_text.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using truth::contradictions;

TEST(Contradictions, AreAbsentFromStatementsThatAgree) {
  EXPECT_THAT(
      contradictions(
          "mnist, serial: Bound by loading: device waits 38 ± 5 % of the time for serial, which by "
          "itself is 0.61 ± 0.02 times as fast as the compute; a loader that kept up would give 1.61 ± 0.13 times "
          "the throughput: use a --loader with workers. AU 62 ± 5 % misses the 90 % requested.\n"
          "  mnist: a perfect loader would give 61 ± 13 % more throughput, 150 ± 1 k samples/s\n"),
      IsEmpty());
}

TEST(Contradictions, DoNotIncludeSlightlyAsymmetricShares) {
  // The interval is 50.5 to 100 %; ± shows its wider side.
  EXPECT_THAT(contradictions("m: d waits 73 ± 27 % of the time"), IsEmpty());
  EXPECT_THAT(contradictions("m: d waits 60 ± 30 % of the time"), SizeIs(1));
}

TEST(Contradictions, FindAVerdictThatItsFiguresRefute) {
  EXPECT_THAT(contradictions("m, serial: Bound by loading: device waits 1.0 ± 0.5 % of the time"),
              ElementsAre(StartsWith("bound by loading that is not waited for: m, serial")));
  EXPECT_THAT(contradictions("Bound by compute: device is busy 80 ± 2 % of the time (stall 20 ± 2 %)"), SizeIs(1));
  EXPECT_THAT(contradictions("Bound by loading: x waits 30 ± 1 % of the time, which by itself is 1.20 ± 0.02 times as "
                             "fast as the compute"),
              SizeIs(1));
  EXPECT_THAT(contradictions("Bound by interference: a by itself is 0.80 ± 0.02 times as fast as b"), SizeIs(1));
  EXPECT_THAT(contradictions("Balanced: a by itself is 2.00 ± 0.02 times as fast as b"), SizeIs(1));
}

TEST(Contradictions, FindAnOpenVerdictThatIsDecided) {
  EXPECT_THAT(contradictions("Too noisy to say: d waits 82.0 ± 0.4 % of the time, but a by itself is 0.27 ± 0.02 times "
                             "as fast as the compute, which may or may not be enough"),
              SizeIs(1));
  EXPECT_THAT(
      contradictions("Too noisy to say: d waits 30 ± 2 % of the time, which may be negligible or worth removing"),
      SizeIs(1));
  EXPECT_THAT(contradictions("The trials contradict each other: FULL gave 1.01 ± 0.02 times the throughput of IO"),
              SizeIs(1));
}

TEST(Contradictions, FindAGoalThatMayBeMissedBesideARateThatKeepsIt) {
  EXPECT_THAT(
      contradictions("Bound by compute: AU 93 ± 10 % may meet the 90 % requested or miss it: use more --trials.\n"
                     "max-rate: serial feeds up to 556.0 k samples/s at AU 90 % or more (AU 96 ± 1 %).\n"),
      ElementsAre(StartsWith("a rate that keeps a utilisation that may be missed")));
  EXPECT_THAT(contradictions("AU 93 ± 10 % meets the 90 % requested."), SizeIs(1));
  EXPECT_THAT(contradictions("AU 93 ± 1 % may meet the 90 % requested or miss it."), SizeIs(1));
  EXPECT_THAT(contradictions("max-rate: serial feeds up to 875.0 k samples/s at AU 90 % or more (AU 93 ± 5 %)."),
              SizeIs(1));
}

TEST(Contradictions, FindARecommendationThatAnotherBeats) {
  EXPECT_THAT(contradictions("m: use thread-pool with 1 worker; serial reaches 1.63 (1.16 to 2.30) times that."),
              SizeIs(1));
  EXPECT_THAT(contradictions("m: use serial; hdf5 is no better (1.2 (0.9 to 1.6) times that)."), SizeIs(1));
  EXPECT_THAT(contradictions("m: use serial; hdf5 reaches 0.50 ± 0.02 times that."), IsEmpty());
}

TEST(Contradictions, FindFiguresThatSayNothing) {
  EXPECT_THAT(contradictions("m: use serial; hdf5 is no better (1 (0 to 62) times that)."), SizeIs(2));
  EXPECT_THAT(contradictions("Too noisy to say: d waits 79 % (-32 to 97 %) of the time, which may be nothing"),
              SizeIs(1));
  EXPECT_THAT(contradictions("Bound by compute: a by itself is 6.59 times as fast as the compute"), SizeIs(1));
  EXPECT_THAT(contradictions("hdf5 reaches too noisy to say times that"), SizeIs(1));
}

TEST(Contradictions, FindPredictionsOfAnotherGain) {
  EXPECT_THAT(contradictions("m, serial: Bound by compute: d is busy, so faster loading gives at most 1.1 % more "
                             "throughput\n  m: a perfect loader would give 5 ± 1 % more throughput,\n"),
              SizeIs(1));
  EXPECT_THAT(contradictions("m, serial: Bound by loading: a loader that kept up would give 1.61 ± 0.03 times the "
                             "throughput: do.\n  m: a perfect loader would give 30 ± 1 % more throughput,\n"),
              SizeIs(1));
}

TEST(Contradictions, FindAdviceOnStorageThatItsFiguresRefute) {
  EXPECT_THAT(contradictions("spends 30 ± 2 % of its time on fetching: storage keeps up."), SizeIs(1));
  EXPECT_THAT(contradictions("spends 1 ± 1 % of its time on fetching: copy the data to faster storage first."),
              SizeIs(1));
  EXPECT_THAT(contradictions("storage latency: its worker was on a CPU for 40 % of the time. Other processes kept its "
                             "threads off the CPUs for at least 58 % of their time"),
              SizeIs(1));
}

TEST(Contradictions, FindAdviceToReadMoreFromStorageThatIsTheLimit) {
  const std::string by_storage =
      " Loading is bound by storage: the trials used all of the device's rate for such reads.";
  for (const std::string advice :
       {"raise --workers or use a faster --loader.", "use a --loader with workers.",
        "so use a faster --loader, make reading cheaper or get more CPUs (more --workers only if they wait)."}) {
    EXPECT_THAT(contradictions("Bound by loading: " + advice + by_storage),
                ElementsAre(StartsWith("more reads for storage that has no more to give")));
    EXPECT_THAT(contradictions("Bound by loading: " + advice + " Loading is bound by storage latency."), IsEmpty());
  }
  EXPECT_THAT(contradictions("Bound by compute: x." + by_storage +
                             " A first pass: keep more reads in flight with more --workers."),
              SizeIs(1));
  EXPECT_THAT(contradictions("Bound by loading: use faster storage, as loading is bound by storage." + by_storage),
              IsEmpty());
}

TEST(Contradictions, FindOneSignForTwoThings) {
  EXPECT_THAT(contradictions("samples/s, mean ± standard deviation of the trials\nm serial 10 ± 1 k\nAU 90 ± 1 %\n"),
              SizeIs(1));
  EXPECT_THAT(contradictions("wait for data  10  89.2\n"), SizeIs(1));
}

// A workload of two loaders with known true rates, measured with this noise.
struct Drawn {
  double fill;      // as a share of what the compute takes
  double together;  // FULL as a share of the slower of the two
  std::size_t trials;
  double variation;
  bool measured;  // whether the fill is measured

  Result result(std::mt19937_64& random) const {
    std::normal_distribution<double> noise(0, variation);
    const auto rates = [&](double truth) {
      std::vector<double> drawn;
      for (std::size_t i = 0; i < trials; ++i) drawn.push_back(truth * std::exp(noise(random)));
      return drawn;
    };
    const double full = 1000 * std::min(1.0, fill) * together;
    Result result = test::result_of({
        {.mode = Mode::kIo, .rates = rates(800 * fill)},
        {.mode = Mode::kIo, .rates = rates(900 * fill), .loader = "thread-pool", .workers = 2},
        {.mode = Mode::kIo, .rates = rates(1500 * fill), .loader = "thread-pool", .workers = 4},
        {.mode = Mode::kSynthetic, .rates = rates(1000)},
        {.mode = Mode::kFull, .rates = rates(0.9 * full)},
        {.mode = Mode::kFull, .rates = rates(full), .loader = "thread-pool", .workers = 2},
        {.mode = Mode::kFull, .rates = rates(full), .loader = "thread-pool", .workers = 4},
        {.mode = Mode::kFull, .rates = rates(0.7 * full), .loader = "thread-pool", .workers = 4},
        test::overhead(),
    });
    result.cells[7].cell.cache = CacheState::kCold;
    result.options.au = 0.9;
    for (CellResult& cell : result.cells) {
      for (Trial& trial : cell.trials) {
        trial.wait.total_seconds = 0.8 * trial.wall_seconds;
        if (cell.cell.mode != Mode::kIo || !measured) continue;
        const double drain = cell.cell.workers == 4 ? 1.0 : 1.2;
        trial.fill =
            Fill{.wall_seconds = trial.wall_seconds / drain, .batches = trial.batches, .samples = trial.samples};
      }
    }
    return result;
  }
};

TEST(Contradictions, AreAbsentFromTheTextOfAGridOfEvidence) {
  std::mt19937_64 random(5);
  for (const double variation : {0.001, 0.01, 0.03, 0.1, 0.25, 0.6}) {
    for (const std::size_t trials : {1U, 2U, 3U, 5U, 10U, 20U}) {
      for (const double fill : {0.3, 0.85, 0.97, 1.0, 1.07, 1.2, 3.0}) {
        for (const double together : {1.0, 0.94, 0.7}) {
          const Drawn drawn{fill, together, trials, variation, trials % 2 == 1};
          const Result result = drawn.result(random);
          const std::string text = figures_text(result, judge_run(result));
          ASSERT_THAT(contradictions(text), IsEmpty()) << "fill " << fill << ", together " << together << ", " << trials
                                                       << " trials, variation " << variation << '\n'
                                                       << text;
        }
      }
    }
  }
}

}  // namespace
}  // namespace loadline
