// Figures and intervals were computed independently with numpy and scipy 1.10.1: ratios by scipy.stats.ttest_ind on
// logarithms (equal_var=False) and exp(d ± t.ppf(0.975, df) sqrt(v)); the interval of the overlap efficiency by the
// same law of propagation with gradients taken numerically.
#include "harness/judge/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "loaders/error.h"

namespace loadline {
namespace {

using Rates = std::vector<double>;

// A configuration with its trials: thread-pool with 4 workers feeding "device" in batches of 512.
struct Configuration {
  Rates io;
  Rates synthetic;
  Rates full;
  std::size_t workers = 4;
  std::string loader = "thread-pool";
  std::optional<double> overhead_seconds_per_batch = std::nullopt;

  Verdict verdict() const {
    return judge({.loader = loader,
                  .workers = workers,
                  .compute = "device",
                  .batch_size = 512,
                  .io = io,
                  .synthetic = synthetic,
                  .full = full,
                  .overhead_seconds_per_batch = overhead_seconds_per_batch});
  }
};

const Rates kCompute{10000, 10010, 9990};

void expect_near(const std::optional<Estimate>& estimate, double value, double low, double high) {
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->value, value, 1e-9);
  ASSERT_TRUE(estimate->ci95);
  EXPECT_NEAR(estimate->ci95->low, low, 1e-8);
  EXPECT_NEAR(estimate->ci95->high, high, 1e-8);
}

TEST(VerdictFigures, FollowTheirFormulas) {
  // T = 1, 2 and 2.5 s: stall 1 - 2 / 2.5, overlap (1 + 2 - 2.5) / 1.
  const Verdict verdict = Configuration{{1.0}, {0.5}, {0.4}}.verdict();
  EXPECT_DOUBLE_EQ(verdict.stall->value, 0.2);
  EXPECT_DOUBLE_EQ(verdict.accelerator_utilisation->value, 0.8);
  EXPECT_DOUBLE_EQ(verdict.overlap_efficiency->value, 0.5);
  EXPECT_DOUBLE_EQ(verdict.supply->value, 2);
}

TEST(VerdictFigures, HaveTheIntervalsOfLogWelchAndTheDeltaMethod) {
  const Verdict verdict = Configuration{{14000, 14100, 13900}, kCompute, {9000, 9050, 8950}}.verdict();
  expect_near(verdict.accelerator_utilisation, 0.8999910406425933, 0.8881566996021648, 0.9119830696539888);
  expect_near(verdict.stall, 0.10000895935740672, 0.08801693034601121, 0.11184330039783519);
  expect_near(verdict.supply, 1.3999766567302971, 1.375985813246745, 1.4243857898252037);
  expect_near(verdict.overlap_efficiency, 0.8444186616271079, 0.8444186616271079 - 0.020334369058124947,
              0.8444186616271079 + 0.020334369058124947);
}

TEST(VerdictFigures, PropagateTheIntervalAlsoWhereLoadingIsTheSlower) {
  const Verdict verdict = Configuration{{5000, 5050, 4950}, kCompute, {3400, 3350, 3380}}.verdict();
  expect_near(verdict.overlap_efficiency, 0.03852366128262965, 0.03852366128262965 - 0.0479606297568321,
              0.03852366128262965 + 0.0479606297568321);
}

// The six benchy summaries that the SC22 tutorial "Deep Learning at Scale" publishes (NERSC/sc22-dl-tutorial, README);
// efficiencies from the formula in Python.
TEST(VerdictFigures, ReadTheSc22Tutorial) {
  struct Case {
    double io, synthetic, full, overlap;
    Bound bound;
  };
  for (const Case& published : {Case{84.468, 481.618, 83.212, 0.9139374563972333, Bound::kLoader},
                                Case{234.450, 415.428, 166.868, 0.28236517296702485, Bound::kLoader},
                                Case{943.632, 592.984, 578.118, 0.9590798401429895, Bound::kCompute},
                                Case{929.612, 820.332, 665.790, 0.7369602830064974, Bound::kInterference},
                                Case{936.818, 893.160, 683.573, 0.6784078772041309, Bound::kInterference},
                                Case{4.750, 102.148, 4.212, -1.7468198130654295, Bound::kLoader}}) {
    const Verdict verdict = Configuration{{published.io}, {published.synthetic}, {published.full}}.verdict();
    EXPECT_NEAR(verdict.overlap_efficiency->value, published.overlap, 1e-9);
    EXPECT_EQ(name(verdict.bound), name(published.bound)) << verdict.sentence;
  }
}

TEST(VerdictFigures, AreNotClamped) {
  const Verdict verdict = Configuration{{30000, 30100, 29900}, {10000, 10050, 9950}, {10040, 10100, 9990}}.verdict();
  expect_near(verdict.stall, -0.004331638576317687, -0.016389155416400403, 0.007582838846653783);
  expect_near(verdict.accelerator_utilisation, 1.0043316385763177, 0.9924171611533462, 1.0163891554164004);
}

TEST(VerdictFigures, OfTrialsThatAllAgreeHaveIntervalsOfNoWidth) {
  const Verdict verdict = Configuration{{30000, 30000}, {10000, 10000}, {8000, 8000}}.verdict();
  EXPECT_DOUBLE_EQ(verdict.stall->ci95->low, verdict.stall->ci95->high);
  EXPECT_DOUBLE_EQ(verdict.overlap_efficiency->ci95->low, verdict.overlap_efficiency->ci95->high);
}

TEST(Verdict, BoundByComputeSaysThatFasterLoadingCannotHelp) {
  const Verdict verdict =
      Configuration{{3400e3, 3450e3, 3500e3}, {150.1e3, 150.0e3, 149.9e3}, {149.0e3, 148.8e3, 148.6e3}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kCompute);
  EXPECT_EQ(verdict.sentence,
            "Bound by compute: device is busy 99.2 ± 0.3 % of the time (stall 0.8 ± 0.3 %); thread-pool with 4 workers "
            "alone supplies 23 times what it takes, so faster loading cannot help; use a faster compute or fewer "
            "workers.");
}

TEST(Verdict, BoundByComputeDoesNotAdviseFewerWorkersWhereThereIsOneOrNone) {
  Configuration run{{30000, 30100, 29900}, kCompute, {9900, 9910, 9890}, 1};
  EXPECT_EQ(run.verdict().sentence,
            "Bound by compute: device is busy 99.0 ± 0.2 % of the time (stall 1.0 ± 0.2 %); thread-pool with 1 worker "
            "alone supplies 3.00 times what it takes, so faster loading cannot help; use a faster compute.");
}

TEST(Verdict, PrintsANegativeStallAsItIs) {
  EXPECT_EQ((Configuration{{30000, 30100, 29900}, {10000, 10050, 9950}, {10040, 10100, 9990}, 0, "serial"}
                 .verdict()
                 .sentence),
            "Bound by compute: device is busy all the time (stall -0.4 ± 1.2 %: zero within noise); serial alone "
            "supplies 3.00 times what it takes, so faster loading cannot help; use a faster compute.");
  EXPECT_EQ((Configuration{{30000, 30100, 29900}, kCompute, {10200, 10210, 10190}, 0, "serial"}.verdict().sentence),
            "Bound by compute: device is busy all the time (stall -2.0 ± 0.2 %: FULL was no slower than "
            "SYNTHETIC); serial alone supplies 3.00 times what it takes, so faster loading cannot help; use a faster "
            "compute.");
}

TEST(Verdict, BoundByLoadingSaysWhatALoaderThatKeepsUpWouldGive) {
  const Verdict verdict = Configuration{{92e3, 90e3, 91e3}, {150.1e3, 150.0e3, 149.9e3}, {93e3, 90e3, 96e3}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kLoader);
  EXPECT_EQ(verdict.sentence,
            "Bound by loading: device waits 38 ± 5 % of the time for thread-pool with 4 workers, which alone supplies "
            "0.61 times what it takes; a loader that kept up would give 1.61 times the throughput: raise --workers or "
            "use a faster --loader.");
}

TEST(Verdict, BoundByLoadingAdvisesMoreWorkersOnlyWhereThereAreCpusForThem) {
  const std::vector<double> io{91e3, 90e3, 92e3};
  const std::vector<double> synthetic{150e3, 150e3, 150e3};
  const auto advice = [&](std::size_t workers, std::size_t threads_in_force) {
    return judge({.loader = "thread-pool",
                  .workers = workers,
                  .compute = "device",
                  .io = io,
                  .synthetic = synthetic,
                  .full = io,
                  .threads_in_force = threads_in_force})
        .sentence;
  };
  EXPECT_THAT(advice(2, 4), testing::HasSubstr("throughput: raise --workers or use a faster --loader."));
  EXPECT_THAT(advice(2, 0), testing::HasSubstr("throughput: raise --workers or use a faster --loader."));
  EXPECT_THAT(advice(4, 4),
              testing::HasSubstr("each of the 4 CPUs in force has a worker already, so use a faster --loader"));
}

TEST(Verdict, BoundByLoadingNearTheCeilingAdvisesNoFasterLoader) {
  const std::vector<double> io{91e3, 90e3, 92e3};
  const std::vector<double> synthetic{150e3, 150e3, 150e3};
  const auto advice = [&](std::size_t workers, double io_efficiency) {
    return judge({.loader = "thread-pool",
                  .workers = workers,
                  .compute = "device",
                  .io = io,
                  .synthetic = synthetic,
                  .full = io,
                  .threads_in_force = 4,
                  .io_efficiency = io_efficiency})
        .sentence;
  };
  EXPECT_THAT(advice(2, 0.89), testing::HasSubstr("raise --workers or use a faster --loader."));
  EXPECT_THAT(advice(2, 0.91), testing::HasSubstr("raise --workers, as with so few no --loader can be much faster."));
  EXPECT_THAT(advice(4, 0.91), testing::HasSubstr("each of the 4 CPUs in force has a worker already and no --loader "
                                                  "can be much faster on them, so give each sample less work or get "
                                                  "more CPUs"));
}

TEST(Verdict, BoundByLoadingSaysWhereTheTwoTakeTurns) {
  EXPECT_EQ((Configuration{{5000, 5050, 4950}, kCompute, {3400, 3350, 3380}, 0, "serial"}.verdict().sentence),
            "Bound by loading: device waits 66.2 ± 0.6 % of the time for serial, which alone supplies 0.50 times what "
            "it takes; a loader that kept up would give 2.96 times the throughput: use a --loader with workers. The "
            "two also mostly take turns (overlap efficiency 0.04 ± 0.05, where 1 is perfect): use a --loader that "
            "reads ahead.");
}

TEST(Verdict, BoundByLoadingSaysWhereTheTwoDisturbEachOther) {
  EXPECT_EQ((Configuration{{5000, 5050, 4950}, kCompute, {2500, 2550, 2450}}.verdict().sentence),
            "Bound by loading: device waits 75.0 ± 1.3 % of the time for thread-pool with 4 workers, which alone "
            "supplies 0.50 times what it takes; a loader that kept up would give 4.00 times the throughput: raise "
            "--workers or use a faster --loader. The two also disturb each other (overlap efficiency -1.00 ± 0.18, "
            "where 1 is perfect): they compete for cores or memory bandwidth.");
}

TEST(Verdict, BalancedAsksForBoth) {
  const Verdict verdict = Configuration{{10200, 10250, 10150}, kCompute, {9800, 9850, 9750}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kBalanced);
  EXPECT_EQ(verdict.sentence,
            "Balanced: thread-pool with 4 workers alone supplies 1.02 ± 0.01 times what device takes, which waits "
            "2.0 ± 1.2 % of the time; more throughput needs both faster loading and a faster compute.");
}

TEST(Verdict, BoundByInterferenceSaysWhereTheTwoTakeTurns) {
  const Verdict verdict = Configuration{{18000, 18100, 17900}, kCompute, {6600, 6700, 6650}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kInterference);
  EXPECT_EQ(verdict.sentence,
            "Bound by interference: thread-pool with 4 workers alone supplies 1.80 times what device takes, yet "
            "together the compute gets 33.5 ± 1.2 % less done (overlap efficiency 0.09 ± 0.05, where 1 is "
            "perfect); they mostly take turns: use a --loader that reads ahead or deepen --prefetch.");
}

TEST(Verdict, BoundByInterferenceSaysWhereTheyOverlapOnlyInPart) {
  const Verdict verdict = Configuration{{14000, 14100, 13900}, kCompute, {9000, 9050, 8950}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kInterference);
  EXPECT_EQ(verdict.sentence,
            "Bound by interference: thread-pool with 4 workers alone supplies 1.40 times what device takes, yet "
            "together the compute gets 10.0 ± 1.2 % less done (overlap efficiency 0.84 ± 0.02, where 1 is "
            "perfect); their work overlaps but not fully: deepen --prefetch or leave the compute a core of its own.");
}

TEST(Verdict, BoundByInterferenceSaysWhereTheyDisturbEachOther) {
  Configuration run{{18000, 18100, 17900}, kCompute, {5000, 5100, 4900}};
  EXPECT_EQ(run.verdict().sentence,
            "Bound by interference: thread-pool with 4 workers alone supplies 1.80 times what device takes, yet "
            "together the compute gets 50 ± 3 % less done (overlap efficiency -0.80 ± 0.17, where 1 is perfect); "
            "together they take longer than one after the other, so they compete for cores or memory bandwidth: use "
            "fewer --workers.");
  run.workers = 1;
  EXPECT_TRUE(run.verdict().sentence.ends_with("memory bandwidth: leave the compute a core of its own."));
}

// Interference of four workers and a compute of so many threads, whose overlap is what FULL makes it.
std::string crowd_sentence(std::size_t workers, std::size_t compute_threads, std::size_t cpus, double full) {
  const Rates io{18000, 18100, 17900};
  const Rates fulls{full, full + 50, full - 50};
  return judge({.loader = "thread-pool",
                .workers = workers,
                .compute = "cnn",
                .io = io,
                .synthetic = kCompute,
                .full = fulls,
                .threads_in_force = cpus,
                .compute_threads = compute_threads})
      .sentence;
}

TEST(Verdict, BoundByInterferenceAdvisesToSplitCpusThatWorkersAndComputeShare) {
  for (const double full : {9000.0, 6650.0, 5000.0}) {
    EXPECT_THAT(crowd_sentence(2, 2, 2, full),
                testing::EndsWith("where 1 is perfect); 2 workers and 2 compute threads share 2 CPUs: use --placement "
                                  "split or fewer --compute-threads."));
  }
  EXPECT_THAT(crowd_sentence(4, 1, 4, 5000),
              testing::EndsWith("4 workers and 1 compute thread share 4 CPUs: use --placement split."));
  EXPECT_THAT(crowd_sentence(1, 1, 1, 5000),
              testing::EndsWith("1 worker and 1 compute thread share 1 CPU: get more CPUs."));
  EXPECT_THAT(crowd_sentence(2, 2, 4, 5000), testing::EndsWith("memory bandwidth: use fewer --workers."))
      << "a CPU for each";
  EXPECT_THAT(crowd_sentence(4, 0, 2, 5000), testing::EndsWith("memory bandwidth: use fewer --workers."))
      << "no thread of the compute is on their CPUs";
}

TEST(Verdict, BoundByLoadingAdvisesToSplitThemToo) {
  const Rates io{5000, 5050, 4950};
  const Rates full{3400, 3350, 3380};
  EXPECT_THAT(judge({.loader = "thread-pool",
                     .workers = 2,
                     .compute = "cnn",
                     .io = io,
                     .synthetic = kCompute,
                     .full = full,
                     .threads_in_force = 2,
                     .compute_threads = 2})
                  .sentence,
              testing::EndsWith("The two also mostly take turns (overlap efficiency 0.04 ± 0.05, where 1 is perfect): "
                                "2 workers and 2 compute threads share 2 CPUs: use --placement split or fewer "
                                "--compute-threads."));
}

// SYNTHETIC of 10000, and FULL that takes 90 ± 1.2 % of it.
Verdict held_to(double au, const Rates& full = {9000, 9050, 8950}) {
  const Rates io{14000, 14100, 13900};
  return judge({.loader = "serial", .compute = "device", .io = io, .synthetic = kCompute, .full = full, .au = au});
}

TEST(UtilisationGoal, IsMetOrMissedWhereTheIntervalIsOnOneSideOfIt) {
  const Verdict met = held_to(0.85);
  EXPECT_EQ(met.goal->asked, 0.85);
  EXPECT_EQ(met.goal->standing, Standing::kMet);
  EXPECT_THAT(met.sentence, testing::EndsWith(" AU 90.0 ± 1.2 % meets the 85 % asked for."));
  const Verdict missed = held_to(0.925);
  EXPECT_EQ(missed.goal->standing, Standing::kMissed);
  EXPECT_THAT(missed.sentence, testing::EndsWith(" AU 90.0 ± 1.2 % misses the 92.5 % asked for."));
}

TEST(UtilisationGoal, IsUnclearWhereTheIntervalContainsIt) {
  for (const double asked : {0.89, 0.9, 0.91}) EXPECT_EQ(held_to(asked).goal->standing, Standing::kUnclear) << asked;
  EXPECT_THAT(held_to(0.9).sentence,
              testing::EndsWith(" AU 90.0 ± 1.2 % may meet the 90 % asked for or miss it: use more --trials."));
}

TEST(UtilisationGoal, GoesByTheValueWhereThereIsNoInterval) {
  EXPECT_EQ(held_to(0.9, {8999}).goal->standing, Standing::kMissed);
  EXPECT_EQ(held_to(0.9, {9001}).goal->standing, Standing::kMet);
}

TEST(UtilisationGoal, IsNoneWithoutOneOrWithoutTheFigure) {
  EXPECT_FALSE((Configuration{{14000}, kCompute, {9000}}.verdict().goal.has_value()));
  EXPECT_FALSE(held_to(0.9, {}).goal.has_value());
}

TEST(Standing, HasANameForEveryValue) {
  EXPECT_EQ(name(Standing::kMet), "met");
  EXPECT_EQ(name(Standing::kMissed), "missed");
  EXPECT_EQ(name(Standing::kUnclear), "unclear");
}

TEST(Verdict, BoundByTheHarnessSaysWhatBatchSizeWouldDo) {
  // A step of 512 samples at 100 M a second lasts 5.12 µs; 20 times 0.5 µs would need 1000 samples.
  const Verdict verdict = Configuration{{3e8, 3e8}, {1e8, 1e8}, {1e8, 1e8}, 4, "thread-pool", 5e-7}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kHarness);
  EXPECT_EQ(verdict.sentence,
            "Bound by the harness: a FULL step of 512 samples lasts 5.1 µs, only 10 times the 0.50 µs that the harness "
            "itself costs a batch, and below 20 times that cost blurs every figure; raise --batch-size to 1024 or "
            "more.");
}

TEST(Verdict, TwentyTimesTheOverheadIsEnough) {
  EXPECT_EQ((Configuration{{3e8, 3e8}, {1e8, 1e8}, {1e8, 1e8}, 4, "thread-pool", 5.12e-6 / 20.5}.verdict().bound),
            Bound::kCompute);
}

TEST(Verdict, TooNoisyAStallAsksForTheTrialsThatWouldDo) {
  // 15.7 (0.05 / 0.05)^2 + 1 = 16.7.
  const Verdict verdict = Configuration{{30000, 30100, 29900}, {10000, 10500, 9500}, {9000, 9900, 9600}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "Too noisy to say: device waits 5 ± 11 % of the time, which may be nothing or worth removing; quieten the "
            "machine or use --trials 17.");
}

TEST(Verdict, FarTooNoisyAStallAsksForAQuieterMachine) {
  const Verdict verdict = Configuration{{30000, 30100, 29900}, {10000, 14000, 7000}, {2000, 5000, 900}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "Too noisy to say: device waits 79 % (-32 to 97 %) of the time, which may be nothing or worth removing; "
            "find what disturbs this machine first, as no reasonable number of trials would do.");
}

TEST(Verdict, TooNoisyASupplyLeavesOpenWhatLimitsAClearStall) {
  const Verdict verdict = Configuration{{8000, 16000, 12000}, kCompute, {8000, 8050, 7950}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "Too noisy to say: device waits 20.0 ± 1.2 % of the time, but thread-pool with 4 workers alone supplies "
            "1.2 (0.5 to 2.7) times what it takes, which may be enough or not; find what disturbs this machine first, "
            "as no reasonable number of trials would do.");
}

TEST(Verdict, AnIoRateBelowFullByChanceIsNoise) {
  const Verdict verdict = Configuration{{6000, 12000, 9000}, kCompute, {9990, 9980, 10000}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_TRUE(verdict.sentence.starts_with(
      "Too noisy to say: device waits 0.1 ± 0.2 % of the time, but thread-pool with 4 workers alone supplies "
      "0.9 (0.4 to 2.1) times what it takes"))
      << verdict.sentence;
}

TEST(Verdict, FullBeyondTheSlowerOfTheTwoIsAContradiction) {
  const Verdict verdict = Configuration{{30000, 30100, 29900}, kCompute, {11200, 11300, 11100}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "The trials contradict each other: FULL gave 1.12 ± 0.02 times the throughput of SYNTHETIC alone, which it "
            "cannot beat, so conditions changed between them (page cache, clock frequency, another process); check "
            "what else ran and measure again.");
}

TEST(Verdict, OneTrialEachSaysThatThereIsNoInterval) {
  const Verdict verdict = Configuration{{3450e3}, {150e3}, {148.8e3}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kCompute);
  EXPECT_FALSE(verdict.stall->ci95);
  EXPECT_FALSE(verdict.accelerator_utilisation->ci95);
  EXPECT_FALSE(verdict.overlap_efficiency->ci95);
  EXPECT_EQ(verdict.sentence,
            "Bound by compute: device is busy 99.2 % of the time (stall 0.8 %); thread-pool with 4 workers alone "
            "supplies 23 times what it takes, so faster loading cannot help; use a faster compute or fewer workers. "
            "One trial each: no interval; use --trials 5.");
}

TEST(Verdict, OneTrialOfOneModeCostsOnlyWhatDependsOnIt) {
  const Verdict verdict = Configuration{{30000}, kCompute, {9900, 9910, 9890}}.verdict();
  EXPECT_TRUE(verdict.stall->ci95);
  EXPECT_FALSE(verdict.overlap_efficiency->ci95);
  EXPECT_TRUE(verdict.sentence.ends_with(" Only one trial of IO: no interval for what depends on it; use --trials 5."));
}

TEST(Verdict, IncompleteNamesWhatWasNotMeasured) {
  const Verdict nothing = Configuration{{}, {}, {}}.verdict();
  EXPECT_EQ(nothing.bound, Bound::kIncomplete);
  EXPECT_FALSE(nothing.stall || nothing.accelerator_utilisation || nothing.overlap_efficiency || nothing.supply);
  EXPECT_EQ(nothing.sentence,
            "Cannot say what limits this: IO, SYNTHETIC and FULL were not measured; run with --mode "
            "io,synthetic,full.");
  EXPECT_EQ((Configuration{{3, 3}, {}, {}}.verdict().sentence),
            "Cannot say what limits this: SYNTHETIC and FULL were not measured; run with --mode io,synthetic,full.");
}

TEST(Verdict, IncompleteStillSaysWhatIsKnown) {
  EXPECT_EQ((Configuration{{}, kCompute, {9000, 9050, 8950}}.verdict().sentence),
            "Cannot say what limits this: IO was not measured; run with --mode io,synthetic,full. It is known that "
            "device waits 10.0 ± 1.2 % of the time.");
  EXPECT_EQ((Configuration{{10200, 10250, 10150}, kCompute, {}}.verdict().sentence),
            "Cannot say what limits this: FULL was not measured; run with --mode io,synthetic,full. It is known that "
            "thread-pool with 4 workers alone supplies 1.02 ± 0.01 times what device takes.");
}

TEST(Verdict, RefusesRatesThatAreNone) {
  EXPECT_THROW((Configuration{{0.0}, {1}, {1}}.verdict()), Error);
  EXPECT_THROW((Configuration{{1}, {-1}, {1}}.verdict()), Error);
  EXPECT_THROW((Configuration{{1}, {1}, {std::nan("")}}.verdict()), Error);
  EXPECT_THROW((Configuration{{1}, {1}, {1}, 4, "thread-pool", -1}.verdict()), Error);
}

TEST(Verdict, RefusesAnOverheadWithoutABatchSize) {
  const Rates rates{1, 1};
  EXPECT_THROW(judge({.loader = "serial",
                      .compute = "device",
                      .io = rates,
                      .synthetic = rates,
                      .full = rates,
                      .overhead_seconds_per_batch = 1e-7}),
               Error);
}

TEST(Bound, HasANameForEveryValue) {
  EXPECT_EQ(name(Bound::kCompute), "compute");
  EXPECT_EQ(name(Bound::kLoader), "loader");
  EXPECT_EQ(name(Bound::kBalanced), "balanced");
  EXPECT_EQ(name(Bound::kInterference), "interference");
  EXPECT_EQ(name(Bound::kHarness), "harness");
  EXPECT_EQ(name(Bound::kUnclear), "unclear");
  EXPECT_EQ(name(Bound::kIncomplete), "incomplete");
}

TEST(StallBetween, IsTheShareThatTheFasterSpares) {
  const std::vector<double> fast{4000, 4000};
  const std::vector<double> slow{1000, 1000};
  EXPECT_DOUBLE_EQ(stall_between(fast, slow)->value, 0.75);
  EXPECT_DOUBLE_EQ(stall_between(slow, fast)->value, -3);
  EXPECT_FALSE(stall_between(fast, {}).has_value());
  EXPECT_FALSE(stall_between({}, slow).has_value());
}

}  // namespace
}  // namespace loadline
