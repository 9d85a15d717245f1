#include "harness/show/recommendation_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

test::CellRequest io(std::size_t workers, std::vector<double> rates, std::string loader) {
  return {.mode = Mode::kIo, .rates = std::move(rates), .loader = std::move(loader), .workers = workers};
}

Result tried(const std::vector<test::CellRequest>& requests) {
  Result result = test::result_of(requests);
  result.options.workloads = {"mnist"};
  result.options.modes = {"io"};
  result.options.loaders = {"thread-pool", "flow-graph", "hdf5-mmap"};
  result.options.workers = {1, 2, 4, 8};
  result.status = Status::kComplete;
  return result;
}

std::string recommendation_text_of(const Result& result) {
  return recommendation_text(result, judge_run(result));
}

std::vector<double> quiet_rates(double rate) {
  return {0.99 * rate, rate, rate, 1.01 * rate};
}

TEST(RecommendationText, IsASentenceAndACommandLine) {
  EXPECT_EQ(recommendation_text_of(tried({io(1, {1000, 1000}, "thread-pool"), io(2, {2000, 2000}, "thread-pool"),
                                          io(4, {3000, 3000}, "thread-pool"), io(8, {3000, 3000}, "thread-pool"),
                                          io(2, {1500, 1500}, "flow-graph")})),
            "mnist: use thread-pool with 4 workers; flow-graph with 2 workers reaches 0.50 ± 0.00 times that.\n"
            "  loadline run --workload mnist --loader thread-pool --workers 4 --batch-size 100\n");
}

TEST(RecommendationText, GivesTheCommandOfALoaderInPython) {
  Result result =
      tried({io(0, quiet_rates(3000), "train.py:make_loader"), io(2, quiet_rates(1000), "train.py:make_loader")});
  result.options.workers = {0, 2};
  EXPECT_EQ(recommendation_text_of(result),
            "mnist: use train.py:make_loader.\n"
            "  python3 -m loadline run --workload mnist --loader train.py:make_loader --batch-size 100 --workers 0\n");
}

TEST(RecommendationText, AsksForNoWorkersOnlyWhereALoaderInPythonTakesTheirNumber) {
  Result result = tried({io(0, quiet_rates(3000), "train.py:plain"), io(0, quiet_rates(2000), "train.py:pool"),
                         io(2, quiet_rates(1000), "train.py:pool")});
  result.options.workers = {0, 2};
  result.options.loaders = {"train.py:plain", "train.py:pool"};
  const auto command = [&](std::size_t cell) { return command_text(result, result.options, result.cells[cell]); };
  EXPECT_EQ(command(0), "python3 -m loadline run --workload mnist --loader train.py:plain --batch-size 100");
  EXPECT_EQ(command(1), "python3 -m loadline run --workload mnist --loader train.py:pool --batch-size 100 --workers 0");
  EXPECT_EQ(command(2), "python3 -m loadline run --workload mnist --loader train.py:pool --workers 2 --batch-size 100");
}

TEST(RecommendationText, AsksForNoWorkersWhereOneLoaderInPythonWasMeasuredWithoutAny) {
  Result result = tried({io(0, quiet_rates(3000), "train.py:pool")});
  result.options.workers = {0};
  result.options.loaders = {"train.py:pool"};
  EXPECT_EQ(command_text(result, result.options, result.cells[0]),
            "python3 -m loadline run --workload mnist --loader train.py:pool --batch-size 100 --workers 0");
}

TEST(RecommendationText, NamesTheLoadersThatAreAsGoodAndRecommendsTheSimplest) {
  Result result = tried({io(2, quiet_rates(3000.1), "hdf5-mmap"), io(2, quiet_rates(3000), "thread-pool"),
                         io(4, quiet_rates(3000), "flow-graph")});
  result.cells[0].cell.data = "/data/mnist.h5";
  EXPECT_EQ(recommendation_text_of(result),
            "mnist: use thread-pool with 2 workers; hdf5-mmap and flow-graph with 4 workers are as fast within 5 %.\n"
            "  loadline run --workload mnist --loader thread-pool --workers 2 --batch-size 100\n");
}

TEST(RecommendationText, NamesTheConfigurationWithTheFewestJoules) {
  Result result = tried({io(1, quiet_rates(1000), "thread-pool"), io(2, quiet_rates(2000), "thread-pool")});
  const auto use = [&](std::size_t cell, double joules) {
    for (Trial& trial : result.cells[cell].trials) {
      trial.energy = EnergyUse{.gpu_joules = joules * static_cast<double>(trial.samples) / 1000};
    }
  };
  const std::string command =
      "mnist: use thread-pool with 2 workers.\n"
      "  loadline run --workload mnist --loader thread-pool --workers 2 --batch-size 100\n";
  use(0, 1.25);
  use(1, 1.5);
  EXPECT_EQ(recommendation_text_of(result),
            command + "Fewest joules: thread-pool with 1 worker, 1.25 per 1,000 samples rather than 1.5.\n");
  use(1, 0.5);
  EXPECT_EQ(recommendation_text_of(result), command + "Fewest joules: the same, 0.5 per 1,000 samples.\n");
  use(0, 2345);
  use(1, 12'345);
  EXPECT_EQ(recommendation_text_of(result),
            command + "Fewest joules: thread-pool with 1 worker, 2345 per 1,000 samples rather than 12345.\n");
}

// The text used to give an interval whose upper end was above what the recommendation had ruled out.
TEST(RecommendationText, SaysWhatItHasRuledOutOfALoaderThatMayBeSlower) {
  Result result = tried({io(2, quiet_rates(1000), "thread-pool"), io(2, {900, 960, 1020, 940}, "flow-graph")});
  EXPECT_EQ(
      recommendation_text_of(result),
      "mnist: use thread-pool with 2 workers; flow-graph with 2 workers may be slower, and is at most 5 % faster.\n"
      "  loadline run --workload mnist --loader thread-pool --workers 2 --batch-size 100\n");
}

TEST(RecommendationText, OfOneShareOfASweepNamesTheShare) {
  Result result = tried({io(2, quiet_rates(1000), "thread-pool"), io(2, quiet_rates(500), "flow-graph")});
  result.options.part = "1/2";
  EXPECT_EQ(recommendation_text_of(result),
            "mnist: of part 1/2, use thread-pool with 2 workers; flow-graph with 2 workers reaches 0.50 ± 0.01 times "
            "that.\n"
            "  loadline run --workload mnist --loader thread-pool --workers 2 --batch-size 100\n");
  result.options.part = "1/3,2/3";
  EXPECT_THAT(recommendation_text_of(result),
              testing::StartsWith("mnist: of parts 1/3 and 2/3, use thread-pool with 2 workers"));
}

// It used to say that more trials would not decide beside "use --trials 5 or more".
TEST(RecommendationText, AsksForFiveTrialsWhereThereAreFewerHoweverNoisyTheyAre) {
  Result result = tried({io(1, {1000, 2000, 4000}, "thread-pool"), io(2, {1000, 2100, 4500}, "thread-pool")});
  result.options.trials = 3;
  EXPECT_EQ(recommendation_text_of(result),
            "mnist: undecided: thread-pool with 2 workers is fastest so far, but the other may be "
            "over 5 % faster; too few trials to tell, use --trials 5 or more.\n");
}

TEST(RecommendationText, RecommendsNothingOfColdTrialsThatWereNotCold) {
  Result result = tried({io(1, quiet_rates(1000), "thread-pool"), io(2, quiet_rates(2000), "thread-pool")});
  for (CellResult& cell : result.cells) {
    cell.cell.cache = CacheState::kCold;
    for (Trial& trial : cell.trials) trial.page_cache.before = {.pages = 8, .resident_pages = 8};
  }
  EXPECT_EQ(recommendation_text_of(result), "mnist: nothing to recommend, because cold trials were not cold.\n");
}

TEST(RecommendationText, RecommendsNothingWhereFullFailedEverywhere) {
  Result result = tried({io(1, quiet_rates(1000), "thread-pool"),
                         io(2, quiet_rates(2000), "thread-pool"),
                         {.mode = Mode::kFull, .rates = {}, .loader = "thread-pool", .workers = 1}});
  result.cells[2].error = "the device is lost";
  EXPECT_EQ(recommendation_text_of(result), "mnist: nothing to recommend, because FULL failed.\n");
}

TEST(RecommendationText, SaysAmongHowManyItIsTheSimplest) {
  EXPECT_EQ(
      recommendation_text_of(tried({io(1, quiet_rates(1000), "thread-pool"), io(2, quiet_rates(2990), "thread-pool"),
                                    io(4, quiet_rates(3000), "thread-pool")})),
      "mnist: use thread-pool with 2 workers, the simplest of 2 that are as fast within 5 %.\n"
      "  loadline run --workload mnist --loader thread-pool --workers 2 --batch-size 100\n");
}

// The text used to be "serial gives 1.63 (1.16 to 2.30) times that", "no better (1 (0 to 62) times that)".
TEST(RecommendationText, RecommendsNothingWhereTrialsCannotTell) {
  const Result result = tried({io(1, {1800, 2000, 2200}, "thread-pool"), io(2, {1900, 2100, 2300}, "thread-pool"),
                               io(0, {1000, 1010, 990}, "serial")});
  EXPECT_EQ(recommendation_text_of(result),
            "mnist: undecided: thread-pool with 2 workers is fastest so far, but 1 of the 2 others "
            "may be over 5 % faster; about 65 trials would decide (--trials).\n");
  EXPECT_EQ(workers_sentence(judge_run(result).headlines[0]), " These trials cannot tell how many workers are enough.");
}

TEST(RecommendationText, NamesTheLimitOfTrialsOfARunUntilIntervalsAreNarrow) {
  Result result = tried({io(1, {1800, 2000, 2200, 1800, 2200}, "thread-pool"),
                         io(2, {1900, 2100, 2300, 1900, 2300}, "thread-pool"), io(0, {1000, 1010, 990}, "serial")});
  result.options.until_ci = 0.01;
  EXPECT_EQ(recommendation_text_of(result),
            "mnist: undecided: thread-pool with 2 workers is fastest so far, but 1 of the 2 others "
            "may be over 5 % faster; about 65 trials would decide (a larger --max-trials or a smaller --until-ci).\n");
}

// The text used to ask for "--trials 5 or more" of a merge whose parts have two trials each.
TEST(RecommendationText, CountsTheTrialsOfAllPartsOfAMerge) {
  Result result = tried({io(1, {1800, 2000, 2200, 1800, 2200}, "thread-pool"),
                         io(2, {1900, 2100, 2300, 1900, 2300}, "thread-pool"), io(0, {1000, 1010, 990}, "serial")});
  result.options.trials = 2;
  result.merged_from = {"x", "y", "z"};
  EXPECT_EQ(recommendation_text_of(result),
            "mnist: undecided: thread-pool with 2 workers is fastest so far, but 1 of the 2 others "
            "may be over 5 % faster; about 65 trials would decide (--trials).\n");
}

TEST(RecommendationText, AsksForTrialsWhereEachHasOne) {
  EXPECT_EQ(recommendation_text_of(tried({io(1, {1000}, "thread-pool"), io(2, {2000}, "thread-pool")})),
            "mnist: undecided: thread-pool with 2 workers is fastest so far, but the other "
            "may be over 5 % faster; too few trials to tell, use --trials 5 or more.\n");
}

TEST(RecommendationText, IsForEachTaskOfASweep) {
  Result result = tried({io(0, quiet_rates(1000), "serial"), io(2, quiet_rates(2000), "thread-pool"),
                         io(0, quiet_rates(5000), "serial"), io(2, quiet_rates(1000), "thread-pool")});
  for (CellResult& cell : result.cells) {
    cell.cell.axes = {"crop_padding"};
    cell.cell.transform.crop_padding = 4;
  }
  for (const std::size_t i : {2U, 3U}) result.cells[i].cell.transform.crop_padding = 2;
  EXPECT_EQ(recommendation_text_of(result),
            "mnist crop_padding:4: use thread-pool with 2 workers; serial reaches 0.50 ± 0.01 times that.\n"
            "  loadline run --workload mnist --loader thread-pool --workers 2 --batch-size 100 --crop-padding 4\n"
            "mnist crop_padding:2: use serial; thread-pool with 2 workers reaches 0.20 ± 0.01 times that.\n"
            "  loadline run --workload mnist --loader serial --batch-size 100 --crop-padding 2\n");
}

TEST(RecommendationText, SendsAStoppedRunOn) {
  Result result = tried({io(1, {1000}, "thread-pool"), io(2, {2000}, "thread-pool"), io(4, {2100}, "thread-pool")});
  result.status = Status::kPartial;
  EXPECT_EQ(recommendation_text_of(result),
            "mnist: undecided: thread-pool with 4 workers is fastest so far, but both others "
            "may be over 5 % faster; the run was stopped; --resume continues it.\n");
  result.merged_from = {"x", "y"};
  EXPECT_THAT(recommendation_text_of(result),
              testing::EndsWith("; the merge lacks parts of the run; merge them too.\n"));
}

// "Both others" used to be all that there were.
TEST(RecommendationText, CountsConfigurationsThatAreNotMeasuredYet) {
  const auto text = [](const std::vector<test::CellRequest>& unmeasured) {
    std::vector<test::CellRequest> requests{io(1, {1000}, "thread-pool"), io(2, {2000}, "thread-pool"),
                                            io(4, {2100}, "thread-pool")};
    requests.insert(requests.end(), unmeasured.begin(), unmeasured.end());
    Result result = tried(requests);
    result.status = Status::kPartial;
    result.cells.back().error = unmeasured.size() == 3 ? std::optional<std::string>("no memory") : std::nullopt;
    return recommendation_text_of(result);
  };
  const std::string both =
      "mnist: undecided: thread-pool with 4 workers is fastest so far, but both others may be over "
      "5 % faster";
  EXPECT_EQ(text({io(8, {}, "thread-pool")}),
            both + ", and 1 is not measured; the run was stopped; --resume continues it.\n");
  EXPECT_EQ(text({io(8, {}, "thread-pool"), io(1, {}, "flow-graph"), io(2, {}, "flow-graph")}),
            both + ", and 2 are not measured; the run was stopped; --resume continues it.\n")
      << "the last one failed";
}

TEST(RecommendationText, IsEmptyForOneConfiguration) {
  EXPECT_EQ(recommendation_text_of(test::result_of({{.mode = Mode::kIo, .rates = {100}}})), "");
}

TEST(RecommendationText, IsEmptyWhereOnlyCacheStatesDiffer) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {100}}, {.mode = Mode::kIo, .rates = {10}}});
  result.cells[1].cell.cache = CacheState::kCold;
  result.cells[0].cell.axes = result.cells[1].cell.axes = {"cache"};
  EXPECT_EQ(recommendation_text_of(result), "");
}

TEST(WorkersSentence, DoesNotCallTheMostWorkersTheFastestWhereFewerHaveTheHigherMean) {
  const Result result =
      tried({io(1, {985, 1005, 1010, 1020, 1035}, "thread-pool"), io(2, {999, 1000, 1000, 1000, 1001}, "thread-pool"),
             io(2, {1046, 1047, 1047, 1047, 1048}, "flow-graph")});
  EXPECT_EQ(workers_sentence(judge_run(result).headlines[0]),
            " 2 workers are enough: nothing else tried is more than 5 % faster.");
}

TEST(WorkersSentence, SaysHowManyAreEnough) {
  const auto sentence = [](std::vector<double> one, std::vector<double> two) {
    return workers_sentence(
        judge_run(tried({io(1, std::move(one), "thread-pool"), io(2, std::move(two), "thread-pool")})).headlines[0]);
  };
  EXPECT_EQ(sentence(quiet_rates(1000), quiet_rates(1001)),
            " 1 worker is enough: nothing else tried is more than 5 % faster.");
  EXPECT_EQ(sentence(quiet_rates(1000), quiet_rates(1200)),
            " 2 workers, the most that were tried, are the fastest; more may be faster still.");
  EXPECT_EQ(workers_sentence(judge_run(tried({io(1, {1, 1}, "thread-pool")})).headlines[0]), "");
}

}  // namespace
}  // namespace loadline
