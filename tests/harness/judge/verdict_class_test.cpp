#include "harness/judge/verdict_class.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace loadline {
namespace {

using Rates = std::vector<double>;

// A configuration whose truth is known. SYNTHETIC takes 1000 samples a second; what the loader fills, and FULL, are
// shares of that. IO pays for a drain.
struct Truth {
  double fill = 1;
  double full = 1;

  double stall() const { return 1 - full; }
};

class Drawn {
 public:
  Drawn(const Truth& truth, std::size_t trials, double variation, std::mt19937_64& random) {
    std::normal_distribution<double> noise(0, variation);
    for (std::size_t i = 0; i < trials; ++i) {
      synthetic_.push_back(1000 * std::exp(noise(random)));
      fill_.push_back(1000 * truth.fill * std::exp(noise(random)));
      io_.push_back(0.8 * fill_.back());
      at_most_.push_back(1.1 * fill_.back());
      full_.push_back(1000 * truth.full * std::exp(noise(random)));
    }
  }

  Verdict verdict(bool measured = true) const {
    Evidence evidence{
        .loader = "thread-pool", .workers = 2, .compute = "device", .io = io_, .synthetic = synthetic_, .full = full_};
    if (measured) {
      evidence.fill = fill_;
    } else {
      evidence.fill_at_most = at_most_;
    }
    return judge(evidence);
  }

 private:
  Rates io_;
  Rates synthetic_;
  Rates full_;
  Rates fill_;
  Rates at_most_;
};

bool is_clear(Bound bound) {
  return bound != Bound::kUnclear && bound != Bound::kIncomplete;
}

// Either answer is right for a stall between 5 and 10 %, and for a supply between 1.05 and 1.10.
bool is_wrong(Bound bound, const Truth& truth) {
  switch (bound) {
    case Bound::kLoader: return truth.stall() <= 0.05 || truth.fill >= 1;
    case Bound::kInterference: return truth.stall() <= 0.05 || truth.fill <= 0.95;
    case Bound::kCompute: return truth.stall() >= 0.10 || truth.fill <= 1.05;
    case Bound::kBalanced: return truth.stall() >= 0.10 || truth.fill >= 1.10;
    default: return false;
  }
}

double wrong_share(bool measured) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> logarithm(std::log(0.4), std::log(2.5));
  std::uniform_real_distribution<double> together(0.6, 1);
  std::uniform_int_distribution<std::size_t> trials(2, 20);
  int clear = 0;
  int wrong = 0;
  for (int i = 0; i < 6000; ++i) {
    Truth truth{.fill = std::exp(logarithm(random)), .full = 1};
    truth.full = std::min(1.0, truth.fill) * (i % 2 == 0 ? 1 : together(random));
    const double variation = std::array{0.001, 0.01, 0.03, 0.1, 0.3, 0.6}[static_cast<std::size_t>(i) % 6];
    const Bound bound = Drawn(truth, trials(random), variation, random).verdict(measured).bound;
    if (is_clear(bound)) ++clear;
    if (is_wrong(bound, truth)) ++wrong;
  }
  EXPECT_GT(clear, 1500);
  return static_cast<double>(wrong) / clear;
}

TEST(VerdictClass, IsHardlyEverWrongForAKnownTruth) {
  EXPECT_LE(wrong_share(true), 0.01);
}

TEST(VerdictClass, IsHardlyEverWrongWithoutAFillEither) {
  EXPECT_LE(wrong_share(false), 0.01);
}

TEST(VerdictClass, IsClearFromFiveQuietTrialsWhereTheTruthIsClear) {
  std::mt19937_64 random(11);
  const auto unclear = [&](const Truth& truth, Bound expected) {
    int missed = 0;
    for (int i = 0; i < 1000; ++i) {
      if (Drawn(truth, 5, 0.03, random).verdict().bound != expected) ++missed;
    }
    return missed / 1000.0;
  };
  EXPECT_LE(unclear({.fill = 1.16, .full = 1}, Bound::kCompute), 0.05);
  EXPECT_LE(unclear({.fill = 3, .full = 1}, Bound::kCompute), 0.05);
  EXPECT_LE(unclear({.fill = 0.85, .full = 0.85}, Bound::kLoader), 0.05);
  EXPECT_LE(unclear({.fill = 0.5, .full = 0.45}, Bound::kLoader), 0.05);
  EXPECT_LE(unclear({.fill = 1.10, .full = 0.85}, Bound::kInterference), 0.05);
  EXPECT_LE(unclear({.fill = 3, .full = 0.6}, Bound::kInterference), 0.05);
  EXPECT_LE(unclear({.fill = 1, .full = 1}, Bound::kBalanced), 0.05);
}

TEST(VerdictClass, IsNeverClearFromOneTrial) {
  std::mt19937_64 random(13);
  for (const double fill : {0.3, 1.0, 3.0}) {
    EXPECT_EQ(Drawn({.fill = fill, .full = std::min(fill, 1.0)}, 1, 0.01, random).verdict().bound, Bound::kUnclear);
  }
}

const Rates kThousand{1000, 1000};

Finding of(const Rates& fill, const Rates& full) {
  return classify(figures_of(
      {.loader = "serial", .compute = "device", .io = fill, .synthetic = kThousand, .full = full, .fill = fill}));
}

TEST(VerdictClass, HasEitherAnswerBetweenItsLimits) {
  // A stall of 7 % counts both as hardly any and as some: what FULL falls short of decides.
  EXPECT_EQ(of({930, 930}, {930, 930}).bound, Bound::kLoader);
  EXPECT_EQ(of({1200, 1200}, {930, 930}).bound, Bound::kInterference);
  EXPECT_EQ(of({975, 975}, {940, 940}).bound, Bound::kLoader) << "slower by little, and FULL at most that";
  EXPECT_EQ(of({975, 975}, {900, 900}).bound, Bound::kInterference) << "FULL 8 % below the slower of the two";
  EXPECT_EQ(of({1000, 1000}, {945, 945}).bound, Bound::kInterference);
  EXPECT_EQ(of({1070, 1070}, {1000, 1000}).bound, Bound::kCompute);
  EXPECT_EQ(of({1040, 1040}, {1000, 1000}).bound, Bound::kBalanced);
}

TEST(VerdictClass, SaysWhyItIsUnclear) {
  EXPECT_EQ(of({2000, 2000}, {900, 1000}).doubt, Doubt::kStall);
  EXPECT_EQ(of({700, 1400}, {800, 800}).doubt, Doubt::kSupply);
  EXPECT_EQ(of({970, 980, 990}, {936, 936}).doubt, Doubt::kOverlap);
  EXPECT_EQ(of({2000, 2000}, {1100, 1100}).doubt, Doubt::kContradiction);
  EXPECT_EQ(of({500, 500}, {600, 600}).doubt, Doubt::kContradiction);
  EXPECT_EQ(of({500}, {500}).doubt, Doubt::kOneTrial);
}

Finding of_batches(double of_synthetic, double of_full, const Rates& fill, const Rates& full) {
  return classify(figures_of({.loader = "serial",
                              .compute = "device",
                              .synthetic_batch = of_synthetic,
                              .full_batch = of_full,
                              .io = fill,
                              .synthetic = kThousand,
                              .full = full,
                              .fill = fill}));
}

TEST(VerdictClass, BlamesNothingForBatchesThatDiffer) {
  EXPECT_EQ(of_batches(7, 4, {2000, 2000}, {600, 600}).doubt, Doubt::kBatches) << "steps of fewer samples";
  EXPECT_EQ(of_batches(1.5, 4, {9000, 9000}, {2550, 2550}).doubt, Doubt::kBatches) << "steps of more samples";
  EXPECT_EQ(of_batches(7, 4, {500, 500}, {500, 500}).bound, Bound::kLoader);
  EXPECT_EQ(of_batches(512, 500, {2000, 2000}, {600, 600}).bound, Bound::kInterference) << "a short last batch";
  EXPECT_EQ(of_batches(0, 500, {2000, 2000}, {600, 600}).bound, Bound::kInterference) << "not known";
}

TEST(VerdictClass, GivesBothAnswersOnWaitingWhereBothAreRight) {
  const auto verdict = [](double stall, double half) {
    Verdict made{};
    made.stall = Estimate{stall, Interval{stall - half, stall + half}};
    return made;
  };
  EXPECT_TRUE(hardly_waits(verdict(0.07, 0.01)) && waits(verdict(0.07, 0.01)));
  EXPECT_FALSE(hardly_waits(verdict(0.07, 0.04)) || waits(verdict(0.07, 0.04)));
  EXPECT_FALSE(hardly_waits({}) || waits({}));
}

}  // namespace
}  // namespace loadline
