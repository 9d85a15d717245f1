#include "harness/forecast/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/show/forecast_text.h"
#include "loaders/error.h"

namespace loadline {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Basis basis_of_rates(double load, double step) {
  return {.batch_size = 10,
          .workers = 2,
          .in_flight = 2,
          .load_per_second = {load, std::nullopt},
          .step_per_second = {step, std::nullopt},
          .bytes_per_sample = 1e6,
          .dataset_bytes = 1e9,
          .dataset_samples = 1000};
}

ForecastRequest request_for(std::vector<std::size_t> ranks) {
  ForecastRequest request;
  request.ranks = std::move(ranks);
  return request;
}

TEST(Forecast, FindsTheMostNodesThatKeepTheUtilisation) {
  ForecastRequest request = request_for({1});
  request.find = "nodes";
  request.system.ranks_of_node = 4;
  request.system.storage.bytes_per_second = 1e10;  // 10,000 samples/s; a rank that is 90 % busy takes 90
  EXPECT_EQ(find_in_forecast(basis_of_rates(1e6, 100), request).value, 27) << "27 x 4 x 90 = 9720";
  request.system.storage.bytes_per_second = 3e8;
  EXPECT_FALSE(find_in_forecast(basis_of_rates(1e6, 100), request).value.has_value());
  request.system.storage.bytes_per_second = 0;
  EXPECT_TRUE(find_in_forecast(basis_of_rates(1e6, 100), request).unlimited);
}

TEST(Forecast, FindsTheBandwidthThatTheRanksNeed) {
  ForecastRequest request = request_for({1, 288});
  request.find = "bandwidth";
  const ForecastFound found = find_in_forecast(basis_of_rates(1e6, 100), request);
  EXPECT_EQ(found.ranks, 288U);
  EXPECT_NEAR(found.value.value(), 288 * 90e6, 288 * 90e6 * 2e-4);
  EXPECT_FALSE(find_in_forecast(basis_of_rates(50, 100), request).value.has_value()) << "the workers are the limit";
}

TEST(Forecast, FindsOperationsAndLatency) {
  ForecastRequest request = request_for({10});
  request.find = "iops";
  EXPECT_NEAR(find_in_forecast(basis_of_rates(1e6, 100), request).value.value(), 900, 0.2);
  request.find = "latency";
  // At 90 samples/s, two workers have 22.2 ms for each sample and compute for 10 ms of that.
  EXPECT_NEAR(find_in_forecast(basis_of_rates(200, 100), request).value.value(), 2.0 / 90 - 0.01, 2e-6);
}

TEST(Forecast, SaysWhichOfSeveralLeads) {
  ForecastRequest request = request_for({1, 4, 8});
  request.system.storage.iops = 400;
  Basis quick = basis_of_rates(1000, 200);
  quick.requests_per_sample = 2;
  const std::vector<Forecast> both{make_forecast("a", quick, request),
                                   make_forecast("b", basis_of_rates(1000, 100), request)};
  const std::vector<Lead> leads = leads_of(both);
  ASSERT_EQ(leads.size(), 2U);
  EXPECT_EQ(leads[0].forecast, 0U);
  EXPECT_EQ(leads[0].last_ranks, 1U);
  EXPECT_EQ(leads[1].forecast, 1U);
  EXPECT_EQ(leads[1].last_ranks, 8U);
  EXPECT_DOUBLE_EQ(leads[1].most_factor, 2);
}

TEST(Forecast, CallsATieATie) {
  ForecastRequest request = request_for({1, 4, 8});
  request.system.storage.iops = 400;
  const std::vector<Forecast> both{make_forecast("a", basis_of_rates(1000, 200), request),
                                   make_forecast("b", basis_of_rates(1000, 100), request)};
  const std::vector<Lead> leads = leads_of(both);
  ASSERT_EQ(leads.size(), 2U);
  EXPECT_EQ(leads[0].last_ranks, 1U);
  EXPECT_EQ(leads[0].equal, std::vector<std::size_t>());
  EXPECT_EQ(leads[1].first_ranks, 4U);
  EXPECT_EQ(leads[1].last_ranks, 8U);
  EXPECT_EQ(leads[1].equal, (std::vector<std::size_t>{0, 1}));
  EXPECT_THAT(forecast_text(both, request), HasSubstr("From 4 to 8 ranks a and b are equal within 0.5 %.\n"));
}

TEST(Forecast, SaysWhatElseTakesAConsiderableShareOfTheTime) {
  Basis basis = basis_of_rates(500, 100);
  basis.name = "mnist/FULL/serial/batch:10";
  basis.choice = "recommended among 4 configurations";
  basis.workers = 0;
  basis.overlap = 0;
  ForecastRequest request = request_for({1});
  request.system.storage.latency = 0.006;
  const std::vector<Forecast> one{make_forecast("a.json", basis, request)};
  EXPECT_THAT(forecast_text(one, request), HasSubstr(" compute (latency 33 %) "));
  EXPECT_THAT(
      forecast_text(one, request),
      HasSubstr("a.json: mnist/FULL/serial/batch:10, recommended among 4 configurations; --cell names another\n"));
}

TEST(Forecast, RefusesAByteLimitWithoutASampleSize) {
  Basis basis = basis_of_rates(200, 100);
  basis.bytes_per_sample = 0;
  ForecastRequest request = request_for({1});
  request.system.storage.bytes_per_second = 1e9;
  try {
    make_forecast("a.json", basis, request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "forecast: a.json does not say how many bytes a sample has; give --sample-bytes");
  }
}

TEST(Forecast, SaysThatALatencyReplacesReadsMeasuredOnStorage) {
  Basis basis = basis_of_rates(200, 100);
  basis.read_seconds_per_sample = 0.004;
  System system;
  system.storage.latency = 0.001;
  EXPECT_THAT(left_out(basis, system), Not(Contains(HasSubstr("replaces")))) << "it was read from the page cache";
  basis.from_storage = true;
  EXPECT_EQ(left_out(basis, system).front(),
            "The latency in --storage replaces the measured reading time, 4.0 ms per sample.");
  EXPECT_THAT(left_out(basis, {}), Not(Contains(HasSubstr("replaces")))) << "no latency is given";

  ForecastRequest request = request_for({10});
  request.find = "latency";
  EXPECT_THAT(forecast_text(std::vector{make_forecast("a.json", basis, request)}, request),
              HasSubstr("latency: 10 ranks need at most 16 ms to keep AU 90 % or more; it replaces the measured "
                        "reading time.\n"));
}

TEST(Forecast, SaysThatGivenFiguresContradictEachOther) {
  const ForecastRequest request = request_for({1});
  const Basis basis = basis_of_figures("--figures", "io=100,synthetic=200,full=400");
  EXPECT_THAT(
      forecast_text(std::vector{make_forecast("--figures", basis, request)}, request),
      HasSubstr("loading alone gave 100 samples/s, less than with the other in FULL, so the rate of FULL counts\n"
                "the step alone gave 200 samples/s, less than with the other in FULL, so the rate of FULL "
                "counts\n"));
}

TEST(Forecast, WritesRatesWithoutABandAsPreciselyAsThoseWithOne) {
  ForecastRequest request = request_for({1, 100, 10'000});
  request.epochs = 2;
  const std::string text =
      forecast_text(std::vector{make_forecast("a.json", basis_of_rates(100, 21.19), request)}, request);
  EXPECT_THAT(text, HasSubstr("one rank: loading 100 samples/s, the step 21.2 samples/s, "));
  EXPECT_THAT(text, HasSubstr("\n    1      1       21.2 "));
  EXPECT_THAT(text, HasSubstr("\n  100    100     2.12 k "));
  EXPECT_THAT(text, HasSubstr("\n10000  10000      212 k "));
  EXPECT_THAT(text, HasSubstr("  2.12 k   2.12 k\n")) << "epochs";
}

TEST(Forecast, SaysWhatItLeavesOut) {
  const auto sentences = left_out(basis_of_rates(200, 100), {});
  EXPECT_THAT(sentences.front(), HasSubstr("No --storage is given"));
  EXPECT_THAT(sentences.back(), HasSubstr("Left out: other jobs"));
}

// Takes a tenth longer for each step than the closed form, whatever the plan.
class ATenthSlower final : public Simulator {
 public:
  SimulatedTimes run(const SimulationPlan& plan) override {
    ++runs;
    double ranks = 0;
    for (const SimulatedGroup& group : plan.groups) ranks += group.ranks;
    const double samples = plan.run.batch_size * ranks;
    const double shared = plan.run.storage_per_second > 0 ? samples / plan.run.storage_per_second : 0;
    const double seconds = 1.1 * std::max({plan.run.step_seconds, plan.run.miss_seconds, shared});
    SimulatedTimes times;
    for (std::size_t i = 0; i < plan.steps(); ++i) times.step_ends.push_back(seconds * static_cast<double>(i + 1));
    return times;
  }

  std::size_t runs = 0;
};

TEST(Forecast, PutsASimulationBesideTheClosedForm) {
  ATenthSlower simulator;
  ForecastRequest request = request_for({1, 16});
  request.seeds = 5;
  request.system.storage.bytes_per_second = 8e8;
  const Forecast forecast = make_forecast("a", basis_of_rates(1e6, 100), request, &simulator);
  EXPECT_DOUBLE_EQ(forecast.points[1].samples_per_second, 800);
  EXPECT_NEAR(forecast.simulated->points[1].samples_per_second, 800 / 1.1, 1e-9);
  EXPECT_FALSE(forecast.simulated->saturating_ranks.has_value()) << "it never delivers more than ten elevenths";
  const std::string text = forecast_text(std::vector{forecast}, request);
  EXPECT_THAT(text, HasSubstr("simulated"));
  EXPECT_THAT(text, HasSubstr("Simulated with SimGrid: means of 5 seeds, and the lowest and the highest of them where "
                              "they differ.\n"));
  EXPECT_THAT(forecast_csv(std::vector{forecast}), HasSubstr(",727.27"));
}

TEST(Forecast, SearchesBySimulationAroundTheAnswerOfTheClosedForm) {
  ATenthSlower simulator;
  ForecastRequest request = request_for({100});
  request.find = "bandwidth";
  request.utilisation = 0.8;
  request.seeds = 5;
  const Forecast forecast = make_forecast("a", basis_of_rates(1e6, 100), request, &simulator);
  EXPECT_NEAR(forecast.found->value.value(), 8e9, 8e9 * 2e-4);
  EXPECT_NEAR(forecast.simulated->found->value.value(), 8.8e9, 8.8e9 * 0.01);
  EXPECT_LT(simulator.runs, 20U) << "each takes long";
  request.utilisation = 0.95;
  EXPECT_FALSE(make_forecast("a", basis_of_rates(1e6, 100), request, &simulator).simulated->found->value.has_value())
      << "steps alone take a tenth longer";
}

TEST(Forecast, FindsNodesBySimulation) {
  ATenthSlower simulator;
  ForecastRequest request = request_for({1});
  request.find = "nodes";
  request.utilisation = 0.8;
  request.seeds = 5;
  request.system.ranks_of_node = 4;
  request.system.storage.bytes_per_second = 1e10;  // 10,000 samples/s
  const Forecast forecast = make_forecast("a", basis_of_rates(1e6, 100), request, &simulator);
  EXPECT_EQ(forecast.found->value, 31) << "31 x 4 x 80 = 9920";
  EXPECT_EQ(forecast.simulated->found->value, 28) << "28 x 4 x 80 x 1.1 = 9856";
}

}  // namespace
}  // namespace loadline
