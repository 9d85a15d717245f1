// --monitor and --counters, and what the tool writes from them.
#include "tests/cli/fixture.h"
#include "tests/support/this_build.h"

namespace loadline::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Monitored : public CommandLine {
 protected:
  Monitored() { world_.environment["LD_LIBRARY_PATH"] = kGpus; }

  Words watched(const std::string& data) const {
    return short_run(data) + Words{"--loader", "thread-pool", "--workers", "1", "--monitor", "10ms", "--counters"};
  }
};

const nlohmann::json* series(const nlohmann::json& result, const std::string& name, const std::string& of) {
  for (const auto& one : result.at("monitor").at("series")) {
    if (one.at("name") == name && one.at("of") == of) return &one;
  }
  return nullptr;
}

TEST_F(Monitored, RunsHaveSeriesOfTheMachineAndCountsOfEvents) {
  const Outcome outcome = run(watched(mnist()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\nmonitor: "), HasSubstr(", one every 10 ms"), HasSubstr("/proc/stat"),
                                 HasSubstr("NVML, ROCm SMI"), HasSubstr("\nevents per sample ")));
  const auto written = result();
  EXPECT_EQ(written["monitor"]["period_seconds"], 0.01);
  EXPECT_EQ(written["config"]["monitor"], 0.01);
  ASSERT_NE(series(written, "cpu user", "all CPUs"), nullptr);
  const auto* const busy = series(written, "gpu busy", "gpu0");
  ASSERT_NE(busy, nullptr);
  EXPECT_EQ((*busy)["values"][0], 0.75);
  const auto& trial = written["cells"][0]["trials"][0];
  EXPECT_GE(trial["clock_started_seconds"], trial["started_seconds"]);
  EXPECT_TRUE(trial["counters"]["consumer"].contains("page_faults"));
  EXPECT_TRUE(trial["counters"]["workers"].contains("context_switches"));

  const Outcome csv = run({"export", "--to", "csv", "result.json"});
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_THAT(csv.out, StartsWith("time_seconds,trial_of,round,cpu user of all CPUs [share],"));
}

TEST_F(Monitored, RunsContinueTheirSeriesWhenResumed) {
  ASSERT_EQ(run(watched(mnist()) + Words{"--trials", "2"}).exit_code, 0);
  auto json = result();
  json["status"] = "partial";
  json["cells"][0]["trials"].erase(1);
  json["cells"][0]["stopped"] = nullptr;
  json["monitor"]["times_seconds"].back() = 1000;  // as if the interrupted trial had lasted so long
  write(home_ / "result.json", json.dump());
  const Outcome outcome = run({"run", "--resume", "result.json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto& before = json["monitor"]["times_seconds"];
  const auto written = result();
  const auto& after = written["monitor"]["times_seconds"];
  ASSERT_GT(after.size(), before.size());
  EXPECT_EQ(after[0], before[0]);
  EXPECT_GE(after[before.size()], 1000) << "no sample of one part is between those of another";
  EXPECT_GE(written["cells"][0]["trials"][1]["started_seconds"], 1000);
  EXPECT_GT(written["monitor"]["cpu_seconds"], json["monitor"]["cpu_seconds"]);
  for (const auto& one : written["monitor"]["series"]) EXPECT_EQ(one["values"].size(), after.size());
}

TEST_F(Monitored, RunsAreOnlyThoseThatRequestIt) {
  const std::string data = mnist();
  const Outcome outcome = run(short_run(data));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(result().contains("monitor"));
  EXPECT_FALSE(result().contains("counters"));
  EXPECT_FALSE(result()["cells"][0]["trials"][0].contains("counters"));
  expect_refusal(run({"export", "--to", "csv", "result.json"}), 1,
                 "--to csv: the result has no monitor series; run with --monitor, such as --monitor 200ms");
  expect_refusal(run(short_run(data) + Words{"--monitor", "5ms"}), 2,
                 "--monitor: want a time from 10ms to 1h, such as 200ms, got '5ms'");
  expect_refusal(run({"ab", "--workload", "mnist", "--data", data, "--mode", "io", "--base", "", "--new",
                      "--monitor 1s", "--pairs", "2"}),
                 2, "--monitor: both sides share a process; give it to both, or use --processes");
}

}  // namespace
}  // namespace loadline::test
