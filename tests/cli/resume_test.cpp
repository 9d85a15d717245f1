// `loadline run --resume`, and what leaves something to resume: interruptions and time limits.
#include <fmt/format.h>
#include <signal.h>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Resume : public CommandLine {
 protected:
  // Trials with a compute take more than 0.1 s.
  static Words slow_run(const std::string& data) {
    return short_run(data) +
           Words{"--loader", "serial", "--trials", "4", "--compute", "device:samples_per_second=200,depth=0"};
  }

  // Leaves the result of a run that lacks one trial.
  void leave_one_out(const std::string& data) const {
    ASSERT_EQ(run(short_run(data) + Words{"--trials", "2"}).exit_code, 0);
    auto json = result();
    json["status"] = "partial";
    json["cells"][0]["trials"].erase(1);
    json["cells"][0]["stopped"] = nullptr;
    write(home_ / "result.json", json.dump());
  }

  // Expects this command line to print this one sentence and leave the file unchanged.
  void expect_untouched(const Words& words, int exit_code, const std::string& sentence) const {
    const std::string before = bytes_of(home_ / "result.json");
    expect_refusal(run(words), exit_code, sentence);
    EXPECT_EQ(bytes_of(home_ / "result.json"), before);
  }
};

TEST_F(Resume, GivesAnInterruptedRunTheTrialsThatItLacks) {
  const std::string data = mnist();
  Tool tool(slow_run(data), world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 2/4 "));
  tool.send(SIGTERM);
  const Outcome interrupted = tool.finish();
  EXPECT_EQ(interrupted.exit_code, 143);
  EXPECT_EQ(
      refusals(interrupted),
      Words{
          "interrupted; what was measured so far is in result.json; continue with loadline run --resume result.json"});
  const auto first = result();
  ASSERT_EQ(first["status"], "partial");
  ASSERT_LT(trials_in(first), 16U);

  const Outcome outcome = run({"run", "--resume", "result.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(fmt::format(", of which {} exist already, about ", trials_in(first))));
  const auto whole = result();
  EXPECT_EQ(whole["status"], "complete");
  EXPECT_EQ(whole["run_id"], first["run_id"]);
  EXPECT_EQ(whole["config_hash"], first["config_hash"]);
  EXPECT_EQ(whole["resumed"].size(), 1U);
  std::set<std::size_t> places;
  double latest_of_first = 0;
  for (std::size_t i = 0; i < whole["cells"].size(); ++i) {
    const auto& cell = whole["cells"][i];
    EXPECT_EQ(cell["stopped"], "trials");
    EXPECT_EQ(cell["trials"].size(), 4U) << cell["name"];
    for (std::size_t round = 0; round < cell["trials"].size(); ++round) {
      EXPECT_EQ(cell["trials"][round]["round"], round);
      places.insert(cell["trials"][round]["place"].get<std::size_t>());
    }
    const auto& known = first["cells"][i]["trials"];
    for (std::size_t j = 0; j < known.size(); ++j) {
      EXPECT_EQ(cell["trials"][j], known[j]) << "they are the same";
      latest_of_first = std::max(latest_of_first, known[j]["started_seconds"].get<double>());
    }
  }
  EXPECT_EQ(places.size(), 16U);
  for (const auto& cell : whole["cells"]) EXPECT_GT(cell["trials"][3]["started_seconds"], latest_of_first);
}

TEST_F(Resume, HasNothingToDoForACompleteRun) {
  ASSERT_EQ(run(short_run(mnist())).exit_code, 0);
  const std::string before = bytes_of(home_ / "result.json");
  const Outcome outcome = run({"run", "--resume", "result.json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("mnist, batches of 8: samples/s of 1 trial\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nnothing to do: result.json is complete\n"));
  EXPECT_EQ(bytes_of(home_ / "result.json"), before);
  EXPECT_EQ(run({"run", "--resume", "result.json", "-q"}).out, "");
  expect_refusal(run({"run", "--resume", "result.json", "-o", "other.json"}), 2,
                 "--resume result.json: it is complete, so there is nothing to measure and to write to other.json");
  EXPECT_EQ(run({"run", "--resume", "result.json", "-o", (home_ / "result.json").string(), "-q"}).exit_code, 0);
}

TEST_F(Resume, StartsARunWhereThereIsNoFile) {
  const Words words = Words{"run", "--workload", "mnist", "--data", mnist(), "--batch-size", "8"} + kShort;
  const Outcome outcome = run(words + Words{"--resume", "new.json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, StartsWith("--resume new.json: it does not exist, so a new run starts\n"));
  EXPECT_EQ(result("new.json")["status"], "complete");
  EXPECT_EQ(result("new.json")["resumed"].size(), 0U);
  EXPECT_EQ(run(words + Words{"--resume", "newer.json", "-o", "./newer.json"}).exit_code, 0);
  expect_refusal(run(words + Words{"--resume", "none.json", "-o", "other.json"}), 2,
                 "--resume none.json: it does not exist, and --output names a different file to start");
  EXPECT_EQ(files(), (std::set<std::string>{"mnist", "new.json", "newer.json"}));
}

TEST_F(Resume, WritesElsewhereOnRequest) {
  leave_one_out(mnist());
  const std::string before = bytes_of(home_ / "result.json");
  EXPECT_EQ(run({"run", "--resume", "result.json", "-o", "whole.json", "-q"}).exit_code, 0);
  EXPECT_EQ(result("whole.json")["cells"][0]["trials"].size(), 2U);
  EXPECT_EQ(bytes_of(home_ / "result.json"), before);
}

TEST_F(Resume, TakesTheSameCommandLineAgain) {
  const std::string data = mnist();
  leave_one_out(data);
  EXPECT_EQ(run(short_run(data) + Words{"--trials", "2", "--resume", "result.json"}).exit_code, 0);
  EXPECT_EQ(result()["resumed"].size(), 1U);
}

TEST_F(Resume, RefusesOtherOptions) {
  leave_one_out(mnist());
  expect_untouched({"run", "--resume", "result.json", "--trials", "9", "--workers", "3"}, 2,
                   "result.json: cannot resume with different options: --workers was unset and is 3; --trials was 2 "
                   "and is 9");
  expect_untouched({"run", "--resume", "-"}, 2, "--resume -: want a file, because the run writes to it again");
}

TEST_F(Resume, RefusesOtherData) {
  const std::string data = mnist();
  leave_one_out(data);
  std::string images = bytes_of(home_ / "mnist" / "train-images-idx3-ubyte");
  images.back() ^= 1;
  write(home_ / "mnist" / "train-images-idx3-ubyte", images);
  const Outcome outcome = run({"run", "--resume", "result.json", "-q"});
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(refusals(outcome).size(), 1U);
  EXPECT_THAT(refusals(outcome)[0], HasSubstr(fmt::format("result.json: cannot resume it: fingerprint of {} ", data)));
  EXPECT_EQ(result()["status"], "partial");
}

TEST_F(Resume, ContinuesAResultOfAnOlderVersionIfAllowedAndSaysSo) {
  leave_one_out(mnist());
  auto older = result();
  older["schema_version"] = 3;
  older["build"]["git_revision"] = "0123456789abcdef0123456789abcdef01234567";
  older["build"]["git_dirty"] = false;
  older.erase("other_builds");
  write(home_ / "result.json", older.dump());
  const std::string before = bytes_of(home_ / "result.json");
  const Outcome refused = run({"run", "--resume", "result.json", "-q"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("result.json: cannot resume it: revision was "
                                     "0123456789abcdef0123456789abcdef01234567 and is "));
  EXPECT_THAT(refused.err, HasSubstr("; --allow-mismatch resumes anyway, and the result says so"));
  EXPECT_EQ(bytes_of(home_ / "result.json"), before);

  const Outcome outcome = run({"run", "--resume", "result.json", "--allow-mismatch"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("several-builds"));
  EXPECT_EQ(result()["schema_version"], 4);
  EXPECT_EQ(result()["cells"][0]["trials"].size(), 2U);
  EXPECT_THAT(result()["other_builds"][0].get<std::string>(), testing::EndsWith(" (0123456789ab)"));
  EXPECT_EQ(run({"run", "--allow-mismatch"}).exit_code, 2) << "without --resume there is nothing to allow";
}

TEST_F(Resume, RefusesAFileThatIsNotAResultAndLeavesItAlone) {
  leave_one_out(mnist());
  const std::string whole = bytes_of(home_ / "result.json");
  write(home_ / "result.json", whole.substr(0, whole.size() / 2));
  expect_untouched({"run", "--resume", "result.json"}, 1, "result.json: not JSON: it is cut short");
  write(home_ / "result.json", R"({"benchmarks": []})");
  expect_untouched({"run", "--resume", "result.json"}, 1,
                   "result.json: not a result of loadline: it has no schema_version");
}

TEST_F(Resume, RefusesASearch) {
  expect_refusal(run(short_run(mnist()) + Words{"--loader", "thread-pool", "--workers", "2", "--au", "0.5", "--find",
                                                "min-workers", "--resume", "result.json"}),
                 2, "--resume: a search by --find min-workers cannot be continued; run it again");
}

// Time limits

TEST_F(Resume, ContinuesARunThatRanOutOfTime) {
  const std::string data = mnist();
  // Four trials of each of three cells take some three seconds.
  const Outcome outcome = run(slow_run(data) + Words{"--time-limit", "1.5s"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(" of 4 trials each to fit the time limit, about "));
  EXPECT_THAT(outcome.out, HasSubstr("\ntime limit: "));
  const auto limited = result();
  EXPECT_EQ(limited["status"], "complete");
  EXPECT_EQ(limited["cells"][1]["stopped"], "time-limit");
  EXPECT_EQ(run({"run", "--resume", "result.json", "--time-limit", "1h", "-q"}).exit_code, 0);
  EXPECT_EQ(trials_in(result()), 16U);
  EXPECT_EQ(result()["cells"][1]["stopped"], "trials");
}

TEST_F(Resume, RefusesATimeLimitTooShortForATrialOfEachCell) {
  const Outcome outcome = run(slow_run(mnist()) + Words{"--time-limit", "0.1s", "-q"});
  EXPECT_EQ(outcome.exit_code, 2);
  ASSERT_EQ(refusals(outcome).size(), 1U);
  EXPECT_THAT(refusals(outcome)[0], HasSubstr("--time-limit 0.1s: one trial of each of 4 cells takes about "));
  EXPECT_EQ(files(), (std::set<std::string>{"mnist"}));
}

TEST_F(Resume, ShowsHowManyTrialsFitATimeLimitWithoutRunningThem) {
  const Outcome outcome = run(slow_run(mnist()) + Words{"--time-limit", "1.5s", "--dry-run"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("4 cells, "));
  EXPECT_THAT(outcome.out, HasSubstr(" of 4 trials each to fit the time limit, about "));
}

TEST_F(Resume, StopsCellsWhoseIntervalIsNarrowEnough) {
  // Steps of 40 ms on a device that keeps time: a pilot of five trials, and five that count. The widest interval there
  // can be, so that a pause of this process changes nothing.
  const Outcome outcome =
      run(slow_run(mnist()) + Words{"--mode", "synthetic", "--until-ci", "100%", "--max-trials", "12"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("2 cells, 10 to 12 trials each, about "));
  EXPECT_EQ(result()["cells"][0]["stopped"], "interval");
  EXPECT_EQ(result()["cells"][0]["trials"].size(), 10U);
}

}  // namespace
}  // namespace loadline::test
