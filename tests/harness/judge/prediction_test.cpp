// Trials are {r / 1.01, r, 1.01 r}: their geometric mean is r, and with l = ln 1.01 the interval of a product of n such
// sets of three is r exp(± t(2 n) l sqrt(n / 3)), t(2) = 4.302653, t(6) = 2.446912: factors of
// 1.0250260 for one set, 1.0246464 for three.
#include "harness/judge/prediction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "harness/judge/judgement.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

constexpr double kOneSet = 1.0250260;
constexpr double kThreeSets = 1.0246464;

std::vector<double> around(double rate) {
  return {rate / 1.01, rate, rate * 1.01};
}

void set_filling(CellResult& io, const std::vector<double>& rates) {
  for (std::size_t i = 0; i < rates.size(); ++i) {
    io.trials[i].fill = Fill{.wall_seconds = 1e4 / rates[i], .batches = 100, .samples = 10000};
  }
}

// thread-pool and device on four CPUs. The loader fills `filled` samples/s without a drain; with its drain, IO reaches
// 95 % of that.
Result measured(double filled, double synthetic, double full, std::size_t workers) {
  Result result = test::result_of({
      {.mode = Mode::kIo, .rates = around(0.95 * filled), .loader = "thread-pool", .workers = workers},
      {.mode = Mode::kSynthetic, .rates = around(synthetic)},
      {.mode = Mode::kFull, .rates = around(full), .loader = "thread-pool", .workers = workers},
  });
  set_filling(result.cells[0], around(filled));
  for (CellResult& cell : result.cells) {
    cell.cell.threads_in_force = 4;
    if (cell.cell.mode != Mode::kIo) cell.cell.compute = "device:samples_per_second=1000,depth=1";
  }
  return result;
}

std::vector<Prediction> predictions(const Result& result) {
  return judge_run(result).predictions;
}

std::vector<std::string> cells_of(const std::vector<Prediction>& found) {
  std::vector<std::string> cells;
  for (const Prediction& prediction : found) cells.push_back(prediction.cell.name() + " " + prediction.cell.compute);
  return cells;
}

void expect_rate(const Prediction& prediction, double value, double factor) {
  EXPECT_NEAR(prediction.samples_per_second.value, value, 1e-6 * value);
  ASSERT_TRUE(prediction.samples_per_second.ci95.has_value());
  EXPECT_NEAR(prediction.samples_per_second.ci95->low, value / factor, 1e-6 * value);
  EXPECT_NEAR(prediction.samples_per_second.ci95->high, value * factor, 1e-6 * value);
}

TEST(Predictions, CoverWorkersDeviceAndAPerfectLoaderWhereLoadingIsTheLimit) {
  const auto found = predictions(measured(300, 1000, 294, 2));
  ASSERT_EQ(found.size(), 3U);
  // Twice 294, as twice 300 is still well below the 1000 of the device.
  EXPECT_EQ(found[0].statement,
            "with 4 workers FULL would reach 588 ± 15 samples/s, if loading scales with the workers");
  EXPECT_EQ(found[0].cell.name(), "mnist/FULL/thread-pool/workers:4/batch:100");
  EXPECT_EQ(found[0].cell.compute, "device:samples_per_second=1000,depth=1");
  expect_rate(found[0], 588, kOneSet);
  EXPECT_EQ(found[1].statement, "a compute twice as fast would gain nothing and stay at 294 ± 7 samples/s");
  EXPECT_EQ(found[1].cell.compute, "device:samples_per_second=2000,depth=1");
  EXPECT_EQ(found[1].cell.workers, 2U);
  expect_rate(found[1], 294, kOneSet);
  EXPECT_FALSE(found[0].identity || found[1].identity);
  EXPECT_FALSE(found[0].check || found[0].measured || found[0].ratio || found[0].agreement);
}

TEST(Predictions, HaveNoPerfectLoaderWhereTheHarnessBlursTheStep) {
  Result result = measured(300, 1000, 294, 2);  // 100 ms a step of the device
  result.cells.push_back(test::cell_result({.mode = Mode::kOverhead, .rates = {100, 100, 100}, .batch_size = 1}));
  const auto found = predictions(result);
  ASSERT_EQ(found.size(), 1U) << "nor a compute twice as fast";
  EXPECT_EQ(found[0].cell.workers, 4U);
}

TEST(Predictions, HoldByDefinitionForAPerfectLoader) {
  // 1000 / 294 = 3.401.
  const Prediction perfect = predictions(measured(300, 1000, 294, 2))[2];
  EXPECT_EQ(perfect.statement, "a perfect loader would give 240 ± 8 % more throughput, 1.00 ± 0.03 k samples/s");
  EXPECT_TRUE(perfect.identity);
  Result checked = measured(300, 1000, 294, 2);
  checked.checks = {checked.cells[1]};
  EXPECT_FALSE(predictions(checked)[2].check.has_value()) << "SYNTHETIC measured again is no evidence";
}

TEST(Predictions, CapMoreWorkersAtTheCompute) {
  const auto found = predictions(measured(800, 1000, 780, 1));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].statement, "with 2 workers FULL would reach 1.00 ± 0.03 k samples/s, all that the compute takes");
  expect_rate(found[0], 1000, kOneSet);
}

TEST(Predictions, AreNotMadeWhereTheTwoBoundsWouldBeClose) {
  // 1200 against 1000.
  for (const Prediction& prediction : predictions(measured(600, 1000, 590, 1))) {
    EXPECT_NE(prediction.cell.workers, 2U);
  }
}

TEST(Predictions, CapMoreWorkersAtACeilingMeasuredForThem) {
  Result result = measured(300, 1000, 294, 2);
  test::add_ceiling(result, test::ceiling("gather-drain", 4), around(350), {});  // of IO alone: FULL does not drain
  test::add_ceiling(result, test::ceiling("gather", 4), around(450), {});        // 450 x 294 / 300
  const auto found = predictions(result);
  EXPECT_EQ(found[0].statement, "with 4 workers FULL would reach 441 ± 11 samples/s, the ceiling of this machine");
  expect_rate(found[0], 441, kThreeSets);
}

// Cold files on storage that serves this many samples/s to `requests` at a time. Where IO reaches 0.9 of that, the
// verdict is that loading is bound by storage.
Result from_storage(double served, std::size_t requests, const std::string& way) {
  Result result = measured(300, 1000, 294, 2);
  result.datasets[0].info.access = Access::kFiles;
  for (CellResult& cell : result.cells) {
    if (cell.cell.mode == Mode::kSynthetic) continue;
    cell.cell.cache = CacheState::kCold;
    for (Trial& trial : cell.trials) trial.wait.total_seconds = 0.5 * trial.wall_seconds;
  }
  test::add_ceiling(result, test::ceiling("device-iops", requests), around(served), {0});
  for (CeilingTrial& trial : result.ceilings[0].trials) trial.way = way;
  return result;
}

// More workers used to reach the higher rate of another ceiling, because this one was measured for fewer reads.
TEST(Predictions, GainNothingFromMoreWorkersWhereStorageIsTheLimit) {
  const auto found = predictions(from_storage(290, 16, "4 at a time"));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].statement,
            "with 4 workers FULL would gain nothing and stay at 294 ± 7 samples/s, as storage is the limit");
  expect_rate(found[0], 294, kOneSet);
}

TEST(Predictions, SayNothingOfMoreReadsInFlightThanStorageWasMeasuredWith) {
  for (const double served : {290.0, 500.0}) {
    for (const Prediction& prediction : predictions(from_storage(served, 16, "16 at a time"))) {
      EXPECT_EQ(prediction.cell.workers % 4, prediction.cell.mode == Mode::kFull ? 2U : 0U) << served;
    }
  }
  EXPECT_EQ(predictions(from_storage(700, 16, "16 at a time"))[0].statement,
            "with 4 workers FULL would reach 588 ± 15 samples/s, if loading scales with the workers")
      << "less than storage serves to fewer reads";
}

TEST(Predictions, UseWhatOtherWorkerCountsFillWhereMeasured) {
  Result result = measured(300, 1000, 294, 2);
  result.cells.push_back(
      test::cell_result({.mode = Mode::kIo, .rates = around(480), .loader = "thread-pool", .workers = 4}));
  set_filling(result.cells.back(), around(500));
  const auto found = predictions(result);
  EXPECT_EQ(found[0].statement, "with 4 workers FULL would reach 490 ± 12 samples/s, judging by what that many fill");
  expect_rate(found[0], 490, kThreeSets);  // 500 x 294 / 300
}

TEST(Predictions, AddNoMoreWorkersThanThereAreCpus) {
  EXPECT_EQ(predictions(measured(300, 1000, 294, 3))[0].cell.workers, 4U);
  EXPECT_EQ(
      cells_of(predictions(measured(300, 1000, 294, 4))),
      (std::vector<std::string>{"mnist/FULL/thread-pool/workers:4/batch:100 device:samples_per_second=2000,depth=1",
                                "mnist/SYNTHETIC/batch:100 device:samples_per_second=1000,depth=1"}))
      << "every CPU has a worker";
  Result split = measured(300, 1000, 294, 2);
  for (CellResult& cell : split.cells) cell.cell.placement = {"split", {0, 1}, {2, 3}};
  EXPECT_EQ(predictions(split)[0].cell.workers, 2U) << "two CPUs are the workers' own";
}

TEST(Predictions, CoverFewerWorkersAndAFasterDeviceWhereTheComputeIsTheLimit) {
  const auto found = predictions(measured(5000, 1000, 980, 4));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].statement, "with 2 workers FULL would still reach 980 ± 25 samples/s");
  EXPECT_EQ(found[0].cell.name(), "mnist/FULL/thread-pool/workers:2/batch:100");
  expect_rate(found[0], 980, kOneSet);
  // Doubling the device would only show what the emulation is told. This device is so fast that the loader decides.
  EXPECT_EQ(found[1].statement,
            "a compute that takes 10 k samples/s would get 5.00 ± 0.13 k samples/s, all that the loader fills");
  EXPECT_EQ(found[1].cell.name(), "mnist/FULL/thread-pool/workers:4/batch:100");
  EXPECT_EQ(found[1].cell.compute, "device:samples_per_second=10000,depth=1");
  expect_rate(found[1], 5000, kOneSet);
}

TEST(Predictions, CapFullAtWhatTheLoaderFillsAndNotAtIo) {
  // The drain halves IO, not what the loader fills.
  Result result = measured(5000, 1000, 980, 4);
  for (Trial& trial : result.cells[0].trials) trial.wall_seconds *= 2;
  expect_rate(predictions(result)[1], 5000, kOneSet);
}

TEST(Predictions, ShowNoGainFromMoreWorkersWhereFewerMightNotSuffice) {
  const auto one = predictions(measured(5000, 1000, 980, 1));
  EXPECT_EQ(one[0].statement, "with 2 workers FULL would gain nothing and stay at 980 ± 25 samples/s");
  const auto two = predictions(measured(1800, 1000, 980, 2));
  EXPECT_EQ(two[0].cell.workers, 4U) << "half of 1800 is below 1000";
}

TEST(Predictions, LeaveOutWhatTheRunMeasuredItself) {
  Result result = measured(5000, 1000, 980, 4);
  result.cells.push_back(
      test::cell_result({.mode = Mode::kFull, .rates = around(500), .loader = "thread-pool", .workers = 2}));
  result.cells.back().cell.compute = result.cells[2].cell.compute;
  EXPECT_EQ(
      cells_of(predictions(result)),
      std::vector<std::string>{"mnist/FULL/thread-pool/workers:4/batch:100 device:samples_per_second=10000,depth=1"});
}

TEST(Predictions, NeedAMeasuredFillingForADevice) {
  Result result = measured(5000, 1000, 980, 4);
  for (Trial& trial : result.cells[0].trials) trial.fill.reset();
  const auto found = predictions(result);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cell.workers, 2U);
}

TEST(Predictions, LeaveOutWorkersThatShareTheirCpusWithTheCompute) {
  Result result = measured(5000, 1000, 980, 4);
  for (std::size_t i : {1U, 2U}) result.cells[i].cell.compute = "cnn";
  EXPECT_TRUE(predictions(result).empty());
}

TEST(Predictions, LeaveOutADeviceThatSomethingElseSlowsDown) {
  const auto found = predictions(measured(5000, 900, 890, 4));
  ASSERT_EQ(found.size(), 1U) << "it was asked for 1000";
  EXPECT_EQ(found[0].cell.workers, 2U);
}

TEST(Predictions, LeaveOutADeviceTooFastForTheHarness) {
  Result result = measured(5000, 1000, 980, 4);
  result.cells.push_back(test::cell_result(test::overhead()));
  EXPECT_EQ(predictions(result).size(), 2U) << "10 ms a step, 1 us of harness";
  for (Trial& trial : result.cells.back().trials) trial.wall_seconds *= 1e3;
  EXPECT_EQ(predictions(result).size(), 1U) << "1 ms of harness";
}

TEST(Predictions, AreMadeOnlyForHeadlinesBoundByLoadingOrCompute) {
  EXPECT_TRUE(predictions(measured(1000, 1000, 990, 2)).empty()) << "balanced";
  EXPECT_TRUE(predictions(measured(1800, 1000, 600, 2)).empty()) << "interference";
  EXPECT_TRUE(predictions(test::result_of({{.mode = Mode::kFull, .rates = around(1000)}})).empty()) << "incomplete";
}

TEST(Predictions, AreNotMadeFromOneTrialEach) {
  Result result = measured(300, 1000, 294, 2);
  for (CellResult& cell : result.cells) cell.trials.erase(cell.trials.begin() + 1, cell.trials.end());
  EXPECT_TRUE(predictions(result).empty()) << "they would have no interval";
}

// The first prediction where loading is the limit, 588 from one set, compared with a check at these rates.
Prediction checked(const std::vector<double>& rates) {
  Result result = measured(300, 1000, 294, 2);
  CellResult check = test::cell_result({.mode = Mode::kFull, .rates = rates, .loader = "thread-pool", .workers = 4});
  check.cell.compute = "device:samples_per_second=1000,depth=1";
  result.checks = {check};
  return predictions(result)[0];
}

TEST(Predictions, AgreeWhereTheIntervalOfTheRatioLiesWithinTenPercent) {
  const Prediction agrees = checked({588, 588, 588});
  EXPECT_EQ(agrees.check, 0U);
  EXPECT_DOUBLE_EQ(agrees.measured->mean, 588);
  EXPECT_NEAR(agrees.ratio->value, 1, 1e-9);
  EXPECT_NEAR(agrees.ratio->ci95->high, kOneSet, 1e-6) << "the uncertainty of the prediction";
  EXPECT_EQ(agrees.agreement, Agreement::kAgrees);
  EXPECT_EQ(checked({520, 520, 520}).agreement, Agreement::kDisagrees) << "0.884 x 1.025 = 0.906 < 1 / 1.1";
  EXPECT_EQ(checked({540, 540, 540}).agreement, Agreement::kUnclear) << "0.896 to 0.941";
}

TEST(Predictions, DoNotAgreeMerelyBecauseIntervalsAreWide) {
  // The intervals overlap: 588 ± 15 and 700 ± 248.
  EXPECT_EQ(checked({600, 700, 800}).agreement, Agreement::kUnclear);
  EXPECT_EQ(checked({588}).agreement, Agreement::kUnclear) << "one trial has no interval";
}

TEST(Predictions, AreComparedWithChecksOfTheirOwnCell) {
  Result result = measured(300, 1000, 294, 2);
  CellResult check =
      test::cell_result({.mode = Mode::kFull, .rates = {588, 588}, .loader = "thread-pool", .workers = 4});
  check.cell.compute = "device:samples_per_second=5";
  result.checks = {check};
  EXPECT_FALSE(predictions(result)[0].check.has_value()) << "of another compute";
}

TEST(Predictions, KnowThatACheckFailed) {
  Result result = measured(300, 1000, 294, 2);
  result.checks.push_back({.cell = predictions(result)[0].cell, .error = "no memory"});
  const auto found = predictions(result);
  EXPECT_EQ(found[0].check, 0U);
  EXPECT_FALSE(found[0].measured || found[0].ratio || found[0].agreement);
}

// Draws five trials of each mode with a spread of 3 % about 300, 1000 and 294. Counts how often the interval of the
// first prediction contains 588, and how often that of its ratio to a check of 588 contains 1.
TEST(Predictions, HaveIntervalsThatHoldTheTruthIn93To97Of100Runs) {
  constexpr int kRuns = 1000;
  std::mt19937_64 random(11);
  const auto draw = [&](double rate) {
    std::normal_distribution<double> logarithm(std::log(rate), 0.03);
    std::vector<double> rates;
    for (int i = 0; i < 5; ++i) rates.push_back(std::exp(logarithm(random)));
    return rates;
  };
  const auto held = [](const Estimate& estimate, double truth) {
    return estimate.ci95->low <= truth && truth <= estimate.ci95->high ? 1 : 0;
  };
  int predicted = 0;
  int ratios = 0;
  int runs = 0;
  for (int run = 0; run < kRuns; ++run) {
    Result result = test::result_of({
        {.mode = Mode::kIo, .rates = draw(285), .loader = "thread-pool", .workers = 2},
        {.mode = Mode::kSynthetic, .rates = draw(1000)},
        {.mode = Mode::kFull, .rates = draw(294), .loader = "thread-pool", .workers = 2},
    });
    set_filling(result.cells[0], draw(300));
    result.checks = {
        test::cell_result({.mode = Mode::kFull, .rates = draw(588), .loader = "thread-pool", .workers = 4})};
    const auto found = predictions(result);
    if (found.empty() || !found[0].ratio) continue;
    ++runs;
    predicted += held(found[0].samples_per_second, 588);
    ratios += held(*found[0].ratio, 1);
  }
  EXPECT_GE(runs, 990);
  EXPECT_NEAR(static_cast<double>(predicted) / runs, 0.95, 0.02);
  EXPECT_NEAR(static_cast<double>(ratios) / runs, 0.95, 0.02);
}

}  // namespace
}  // namespace loadline
