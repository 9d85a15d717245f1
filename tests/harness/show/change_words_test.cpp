#include "harness/show/change_words.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

const Metric& rate() {
  return metric_named("samples_per_second");
}

TEST(ChangeText, IsAShareUpToAFactorOfTwo) {
  EXPECT_EQ(change_text({1.2, Interval{1.18, 1.22}}, rate()), "20 ± 2 % faster");
  EXPECT_EQ(change_text({0.8, Interval{0.78, 0.82}}, rate()), "20 ± 2 % slower");
  EXPECT_EQ(change_text({2.27, Interval{2.22, 2.32}}, rate()), "2.27 ± 0.05 times as fast");
}

TEST(ChangeText, IsAFactorWhereTheShareIsTooWide) {
  EXPECT_EQ(change_text({1.8, Interval{1.4, 2.3}}, rate()), "1.8 ± 0.5 times as fast");
}

TEST(ChangeText, HasNoFigureWhereTheIntervalIsTooWide) {
  EXPECT_EQ(change_text({1.0, Interval{0.1, 62}}, rate()), "too noisy to say how much faster or slower");
  EXPECT_EQ(signed_change({1.0, Interval{0.1, 62}}), "too noisy to say");
}

TEST(ChangeText, NamesTheLeastOfAChangeWhoseDirectionAloneIsKnown) {
  EXPECT_EQ(change_text({0.0014, Interval{0.0002, 0.009}}, rate()), "at least 99.1 % slower");
  EXPECT_EQ(signed_change({0.0014, Interval{0.0002, 0.009}}), "-99.1 % or more");
  EXPECT_EQ(change_text({12, Interval{2.5, 60}}, rate()), "at least 2.50 times as fast");
  EXPECT_EQ(signed_change({12, Interval{2.5, 60}}), "x 2.50 or more");
}

TEST(ChangeText, RoundsTheLeastOfAChangeDown) {
  EXPECT_EQ(change_text({12, Interval{2.0986, 60}}, rate()), "at least 2.09 times as fast");
  EXPECT_EQ(signed_change({12, Interval{2.0986, 60}}), "x 2.09 or more");
  EXPECT_EQ(change_text({0.1, Interval{0.01, 0.5004}}, rate()), "at least 49.9 % slower");
}

TEST(ChangeText, SaysOfAChangeOfNothingThatItMayBeEither) {
  EXPECT_EQ(change_text({0.999, Interval{0.93, 1.07}}, rate()), "0 ± 7 % faster or slower");
  EXPECT_EQ(change_text({1, Interval{0.997, 1.003}}, rate()), "0.0 ± 0.3 % faster or slower");
  EXPECT_EQ(change_text({1.0004, Interval{0.9974, 1.0034}}, rate()), "0.0 ± 0.3 % faster or slower");
  EXPECT_EQ(change_text({1, std::nullopt}, rate()), "0.0 % faster or slower");
  EXPECT_EQ(change_text({1, Interval{0.997, 1.003}}, metric_named("wait_p99_seconds")),
            "0.0 ± 0.3 % shorter or longer");
  EXPECT_EQ(change_text({0.999, Interval{0.997, 1.001}}, rate()), "0.1 ± 0.2 % slower");
}

TEST(ValueText, HasManyJoulesWithoutAnExponent) {
  const Metric& joules = metric_named("joules_per_1000_samples");
  EXPECT_EQ(value_text(Summary{.count = 3, .mean = 12345.6, .stddev = 1.5}, joules), "12346 J ± 1.5 J");
}

TEST(SignedChange, IsAShareOrAFactor) {
  EXPECT_EQ(signed_change({1.2, Interval{1.18, 1.22}}), "+20 ± 2 %");
  EXPECT_EQ(signed_change({0.8, Interval{0.78, 0.82}}), "-20 ± 2 %");
  EXPECT_EQ(signed_change({1.8, Interval{1.5, 2.1}}), "x 1.8 ± 0.3");
  EXPECT_EQ(signed_change({1.0004, Interval{0.9974, 1.0034}}), "0.0 ± 0.3 %");
}

}  // namespace
}  // namespace loadline
