// `loadline aa`, and how `loadline diff` uses the noise floor that it measured.
#include <signal.h>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class Noise : public CommandLine {
 protected:
  Words quick() const {
    return Words{"aa",
                 "--workload",
                 "mnist",
                 "--data",
                 mnist(),
                 "--batch-size",
                 "8",
                 "--trial-batches",
                 "3",
                 "--workers",
                 "1",
                 "--compute",
                 "device:samples_per_second=2000",
                 "--pairs",
                 "5",
                 "--trials",
                 "2"};
  }
  static Json parsed(const std::filesystem::path& path) { return Json::parse(bytes_of(path)); }

  // Writes it where `loadline diff` finds it without an option.
  void keep(const Json& noise, const std::string& host) const {
    write(home_ / "baselines" / ("noise-" + host + ".json"), noise.dump());
  }
};

// Steps of 40 ms keep the difference between runs small on a busy machine.
TEST_F(Noise, IsMeasuredInPairsOfRunsAndNamesMachineAndBuild) {
  const Outcome outcome = run({"aa",
                               "--workload",
                               "mnist",
                               "--data",
                               mnist(),
                               "--batch-size",
                               "8",
                               "--trial-batches",
                               "3",
                               "--mode",
                               "synthetic",
                               "--compute",
                               "device:samples_per_second=200",
                               "--warm-up-batches",
                               "1",
                               "--pairs",
                               "5",
                               "--trials",
                               "2",
                               "-o",
                               "noise.json"});
  if (outcome.err.find("a noise floor says nothing") != std::string::npos)
    GTEST_SKIP() << "too noisy a machine for one";
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(StartsWith("noise floor of "), HasSubstr("(5 pairs of runs of 2 trials)")));
  EXPECT_THAT(outcome.err, AllOf(StartsWith("5 pairs of runs, about "), HasSubstr("\npair 5/5\n")));
  const Json noise = parsed(home_ / "noise.json");
  EXPECT_EQ(noise["noise_schema_version"], 2);
  EXPECT_EQ(noise["pairs"], 5);
  EXPECT_EQ(noise["trials"], 2);
  EXPECT_GT(noise["machine"]["threads_in_force"], 0);
  EXPECT_NE(noise["build"]["version"], "");
  ASSERT_EQ(noise["cells"].size(), 1U);
  EXPECT_EQ(noise["cells"][0]["workload"], "mnist");
  EXPECT_EQ(noise["cells"][0]["mode"], "SYNTHETIC");
  EXPECT_EQ(noise["cells"][0]["ratios"].size(), 5U);
  EXPECT_EQ(files(), (std::set<std::string>{"mnist", "noise.json"}));
}

TEST_F(Noise, FromTooFewPairsIsRefused) {
  expect_refusal(run(quick() + Words{"--pairs", "4"}), 2,
                 "--pairs 4: want at least 5, because fewer say too little about how much runs differ");
  expect_refusal(run(quick() + Words{"--trials", "0"}), 2, "--trials 0: want at least 1");
}

TEST_F(Noise, SaysWhichExclusionsNoCellMeets) {
  Tool tool(quick() + Words{"--pairs", "1000", "--exclude", "loader=serail"}, world_);
  EXPECT_TRUE(tool.wait_until_err_says("pairs of runs, about "));
  tool.send(SIGTERM);
  EXPECT_THAT(tool.finish().err, StartsWith("--exclude: no cell meets loader=serail\n1000 pairs of runs, about "));
}

TEST_F(Noise, IsNotWrittenWhenStopped) {
  Tool tool(quick() + Words{"--pairs", "1000", "-o", "noise.json"}, world_);
  ASSERT_TRUE(tool.wait_until_err_says("pair 1/1000\n"));
  tool.send(SIGTERM);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 143);
  EXPECT_EQ(refusals(outcome), Words{"interrupted; a noise floor needs all pairs; no file was written"})
      << "the run that it had started says nothing";
  EXPECT_EQ(files(), (std::set<std::string>{"mnist"}));
}

// A noise floor as `aa` writes it, with the ratios that a test needs.
class NoiseInDiff : public Noise {
 protected:
  void SetUp() override {
    ASSERT_EQ(run(short_run(mnist()) + Words{"--trials", "3", "--mode", "full", "--workers", "1", "--compute",
                                             "device:samples_per_second=2000", "-q"})
                  .exit_code,
              0);
    const Json measured = result();
    host_ = measured["machine"]["hostname"];
    noise_ = Json{{"noise_schema_version", 2},
                  {"measured", measured["started"]},
                  {"pairs", 5},
                  {"trials", 3},
                  {"machine",
                   {{"hostname", host_},
                    {"cpu_model", nullptr},
                    {"kernel_release", nullptr},
                    {"threads_in_force", measured["machine"]["threads_in_force"]},
                    {"cpu_governor", nullptr},
                    {"cpu_boost", nullptr},
                    {"load_average_1_minute", nullptr}}},
                  {"build",
                   {{"version", measured["build"]["version"]},
                    {"build_type", measured["build"]["build_type"]},
                    {"compiler", measured["build"]["compiler"]},
                    {"git_revision", measured["build"]["git_revision"]}}},
                  {"cells",
                   {{{"cell", "mnist/FULL/thread-pool/workers:1/batch:8"},
                     {"workload", "mnist"},
                     {"mode", "FULL"},
                     {"cache", "warm"},
                     {"trial_seconds", 1e-6},
                     {"ratios", {1.1, 1.1, 1.1, 1.1, 1.1}}}}}};
  }

  Outcome diff(const Words& more = {}) { return run(Words{"diff", "result.json", "result.json"} + more); }

  std::string host_;
  Json noise_;
};

TEST_F(NoiseInDiff, IsFoundByHostAndShownInTheLineThatItAffects) {
  keep(noise_, host_);
  const Outcome outcome = diff();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(StartsWith("inconclusive: mnist/FULL/"),
                                 HasSubstr(": two identical runs differ by up to 28 % on " + host_ + " (5 pairs of "),
                                 HasSubstr(", more than the margin of 3 %\n")));
  EXPECT_EQ(diff({"--margin", "1%"}).exit_code, 0) << "a margin below the floor is no mistake";
  EXPECT_THAT(diff({"--noise", "none"}).out, testing::Not(HasSubstr("two identical runs")));
}

TEST_F(NoiseInDiff, OfTwoHostsIsThatOfTheNoisier) {
  keep(noise_, host_);
  noise_["cells"][0]["ratios"] = std::vector<double>(5, 1.15);
  noise_["machine"]["hostname"] = "node7";
  keep(noise_, "node7");
  Json both = result();
  both["machine"]["hostname"] = host_ + ", node7";
  write(home_ / "both.json", both.dump());
  EXPECT_THAT(run({"diff", "both.json", "both.json"}).out, HasSubstr("differ by up to 43 % on node7 ("));
}

TEST_F(NoiseInDiff, IsNotedWhenOld) {
  noise_["measured"] = "2026-01-01T00:00:00Z";
  write(home_ / "noise.json", noise_.dump());
  EXPECT_THAT(diff({"--noise", "noise.json"}).out,
              AllOf(HasSubstr("\nnote\n  the noise floor of " + host_ + " was measured "),
                    HasSubstr(" days from result.json; `loadline aa` measures it again\n")));
}

TEST_F(NoiseInDiff, IsRefusedWhenFromTooFewPairsOrOfAnotherKind) {
  noise_["pairs"] = 4;
  noise_["cells"][0]["ratios"] = std::vector<double>(4, 1.1);
  write(home_ / "few.json", noise_.dump());
  expect_refusal(diff({"--noise", "few.json"}), 1,
                 "few.json: a noise floor from 4 pairs of runs says too little; want at least 5; measure it again with "
                 "`loadline aa`, or ignore it with `loadline diff --noise none`");
  write(home_ / "old.json", R"({"noise_schema_version": 1, "hostname": "a", "pairs": 20, "cells": []})");
  expect_refusal(diff({"--noise", "old.json"}), 1,
                 "old.json: an older loadline measured this noise floor within one run, which says nothing about two "
                 "runs; measure it again with `loadline aa`, or ignore it with `loadline diff --noise none`");
  expect_refusal(diff({"--noise", "result.json"}), 1, "result.json: not a noise floor as `loadline aa` writes it");
}

TEST_F(NoiseInDiff, OfAnotherKindIsRefusedBeforeARunAgainstABaseline) {
  ASSERT_EQ(run({"diff", "result.json", "--save-baseline", "main"}).exit_code, 0);
  keep(Json{{"noise_schema_version", 1}}, host_);
  const Outcome outcome = run(short_run(mnist(), "new.json") + Words{"--baseline", "main"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(refusals(outcome),
              ElementsAre(HasSubstr(": an older loadline measured this noise floor within one run")));
  EXPECT_FALSE(files().contains("new.json"));
}

TEST_F(NoiseInDiff, DoesNotApplyToResultsMeasuredInPairs) {
  keep(Json{{"noise_schema_version", 1}}, host_);
  Json paired = result();
  paired["argv"] = {"loadline", "ab"};
  write(home_ / "pair.json", paired.dump());
  paired["run_id"] = "20261121T095800Z-000002";
  write(home_ / "other.json", paired.dump());
  EXPECT_EQ(run({"diff", "--paired", "pair.json", "other.json"}).exit_code, 0);
  expect_refusal(diff({"--paired", "--noise", "noise.json"}), 2,
                 "--noise: a noise floor describes the difference of two runs, but --paired compares trials that one "
                 "`loadline ab` measured in alternation; leave it out");
  expect_refusal(
      run({"diff", "result.json", "--by", "loader", "--noise", "noise.json"}), 2,
      "--noise: a noise floor describes the difference of two runs, but --by compares cells of one run; leave it out");
}

}  // namespace
}  // namespace loadline::test
