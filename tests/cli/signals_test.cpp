// Signals beyond those that a person sends: what batch systems, lost terminals and debuggers do.
#include <csignal>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;

class Signals : public CommandLine {};

TEST_F(Signals, StayIgnoredIfTheyWereIgnoredBefore) {
  world_.ignored = {SIGHUP, SIGINT};  // nohup ignores the first, a shell the second for a background job
  Tool tool(long_run(mnist()), world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 1/"));
  tool.send(SIGHUP);
  tool.send(SIGINT);
  ASSERT_TRUE(tool.wait_until_err_says("trial 3/")) << "it goes on";
  tool.send(SIGTERM);
  EXPECT_EQ(tool.finish().exit_code, 128 + SIGTERM);
}

TEST_F(Signals, StillEndTheRunAfterOneThatHasNoEffect) {
  Tool tool(long_run(mnist()), world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 1/"));
  tool.send(SIGURG);
  ASSERT_TRUE(tool.wait_until_err_says("trial 3/")) << "it goes on";
  tool.send(SIGTERM);
  EXPECT_EQ(tool.finish().exit_code, 128 + SIGTERM);
  EXPECT_EQ(result()["status"], "partial");
}

TEST_F(Signals, HangUpOfALostTerminalKeepsTheResultAndSetsTheExitCode) {
  world_.deaf_stdout = true;  // like a terminal that is gone
  Tool tool(long_run(mnist()), world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 1/"));
  tool.send(SIGHUP);
  tool.send(SIGHUP);
  EXPECT_EQ(tool.finish().exit_code, 128 + SIGHUP);
  EXPECT_EQ(result()["status"], "partial");
}

TEST_F(Signals, HangUpEndsAComparisonInPairs) {
  const Words words{
      "ab",     "--workload",   "mnist", "--data",       mnist(),   "--batch-size", "8",  "--trial-batches", "3",
      "--base", "--prefetch 2", "--new", "--prefetch 3", "--pairs", "100000",       "-o", "ab.json"};
  Tool tool(words, world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 1/"));
  tool.send(SIGHUP);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 128 + SIGHUP);
  EXPECT_THAT(outcome.err, HasSubstr("loadline: interrupted; "));
}

// Signals that keep their default action: SIGQUIT is for a user who wants the process to end as it is, and the tool has
// no use for SIGUSR1.
class LeftAlone : public Signals, public testing::WithParamInterface<int> {};

TEST_P(LeftAlone, EndsTheProcessAndLeavesAValidFile) {
  Tool tool(long_run(mnist()), world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 3/"));
  tool.send(GetParam());
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.signal, GetParam());
  EXPECT_EQ(result()["status"], "partial");
}

INSTANTIATE_TEST_SUITE_P(Signal, LeftAlone, testing::Values(SIGQUIT, SIGUSR1),
                         [](const auto& signal) { return signal.param == SIGQUIT ? "SIGQUIT" : "SIGUSR1"; });

}  // namespace
}  // namespace loadline::test
