// Figures and intervals were computed independently with numpy and scipy 1.10.1: ratios by scipy.stats.ttest_ind on
// logarithms (equal_var=False) and exp(d ± t.ppf(0.975, df) sqrt(v)); the interval of the overlap efficiency by the
// same law of propagation with gradients taken numerically.
#include "harness/judge/verdict_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace loadline {
namespace {

using Rates = std::vector<double>;

// IO is also what the loader fills with its batches unread.
struct Trials {
  Rates io;
  Rates synthetic;
  Rates full;

  Evidence evidence() const {
    return {.loader = "serial", .compute = "device", .io = io, .synthetic = synthetic, .full = full, .fill = io};
  }
  Verdict verdict() const { return judge(evidence()); }
};

const Rates kSteps{10000, 10010, 9990};

void expect_near(const std::optional<Estimate>& estimate, double value, double low, double high) {
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->value, value, 1e-9);
  ASSERT_TRUE(estimate->ci95);
  EXPECT_NEAR(estimate->ci95->low, low, 1e-8);
  EXPECT_NEAR(estimate->ci95->high, high, 1e-8);
}

TEST(VerdictFigures, FollowTheirFormulas) {
  // T = 1, 2 and 2.5 s: stall 1 - 2 / 2.5, overlap (1 + 2 - 2.5) / 1.
  const Verdict verdict = Trials{{1.0}, {0.5}, {0.4}}.verdict();
  EXPECT_DOUBLE_EQ(verdict.stall->value, 0.2);
  EXPECT_DOUBLE_EQ(verdict.accelerator_utilisation->value, 0.8);
  EXPECT_DOUBLE_EQ(verdict.overlap_efficiency->value, 0.5);
  EXPECT_DOUBLE_EQ(verdict.supply->value, 2);
}

TEST(VerdictFigures, HaveTheIntervalsOfLogWelchAndTheDeltaMethod) {
  const Verdict verdict = Trials{{14000, 14100, 13900}, kSteps, {9000, 9050, 8950}}.verdict();
  expect_near(verdict.accelerator_utilisation, 0.8999910406425933, 0.8881566996021648, 0.9119830696539888);
  expect_near(verdict.stall, 0.10000895935740672, 0.08801693034601121, 0.11184330039783519);
  expect_near(verdict.supply, 1.3999766567302971, 1.375985813246745, 1.4243857898252037);
  expect_near(verdict.overlap_efficiency, 0.8444186616271079, 0.8444186616271079 - 0.020334369058124947,
              0.8444186616271079 + 0.020334369058124947);
}

TEST(VerdictFigures, PropagateTheIntervalWhereLoadingIsSlowerToo) {
  const Verdict verdict = Trials{{5000, 5050, 4950}, kSteps, {3400, 3350, 3380}}.verdict();
  expect_near(verdict.overlap_efficiency, 0.03852366128262965, 0.03852366128262965 - 0.0479606297568321,
              0.03852366128262965 + 0.0479606297568321);
}

// The six benchy summaries that the SC22 tutorial "Deep Learning at Scale" publishes (NERSC/sc22-dl-tutorial, README);
// efficiencies come from the formula in Python. The IO of benchy has no drain, so it is what the loader fills.
TEST(VerdictFigures, AgreeWithTheSc22Tutorial) {
  struct Case {
    double io, synthetic, full, overlap;
    std::string_view looks;
  };
  for (const Case& published : {Case{84.468, 481.618, 83.212, 0.9139374563972333, "looks bound by loading"},
                                Case{234.450, 415.428, 166.868, 0.28236517296702485, "looks bound by loading"},
                                Case{943.632, 592.984, 578.118, 0.9590798401429895, "looks bound by compute"},
                                Case{929.612, 820.332, 665.790, 0.7369602830064974, "looks bound by interference"},
                                Case{936.818, 893.160, 683.573, 0.6784078772041309, "looks bound by interference"},
                                Case{4.750, 102.148, 4.212, -1.7468198130654295, "looks bound by loading"}}) {
    const Verdict verdict = Trials{{published.io}, {published.synthetic}, {published.full}}.verdict();
    EXPECT_NEAR(verdict.overlap_efficiency->value, published.overlap, 1e-9);
    EXPECT_THAT(verdict.sentence, testing::HasSubstr(published.looks));
  }
}

TEST(VerdictFigures, AreNotClamped) {
  const Verdict verdict = Trials{{30000, 30100, 29900}, {10000, 10050, 9950}, {10040, 10100, 9990}}.verdict();
  expect_near(verdict.stall, -0.004331638576317687, -0.016389155416400403, 0.007582838846653783);
  expect_near(verdict.accelerator_utilisation, 1.0043316385763177, 0.9924171611533462, 1.0163891554164004);
}

TEST(VerdictFigures, HaveIntervalsOfNoWidthWhereAllTrialsAgree) {
  const Verdict verdict = Trials{{30000, 30000}, {10000, 10000}, {8000, 8000}}.verdict();
  EXPECT_DOUBLE_EQ(verdict.stall->ci95->low, verdict.stall->ci95->high);
  EXPECT_DOUBLE_EQ(verdict.overlap_efficiency->ci95->low, verdict.overlap_efficiency->ci95->high);
}

TEST(VerdictFigures, CompareFullWithTheSlowerOfSyntheticAndTheFill) {
  EXPECT_NEAR((Trials{{5000, 5000}, {10000, 10000}, {4000, 4000}}.verdict().of_bound->value), 0.8, 1e-12);
  EXPECT_NEAR((Trials{{20000, 20000}, {10000, 10000}, {4000, 4000}}.verdict().of_bound->value), 0.4, 1e-12);
}

// IO reaches 600 with a drain, and its consumer waits for two thirds of the time; FULL reaches 700 of 1000.
Figures of_unmeasured_fill() {
  static const Rates io{600, 600};
  static const Rates synthetic{1000, 1000};
  static const Rates full{700, 700};
  static const Rates at_most{900, 900};
  return figures_of({.loader = "serial",
                     .compute = "device",
                     .io = io,
                     .synthetic = synthetic,
                     .full = full,
                     .fill_at_most = at_most});
}

TEST(VerdictFigures, LieBetweenWhatWasReachedAndTheWaitingOfIoWithoutAFill) {
  const Figures figures = of_unmeasured_fill();
  EXPECT_FALSE(figures.verdict.supply_measured);
  EXPECT_DOUBLE_EQ(figures.verdict.supply->value, 0.7) << "FULL reached more than IO";
  EXPECT_DOUBLE_EQ(figures.verdict.supply_at_most->value, 0.9);
  EXPECT_DOUBLE_EQ(figures.supply.low, 0.7);
  EXPECT_DOUBLE_EQ(*figures.supply.high, 0.9);
  EXPECT_NEAR(figures.of_bound.low, 7.0 / 9, 1e-12);
  EXPECT_DOUBLE_EQ(*figures.of_bound.high, 1);
  EXPECT_FALSE(figures.verdict.of_bound.has_value());
  EXPECT_FALSE(figures.verdict.overlap_efficiency.has_value());
}

TEST(VerdictFigures, HaveNoUpperEndWithoutAFillOrItsBound) {
  const Rates rates{600, 600};
  const Figures figures = figures_of({.loader = "serial", .io = rates, .synthetic = rates, .full = rates});
  EXPECT_FALSE(figures.supply.high.has_value());
  EXPECT_FALSE(figures.verdict.supply_at_most.has_value());
}

TEST(StallBetween, IsTheShareOfTimeThatTheFasterSaves) {
  const std::vector<double> fast{4000, 4000};
  const std::vector<double> slow{1000, 1000};
  EXPECT_DOUBLE_EQ(stall_between(fast, slow)->value, 0.75);
  EXPECT_DOUBLE_EQ(stall_between(slow, fast)->value, -3);
  EXPECT_FALSE(stall_between(fast, {}).has_value());
  EXPECT_FALSE(stall_between({}, slow).has_value());
}

}  // namespace
}  // namespace loadline
