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
#include "tests/harness/judge/verdict_fixture.h"

namespace loadline {
namespace {

using test::kCompute;
using test::Measured;
using test::Rates;

TEST(Verdict, DoesNotAskARecordedLoaderForWorkers) {
  const Verdict verdict =
      Measured{{5000, 5010, 4990}, kCompute, {5000, 5010, 4990}, 0, "replay:file=job.json"}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kLoader);
  EXPECT_TRUE(verdict.sentence.ends_with(": fix the recorded loader, or choose another --loader.")) << verdict.sentence;
}

TEST(Verdict, BoundByComputeSaysWhatFasterLoadingGivesAtMost) {
  const Verdict verdict =
      Measured{{3400e3, 3450e3, 3500e3}, {150.1e3, 150.0e3, 149.9e3}, {149.0e3, 148.8e3, 148.6e3}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kCompute);
  EXPECT_EQ(
      verdict.sentence,
      "Bound by compute: device is busy 99.2 ± 0.3 % of the time (stall 0.8 ± 0.3 %), so faster loading gives at most "
      "1.1 % more throughput; thread-pool with 4 workers by itself is 23 ± 1 times as fast as the compute; use a "
      "faster compute.");
  EXPECT_EQ(verdict.brief, verdict.sentence);
  EXPECT_EQ(verdict.briefest,
            "Bound by compute: device is busy 99.2 ± 0.3 % of the time (stall 0.8 ± 0.3 %), so faster loading gives at "
            "most 1.1 % more throughput; use a faster compute.");
}

TEST(Verdict, PrintsANegativeStallByItsUpperEndUnlessThatIsNegativeToo) {
  EXPECT_EQ(
      (Measured{{30000, 30100, 29900}, {10000, 10050, 9950}, {10040, 10100, 9990}, 0, "serial"}.verdict().sentence),
      "Bound by compute: device is busy all the time (stall < 0.8 %: zero within noise), so faster loading "
      "gives at most 0.8 % more throughput; serial by itself is 3.00 ± 0.03 times as fast as the compute; use a "
      "faster compute.");
  EXPECT_EQ((Measured{{30000, 30100, 29900}, kCompute, {10200, 10210, 10190}, 0, "serial"}.verdict().sentence),
            "Bound by compute: device is busy all the time (stall -2.0 ± 0.2 %: FULL was no slower than SYNTHETIC), so "
            "faster loading cannot help; serial by itself is 3.00 ± 0.02 times as fast as the compute; use a faster "
            "compute.");
}

TEST(Verdict, BoundByLoadingSaysWhatALoaderThatKeepsUpWouldGive) {
  const Verdict verdict = Measured{{92e3, 90e3, 91e3}, {150.1e3, 150.0e3, 149.9e3}, {93e3, 90e3, 96e3}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kLoader);
  EXPECT_EQ(verdict.sentence,
            "Bound by loading: device waits 38 ± 5 % of the time for thread-pool with 4 workers, which by "
            "itself is 0.61 ± 0.02 times as fast as the compute; a loader that kept up would give 1.61 ± 0.13 times "
            "the throughput: raise --workers or use a faster --loader.");
  EXPECT_EQ(
      verdict.briefest,
      "Bound by loading: device waits 38 ± 5 % of the time for thread-pool with 4 workers: raise --workers or use "
      "a faster --loader.");
}

// Steps of 5 µs, beside a cost of 1 µs per batch.
TEST(Verdict, BoundByLoadingLeavesOutWhatAPerfectLoaderWouldGiveWhereTheHarnessBlursTheStep) {
  const Rates loading{10.0e6, 10.1e6, 9.9e6};
  const Verdict verdict =
      Measured{loading, {100.0e6, 101.0e6, 99.0e6}, loading, 4, "thread-pool", {1e-6, 1e-6, 1e-6}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kLoader);
  EXPECT_EQ(
      verdict.sentence,
      "Bound by loading: device gets 90.0 ± 0.2 % less done with thread-pool with 4 workers than alone; the loader "
      "by itself is 0.100 ± 0.002 times as fast as the compute: raise --workers or use a faster --loader. How much a "
      "loader that kept up would give is unknown, because a step of device lasts less than 20 times the harness's "
      "own cost per batch.");
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
                  .fill = io,
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
  const auto advice = [&](std::size_t workers, double ceiling_efficiency) {
    return judge({.loader = "thread-pool",
                  .workers = workers,
                  .compute = "device",
                  .io = io,
                  .synthetic = synthetic,
                  .full = io,
                  .fill = io,
                  .threads_in_force = 4,
                  .ceiling_efficiency = Estimate{ceiling_efficiency + 0.02, Interval{ceiling_efficiency, 1}}})
        .sentence;
  };
  EXPECT_THAT(advice(2, 0.89), testing::HasSubstr("raise --workers or use a faster --loader."));
  EXPECT_THAT(advice(2, 0.91), testing::HasSubstr("raise --workers: no --loader can be much faster with so few."));
  EXPECT_THAT(advice(4, 0.91),
              testing::HasSubstr("each of the 4 CPUs in force has a worker already and no --loader can be much faster "
                                 "on these CPUs, so give each sample less work or get "
                                 "more CPUs"));
}

TEST(Verdict, BoundByLoadingSaysWhereTheTwoTakeTurns) {
  EXPECT_EQ(
      (Measured{{5000, 5050, 4950}, kCompute, {3400, 3350, 3380}, 0, "serial"}.verdict().sentence),
      "Bound by loading: device waits 66.2 ± 0.6 % of the time for serial, which by itself is 0.50 ± 0.01 times "
      "as fast as the compute; a loader that kept up would give 2.96 ± 0.05 times the throughput: use a --loader with "
      "workers. The two also mostly take turns (overlap efficiency 0.04 ± 0.05, where 1 is perfect): use a --loader "
      "that "
      "reads ahead.");
}

TEST(Verdict, BoundByLoadingSaysWhereTheTwoDisturbEachOther) {
  EXPECT_EQ(
      (Measured{{5000, 5050, 4950}, kCompute, {2500, 2550, 2450}}.verdict().sentence),
      "Bound by loading: device waits 75.0 ± 1.3 % of the time for thread-pool with 4 workers, which by itself "
      "is 0.50 ± 0.01 times as fast as the compute; a loader that kept up would give 4.0 ± 0.2 times the throughput: "
      "raise --workers or use a faster --loader. The two also disturb each other (overlap efficiency -1.00 ± 0.18, "
      "where 1 is perfect): they compete for cores or memory bandwidth.");
}

TEST(Verdict, BalancedAsksForBoth) {
  const Verdict verdict = Measured{{10200, 10250, 10150}, kCompute, {9800, 9850, 9750}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kBalanced);
  EXPECT_EQ(verdict.sentence,
            "Balanced: thread-pool with 4 workers by itself is 1.02 ± 0.01 times as fast as device, which waits "
            "2.0 ± 1.2 % of the time; more throughput needs both faster loading and a faster compute.");
}

TEST(Verdict, BoundByInterferenceSaysWhereTheTwoTakeTurns) {
  const Verdict verdict = Measured{{18000, 18100, 17900}, kCompute, {6600, 6700, 6650}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kInterference);
  EXPECT_EQ(verdict.sentence,
            "Bound by interference: thread-pool with 4 workers by itself is 1.80 ± 0.02 times as fast as device, yet "
            "together the compute gets 33.5 ± 1.2 % less done (overlap efficiency 0.09 ± 0.05, where 1 is "
            "perfect); they mostly take turns: use a --loader that reads ahead or deepen --prefetch.");
}

TEST(Verdict, BoundByInterferenceSaysWhereTheyOverlapOnlyInPart) {
  const Verdict verdict = Measured{{14000, 14100, 13900}, kCompute, {9000, 9050, 8950}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kInterference);
  EXPECT_EQ(verdict.sentence,
            "Bound by interference: thread-pool with 4 workers by itself is 1.40 ± 0.02 times as fast as device, yet "
            "together the compute gets 10.0 ± 1.2 % less done (overlap efficiency 0.84 ± 0.02, where 1 is "
            "perfect); their work overlaps, but not fully: deepen --prefetch.");
}

TEST(Verdict, BoundByInterferenceSaysWhereTheyDisturbEachOther) {
  Measured run{{18000, 18100, 17900}, kCompute, {5000, 5100, 4900}};
  EXPECT_EQ(run.verdict().sentence,
            "Bound by interference: thread-pool with 4 workers by itself is 1.80 ± 0.02 times as fast as device, yet "
            "together the compute gets 50 ± 3 % less done (overlap efficiency -0.80 ± 0.17, where 1 is perfect); "
            "together they take longer than one after the other, so they compete for cores or memory bandwidth: use "
            "fewer --workers.");
  run.workers = 1;
  EXPECT_THAT(run.verdict().sentence,
              testing::EndsWith("; together they take longer than one after the other: deepen --prefetch."));
}

// The sentence on interference between one worker, or this many, and a compute without a core of its own.
std::string interference_sentence(double full, bool lacks_core, std::size_t workers = 1,
                                  const Alternatives& tried = {}) {
  const Rates io{14000, 14100, 13900};
  const Rates fulls{full, full + 50, full - 50};
  return judge({.loader = workers == 0 ? "serial" : "thread-pool",
                .workers = workers,
                .compute = "cnn",
                .io = io,
                .synthetic = kCompute,
                .full = fulls,
                .fill = io,
                .lacks_core = lacks_core,
                .tried = tried})
      .sentence;
}

TEST(Verdict, BoundByInterferenceAdvisesACoreOfItsOwnOnlyToAComputeThatLacksOne) {
  EXPECT_THAT(interference_sentence(9000, true),
              testing::EndsWith("not fully: deepen --prefetch or give the compute its own core."));
  EXPECT_THAT(interference_sentence(9000, false), testing::EndsWith("not fully: deepen --prefetch."));
  EXPECT_THAT(interference_sentence(4000, true), testing::EndsWith("memory bandwidth: give the compute its own core."));
}

TEST(Verdict, BoundByInterferenceAdvisesNothingToPrefetchWithoutWorkers) {
  for (const double full : {9000.0, 6650.0, 4000.0}) {
    EXPECT_THAT(interference_sentence(full, true, 0), testing::EndsWith(": use a --loader that reads ahead.")) << full;
  }
}

Tried tried(std::string name, double low, double value, double high) {
  return {.name = std::move(name), .gain = {.value = value, .ci95 = Interval{low, high}, .p = std::nullopt}};
}

TEST(Verdict, BoundByInterferenceAdvisesNothingThatTheRunTriedWithoutAGain) {
  const Alternatives alternatives{.fewer_workers = tried("1 worker was", 0.98, 1.0, 1.02),
                                  .with_workers = tried("thread-pool with 2 workers was", 0.9, 0.95, 1.0),
                                  .more_prefetch = tried("--prefetch 8 was", 0.97, 1.0, 1.03)};
  EXPECT_THAT(interference_sentence(9000, false, 2, alternatives),
              testing::EndsWith("not fully: --prefetch 8 was no faster in this run."));
  EXPECT_THAT(interference_sentence(9000, true, 2, alternatives),
              testing::EndsWith("not fully: give the compute its own core."));
  EXPECT_THAT(interference_sentence(6650, false, 2, alternatives),
              testing::EndsWith("they mostly take turns: use a --loader that reads ahead."));
  EXPECT_THAT(interference_sentence(4000, false, 2, alternatives),
              testing::EndsWith("memory bandwidth: 1 worker was no faster in this run."));
  EXPECT_THAT(
      interference_sentence(6650, false, 0, alternatives),
      testing::EndsWith("they mostly take turns: give each sample less work, as thread-pool with 2 workers was no "
                        "faster in this run."));
}

// The advice to a configuration that is bound by loading.
std::string loading_advice(std::size_t workers, const Alternatives& alternatives, std::size_t threads_in_force = 4,
                           std::optional<double> ceiling_efficiency = {}) {
  const Rates io{91e3, 90e3, 92e3};
  const Rates synthetic{150e3, 150e3, 150e3};
  const std::string sentence =
      judge({.loader = workers == 0 ? "serial" : "thread-pool",
             .workers = workers,
             .compute = "device",
             .io = io,
             .synthetic = synthetic,
             .full = io,
             .fill = io,
             .threads_in_force = threads_in_force,
             .ceiling_efficiency = ceiling_efficiency
                                       ? std::optional(Estimate{*ceiling_efficiency, Interval{*ceiling_efficiency, 1}})
                                       : std::nullopt,
             .tried = alternatives})
          .sentence;
  return sentence.substr(sentence.find("times the throughput: ") + 22);
}

TEST(Verdict, BoundByLoadingAdvisesNothingThatTheRunTriedWithoutAGain) {
  const Alternatives slower{.more_workers = tried("4 workers were", 0.9, 0.95, 1.0),
                            .with_workers = tried("thread-pool with 2 workers was", 0.9, 0.95, 1.0)};
  EXPECT_EQ(loading_advice(0, slower),
            "give each sample less work, as thread-pool with 2 workers was no faster in this run.");
  EXPECT_EQ(loading_advice(2, slower),
            "use a faster --loader or give each sample less work, as 4 workers were no faster in this run.");
  EXPECT_EQ(loading_advice(2, slower, 4, 0.95),
            "give each sample less work, as no --loader can be much faster with so few workers, and 4 workers were no "
            "faster in this run.");
  EXPECT_EQ(loading_advice(2, slower, 2),
            "each of the 2 CPUs in force has a worker already, so use a faster --loader, give each sample less work or "
            "get more CPUs (4 workers were no faster in this run).");
  EXPECT_EQ(loading_advice(1, {}, 1),
            "the one CPU in force has a worker already, so use a faster --loader, give each sample less work or get "
            "more CPUs (more --workers only if they wait for storage).");
}

TEST(Verdict, BoundByLoadingTakesOneWorkerForNoEvidenceAboutMore) {
  Alternatives one{.with_workers = tried("thread-pool with 1 worker was", 0.9, 0.95, 1.0)};
  one.with_workers->most_workers = 1;
  EXPECT_EQ(loading_advice(0, one),
            "use 2 or more workers, as only one was tried (thread-pool with 1 worker was no faster in this run).");
  EXPECT_EQ(loading_advice(0, one, 1),
            "give each sample less work, as thread-pool with 1 worker was no faster in this run.");
}

// The advice used to be "give each sample less work" beside "the thread spends 93 % of its time reading".
TEST(Verdict, BoundByLoadingAdvisesCheaperReadingWhereThatTakesTheTime) {
  const Rates io{91e3, 90e3, 92e3};
  const Rates synthetic{150e3, 150e3, 150e3};
  const auto advice = [&](std::size_t workers, std::size_t most_workers) {
    Alternatives slower{.more_workers = tried("4 workers were", 0.9, 0.95, 1.0),
                        .with_workers = tried("thread-pool with 1 worker was", 0.9, 0.95, 1.0)};
    slower.with_workers->most_workers = most_workers;
    const std::string sentence = judge({.loader = workers == 0 ? "serial" : "thread-pool",
                                        .workers = workers,
                                        .compute = "device",
                                        .io = io,
                                        .synthetic = synthetic,
                                        .full = io,
                                        .fill = io,
                                        .threads_in_force = 4,
                                        .tried = slower,
                                        .mostly_reads = true})
                                     .sentence;
    return sentence.substr(sentence.find("times the throughput: ") + 22);
  };
  EXPECT_EQ(advice(0, 1),
            "use 2 or more workers, as only one was tried (thread-pool with 1 worker was no faster in this run).");
  EXPECT_EQ(advice(0, 4),
            "make reading cheaper (faster storage, or a format with fewer bytes per sample), as thread-pool with 1 "
            "worker was no faster in this run.");
  EXPECT_EQ(advice(2, 4),
            "use a faster --loader or make reading cheaper (faster storage, or a format with fewer bytes per sample), "
            "as 4 workers were no faster in this run.");
}

// The lower bounds are 45.80 and 4.580; the text used to be "at least 45.80 times".
TEST(Verdict, BoundByLoadingRoundsTheLeastGainDownToTheDigitsOfOthers) {
  const auto sentence = [](double scale) {
    const Rates full{scale * 10, scale * 45, scale * 60};
    return Measured{full, {150e3, 150e3, 150e3}, full}.verdict().sentence;
  };
  EXPECT_THAT(sentence(10), testing::HasSubstr("would give at least 45 times the throughput"));
  EXPECT_THAT(sentence(100), testing::HasSubstr("would give at least 4.57 times the throughput"));
}

TEST(Verdict, BoundByLoadingAdvisesWhatTheRunTriedWithAGain) {
  const Alternatives faster{.more_workers = tried("4 workers were", 1.4, 1.5, 1.6),
                            .with_workers = tried("thread-pool with 2 workers was", 1.4, 1.5, 1.6)};
  EXPECT_EQ(loading_advice(0, faster), "use a --loader with workers.");
  EXPECT_EQ(loading_advice(2, faster), "raise --workers or use a faster --loader.");
}

TEST(Verdict, AsksForAComputeWhereTheWorkloadHasNone) {
  const Rates io{91e3, 90e3, 92e3};
  EXPECT_THAT(judge({.loader = "loader.py:make_loader", .io = io, .needs_compute = true}).sentence,
              testing::HasSubstr("SYNTHETIC and FULL were not measured; name your step with --compute."));
}

TEST(Verdict, BoundByLoadingAdvisesWorkersForALoaderThatTakesThem) {
  const Rates io{91e3, 90e3, 92e3};
  const Rates synthetic{150e3, 150e3, 150e3};
  const Verdict verdict = judge({.loader = "loader.py:make_loader",
                                 .workers = 0,
                                 .takes_workers = true,
                                 .compute = "device",
                                 .io = io,
                                 .synthetic = synthetic,
                                 .full = io,
                                 .fill = io});
  EXPECT_THAT(verdict.sentence, testing::EndsWith("times the throughput: raise --workers."));
}

TEST(Verdict, BoundByLoadingAdvisesMoreWorkersThanCpusWhereTheRunShowsThatTheyGain) {
  const Alternatives more{.more_workers = tried("8 workers were", 1.9, 2.0, 2.1)};
  EXPECT_EQ(loading_advice(4, more), "raise --workers: 8 workers were 2.00 ± 0.10 times as fast in this run.");
  Alternatives fewer{.fewer_workers = tried("4 workers were", 0.48, 0.5, 0.52)};
  fewer.fewer_workers->workers = 4;
  EXPECT_EQ(loading_advice(8, fewer), "raise --workers or use a faster --loader.");
  fewer.fewer_workers->workers = 2;
  EXPECT_THAT(loading_advice(8, fewer), testing::StartsWith("each of the 4 CPUs in force has a worker already"))
      << "as many more CPUs explain it";
}

// The sentence on interference between these workers and compute threads; the rate of FULL decides how far they
// overlap.
std::string crowd_sentence(std::size_t workers, std::size_t compute_threads, std::size_t cpus, double full) {
  const Rates io{18000, 18100, 17900};
  const Rates fulls{full, full + 50, full - 50};
  return judge({.loader = "thread-pool",
                .workers = workers,
                .compute = "cnn",
                .io = io,
                .synthetic = kCompute,
                .full = fulls,
                .fill = io,
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

// The sentence on interference with a step that has the only CPU.
std::string one_cpu_sentence(const Alternatives& alternatives, std::size_t workers, bool takes_workers = false) {
  const Rates io{18000, 18100, 17900};
  const Rates full{5000, 5050, 4950};
  return judge({.loader = workers > 0 ? "thread-pool" : "serial",
                .workers = workers,
                .takes_workers = takes_workers,
                .compute = "train.py:make_step",
                .io = io,
                .synthetic = kCompute,
                .full = full,
                .fill = io,
                .threads_in_force = 1,
                .lacks_core = true,
                .tried = alternatives})
      .sentence;
}

TEST(Verdict, BoundByInterferenceOnTheOnlyCpuAdvisesMoreOfThem) {
  EXPECT_THAT(one_cpu_sentence({}, 1), testing::EndsWith("1 worker and 1 compute thread share 1 CPU: get more CPUs."));
  EXPECT_THAT(one_cpu_sentence({}, 0),
              testing::EndsWith("loading and computing share 1 CPU: get more CPUs and use a --loader that reads ahead; "
                                "on this one alone that helps only if loading waits for storage."));
  EXPECT_THAT(one_cpu_sentence({}, 0, true),
              testing::EndsWith("get more CPUs and raise --workers; on this one alone that helps only if loading waits "
                                "for storage."));
  const Alternatives alternatives{.with_workers = tried("thread-pool with 2 workers was", 0.9, 0.95, 1.0)};
  EXPECT_THAT(
      one_cpu_sentence(alternatives, 0),
      testing::EndsWith("loading and computing share 1 CPU: get more CPUs and use a --loader that reads ahead."));
}

TEST(Verdict, BoundByLoadingAdvisesToSplitSharedCpusToo) {
  const Rates io{5000, 5050, 4950};
  const Rates full{3400, 3350, 3380};
  EXPECT_THAT(judge({.loader = "thread-pool",
                     .workers = 2,
                     .compute = "cnn",
                     .io = io,
                     .synthetic = kCompute,
                     .full = full,
                     .fill = io,
                     .threads_in_force = 2,
                     .compute_threads = 2})
                  .sentence,
              testing::EndsWith("The two also mostly take turns (overlap efficiency 0.04 ± 0.05, where 1 is perfect): "
                                "2 workers and 2 compute threads share 2 CPUs: use --placement split or fewer "
                                "--compute-threads."));
}

// SYNTHETIC reaches 10000; FULL reaches 90 ± 1.2 % of that by default.
Verdict held_to(double au, const Rates& full = {9000, 9050, 8950}) {
  const Rates io{14000, 14100, 13900};
  return judge(
      {.loader = "serial", .compute = "device", .io = io, .synthetic = kCompute, .full = full, .fill = io, .au = au});
}

TEST(UtilisationGoal, IsMetOrMissedWhereTheIntervalIsOnOneSideOfIt) {
  const Verdict met = held_to(0.85);
  EXPECT_EQ(met.goal->asked, 0.85);
  EXPECT_EQ(met.goal->standing, Standing::kMet);
  EXPECT_THAT(met.sentence, testing::EndsWith(" AU 90.0 ± 1.2 % meets the 85 % requested."));
  const Verdict missed = held_to(0.925);
  EXPECT_EQ(missed.goal->standing, Standing::kMissed);
  EXPECT_THAT(missed.sentence, testing::EndsWith(" AU 90.0 ± 1.2 % misses the 92.5 % requested."));
}

TEST(UtilisationGoal, IsUnclearWhereTheIntervalContainsIt) {
  for (const double asked : {0.89, 0.9, 0.91}) EXPECT_EQ(held_to(asked).goal->standing, Standing::kUnclear) << asked;
  EXPECT_THAT(held_to(0.9).sentence,
              testing::EndsWith(" AU 90.0 ± 1.2 % may meet the 90 % requested or miss it: use --trials 5 or more."));
}

TEST(UtilisationGoal, IsUnclearAfterOneTrial) {
  for (const double rate : {8999.0, 9001.0}) {
    const Verdict verdict = held_to(0.9, {rate});
    EXPECT_EQ(verdict.goal->standing, Standing::kUnclear);
    EXPECT_THAT(verdict.sentence, testing::EndsWith(" One trial cannot tell whether AU meets the 90 % requested."));
  }
}

TEST(UtilisationGoal, HasNoFigureWhereTrialsAreTooNoisy) {
  EXPECT_THAT(held_to(0.9, {2000, 5000, 900}).sentence,
              testing::EndsWith(": use --trials 5 or more. Too noisy to say whether AU meets the 90 % requested."));
}

// It used to go on with "use more --trials" after the words that no reasonable number would do.
TEST(UtilisationGoal, RepeatsNoAdviceOfANoisyVerdict) {
  const Verdict verdict = held_to(0.9, {9000, 20000, 4000, 20000, 4000});
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "Too noisy to say whether device waits for data: that would take more than 100 trials, so first find "
            "what disturbs this machine. Too noisy to say whether AU meets the 90 % requested.");
}

TEST(UtilisationGoal, IsAbsentWithoutARequestOrAFigure) {
  EXPECT_FALSE((Measured{{14000}, kCompute, {9000}}.verdict().goal.has_value()));
  EXPECT_FALSE(held_to(0.9, {}).goal.has_value());
}

TEST(Standing, HasANameForEveryValue) {
  EXPECT_EQ(name(Standing::kMet), "met");
  EXPECT_EQ(name(Standing::kMissed), "missed");
  EXPECT_EQ(name(Standing::kUnclear), "unclear");
}

TEST(Verdict, IncompleteNamesWhatWasNotMeasured) {
  const Verdict nothing = Measured{{}, {}, {}}.verdict();
  EXPECT_EQ(nothing.bound, Bound::kIncomplete);
  EXPECT_FALSE(nothing.stall || nothing.accelerator_utilisation || nothing.overlap_efficiency || nothing.supply);
  EXPECT_EQ(nothing.sentence,
            "Cannot say what limits this: IO, SYNTHETIC and FULL were not measured; run with --mode "
            "io,synthetic,full.");
  EXPECT_EQ((Measured{{3, 3}, {}, {}}.verdict().sentence),
            "Cannot say what limits this: SYNTHETIC and FULL were not measured; run with --mode io,synthetic,full.");
}

TEST(Verdict, IncompleteStillSaysWhatIsKnown) {
  EXPECT_EQ((Measured{{}, kCompute, {9000, 9050, 8950}}.verdict().sentence),
            "Cannot say what limits this: IO was not measured; run with --mode io,synthetic,full. What is known: "
            "device waits 10.0 ± 1.2 % of the time.");
  EXPECT_EQ((Measured{{10200, 10250, 10150}, kCompute, {}}.verdict().sentence),
            "Cannot say what limits this: FULL was not measured; run with --mode io,synthetic,full. What is known: "
            "thread-pool with 4 workers by itself is 1.02 ± 0.01 times as fast as device.");
  EXPECT_EQ((Measured{{10200}, kCompute, {}}.verdict().sentence),
            "Cannot say what limits this: FULL was not measured; run with --mode io,synthetic,full.");
}

// The sentence on a run whose FULL has these trials and ended like this.
std::string sentence_on_ending(Ending ending, bool resumable, const Rates& io, const Rates& full) {
  return judge({.loader = "serial",
                .compute = "device",
                .io = io,
                .synthetic = kCompute,
                .full = full,
                .full_ending = ending,
                .resumable = resumable})
      .sentence;
}

TEST(Verdict, IncompleteSaysHowToGoOnWithAStoppedRun) {
  const Rates io{10200, 90000};
  EXPECT_EQ(sentence_on_ending(Ending::kStopped, true, io, {}),
            "Cannot say what limits this: FULL was not measured before the run was stopped; --resume continues it.");
  EXPECT_EQ(sentence_on_ending(Ending::kStopped, false, io, {}),
            "Cannot say what limits this: FULL was not measured before the run was stopped; run it again.");
  EXPECT_EQ(sentence_on_ending(Ending::kFailed, true, io, {}),
            "Cannot say what limits this: FULL failed; fix the cause and run again.");
  EXPECT_EQ(sentence_on_ending(Ending::kFailed, true, {}, {}),
            "Cannot say what limits this: FULL failed; fix the cause and run again. IO was not measured; run with "
            "--mode io,synthetic,full.");
}

TEST(Verdict, OfOneTrialSaysHowToGoOnWithAStoppedRun) {
  const Rates io{30000, 30100, 29900};
  EXPECT_THAT(sentence_on_ending(Ending::kStopped, true, io, {9990}),
              testing::StartsWith("One trial of FULL cannot tell what limits this; it looks bound by compute. The run "
                                  "was stopped; --resume continues it."));
  EXPECT_THAT(sentence_on_ending(Ending::kFailed, true, io, {9990}),
              testing::HasSubstr(". The next one failed; fix the cause and run again."));
  EXPECT_THAT(sentence_on_ending(Ending::kAsked, true, io, {9990}), testing::HasSubstr(": use --trials 5."));
}

TEST(Verdict, RefusesRatesThatAreNotPositive) {
  EXPECT_THROW((Measured{{0.0}, {1}, {1}}.verdict()), Error);
  EXPECT_THROW((Measured{{1}, {-1}, {1}}.verdict()), Error);
  EXPECT_THROW((Measured{{1}, {1}, {std::nan("")}}.verdict()), Error);
  EXPECT_THROW((Measured{{1}, {1}, {1}, 4, "thread-pool", {-1}}.verdict()), Error);
}

TEST(Verdict, RefusesAnOverheadWithoutABatchSize) {
  const Rates rates{1, 1};
  const Rates overhead{1e-7};
  EXPECT_THROW(judge({.loader = "serial",
                      .compute = "device",
                      .io = rates,
                      .synthetic = rates,
                      .full = rates,
                      .overhead = overhead}),
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

}  // namespace
}  // namespace loadline
