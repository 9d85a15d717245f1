// Trials are {r / 1.01, r, 1.01 r}: their geometric mean is r, and with l = ln 1.01 the interval of a product of n such
// sets of three is r exp(± t(2 n) l sqrt(n / 3)), t(2) = 4.302653, t(6) = 2.446912: factors of
// 1.0250260 for one set, 1.0246464 for three.
#include "harness/judge/prediction.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

constexpr double kOneSet = 1.0250260;
constexpr double kThreeSets = 1.0246464;

std::vector<double> around(double rate) {
  return {rate / 1.01, rate, rate * 1.01};
}

// thread-pool and device on four CPUs.
Result measured(double io, double synthetic, double full, std::size_t workers) {
  Result result = test::result_of({
      {.mode = Mode::kIo, .rates = around(io), .loader = "thread-pool", .workers = workers},
      {.mode = Mode::kSynthetic, .rates = around(synthetic)},
      {.mode = Mode::kFull, .rates = around(full), .loader = "thread-pool", .workers = workers},
  });
  for (CellResult& cell : result.cells) {
    cell.cell.threads_in_force = 4;
    if (cell.cell.mode != Mode::kIo) cell.cell.compute = "device:samples_per_second=1000,depth=1";
  }
  return result;
}

std::vector<Prediction> predictions(const Result& result) {
  return judge_run(result).predictions;
}

void expect_rate(const Prediction& prediction, double value, double factor) {
  EXPECT_NEAR(prediction.samples_per_second.value, value, 1e-6 * value);
  ASSERT_TRUE(prediction.samples_per_second.ci95.has_value());
  EXPECT_NEAR(prediction.samples_per_second.ci95->low, value / factor, 1e-6 * value);
  EXPECT_NEAR(prediction.samples_per_second.ci95->high, value * factor, 1e-6 * value);
}

TEST(Predictions, OfALoaderWithFreeCpusAreMoreWorkersAndAPerfectLoader) {
  // FULL is 0.98 of IO; twice the workers still supply less than the 1000 that the device takes: 2 x 392.
  const auto found = predictions(measured(400, 1000, 392, 2));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].statement, "with 4 workers FULL would reach 784 ± 20 samples/s");
  EXPECT_EQ(found[0].cell.name(), "mnist/FULL/thread-pool/workers:4/batch:100");
  EXPECT_EQ(found[0].cell.compute, "device:samples_per_second=1000,depth=1");
  expect_rate(found[0], 784, kOneSet);
  // 1000 / 392 = 2.551.
  EXPECT_EQ(found[1].statement, "a perfect loader would give 155 ± 6 % more throughput, 1.00 ± 0.03 k samples/s");
  EXPECT_EQ(found[1].cell.name(), "mnist/SYNTHETIC/batch:100");
  expect_rate(found[1], 1000, kOneSet);
  EXPECT_FALSE(found[0].check || found[0].measured || found[0].error || found[0].within);
}

TEST(Predictions, OfMoreWorkersStopAtTheCompute) {
  // Twice 800 is above 1000: SYNTHETIC times FULL / IO, 1000 x 760 / 800.
  const auto found = predictions(measured(800, 1000, 760, 1));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].cell.workers, 2U);
  expect_rate(found[0], 950, kThreeSets);
}

TEST(Predictions, OfMoreWorkersStopAtACeilingThatWasMeasuredForThem) {
  Result result = measured(400, 1000, 392, 2);
  test::add_ceiling(result, test::ceiling("gather", 4), around(450), {});  // none of IO: no CPU is left for the sink
  test::add_ceiling(result, test::ceiling("gather-drain", 4), around(600), {});  // 600 x 392 / 400
  expect_rate(predictions(result)[0], 588, kThreeSets);
}

TEST(Predictions, TakeTheIoOfOtherWorkersWhereItWasMeasured) {
  Result result = measured(1800, 1000, 980, 2);
  test::add_ceiling(result, test::ceiling("gather-drain", 1), around(800), {});
  result.cells.push_back(
      test::cell_result({.mode = Mode::kIo, .rates = around(950), .loader = "thread-pool", .workers = 1}));
  expect_rate(predictions(result)[0], 931, kThreeSets);  // 950 x 980 / 1000
}

TEST(Predictions, OfMoreWorkersStopAtTheCpus) {
  EXPECT_EQ(predictions(measured(400, 1000, 392, 3))[0].cell.workers, 4U);
  const auto found = predictions(measured(400, 1000, 392, 4));
  ASSERT_EQ(found.size(), 1U) << "every CPU has a worker";
  EXPECT_EQ(found[0].cell.mode, Mode::kSynthetic);
  Result split = measured(400, 1000, 392, 2);
  for (CellResult& cell : split.cells) cell.cell.placement = {"split", {0, 1}, {2, 3}};
  EXPECT_EQ(predictions(split).size(), 1U) << "two CPUs are the workers' own";
}

TEST(Predictions, OfAComputeAreFewerWorkersAndAFasterDevice) {
  // Half of the 5000 is still enough; the device at 2000 is still the slower.
  const auto found = predictions(measured(5000, 1000, 980, 4));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].statement, "with 2 workers FULL would still reach 980 ± 25 samples/s");
  EXPECT_EQ(found[0].cell.name(), "mnist/FULL/thread-pool/workers:2/batch:100");
  expect_rate(found[0], 980, kOneSet);
  EXPECT_EQ(found[1].statement, "a compute twice as fast would give 1.96 ± 0.05 k samples/s");
  EXPECT_EQ(found[1].cell.name(), "mnist/FULL/thread-pool/workers:4/batch:100");
  EXPECT_EQ(found[1].cell.compute, "device:samples_per_second=2000,depth=1");
  expect_rate(found[1], 1960, kOneSet);
}

TEST(Predictions, OfAComputeStopAtWhatLoadingSupplies) {
  // 1800 / 2 = 900 < 1000, times 0.98; 1800 < 2000, times 0.98.
  const auto found = predictions(measured(1800, 1000, 980, 2));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].statement, "with 1 worker FULL would reach 882 ± 22 samples/s");
  expect_rate(found[0], 882, kThreeSets);
  expect_rate(found[1], 1764, kThreeSets);
}

TEST(Predictions, ForetellNothingOfADeviceThatSomethingElseSlowsDown) {
  const auto found = predictions(measured(5000, 900, 890, 1));
  EXPECT_TRUE(found.empty()) << "it was asked for 1000";
}

TEST(Predictions, AreForHeadlinesBoundByLoadingOrComputeAlone) {
  EXPECT_TRUE(predictions(measured(1000, 1000, 990, 2)).empty()) << "balanced";
  EXPECT_TRUE(predictions(measured(1800, 1000, 600, 2)).empty()) << "interference";
  EXPECT_TRUE(predictions(test::result_of({{.mode = Mode::kFull, .rates = around(1000)}})).empty()) << "incomplete";
}

TEST(Predictions, OfOneTrialEachHaveNoInterval) {
  Result result = measured(400, 1000, 392, 2);
  for (CellResult& cell : result.cells) cell.trials.erase(cell.trials.begin() + 1, cell.trials.end());
  const auto found = predictions(result);
  EXPECT_FALSE(found[0].samples_per_second.ci95.has_value());
  EXPECT_EQ(found[0].statement, "with 4 workers FULL would reach 776 samples/s");
}

TEST(Predictions, AreHeldAgainstTheirChecks) {
  Result result = measured(400, 1000, 392, 2);
  CellResult check =
      test::cell_result({.mode = Mode::kFull, .rates = {700, 700, 700}, .loader = "thread-pool", .workers = 4});
  check.cell.compute = "device:samples_per_second=1000,depth=1";
  result.checks = {check};
  auto found = predictions(result);
  EXPECT_EQ(found[0].check, 0U);
  EXPECT_DOUBLE_EQ(found[0].measured->mean, 700);
  EXPECT_NEAR(*found[0].error, 700.0 / 784 - 1, 1e-9);
  EXPECT_EQ(found[0].within, false) << "764.9 is the lower end";
  EXPECT_FALSE(found[1].check.has_value());
  result.checks[0].trials = {test::trial_of(770, 100)};
  EXPECT_EQ(predictions(result)[0].within, true) << "one trial stands for its value";
  result.checks[0].cell.compute = "device:samples_per_second=5";
  EXPECT_FALSE(predictions(result)[0].check.has_value()) << "of another compute";
}

TEST(Predictions, KnowOfAChecksFailure) {
  Result result = measured(400, 1000, 392, 2);
  result.checks.push_back({.cell = predictions(result)[0].cell, .error = "no memory"});
  const auto found = predictions(result);
  EXPECT_EQ(found[0].check, 0U);
  EXPECT_FALSE(found[0].measured || found[0].error || found[0].within);
}

}  // namespace
}  // namespace loadline
