#include "harness/forecast/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loaders/error.h"

namespace loadline {
namespace {

using testing::HasSubstr;

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

TEST(Forecast, FindsTheBandwidthThatSoManyRanksNeed) {
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
  // Two workers for 90 samples/s have 22.2 ms for each, of which they compute for 10.
  EXPECT_NEAR(find_in_forecast(basis_of_rates(200, 100), request).value.value(), 2.0 / 90 - 0.01, 2e-6);
}

TEST(Forecast, TellsWhichOfSeveralIsAhead) {
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

TEST(Forecast, RefusesALimitOnBytesThatNobodyKnows) {
  Basis basis = basis_of_rates(200, 100);
  basis.bytes_per_sample = 0;
  ForecastRequest request = request_for({1});
  request.system.storage.bytes_per_second = 1e9;
  try {
    make_forecast("a.json", basis, request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "forecast: how many bytes a sample has is not known of a.json, say so by --sample-bytes");
  }
}

TEST(Forecast, SaysWhatItLeavesOut) {
  const auto sentences = left_out(basis_of_rates(200, 100), {});
  EXPECT_THAT(sentences.front(), HasSubstr("No --storage is given"));
  EXPECT_THAT(sentences.back(), HasSubstr("Left out: other jobs"));
}

}  // namespace
}  // namespace loadline
