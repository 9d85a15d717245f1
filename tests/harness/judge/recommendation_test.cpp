#include "harness/judge/recommendation.h"

#include <gtest/gtest.h>

#include "harness/judge/judgement.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using Indices = std::vector<std::size_t>;

test::CellRequest full(std::string loader, std::size_t workers, std::vector<double> rates) {
  return {.mode = Mode::kFull, .rates = std::move(rates), .loader = std::move(loader), .workers = workers};
}

std::vector<double> quiet(double rate) {
  return {0.999 * rate, rate, 1.001 * rate};
}

Headline headline_of(const Result& result) {
  return judge_run(result).headlines.at(0);
}

void use_cpu(Result& result, std::size_t cell, double seconds_per_sample) {
  for (Trial& trial : result.cells[cell].trials) {
    trial.usage.user_cpu_seconds = seconds_per_sample * static_cast<double>(trial.samples);
  }
}

TEST(Recommendation, TakesTheFewestWorkersThatAreAsFast) {
  const Headline found = headline_of(test::result_of(
      {full("thread-pool", 1, quiet(500)), full("thread-pool", 2, quiet(990)), full("thread-pool", 4, quiet(1000))}));
  EXPECT_EQ(found.fastest, 2U);
  EXPECT_EQ(found.recommended, 1U);
  EXPECT_EQ(found.configuration, 1U) << "the verdict speaks of what is recommended";
  EXPECT_EQ(found.equal, Indices{2});
  ASSERT_TRUE(found.workers.has_value());
  EXPECT_EQ(found.workers->fewest->workers, 2U);
  EXPECT_EQ(found.workers->best.workers, 4U);
}

// The text used to say that 2 workers, the most that were tried, are the fastest.
TEST(Recommendation, LooksForMoreWorkersOnlyWhereTheMostAreTheFastest) {
  const auto most_tried = [](std::vector<double> one) {
    const Headline found = headline_of(
        test::result_of({full("thread-pool", 1, std::move(one)), full("thread-pool", 2, {999, 1000, 1000, 1000, 1001}),
                         full("flow-graph", 2, {1046, 1047, 1047, 1047, 1048})}));
    EXPECT_EQ(found.recommended, 1U);
    return found.workers->most_tried;
  };
  EXPECT_TRUE(most_tried({790, 800, 800, 800, 810}));
  EXPECT_FALSE(most_tried({985, 1005, 1010, 1020, 1035})) << "1 worker has the higher mean, but cannot be recommended";
}

// The intervals of the two overlap.
TEST(Recommendation, IsNotACountThatIs22PercentSlowerWhereTrialsSpreadBy19Percent) {
  const Headline found = headline_of(test::result_of(
      {full("thread-pool", 1, {632, 702, 780, 858, 975}), full("thread-pool", 2, {810, 900, 1000, 1100, 1250})}));
  EXPECT_EQ(found.recommended, 1U);
  EXPECT_TRUE(found.equal.empty());
}

TEST(Recommendation, IsNotMadeWhereTrialsSpreadTooWidelyToTell) {
  const Headline found = headline_of(test::result_of(
      {full("thread-pool", 1, {770, 855, 950, 1045, 1188}), full("thread-pool", 2, {810, 900, 1000, 1100, 1250})}));
  EXPECT_EQ(found.recommended, std::nullopt);
  EXPECT_EQ(found.configuration, 1U) << "the fastest so far";
  EXPECT_EQ(found.candidates, 2U);
  EXPECT_EQ(found.rivals, 1U);
  EXPECT_FALSE(found.workers->fewest.has_value());
  EXPECT_NEAR(found.trials_to_tell.value(), 149, 2);
}

// Its interval reaches above the rate of the compute that both have, which it cannot exceed.
TEST(Recommendation, IsMadeBesideANoisyCandidateWhereTheComputeIsTheLimit) {
  const auto io = [](std::string loader, std::vector<double> rates) {
    return test::CellRequest{.mode = Mode::kIo, .rates = std::move(rates), .loader = std::move(loader), .workers = 1};
  };
  const std::vector<double> noisy{500, 800, 1100};
  Result result = test::result_of({io("thread-pool", quiet(5000)),
                                   full("thread-pool", 1, quiet(995)),
                                   {.mode = Mode::kSynthetic, .rates = quiet(1000)},
                                   io("flow-graph", quiet(900)),
                                   full("flow-graph", 1, noisy)});
  EXPECT_EQ(judge_run(result).configurations[0].verdict.bound, Bound::kCompute);
  EXPECT_EQ(headline_of(result).recommended, 0U);
  result.cells[2].trials = test::result_of({{.mode = Mode::kSynthetic, .rates = quiet(1100)}}).cells[0].trials;
  EXPECT_EQ(headline_of(result).recommended, std::nullopt) << "the compute leaves room for 10 % more";
}

TEST(Recommendation, IsNotMadeFromTwoTrialsThatDiffer) {
  const Headline found =
      headline_of(test::result_of({full("thread-pool", 1, {700, 1050}), full("thread-pool", 2, {960, 1060})}));
  EXPECT_EQ(found.recommended, std::nullopt);
}

TEST(Recommendation, IsNotMadeFromOneTrialEach) {
  const Headline found = headline_of(test::result_of({full("thread-pool", 1, {500}), full("thread-pool", 2, {990})}));
  EXPECT_EQ(found.recommended, std::nullopt);
  EXPECT_EQ(found.trials_to_tell, std::nullopt);
}

TEST(Recommendation, IsTheCandidateWhereThereIsOnlyOne) {
  EXPECT_EQ(headline_of(test::result_of({full("serial", 0, {500})})).recommended, 0U);
}

// The quick start's case: a lead of 0.003 %.
TEST(Recommendation, PrefersTheDataAsGivenToAConvertedCopy) {
  Result result = test::result_of({full("hdf5-mmap", 1, quiet(100003)), full("thread-pool", 1, quiet(100000)),
                                   full("flow-graph", 2, quiet(100001))});
  result.cells[0].cell.data = "/data/mnist.h5";
  use_cpu(result, 0, 1e-6);
  use_cpu(result, 1, 2e-6);
  const Headline found = headline_of(result);
  EXPECT_EQ(found.fastest, 0U);
  EXPECT_EQ(found.recommended, 1U);
  EXPECT_EQ(found.equal, (Indices{2, 0}));
  ASSERT_EQ(found.alternatives.size(), 2U);
  EXPECT_EQ(found.alternatives[0].loader, "hdf5-mmap");
  EXPECT_TRUE(found.alternatives[0].equal);
  EXPECT_NEAR(found.alternatives[0].ratio.value, 1.00003, 1e-6);
}

TEST(Recommendation, TakesAConvertedCopyThatIsFaster) {
  Result result = test::result_of({full("hdf5-mmap", 1, quiet(1200)), full("thread-pool", 1, quiet(1000))});
  result.cells[0].cell.data = "/data/mnist.h5";
  EXPECT_EQ(headline_of(result).recommended, 0U);
}

TEST(Recommendation, CountsNoConversionWhereTheDataWasGivenInThatFormat) {
  Result result = test::result_of({full("hdf5-mmap", 1, quiet(1000)), full("thread-pool", 2, quiet(1000))});
  for (CellResult& cell : result.cells) cell.cell.data = "/data/mnist.h5";
  EXPECT_EQ(headline_of(result).recommended, 0U) << "fewer workers";
}

TEST(Recommendation, TakesTheLeastCpuAmongEqualsWithTheSameWorkers) {
  Result result = test::result_of({full("thread-pool", 2, quiet(1000)), full("flow-graph", 2, quiet(1000))});
  use_cpu(result, 0, 2e-3);
  use_cpu(result, 1, 1e-3);
  EXPECT_EQ(headline_of(result).recommended, 1U);
}

TEST(Recommendation, TakesTheFirstWhereCpuUseCannotBeToldApart) {
  Result result = test::result_of({full("thread-pool", 2, quiet(1000)), full("flow-graph", 2, quiet(1000))});
  use_cpu(result, 0, 1.02e-3);
  use_cpu(result, 1, 1e-3);
  result.cells[0].trials[0].usage.user_cpu_seconds *= 1.1;
  result.cells[1].trials[0].usage.user_cpu_seconds *= 0.9;
  EXPECT_EQ(headline_of(result).recommended, 0U);
}

TEST(Recommendation, IsMadeForEachTaskThatASweepMakes) {
  Result result = test::result_of({full("serial", 0, quiet(100)), full("thread-pool", 2, quiet(200)),
                                   full("serial", 0, quiet(900)), full("thread-pool", 2, quiet(800))});
  for (CellResult& cell : result.cells) cell.cell.axes = {"rank"};
  for (const std::size_t i : {2U, 3U}) result.cells[i].cell.sampler.rank = 1;
  const auto headlines = judge_run(result).headlines;
  ASSERT_EQ(headlines.size(), 2U);
  EXPECT_EQ(headlines[0].task, "/rank:0");
  EXPECT_EQ(headlines[0].recommended, 1U);
  EXPECT_EQ(headlines[1].task, "/rank:1");
  EXPECT_EQ(headlines[1].recommended, 2U);
  // The ranks of a program's own loop are one job.
  result.loop = LoopFacts{.loader = "torch.utils.data.DataLoader", .samples_by = "first dimension"};
  EXPECT_EQ(judge_run(result).headlines.size(), 1U);
}

TEST(Recommendation, ComparesWithinOneCacheState) {
  Result result = test::result_of({full("thread-pool", 1, quiet(1000)), full("thread-pool", 1, {10, 90})});
  result.cells[1].cell.cache = CacheState::kCold;
  const Headline found = headline_of(result);
  EXPECT_EQ(found.recommended, 0U);
  EXPECT_EQ(found.candidates, 1U);
}

TEST(Recommendation, IsMadeForEachCacheStateOfASweep) {
  Result result = test::result_of({full("thread-pool", 1, quiet(1000)), full("thread-pool", 2, quiet(1001)),
                                   full("thread-pool", 1, quiet(10)), full("thread-pool", 2, quiet(20))});
  for (CellResult& cell : result.cells) cell.cell.axes = {"cache"};
  for (const std::size_t i : {2U, 3U}) result.cells[i].cell.cache = CacheState::kCold;
  const auto headlines = judge_run(result).headlines;
  ASSERT_EQ(headlines.size(), 2U);
  EXPECT_EQ(headlines[0].recommended, 0U);
  EXPECT_EQ(headlines[1].task, "/cache:cold");
  EXPECT_EQ(headlines[1].recommended, 3U);
}

TEST(Recommendation, NamesTheSimplestEqualOrElseTheFastestOfEachOtherLoader) {
  const Headline found = headline_of(test::result_of(
      {full("thread-pool", 2, quiet(1000)), full("flow-graph", 2, quiet(1001)), full("flow-graph", 4, quiet(1002)),
       full("serial", 0, quiet(400)), full("hdf5", 1, quiet(100)), full("hdf5", 2, quiet(200))}));
  EXPECT_EQ(found.recommended, 0U);
  ASSERT_EQ(found.alternatives.size(), 3U);
  EXPECT_EQ(found.alternatives[0].configuration, 1U);
  EXPECT_TRUE(found.alternatives[0].equal);
  EXPECT_EQ(found.alternatives[1].configuration, 3U);
  EXPECT_FALSE(found.alternatives[1].equal);
  EXPECT_EQ(found.alternatives[2].configuration, 5U);
}

void use_energy(Result& result, std::size_t cell, double joules_per_1000_samples) {
  double factor = 0.99;
  for (Trial& trial : result.cells[cell].trials) {
    trial.energy =
        EnergyUse{.cpu_joules = factor * joules_per_1000_samples * static_cast<double>(trial.samples) / 1000};
    factor += 0.01;
  }
}

TEST(Recommendation, AlsoNamesTheConfigurationWithTheFewestJoules) {
  Result result = test::result_of({full("thread-pool", 1, quiet(500)), full("thread-pool", 2, quiet(1000))});
  EXPECT_FALSE(headline_of(result).fewest_joules.has_value());
  use_energy(result, 0, 2);
  EXPECT_FALSE(headline_of(result).fewest_joules.has_value()) << "of one alone";
  use_energy(result, 1, 3);
  const Headline other = headline_of(result);
  EXPECT_EQ(other.recommended, 1U);
  ASSERT_TRUE(other.fewest_joules.has_value());
  EXPECT_EQ(other.fewest_joules->configuration, 0U);
  EXPECT_DOUBLE_EQ(other.fewest_joules->joules, 2);
  EXPECT_DOUBLE_EQ(other.fewest_joules->others.value_or(0), 3);
  EXPECT_TRUE(other.fewest_joules->clearly);
  use_energy(result, 0, 2.99);
  EXPECT_FALSE(headline_of(result).fewest_joules->clearly);
  use_energy(result, 1, 1);
  const Headline same = headline_of(result);
  EXPECT_EQ(same.fewest_joules->configuration, 1U);
  EXPECT_EQ(same.fewest_joules->others, std::nullopt);
}

}  // namespace
}  // namespace loadline
