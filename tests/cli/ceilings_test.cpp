// `loadline ceilings`, and ceilings in `loadline run`.
#include <signal.h>
#include <unistd.h>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Ceilings : public CommandLine {
 protected:
  Ceilings() { keep_ceilings_small(); }

  // Trials of 1 ms, by default one of each ceiling.
  Words ceilings(const std::string& data, const std::string& trials = "1") const {
    write(home_ / "config.json", R"({"trial_seconds": 0.001, "trials": )" + trials + "}");
    return {"ceilings", "--config", "config.json", "--workload", "mnist", "--data", data, "--batch-size", "8"};
  }

  static std::size_t trials_of_ceilings(const nlohmann::json& result) {
    std::size_t count = 0;
    for (const auto& ceiling : result.at("ceilings")) count += ceiling.at("trials").size();
    return count;
  }
};

TEST_F(Ceilings, AreRefusedBeforeTheyAreMeasuredIfStdoutIsClosed) {
  world_.closed = {STDOUT_FILENO};
  expect_refusal(run(ceilings(mnist())), 1, "cannot write to stdout: it is closed");
}

TEST_F(Ceilings, PrintALineEachAndWriteNoFile) {
  const Outcome outcome = run(ceilings(mnist()) + Words{"--loader", "thread-pool", "--workers", "1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* kind : {"memory-read", "memory-write", "memory-copy", "page-cache", "gather", "hand-off"}) {
    EXPECT_THAT(outcome.out, HasSubstr("\n" + std::string(kind) + " "));
  }
  EXPECT_THAT(outcome.out, HasSubstr("thread-pool x 1"));
  EXPECT_THAT(outcome.err, HasSubstr(" ceilings, 1 trial each, about "));
  EXPECT_THAT(outcome.err, HasSubstr("trial 1/1 memory-read/threads:1: "));
  EXPECT_EQ(files(), (std::set<std::string>{"config.json", "mnist"}));
}

TEST_F(Ceilings, AreWrittenAsAResultWhoseCellsHaveNoTrials) {
  const Outcome outcome = run(ceilings(mnist()) + Words{"-o", "result.json", "-q"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  const auto json = result();
  EXPECT_EQ(json["status"], "complete");
  EXPECT_EQ(trials_in(json), 0U);
  for (const auto& ceiling : json["ceilings"]) {
    // Not every file system can drop files from the page cache.
    EXPECT_TRUE(ceiling["trials"].size() == 1 || ceiling["kind"].get<std::string>().starts_with("device-")) << ceiling;
  }
}

TEST_F(Ceilings, AreReportedAsTheyWerePrintedAndNotCompared) {
  const Outcome measured = run(ceilings(mnist()) + Words{"-o", "result.json", "--loader", "serial"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const Outcome report = run({"report", "result.json"});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("\n\nmean ± standard deviation of the trials\n\nceiling "));
  EXPECT_THAT(report.out, Not(HasSubstr("\nworkload ")));
  expect_refusal(run({"diff", "result.json", "result.json"}), 1,
                 "result.json: a result of `loadline ceilings` has no trials to compare; `loadline report` shows it");
  expect_refusal(run({"diff", "--save-baseline", "main", "result.json"}), 1,
                 "result.json: it is a result of `loadline ceilings`, so it cannot be a baseline");
}

TEST_F(Ceilings, KeepStdoutPureWhenTheResultGoesThere) {
  const Outcome outcome = run(ceilings(mnist()) + Words{"-o", "-", "--loader", "serial"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(nlohmann::json::parse(outcome.out, nullptr, false).is_discarded());
  EXPECT_THAT(outcome.err, HasSubstr("\ngather "));
}

TEST_F(Ceilings, RefuseOptionsThatDoNotApply) {
  expect_refusal(run({"ceilings", "--mode", "io"}), 2, "ceilings: unknown option '--mode', see --help");
  expect_refusal(run({"ceilings", "--workers", "0"}), 2, "--workers 0: loader thread-pool wants at least 1");
}

TEST_F(Ceilings, ShowWhatWasMeasuredWhenInterrupted) {
  Tool tool(ceilings(mnist(), "100000") + Words{"-o", "result.json"}, world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 1/"));
  tool.send(SIGTERM);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 128 + SIGTERM);
  EXPECT_EQ(refusals(outcome), Words{"interrupted; what was measured so far is in result.json"});
  EXPECT_EQ(result()["status"], "partial");
  EXPECT_GE(trials_of_ceilings(result()), 1U);
}

TEST_F(Ceilings, ReportOnlyTheInterruptionWithoutAFile) {
  Tool tool(ceilings(mnist(), "100000"), world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 1/"));
  tool.send(SIGINT);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 128 + SIGINT);
  EXPECT_EQ(refusals(outcome), Words{"interrupted"});
}

TEST_F(Ceilings, StandBesideTheFiguresOfARun) {
  const Words fast{"--ceilings", "on", "--trial-seconds", "0.001"};
  const Words words{"run", "--workload", "mnist",  "--data", mnist(), "--batch-size", "8",          "--trials",
                    "1",   "--loader",   "serial", "--mode", "io",    "-o",           "result.json"};
  const Outcome outcome = run(words + fast);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("  ceiling\n"));
  const auto json = result();
  EXPECT_EQ(json["cells"][0]["ceiling"]["binding"], "gather-drain/mnist/data:0/batch:8/threads:1");
  EXPECT_EQ(json["cells"][1]["ceiling"], nullptr) << "OVERHEAD has none";

  const Outcome dry = run(words + fast + Words{"--dry-run"});
  EXPECT_THAT(dry.out, HasSubstr("\ngather-drain/mnist/data:0/batch:8/threads:1\n"));
  EXPECT_THAT(dry.out, HasSubstr("2 cells and 5 ceilings, 1 trial each, about "));
}

TEST_F(Ceilings, AreLeftOutWhenSwitchedOff) {
  const Outcome outcome = run(short_run(mnist()) + Words{"--ceilings", "off"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("ceiling")));
  const auto json = result();
  EXPECT_EQ(json["ceilings"].size(), 0U);
  for (const auto& cell : json["cells"]) EXPECT_EQ(cell["ceiling"], nullptr);
}

}  // namespace
}  // namespace loadline::test
