#include "harness/forecast/simgrid.h"
#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;

class ForecastVerb : public CommandLine {
 protected:
  static inline const Words kFigures{"forecast", "--figures", "io=500,synthetic=100,batch=10,sample_bytes=1M"};
};

TEST_F(ForecastVerb, ShowsACurveOfAResult) {
  mnist();
  ASSERT_EQ(
      run(short_run((home_ / "mnist").string(), "a.json") + Words{"-q", "--loader", "thread-pool", "--workers", "1"})
          .exit_code,
      0);
  const Outcome outcome = run({"forecast", "a.json", "--ranks", "1:16:*4", "--nodes-of", "4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("a.json: mnist/FULL/thread-pool/workers:1/"));
  EXPECT_THAT(outcome.out, HasSubstr("\n   16      4  "));
  EXPECT_THAT(outcome.out, HasSubstr("Left out: "));
  const Outcome json = run({"forecast", "a.json", "--ranks", "1,2", "--format", "json"});
  const auto document = nlohmann::json::parse(json.out);
  EXPECT_EQ(document["forecasts"][0]["points"].size(), 2U);
  EXPECT_EQ(document["forecasts"][0]["basis"]["workers"], 1);
  EXPECT_EQ(document["forecasts"][0]["basis"]["overlap"], 1.0);  // with workers, all of the shorter time
}

TEST_F(ForecastVerb, FindsTheBandwidthOfFigures) {
  const Outcome outcome = run(kFigures + Words{"--ranks", "288", "--find", "bandwidth"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("bandwidth: 288 ranks need at least 25.92 G bytes/s to keep AU 90 % or more.\n"));
}

TEST_F(ForecastVerb, WritesCsvToAFile) {
  const Outcome outcome = run(kFigures + Words{"--ranks", "1,2", "--format", "csv", "-o", "f.csv"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(bytes_of(home_ / "f.csv"), HasSubstr(",2,2,200,200,200,1,1,compute,200000000,200,,,,\n"));
}

TEST_F(ForecastVerb, DrawsItsCurveOnAPage) {
  const Outcome outcome = run(kFigures + Words{"--ranks", "1,2", "-o", "f.html"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(bytes_of(home_ / "f.html"), HasSubstr("<section id=\"forecast\" class=\"figures\">"));
}

TEST_F(ForecastVerb, SimulatesWhereThereIsSimGrid) {
  const Words words = kFigures + Words{"--ranks", "1,4", "--storage", "bytes_per_second=200M", "--simulate"};
  if (const std::string why = why_no_simgrid(); !why.empty()) {
    expect_refusal(run(words), 2, "--simulate: loadline was " + why);
    return;
  }
  const Outcome outcome = run(words + Words{"--format", "json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto forecast = nlohmann::json::parse(outcome.out)["forecasts"][0];
  EXPECT_NEAR(forecast["simulated"]["points"][1]["samples_per_second"].get<double>(), 200, 2);
  EXPECT_EQ(forecast["simulated"]["saturating_ranks"], 2);
}

TEST_F(ForecastVerb, RefusesInOneSentence) {
  expect_refusal(run({"forecast"}), 2, "forecast: want a result, or --figures printed by another tool");
  expect_refusal(run(kFigures + Words{"--ranks", "0"}), 2, "--ranks: want whole numbers of at least 1, got '0'");
  expect_refusal(run(kFigures + Words{"--find", "node"}), 2,
                 "--find 'node': want one of nodes, bandwidth, client-bandwidth, iops, latency (did you mean nodes?)");
  expect_refusal(run({"forecast", "--figures", "io=1"}), 2,
                 "--figures: want synthetic=SAMPLES_PER_SECOND, which is missing");
  expect_refusal(run({"forecast", "--figures", "io=582,synthetic=103,dataset_bytes=38", "--sample-bytes", "9M"}), 2,
                 "--sample-bytes: a sample of 9e+06 bytes is larger than the dataset of 38 bytes");
}

}  // namespace
}  // namespace loadline::test
