// `loadline run --trace`.
#include <gmock/gmock.h>
#include <signal.h>

#include "tests/cli/fixture.h"
#include "tests/support/trace_checker.h"

namespace loadline::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Trace : public CommandLine {
 protected:
  Words traced(const Words& more = {}) const {
    return short_run(mnist()) + Words{"--loader", "thread-pool", "--workers", "2", "--trace", "trace.json"} + more;
  }
  nlohmann::json trace() const { return nlohmann::json::parse(bytes_of(home_ / "trace.json")); }
};

TEST_F(Trace, HoldsOneMoreTrialOfEachCell) {
  const Outcome outcome = run(traced());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nresult: result.json\ntrace: trace.json\n"));
  EXPECT_THAT(faults_of_trace(bytes_of(home_ / "trace.json")), IsEmpty());
  EXPECT_THAT(processes_in(trace()), ElementsAre("mnist/IO/thread-pool/workers:2/batch:8", "mnist/SYNTHETIC/batch:8",
                                                 "mnist/FULL/thread-pool/workers:2/batch:8"));
  EXPECT_EQ(trace()["metadata"]["run_id"], result()["run_id"]);
  EXPECT_THAT(trace()["metadata"]["trials"], SizeIs(3));
  EXPECT_EQ(trials_in(result()), 4U) << "one of each cell, OVERHEAD among them";
}

TEST_F(Trace, HoldsTheRequestedNumberOfTrials) {
  EXPECT_EQ(run(traced({"--trace-trials", "3", "--filter", "mode=io", "-q"})).exit_code, 0);
  EXPECT_THAT(trace()["metadata"]["trials"], SizeIs(3));
  expect_refusal(run(traced({"--trace-trials", "0"})), 2, "--trace-trials: want a whole number of at least 1, got '0'");
  EXPECT_EQ(run(short_run(mnist()) + Words{"--trace-trials", "2"}).exit_code, 2);
}

TEST_F(Trace, NeverReplacesAFileUnasked) {
  write(home_ / "trace.json", "mine");
  Words words = traced();
  std::erase(words, "--overwrite");
  expect_refusal(run(words), 1, "cannot write trace.json: the file exists already; --overwrite replaces it");
  EXPECT_EQ(bytes_of(home_ / "trace.json"), "mine");
  EXPECT_EQ(run(traced({"-q"})).exit_code, 0);
  EXPECT_THAT(faults_of_trace(bytes_of(home_ / "trace.json")), IsEmpty());
  expect_refusal(run(traced({"--trace", "result.json"})), 2,
                 "--trace result.json: it is the file of the result; name another");
  expect_refusal(run(traced({"--trace", "-"})), 2, "--trace: want a file, got '-'");
}

TEST_F(Trace, IsNotLeftIncompleteOnAFullDisk) {
  world_.most_file_bytes = 60'000;
  const Outcome outcome = run(traced({"--trace-trials", "30", "--trial-batches", "20", "-q"}));
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_THAT(refusals(outcome), SizeIs(1)) << outcome.err;
  EXPECT_THAT(refusals(outcome)[0], HasSubstr("cannot write trace.json"));
  EXPECT_EQ(files(), (std::set<std::string>{"mnist", "result.json"}));
  EXPECT_EQ(result()["status"], "complete");
}

TEST_F(Trace, IsRefusedForACompleteResult) {
  ASSERT_EQ(run(short_run(mnist())).exit_code, 0);
  expect_refusal(run({"run", "--resume", "result.json", "--trace", "trace.json"}), 2,
                 "--trace: result.json is complete, so --resume measures nothing; trace a new run");
}

TEST_F(Trace, IsForRunsOnly) {
  const Outcome outcome = run({"ab", "--base", "", "--new", "", "--trace", "trace.json"});
  EXPECT_EQ(outcome.exit_code, 2);
  ASSERT_THAT(refusals(outcome), SizeIs(1));
  EXPECT_THAT(refusals(outcome)[0], HasSubstr("ab: unknown option '--trace'"));
}

TEST_F(Trace, SaysHowManyCellsItHasNoTimeFor) {
  const Outcome outcome = run(traced({"--trace-trials", "1000000", "--time-limit", "20s"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("trace: the time limit leaves no time for 3 of 3 cells\n"));
  EXPECT_EQ(files(), (std::set<std::string>{"mnist", "result.json"}));
}

TEST_F(Trace, IsNotWrittenWhenInterruptedButTheResultIs) {
  Tool tool(traced({"--trace-trials", "1000000"}), world_);
  ASSERT_TRUE(tool.wait_until_err_says("tracing 1000000 trials of each cell"));
  tool.send(SIGINT);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(refusals(outcome), Words{"interrupted; no trace is written"});
  EXPECT_EQ(files(), (std::set<std::string>{"mnist", "result.json"}));
  EXPECT_EQ(result()["status"], "complete");
}

TEST_F(Trace, SaysThatItLostSlices) {
  const Outcome outcome = run(traced({"--filter", "mode=io", "--trial-batches", "10000"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("slices did not fit, the last ones of each trial; shorter trials (--trial-seconds) or fewer"));
  const std::string text = bytes_of(home_ / "trace.json");
  EXPECT_TRUE(nlohmann::json::accept(text));
  // Alone, because the slices would take seconds to parse.
  const auto end = nlohmann::json::parse("{" + text.substr(text.rfind("\"metadata\":")));
  EXPECT_GT(end["metadata"]["lost_slices"], 0);
}

}  // namespace
}  // namespace loadline::test
