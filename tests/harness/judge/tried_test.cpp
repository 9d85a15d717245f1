#include "harness/judge/tried.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/judgement.h"
#include "tests/harness/support/loader_stages.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<double> rates(double mean) {
  return {0.99 * mean, mean, 1.01 * mean};
}

test::CellRequest full(std::string loader, std::size_t workers, double mean) {
  return {.mode = test::kFull, .rates = rates(mean), .loader = std::move(loader), .workers = workers};
}

std::vector<Alternatives> alternatives_in_full(const Result& result) {
  return alternatives_of(result, judge_run(result).configurations, test::kFull);
}

TEST(Tried, AreTheFastestOfTheSameLoaderWithMoreAndFewerWorkers) {
  const auto tried = alternatives_in_full(
      test::result_of({full("thread-pool", 1, 100), full("thread-pool", 2, 200), full("thread-pool", 4, 300),
                       full("thread-pool", 8, 250), full("flow-graph", 8, 900)}));
  ASSERT_EQ(tried.size(), 5U);
  EXPECT_FALSE(tried[0].fewer_workers.has_value());
  ASSERT_TRUE(tried[1].more_workers && tried[1].fewer_workers);
  EXPECT_EQ(tried[1].more_workers->name, "4 workers were");
  EXPECT_EQ(tried[1].more_workers->workers, 4U);
  EXPECT_EQ(tried[1].more_workers->most_workers, 8U);
  EXPECT_NEAR(tried[1].more_workers->gain.value, 1.5, 1e-9);
  EXPECT_EQ(tried[1].fewer_workers->name, "1 worker was");
  EXPECT_NEAR(tried[1].fewer_workers->gain.value, 0.5, 1e-9);
  EXPECT_FALSE(tried[4].more_workers || tried[4].fewer_workers);
}

TEST(Tried, AreTheFastestWithWorkersForALoaderWithoutAny) {
  const auto tried = alternatives_in_full(
      test::result_of({full("serial", 0, 100), full("thread-pool", 2, 110), full("flow-graph", 4, 120)}));
  ASSERT_TRUE(tried[0].with_workers.has_value());
  EXPECT_EQ(tried[0].with_workers->name, "flow-graph with 4 workers was");
  EXPECT_NEAR(tried[0].with_workers->gain.value, 1.2, 1e-9);
  EXPECT_FALSE(tried[1].with_workers.has_value());
}

TEST(Tried, AreThoseThatPrefetchMore) {
  Result result = test::result_of({full("thread-pool", 2, 100), full("thread-pool", 2, 100)});
  for (const std::size_t i : {0U, 1U}) {
    result.cells[i].cell.axes = {"prefetch"};
    result.cells[i].cell.prefetch = result.cells[i].prefetch = 4 * (i + 1);
  }
  const auto tried = alternatives_in_full(result);
  ASSERT_TRUE(tried[0].more_prefetch.has_value());
  EXPECT_EQ(tried[0].more_prefetch->name, "--prefetch 8 was");
  EXPECT_FALSE(tried[0].more_workers || tried[1].more_prefetch);
}

TEST(Tried, DifferInNothingElse) {
  Result other_batch = test::result_of({full("thread-pool", 1, 100), full("thread-pool", 2, 200)});
  other_batch.cells[1].cell.sampler.batch_size = 64;
  EXPECT_FALSE(alternatives_in_full(other_batch)[0].more_workers.has_value());
  Result cold = test::result_of({full("serial", 0, 100), full("thread-pool", 2, 200)});
  cold.cells[1].cell.cache = CacheState::kCold;
  EXPECT_FALSE(alternatives_in_full(cold)[0].with_workers.has_value());
}

Tried with_gain(double low, double value, double high) {
  return {.name = "4 workers were", .gain = {.value = value, .ci95 = Interval{low, high}, .p = std::nullopt}};
}

TEST(Tried, GainedNothingUnlessClearlyAndNoticeablyFaster) {
  EXPECT_TRUE(gained_nothing(with_gain(0.9, 0.95, 1.0)));
  EXPECT_TRUE(gained_nothing(with_gain(0.8, 1.3, 1.8)));
  EXPECT_TRUE(gained_nothing(with_gain(1.02, 1.03, 1.04)));
  EXPECT_FALSE(gained_nothing(with_gain(1.05, 1.1, 1.15)));
  EXPECT_FALSE(gained_nothing(std::nullopt));
  EXPECT_FALSE(gained_nothing(Tried{.name = "4 workers were", .gain = {.value = 0.5, .ci95 = {}, .p = {}}}))
      << "a single trial";
}

TEST(Tried, SayHowSureThatIs) {
  EXPECT_EQ(gain_text(with_gain(0.9, 0.95, 1.0)), "4 workers were no faster in this run");
  EXPECT_EQ(gain_text(with_gain(0.8, 1.3, 1.8)), "4 workers were not clearly faster in this run");
  EXPECT_EQ(gain_text(with_gain(1.02, 1.03, 1.04)), "4 workers were hardly faster in this run");
}

// A run bound by loading, whose configurations with and without workers all reach the same.
Result no_better_with_workers() {
  std::vector<test::CellRequest> requests{{.mode = test::kSynthetic, .rates = rates(1000)}};
  for (const auto& [loader, workers] :
       {std::pair("serial", 0), std::pair("thread-pool", 1), std::pair("thread-pool", 2)}) {
    for (const Mode mode : {test::kIo, test::kFull}) {
      requests.push_back(
          {.mode = mode, .rates = rates(100), .loader = loader, .workers = static_cast<std::size_t>(workers)});
    }
  }
  Result result = test::result_of(requests);
  for (CellResult& cell : result.cells) {
    if (cell.cell.mode != test::kIo) continue;
    for (Trial& trial : cell.trials) trial.fill = Fill{trial.wall_seconds, trial.batches, trial.samples};
  }
  return result;
}

TEST(Tried, AreNotAdvisedByTheVerdictsOfTheRun) {
  const Judgement judgement = judge_run(no_better_with_workers());
  ASSERT_EQ(judgement.configurations.size(), 3U);
  EXPECT_THAT(judgement.configurations[0].verdict.sentence,
              HasSubstr(": give each sample less work, as thread-pool with 1 worker was no faster in this run."));
  EXPECT_THAT(judgement.configurations[1].verdict.sentence,
              HasSubstr(": use a faster --loader or give each sample less work, as 2 workers were no faster in this "
                        "run."));
  EXPECT_THAT(judgement.configurations[2].verdict.sentence, HasSubstr(": raise --workers or use a faster --loader."));
  for (const Configuration& configuration : judgement.configurations) {
    EXPECT_THAT(configuration.verdict.sentence, Not(HasSubstr("use a --loader with workers")));
  }
}

TEST(Tried, LeaveCheaperReadingWhereThatTakesTheTimeOfTheThreads) {
  const auto advice = [](double opening, double reading) {
    Result result = no_better_with_workers();
    for (CellResult& cell : result.cells) {
      if (cell.cell.mode != test::kFull) continue;
      for (Trial& trial : cell.trials) {
        test::spend(trial, cell.cell.workers,
                    {{WorkerStage::kOpen, opening},
                     {WorkerStage::kRead, reading},
                     {WorkerStage::kTransform, 1 - opening - reading}});
      }
    }
    return judge_run(result).configurations[0].verdict.sentence;
  };
  EXPECT_THAT(advice(0, 0.93),
              HasSubstr(": make reading cheaper (faster storage or a format with fewer reads or bytes per sample), as "
                        "thread-pool with 1 worker was no faster in this run. In FULL the thread spends 93.0 "));
  EXPECT_THAT(advice(0.3, 0.3), HasSubstr(": make reading cheaper "));
  EXPECT_THAT(advice(0.1, 0.3), HasSubstr(": give each sample less work, as "));
}

TEST(Tried, LeaveCheaperDecodingWhereThatTakesTheTimeOfTheThreads) {
  const auto advice = [](double decoding, bool scaled, CacheState cache = CacheState::kWarm) {
    Result result = no_better_with_workers();
    for (CellResult& cell : result.cells) {
      cell.cell.cache = cache;
      cell.cell.photo.allow_scaled_dct = scaled;
      if (cell.cell.mode != test::kFull) continue;
      for (Trial& trial : cell.trials) {
        test::spend(trial, cell.cell.workers,
                    {{WorkerStage::kDecode, decoding}, {WorkerStage::kTransform, 1 - decoding}});
      }
    }
    return judge_run(result).configurations[0].verdict.sentence;
  };
  EXPECT_THAT(advice(0.9, false),
              HasSubstr(": make decoding cheaper (smaller photographs, --scaled-dct if they are JPEGs of twice the "
                        "output's size, or stored pixels if all have one size), as thread-pool with 1 worker was no "
                        "faster in this run."));
  EXPECT_THAT(advice(0.9, true), HasSubstr(": make decoding cheaper (smaller photographs, or stored pixels if all have "
                                           "one size), as "));
  EXPECT_THAT(advice(0.4, false), HasSubstr(": give each sample less work, as "));
  EXPECT_THAT(advice(0.9, false, CacheState::kCold), HasSubstr(": give each sample less work, as "))
      << "decoding mapped files reads them too";
}

TEST(Tried, ALoaderInPythonTakesWorkersIfItWasMeasuredWithSomeOrAloneWithNone) {
  Result result = test::result_of({full("a.py:make", 0, 100), full("b.py:make", 0, 100), full("b.py:make", 2, 100)});
  result.options.workers = {0, 2};
  result.options.loaders = {"a.py:make", "b.py:make"};
  EXPECT_FALSE(takes_workers(result, result.cells[0].cell));
  EXPECT_TRUE(takes_workers(result, result.cells[1].cell));
  result.options.loaders = {"a.py:make"};
  EXPECT_TRUE(takes_workers(result, result.cells[0].cell));
  result.options.workers = {2};
  EXPECT_FALSE(takes_workers(result, result.cells[0].cell));
}

}  // namespace
}  // namespace loadline
