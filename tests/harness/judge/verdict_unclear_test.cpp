// Cases in which a verdict does not say what limits the configuration, and why. Figures and intervals are
// computed as in verdict_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/judge/verdict.h"
#include "tests/harness/judge/verdict_fixture.h"

namespace loadline {
namespace {

using test::kCompute;
using test::Measured;
using test::Rates;

TEST(Verdict, BoundByTheHarnessSaysWhichBatchSizeIsEnough) {
  // A step of 512 samples at 100 M a second lasts 5.12 µs, 10.24 times 0.5 µs; 20 times that would need 1000 samples.
  const Verdict verdict = Measured{{3e8, 3e8}, {1e8, 1e8}, {1e8, 1e8}, 4, "thread-pool", {5e-7, 5e-7}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kHarness);
  EXPECT_EQ(verdict.sentence,
            "Bound by the harness: a FULL step of 512 samples lasts only 10 ± 0 times the harness's own cost per "
            "batch, and below 20 times that cost blurs every figure; raise --batch-size to 1024 or more.");
}

// It used to last "only at most 6 times" that.
TEST(Verdict, BoundByTheHarnessGivesOnlyTheUpperEndOfAStepThatIsFarTooNoisy) {
  EXPECT_THAT(
      (Measured{{3e9, 3e9}, {1e9, 1e9}, {5e8, 1e9, 2e9}, 4, "thread-pool", {5e-7, 5e-7}}.verdict().sentence),
      testing::StartsWith("Bound by the harness: a FULL step of 512 samples lasts at most 6 times the harness's "
                          "own cost per batch, and below 20 times"));
}

TEST(Verdict, IsBoundByTheHarnessOnlyWhereNoiseRulesOutALongerStep) {
  // A step is 16 times the overhead, give or take a half.
  const Verdict verdict =
      Measured{{3e8, 3e8}, {1e8, 1e8}, {1e8, 0.6e8, 1.4e8}, 4, "thread-pool", {3e-7, 3e-7, 3e-7}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "Too noisy to say whether a FULL step of 512 samples is long enough: the harness's own cost blurs the "
            "figures of shorter steps. Raise --batch-size or use more --trials.");
}

TEST(Verdict, AcceptsAStepOfTwentyTimesTheOverhead) {
  const double overhead = 5.12e-6 / 20.5;
  EXPECT_EQ((Measured{{3e8, 3e8}, {1e8, 1e8}, {1e8, 1e8}, 4, "thread-pool", {overhead, overhead}}.verdict().bound),
            Bound::kCompute);
}

TEST(Verdict, AsksForEnoughTrialsWhereTheStallIsTooNoisy) {
  // 15.7 (0.0707 / 0.05)^2 + 1 = 32.4.
  const Verdict verdict =
      Measured{{30000, 30100, 29900}, {10000, 10800, 9200, 10600, 9400}, {9000, 10200, 9600, 8900, 9800}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "Too noisy to say: device waits 5 ± 9 % of the time, which may be negligible or worth removing; use a "
            "quieter machine or --trials 33.");
}

// The advice used to be "--trials 3" beside the warning few-trials, which asks for 5.
TEST(Verdict, AsksForFiveTrialsWhereThereAreFewer) {
  for (const Rates& synthetic : {Rates{10000, 10500}, Rates{10000, 10500, 9500}, Rates{10000, 10500, 9500, 10000}}) {
    EXPECT_THAT((Measured{{30000, 30100, 29900}, synthetic, {9000, 9900}}.verdict().sentence),
                testing::EndsWith(" use --trials 5 or more."))
        << synthetic.size();
  }
}

TEST(Verdict, CallsNoNoisyNegativeStallAShareOfTime) {
  const Verdict verdict = Measured{{30000, 30100, 29900}, {10000, 10500, 9500}, {9600, 11600, 10600}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "Too noisy to say whether device waits for data (stall < 13.0 %): use --trials 5 or more.");
}

TEST(Verdict, AsksForAQuieterMachineWithoutAFigureWhereTheStallIsFarTooNoisy) {
  const Verdict verdict = Measured{{30000, 30100, 29900}, {10000, 14000, 7000}, {2000, 5000, 900}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence, "Too noisy to say whether device waits for data: use --trials 5 or more.");
  const Verdict of_many =
      Measured{{30000, 30100, 29900}, {10000, 19000, 4000, 19000, 4000}, {9000, 20000, 4000, 20000, 4000}}.verdict();
  EXPECT_EQ(of_many.sentence,
            "Too noisy to say whether device waits for data: that would take more than 100 trials, so first find "
            "what disturbs this machine.");
}

TEST(Verdict, LeavesOpenWhatCausesAClearStallWhereTheSupplyIsTooNoisy) {
  const Verdict verdict = Measured{{9300, 10700, 10000}, kCompute, {8000, 8050, 7950}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "Too noisy to say: device waits 20.0 ± 1.2 % of the time, but thread-pool with 4 workers by itself is "
            "1.00 ± 0.19 times as fast as the compute, which may or may not be enough; use --trials 5 or more.");
}

TEST(Verdict, GivesNoFigureForASupplyThatIsFarTooNoisy) {
  const Verdict verdict = Measured{{8000, 16000, 12000}, kCompute, {8000, 8050, 7950}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(
      verdict.sentence,
      "Too noisy to say: device waits 20.0 ± 1.2 % of the time, but the rate of thread-pool with 4 workers by itself "
      "is too noisy to tell whether it is fast enough; use --trials 5 or more.");
}

TEST(Verdict, KnowsThatTheStallIsZeroHoweverNoisyLoadingAloneIs) {
  const Verdict verdict = Measured{{6000, 12000, 9000}, kCompute, {9990, 9980, 10000}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "Too noisy to say: device waits 0.1 ± 0.2 % of the time, so faster loading gives at most 0.4 % more "
            "throughput, but the rate of thread-pool with 4 workers by itself is too noisy to tell whether a faster "
            "compute would wait; use --trials 5 or more.");
}

// The words used to be those of a verdict that is certain.
TEST(Verdict, StatesTheBoundOfASupplyThatIsFarTooNoisy) {
  const auto sentence = [](const Rates& io) { return Measured{io, kCompute, {9990, 9980, 10000}}.verdict().sentence; };
  EXPECT_EQ(sentence({21840, 39520, 62400}),
            "Too noisy to say: device waits 0.1 ± 0.2 % of the time, so faster loading gives at most 0.4 % more "
            "throughput, but thread-pool with 4 workers by itself is at least 1.02 times as fast as the compute, so a "
            "faster compute may or may not wait; use --trials 5 or more.");
  EXPECT_THAT(sentence({42000, 76000, 120000}),
              testing::HasSubstr("by itself is at least 1.96 times as fast as the compute; use a faster compute."));
}

TEST(Verdict, MayLeaveOpenWhetherTheTwoDisturbEachOther) {
  const Verdict verdict = Measured{{10400, 10500, 10300}, kCompute, {8900, 9300, 9700}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_THAT(verdict.sentence, testing::StartsWith("Too noisy to say"));
}

TEST(Verdict, CallsFullBeyondSyntheticAContradiction) {
  const Verdict verdict = Measured{{30000, 30100, 29900}, kCompute, {11200, 11300, 11100}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "The trials contradict each other: FULL gave 1.12 ± 0.02 times the throughput of SYNTHETIC alone, which it "
            "cannot beat, so conditions changed between them (page cache, clock frequency, another process); check "
            "what else ran and measure again.");
}

// It used to say "device does not wait, so faster loading cannot help", and that AU meets what was requested.
TEST(Verdict, CallsFullBeyondSyntheticAContradictionWithoutIoToo) {
  const Measured measured{{}, kCompute, {11200, 11300, 11100}};
  EXPECT_THAT(measured.verdict().sentence,
              testing::StartsWith("The trials contradict each other: FULL gave 1.12 ± 0.02 times the throughput of "
                                  "SYNTHETIC alone, which it cannot beat, "));
}

TEST(Verdict, ChecksNoUtilisationByFiguresThatContradictEachOther) {
  const Measured measured{{30000, 30100, 29900}, kCompute, {11200, 11300, 11100}};
  Evidence evidence = measured.evidence();
  evidence.au = 0.95;
  EXPECT_THAT(judge(evidence).sentence, testing::EndsWith("check what else ran and measure again."));
}

TEST(Verdict, CallsFullBeyondWhatTheLoaderFillsAContradiction) {
  const Verdict verdict = Measured{{5000, 5050, 4950}, kCompute, {6000, 6050, 5950}}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_THAT(verdict.sentence, testing::StartsWith("The trials contradict each other: FULL gave 1.20 ± 0.03 times the "
                                                    "rate of the loader by itself, which it cannot beat, "));
}

// Rates of `run --workload cifar10 --loader serial --compute device:samples_per_second=1000000`: IO pays for a drain.
TEST(Verdict, CallsFullBeyondIoNoContradiction) {
  const Rates io{606e3, 608e3, 604e3};
  const Rates synthetic{1000e3, 1001e3, 999e3};
  const Rates full{875e3, 876e3, 874e3};
  const Rates fill{880e3, 884e3, 876e3};
  const Evidence evidence{.loader = "serial", .compute = "device", .io = io, .synthetic = synthetic, .full = full};
  Evidence measured = evidence;
  measured.fill = fill;
  EXPECT_EQ(judge(measured).bound, Bound::kLoader);
  EXPECT_EQ(judge(measured).sentence,
            "Bound by loading: device waits 12.5 ± 0.2 % of the time for serial, which by itself is 0.88 ± 0.01 "
            "times as fast as the compute; a loader that kept up would give 1.14 ± 0.01 times the throughput: use a "
            "--loader with workers.");
}

TEST(Verdict, NamesTheLoaderWithoutAFillOnlyWhereWaitingBoundsIt) {
  const Rates io{606e3, 608e3, 604e3};
  const Rates synthetic{1000e3, 1001e3, 999e3};
  const Rates full{875e3, 876e3, 874e3};
  Evidence evidence{.loader = "serial", .compute = "device", .io = io, .synthetic = synthetic, .full = full};
  EXPECT_EQ(judge(evidence).bound, Bound::kUnclear);
  EXPECT_EQ(judge(evidence).sentence,
            "Not known: device waits 12.5 ± 0.2 % of the time, but how fast serial is by itself was not measured "
            "(cold trials and older versions lack it): it is at least 0.87 ± 0.01 times as fast as the compute, which "
            "may or may not be enough.");
  const Rates at_most{890e3, 893e3, 887e3};
  evidence.fill_at_most = at_most;
  EXPECT_EQ(judge(evidence).bound, Bound::kLoader);
  EXPECT_THAT(judge(evidence).sentence,
              testing::HasSubstr("for serial, which by itself is at most 0.89 ± 0.01 times as fast as the compute;"));
}

// It used to be "at least 0.74 (0.40 to 1.35) times".
TEST(Verdict, GivesOnlyTheLowerEndOfALeastSupplyThatMayBeSlowerOrFaster) {
  const Rates io{5800, 7400, 9400};
  const Rates full{6300, 6350, 6250};
  EXPECT_EQ(judge({.loader = "serial", .compute = "device", .io = io, .synthetic = kCompute, .full = full}).sentence,
            "Not known: device waits 37.0 ± 1.2 % of the time, but how fast serial is by itself was not measured "
            "(cold trials and older versions lack it): it is at least 0.61 times as fast as the compute, which may or "
            "may not be enough.");
}

TEST(Verdict, SaysThatIoAndFullVaryTooMuchWhereTheyAreAllThatIsKnownOfLoading) {
  const Rates io{8000, 16000, 12000};
  const Rates full{8000, 8050, 7950};
  const Verdict verdict =
      judge({.loader = "serial", .compute = "device", .io = io, .synthetic = kCompute, .full = full});
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "Too noisy to say: device waits 20.0 ± 1.2 % of the time, but IO and FULL with serial vary too much to "
            "tell whether it is fast enough; use --trials 5 or more.");
}

TEST(Verdict, SaysOnlyWhatItLooksLikeForOneTrialEach) {
  const auto one = [](double io, double synthetic, double full) {
    const Verdict verdict = Measured{{io}, {synthetic}, {full}}.verdict();
    EXPECT_EQ(verdict.bound, Bound::kUnclear);
    return verdict.sentence;
  };
  EXPECT_EQ(
      one(3450e3, 150e3, 148.8e3),
      "One trial of IO, SYNTHETIC and FULL cannot tell what limits this; it looks bound by compute: use --trials 5.");
  EXPECT_THAT(one(90e3, 150e3, 91e3), testing::HasSubstr("; it looks bound by loading: use --trials 5."));
  EXPECT_THAT(one(150e3, 150e3, 149e3), testing::HasSubstr("; it looks balanced: use"));
  EXPECT_THAT(one(300e3, 150e3, 100e3), testing::HasSubstr("; it looks bound by interference: use"));
  EXPECT_THAT(one(300e3, 150e3, 200e3), testing::HasSubstr("cannot tell what limits this: use"));
}

TEST(Verdict, LosesOnlyWhatDependsOnAModeWithOneTrial) {
  const Verdict verdict = Measured{{30000}, kCompute, {9900, 9910, 9890}}.verdict();
  EXPECT_TRUE(verdict.stall->ci95);
  EXPECT_FALSE(verdict.overlap_efficiency->ci95);
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.sentence,
            "One trial of IO cannot tell what limits this; it looks bound by compute: use --trials 5. What is known: "
            "device waits 1.0 ± 0.2 % of the time, so faster loading gives at most 1.3 % more throughput.");
}

TEST(Verdict, AsksForAComputeWhereTheWorkloadHasNone) {
  const Rates io{91e3, 90e3, 92e3};
  EXPECT_THAT(judge({.loader = "loader.py:make_loader", .io = io, .needs_compute = true}).sentence,
              testing::HasSubstr("SYNTHETIC and FULL were not measured; name your step with --compute."));
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
            "Cannot say what limits this: FULL was not measured before the run ended; --resume continues it.");
  EXPECT_EQ(sentence_on_ending(Ending::kStopped, false, io, {}),
            "Cannot say what limits this: FULL was not measured before the run ended; run it again.");
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
                                  "ended early; --resume continues it."));
  EXPECT_THAT(sentence_on_ending(Ending::kFailed, true, io, {9990}),
              testing::HasSubstr(". The next one failed; fix the cause and run again."));
  EXPECT_THAT(sentence_on_ending(Ending::kAsked, true, io, {9990}), testing::HasSubstr(": use --trials 5."));
}

}  // namespace
}  // namespace loadline
