// `loadline ab` and `loadline aa`.
#include <signal.h>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class Pairs : public CommandLine {
 protected:
  Pairs() { world_.environment["LOADLINE_BASELINES"] = (home_ / "baselines").string(); }

  Words quick(const std::string& verb) const {
    return Words{verb, "--workload", "mnist", "--data",  mnist(), "--batch-size", "8", "--trial-batches",
                 "3",  "--workers",  "1",     "--pairs", "4"};
  }
  static json parsed(const std::filesystem::path& path) { return json::parse(bytes_of(path)); }
};

TEST_F(Pairs, FindASlowerComputeAndKeepBothResults) {
  const Words words = quick("ab") + Words{"--mode", "full",
                                          "--base", "--compute device:samples_per_second=2000",
                                          "--new",  "--compute device:samples_per_second=200",
                                          "-o",     "out.json"};
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("regression: mnist/FULL/thread-pool/workers:1/batch:8 is "));
  EXPECT_THAT(outcome.err, HasSubstr("\nwarm-up mnist/FULL/thread-pool/workers:1/batch:8: "));
  EXPECT_THAT(outcome.err, HasSubstr("\ntrial 4/4 mnist/FULL/thread-pool/workers:1/batch:8: "));
  EXPECT_THAT(outcome.out, HasSubstr("\nout-new.json against out-base.json in pairs: samples/s"));
  EXPECT_EQ(files(), (std::set<std::string>{"mnist", "out-base.json", "out-new.json"}));
  const json base = parsed(home_ / "out-base.json");
  const json changed = parsed(home_ / "out-new.json");
  ASSERT_EQ(base["cells"].size(), 1U);
  EXPECT_EQ(base["cells"][0]["trials"].size(), 4U);
  EXPECT_EQ(base["status"], "complete");
  EXPECT_EQ(base["cells"][0]["compute"], "device:samples_per_second=2000");
  EXPECT_EQ(changed["cells"][0]["compute"], "device:samples_per_second=200");
  EXPECT_NE(base["run_id"], changed["run_id"]);

  const Outcome again = run({"diff", "--paired", "out-base.json", "out-new.json"});
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_EQ(again.out, outcome.out);
}

TEST_F(Pairs, RunInProcessesOfTheirOwn) {
  const Words words = quick("ab") + Words{"--mode",
                                          "full",
                                          "--processes",
                                          "--base",
                                          "--compute device:samples_per_second=2000",
                                          "--new",
                                          "--compute device:samples_per_second=200",
                                          "-o",
                                          "out"};
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("pair 4/4\n"));
  EXPECT_EQ(parsed(home_ / "out-base.json")["cells"][0]["trials"].size(), 4U);
  EXPECT_EQ(run({"diff", "--paired", "out-base.json", "out-new.json"}).out, outcome.out);
}

TEST_F(Pairs, SayWhichBinaryFailed) {
  EXPECT_THAT(run(quick("ab") + Words{"--new-binary", "/nonexistent/loadline", "--base", "--prefetch 3"}).err,
              HasSubstr("loadline: cannot run /nonexistent/loadline: No such file or directory\n"));
  const Outcome outcome = run(quick("ab") + Words{"--new-binary", "/bin/false", "-q"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(refusals(outcome), testing::ElementsAre("--new: /bin/false run ended with exit code 1"));
}

TEST_F(Pairs, RefuseWhatCannotBePaired) {
  expect_refusal(run(quick("ab") + Words{"--base", "--prefetch 4", "--new", "--prefetch 4"}), 2,
                 "--base and --new: they do not differ; `loadline aa` measures what that comes to");
  expect_refusal(run(quick("ab") + Words{"--base", "--wrokers 1"}), 2,
                 "--base: unknown option '--wrokers' (did you mean --workers?)");
  expect_refusal(run(quick("ab") + Words{"--base", "--workers 1,2", "--mode", "io"}), 2,
                 "--base and --new: want as many cells of the same modes on both sides to make pairs of, got "
                 "mnist/IO/thread-pool/workers:1/batch:8, mnist/IO/thread-pool/workers:2/batch:8 and "
                 "mnist/IO/thread-pool/workers:1/batch:8");
  expect_refusal(run(quick("ab") + Words{"--pairs", "1", "--new", "--prefetch 4"}), 2,
                 "--pairs 1: want at least 2, one has no interval");
  expect_refusal(run(quick("ab") + Words{"-o", "-", "--new", "--prefetch 4"}), 2,
                 "--output -: ab writes two results, give it a file");
}

TEST_F(Pairs, AreKeptAsFarAsTheyCameWhereTheyAreStopped) {
  Tool tool(quick("ab") + Words{"--pairs", "100000", "--new", "--prefetch 3", "-o", "out"}, world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 3/100000 "));
  tool.send(SIGTERM);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 143);
  EXPECT_THAT(outcome.err, HasSubstr("loadline: interrupted; what was measured so far is in out-base.json and "
                                     "out-new.json\n"));
  EXPECT_EQ(parsed(home_ / "out-base.json")["status"], "partial");
}

TEST_F(Pairs, OfTheSameAreTheNoiseFloorThatDiffHoldsTo) {
  const Outcome outcome = run(quick("aa"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("noise floor of "));
  const auto names = names_in(home_ / "baselines");
  ASSERT_EQ(names.size(), 1U);
  EXPECT_THAT(*names.begin(), StartsWith("noise-"));
  json noise = parsed(home_ / "baselines" / *names.begin());
  EXPECT_EQ(noise["pairs"], 4);
  ASSERT_EQ(noise["cells"].size(), 2U);

  for (json& cell : noise["cells"]) cell["floor"] = 0.5;
  write(home_ / "baselines" / *names.begin(), noise.dump());
  ASSERT_EQ(run(short_run(mnist()) + Words{"--trials", "3", "--mode", "full", "-q"}).exit_code, 0);
  EXPECT_THAT(run({"diff", "result.json", "result.json"}).out,
              HasSubstr("\nnote\n  the margin of FULL is the noise floor"));
  EXPECT_EQ(run({"diff", "result.json", "result.json", "--margin", "1%"}).exit_code, 2);
  EXPECT_EQ(run({"diff", "result.json", "result.json", "--margin", "1%", "--noise", "none"}).exit_code, 0);

  // Of a result of two hosts that of the noisier.
  for (json& cell : noise["cells"]) cell["floor"] = 0.6;
  noise["hostname"] = "node7";
  write(home_ / "baselines" / "noise-node7.json", noise.dump());
  json result = parsed(home_ / "result.json");
  result["machine"]["hostname"] = result["machine"]["hostname"].get<std::string>() + ", node7";
  write(home_ / "both.json", result.dump());
  EXPECT_THAT(run({"diff", "both.json", "both.json"}).out, HasSubstr(", node7, 60 %\n"));
}

TEST_F(Pairs, OfTheSameAreWrittenWhereTheyAreAskedFor) {
  const Outcome outcome = run(quick("aa") + Words{"--mode", "io", "-q", "-o", "noise.json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(parsed(home_ / "noise.json")["cells"][0]["mode"], "IO");
  ASSERT_EQ(run(short_run(mnist()) + Words{"--trials", "3", "-q"}).exit_code, 0);
  EXPECT_EQ(run({"diff", "result.json", "result.json", "--noise", "noise.json"}).exit_code, 0);
  expect_refusal(run({"diff", "result.json", "result.json", "--noise", "result.json"}), 1,
                 "result.json: not a noise floor, as `loadline aa` writes it");
}

}  // namespace
}  // namespace loadline::test
