#include "harness/judge/cold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/loader_stages.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::result_of;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ColdProof proof(std::optional<double> stayed, std::optional<double> from_device) {
  return {.stayed = stayed, .from_device = from_device};
}

TEST(ColdProof, NeedsThatNothingStayedAndThatHalfCameFromADevice) {
  EXPECT_EQ(proof(0, 1).coldness(), Coldness::kProved);
  EXPECT_EQ(proof(0.01, 0.5).coldness(), Coldness::kProved);
  EXPECT_EQ(proof(0.011, 0.5).coldness(), Coldness::kStayed);
  EXPECT_EQ(proof(0, 0.49).coldness(), Coldness::kDoubted);
}

TEST(ColdProof, AcceptsOneOfTheTwoAlone) {
  EXPECT_EQ(proof(std::nullopt, 0.5).coldness(), Coldness::kProved);
  EXPECT_EQ(proof(std::nullopt, 0.49).coldness(), Coldness::kDoubted);
  EXPECT_EQ(proof(0, std::nullopt).coldness(), Coldness::kProved);
  EXPECT_EQ(proof(1, std::nullopt).coldness(), Coldness::kStayed);
  EXPECT_EQ(proof(std::nullopt, std::nullopt).coldness(), Coldness::kUnknown);
}

TEST(ColdProof, ComparesWithTheBytesThatTheSamplesTakeInTheFiles) {
  Trial trial;
  trial.samples = 50;
  trial.usage.device_read_bytes = 2000;
  trial.page_cache.before = {.pages = 8, .resident_pages = 2};
  const DatasetInfo info{.samples = 100, .stored_bytes = 10'000};
  EXPECT_EQ(cold_proof(trial, {}, info).from_device, 0.4);
  EXPECT_EQ(cold_proof(trial, {}, info).stayed, 0.25);
  trial.page_cache.before->resident_pages.reset();
  trial.usage.device_read_bytes.reset();
  EXPECT_EQ(cold_proof(trial, {}, info).coldness(), Coldness::kUnknown);
}

TEST(ColdProof, CountsNoMoreThanTheWholeVolumeForCrops) {
  const DatasetInfo info{.samples = 1024,
                         .volume = VolumeShape{.edge = 64, .input_channels = 1, .target_channels = 1},
                         .stored_bytes = 2 * 64 * 64 * 64 * 4};
  Cell cell;
  cell.dataset.crop_edge = 32;  // an eighth of the volume
  Trial trial;
  trial.usage.device_read_bytes = info.stored_bytes / 2;
  trial.samples = 2;
  EXPECT_EQ(cold_proof(trial, cell, info).from_device, 2);
  trial.samples = 1000;
  EXPECT_EQ(cold_proof(trial, cell, info).from_device, 0.5);
}

// SYNTHETIC, and FULL of the same loader warm and cold at these rates.
Result warm_and_cold(std::vector<double> warm, std::vector<double> cold) {
  Result result = result_of({{.mode = Mode::kSynthetic, .rates = {1000, 1000, 1000}},
                             {.mode = Mode::kFull, .rates = std::move(warm)},
                             {.mode = Mode::kFull, .rates = std::move(cold)}});
  result.cells[2].cell.cache = CacheState::kCold;
  return result;
}

TEST(ColdStart, IsTheExtraTimeOfColdOverWarm) {
  const Judgement judgement = judge_run(warm_and_cold({800, 800, 800}, {200, 200, 200}));
  ASSERT_EQ(judgement.configurations.size(), 2U);
  EXPECT_FALSE(judgement.configurations[0].cold_start.has_value());
  const auto& cold = judgement.configurations[1].cold_start;
  ASSERT_TRUE(cold.has_value());
  EXPECT_EQ(cold->warm, 0U);
  EXPECT_DOUBLE_EQ(cold->fetch_stall.value, 0.75);
  EXPECT_DOUBLE_EQ(cold->prep_stall->value, 0.2);
  EXPECT_EQ(cold->sentence,
            " A first pass, with an empty page cache, spends 75.0 ± 0.0 % of its time on fetching (FULL cold "
            "against FULL warm); later ones spend 20.0 ± 0.0 % waiting for preparation (FULL warm against SYNTHETIC): "
            "for data that is read once, use a --loader that reads ahead, or copy the data to faster storage first.");
  EXPECT_THAT(judgement.configurations[1].verdict.sentence, EndsWith(cold->sentence));
}

TEST(ColdStart, CallsNoNoiseBelowZeroAShareOfTime) {
  const auto sentence = [](std::vector<double> warm, std::vector<double> cold) {
    return judge_run(warm_and_cold(std::move(warm), std::move(cold))).configurations[1].cold_start->sentence;
  };
  EXPECT_THAT(sentence({998, 1003, 1008}, {496, 500, 504}),
              HasSubstr("; later ones spend less than 1.0 % waiting for preparation (FULL warm against SYNTHETIC)"));
  EXPECT_THAT(sentence({995, 1000, 1005}, {1003, 1006, 1009}),
              StartsWith(" A first pass, with an empty page cache, spends less than 0.5 % of its time on fetching"));
}

// Of 8 pages this many are in the page cache before each trial of FULL cold.
Result with_pages_left(std::vector<std::uint64_t> resident) {
  Result result = warm_and_cold({800, 800, 800}, {800, 800, 800});
  for (std::size_t i = 0; i < resident.size(); ++i) {
    result.cells[2].trials[i].page_cache.before = {.pages = 8, .resident_pages = resident[i]};
  }
  return result;
}

TEST(ColdStart, ClaimsNothingOfTrialsThatFoundThePageCacheFull) {
  const Judgement judgement = judge_run(with_pages_left({8, 8, 8}));
  const Configuration& cold = judgement.configurations[1];
  const std::string begin =
      "Not cold: 100 % of the pages stayed in the page cache, so these figures are those of a warm run. ";
  EXPECT_THAT(cold.verdict.sentence, StartsWith(begin));
  EXPECT_THAT(cold.verdict.brief, StartsWith(begin));
  EXPECT_THAT(cold.verdict.sentence, Not(HasSubstr("A first pass")));
  EXPECT_EQ(cold.cold_start->sentence,
            " A first pass, with an empty page cache, was not measured: 100 % of the pages were there before the cold "
            "trials.");
  EXPECT_THAT(judgement.configurations[0].verdict.sentence, Not(HasSubstr("Not cold")));
}

TEST(ColdStart, IsFoundWarmWhereMostTrialsFoundMostOfThePages) {
  const auto found = [](std::vector<std::uint64_t> resident) {
    const Result result = with_pages_left(std::move(resident));
    return found_warm(result, judge_run(result).configurations[1]);
  };
  EXPECT_EQ(found({6, 0, 6}), 0.75);
  EXPECT_EQ(found({6, 0, 0}), std::nullopt);
  EXPECT_EQ(found({4, 4, 4}), std::nullopt);
  EXPECT_EQ(found({}), std::nullopt);
  const Result result = with_pages_left({8, 8, 8});
  EXPECT_EQ(found_warm(result, judge_run(result).configurations[0]), std::nullopt);
}

// The same, with IO warm and cold.
Result with_io(std::vector<double> warm_io, std::vector<double> cold_io, std::vector<double> cold_full) {
  Result result = warm_and_cold({990, 1000, 1010}, std::move(cold_full));
  result.cells.push_back(test::cell_result({.mode = Mode::kIo, .rates = std::move(warm_io)}));
  result.cells.push_back(test::cell_result({.mode = Mode::kIo, .rates = std::move(cold_io)}));
  result.cells.back().cell.cache = CacheState::kCold;
  return result;
}

TEST(ColdStart, ConsidersColdIoInItsAdvice) {
  const auto sentence = [](const Result& result) { return judge_run(result).configurations[1].cold_start->sentence; };
  EXPECT_THAT(sentence(with_io({3000, 3010, 2990}, {2990, 3000, 3010}, {990, 1000, 1010})),
              EndsWith(": storage keeps up."));
  EXPECT_THAT(
      sentence(with_io({3000, 3010, 2990}, {1200, 1210, 1190}, {990, 1000, 1010})),
      EndsWith(": storage keeps up with this compute, but cold IO reaches 0.40 ± 0.01 times the rate of warm IO, so a "
               "faster compute may wait for it."));
  EXPECT_THAT(
      sentence(with_io({3000, 3010, 2990}, {500, 505, 495}, {490, 500, 510})),
      EndsWith(
          ": for data that is read once, use a --loader that reads ahead, or copy the data to faster storage first."));
  EXPECT_THAT(sentence(with_io({3000, 3010, 2990}, {2990, 3000, 3010}, {490, 500, 510})),
              EndsWith(": yet cold IO reaches 1.00 ± 0.01 times the rate of warm IO, so reading is not what takes the "
                       "time: use longer trials, in which the start weighs less."));
}

TEST(ColdStart, HasNoFigureForOneTrial) {
  EXPECT_EQ(judge_run(warm_and_cold({1000}, {500})).configurations[1].cold_start->sentence,
            " One trial of FULL cannot tell how much of a first pass, with an empty page cache, goes into fetching: "
            "use --trials 5.");
}

TEST(ColdStart, IsJudgedByItsInterval) {
  const auto sentence = [](std::vector<double> cold) {
    return judge_run(warm_and_cold({990, 1000, 1010}, std::move(cold))).configurations[1].cold_start->sentence;
  };
  EXPECT_THAT(sentence({980, 1000, 1020}), EndsWith(": storage keeps up."));
  EXPECT_THAT(sentence({300, 900, 1200}),
              EndsWith(": too noisy to say whether storage matters; use --trials 5 or more."));
  EXPECT_THAT(sentence({480, 500, 520}), EndsWith("copy the data to faster storage first."));
  EXPECT_THAT(sentence({200, 300, 400}),
              StartsWith(" A first pass, with an empty page cache, spends at least 31 % of its time on fetching (FULL "
                         "cold against FULL warm); later ones "));
  EXPECT_THAT(sentence({2500, 4000, 6000}),
              StartsWith(" A first pass, with an empty page cache, spends less than 10 % of its time on fetching (FULL "
                         "cold against FULL warm); later ones "));
  const auto start = judge_run(warm_and_cold({1000, 1100}, {500, 500})).configurations[1].cold_start;
  ASSERT_TRUE(start->fetch_stall.ci95.has_value());
  EXPECT_LT(start->fetch_stall.ci95->low, start->fetch_stall.value);
  EXPECT_FALSE(judge_run(warm_and_cold({1000}, {500})).configurations[1].cold_start->fetch_stall.ci95.has_value());
}

TEST(ColdStart, RepeatsNoAdviceOfANoisyVerdict) {
  Result result = with_io({3000, 3010, 2990}, {2990, 3000, 3010}, {300, 900, 1200});
  result.status = Status::kComplete;
  EXPECT_THAT(judge_run(result).configurations[1].verdict.sentence,
              EndsWith(": use --trials 5 or more. A first pass, with an empty page cache: too noisy to say whether "
                       "storage matters."));
}

// It used to advise more reads in flight where --reads-in-flight is refused.
TEST(ColdStart, AdvisesWhatTheLoaderAndTheDataAllow) {
  const auto sentence = [](Access access, FileRead read, const char* loader, std::size_t workers) {
    Result result = warm_and_cold({800, 800, 800}, {200, 200, 200});
    result.datasets[0].info.access = access;
    for (std::size_t i = 1; i < 3; ++i) {
      result.cells[i].cell.loader = loader;
      result.cells[i].cell.workers = workers;
      result.cells[i].cell.dataset.read = read;
    }
    return judge_run(result).configurations[1].cold_start->sentence;
  };
  EXPECT_THAT(sentence(Access::kMapped, FileRead::kPread, "thread-pool", 2),
              EndsWith(": for data that is read once, keep more reads in flight with more --workers, or copy the data "
                       "to faster storage first."));
  EXPECT_THAT(sentence(Access::kFiles, FileRead::kUring, "flow-graph", 2),
              EndsWith(", keep more reads in flight with more --reads-in-flight, or copy the data to faster storage "
                       "first."));
  EXPECT_THAT(sentence(Access::kRows, FileRead::kPread, "hdf5", 2),
              EndsWith(": for data that is read once, copy the data to faster storage first."));
}

// A third sentence used to advise more of the reads in flight that "can hardly help".
TEST(ColdStart, AdvisesNoMoreReadsInFlightWhereStorageIsTheLimit) {
  Result result = warm_and_cold({800, 800, 800}, {200, 200, 200});
  result.datasets[0].info.access = Access::kMapped;
  result.datasets[0].info.stored_bytes = 60'000'000;
  for (std::size_t i = 1; i < 3; ++i) {
    result.cells[i].cell.loader = "thread-pool";
    result.cells[i].cell.workers = 2;
  }
  for (Trial& trial : result.cells[2].trials) {
    trial.wait.total_seconds = 0.9 * trial.wall_seconds;
    trial.usage.device_read_bytes = 10'000'000;
  }
  test::add_ceiling(result, test::ceiling("device-read", 64), {210e3, 210e3, 210e3}, {2});
  const Verdict& verdict = judge_run(result).configurations[1].verdict;
  EXPECT_THAT(verdict.sentence, HasSubstr(" Loading is bound by storage: the trials used 95 % of the device's rate"));
  EXPECT_THAT(verdict.sentence, EndsWith(": for data that is read once, copy the data to faster storage first."));
  EXPECT_THAT(verdict.brief, HasSubstr("oading is bound by storage"));
  EXPECT_THAT(verdict.briefest, HasSubstr("oading is bound by storage"));
}

// FULL warm and cold of two workers, which in FULL cold wait for free slots for half of their time, beside a compute
// that waits for batches for this share of the time.
Result waiting_for_slots(double compute_waits) {
  Result result = warm_and_cold({800, 800, 800}, {200, 200, 200});
  result.datasets[0].info.access = Access::kMapped;
  for (std::size_t i = 1; i < 3; ++i) {
    result.cells[i].cell.loader = "thread-pool";
    result.cells[i].cell.workers = 2;
  }
  for (Trial& trial : result.cells[2].trials) {
    test::spend(trial, 2, {{WorkerStage::kSlotWait, 0.5}, {WorkerStage::kRead, 0.5}});
    trial.wait.total_seconds = compute_waits * trial.wall_seconds;
  }
  return result;
}

// It used to advise more workers.
TEST(ColdStart, AdvisesNoMoreWorkersWhereTheyWaitForFreeSlots) {
  EXPECT_THAT(judge_run(waiting_for_slots(0.75)).configurations[1].cold_start->sentence,
              EndsWith(": for data that is read once, deepen --prefetch, as the workers wait for free slots, or copy "
                       "the data to faster storage first."));
  EXPECT_THAT(judge_run(waiting_for_slots(0.04)).configurations[1].cold_start->sentence,
              EndsWith(": yet the workers wait for free slots, and the compute hardly waits for batches, so reading is "
                       "not what takes the time: use longer trials, in which the start weighs less."));
}

TEST(ColdStart, AdvisesNothingThatTheRunTriedWithoutAGain) {
  Result result = warm_and_cold({800, 800, 800}, {200, 200, 200});
  result.datasets[0].info.access = Access::kMapped;
  for (std::size_t i = 1; i < 3; ++i) {
    result.cells[i].cell.loader = "thread-pool";
    result.cells[i].cell.workers = 2;
  }
  CellResult more = result.cells[2];
  more.cell.workers = 4;
  result.cells.push_back(more);
  EXPECT_THAT(judge_run(result).configurations[1].cold_start->sentence,
              EndsWith(": for data that is read once, copy the data to faster storage first, as 4 workers were no "
                       "faster in this run."));
}

TEST(ColdStart, NeedsTrialsOfBothWithTheSameSettings) {
  EXPECT_FALSE(judge_run(warm_and_cold({}, {500})).configurations[1].cold_start.has_value());
  EXPECT_FALSE(judge_run(warm_and_cold({500}, {})).configurations[1].cold_start.has_value());
  Result other = warm_and_cold({1000}, {500});
  other.cells[2].cell.sampler.batch_size = 64;
  for (const Configuration& configuration : judge_run(other).configurations) {
    EXPECT_FALSE(configuration.cold_start.has_value());
  }
}

}  // namespace
}  // namespace loadline
