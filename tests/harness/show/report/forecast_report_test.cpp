#include "harness/show/report/forecast_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/show/forecast_text.h"

namespace loadline {
namespace {

using testing::HasSubstr;
using testing::Not;

// A rank takes 100 samples/s of 1 MB each, from storage that delivers 800 of them a second.
Forecast forecast_of(const std::string& source) {
  const Basis basis{.name = "mnist/FULL",
                    .batch_size = 10,
                    .workers = 2,
                    .in_flight = 2,
                    .load_per_second = {1e6, std::nullopt},
                    .step_per_second = {100, std::nullopt},
                    .bytes_per_sample = 1e6};
  ForecastRequest request;
  request.ranks = {1, 16};
  request.system.storage.bytes_per_second = 8e8;
  return make_forecast(source, basis, request);
}

TEST(ForecastReport, HasARowForEachNumberOfRanks) {
  const Section section = forecast_section(std::vector{forecast_of("a.json")});
  ASSERT_EQ(section.table.rows.size(), 2U);
  EXPECT_EQ(section.table.rows[1][0], Datum("a.json"));
  EXPECT_EQ(section.table.rows[1][2], Datum(16.0));
  EXPECT_EQ(section.table.rows[1][4], Datum(800.0));
  EXPECT_EQ(section.table.rows[1][9], Datum("storage bandwidth"));
  EXPECT_EQ(section.table.rows[1][11], Datum(8.0)) << "ranks that saturate it";
}

TEST(ForecastReport, HasTheBandwidthThatIsNeededWithoutAnExponent) {
  Forecast forecast = forecast_of("a.json");
  forecast.found = ForecastFound{.kind = "bandwidth", .utilisation = 0.9, .ranks = 288, .value = 2.592e10};
  EXPECT_EQ(forecast_sentences(std::vector{forecast}, {})[1],
            "bandwidth: 288 ranks need at least 25.92 G bytes/s to keep AU 90 % or more.");
  forecast.found = ForecastFound{.kind = "iops", .utilisation = 0.9, .ranks = 288, .value = 25'920};
  EXPECT_EQ(forecast_sentences(std::vector{forecast}, {})[1],
            "iops: 288 ranks need at least 25920 requests/s to keep AU 90 % or more.");
}

TEST(ForecastReport, StatesItsConclusionsBesideTheCurve) {
  const std::vector<Forecast> forecasts{forecast_of("a<b.json")};
  const Page page{.style = "STYLE", .script = "SCRIPT", .libraries = "LIBRARIES"};
  const std::string html = forecast_html(forecasts, {}, page);
  EXPECT_THAT(html, HasSubstr("Storage saturates at 8 ranks (8 nodes), as long as no page cache holds a sample."));
  EXPECT_THAT(html, HasSubstr("<section id=\"forecast\" class=\"figures\">"));
  EXPECT_THAT(html, HasSubstr("a&lt;b.json"));
  EXPECT_THAT(html, Not(HasSubstr("a<b.json")));
}

}  // namespace
}  // namespace loadline
