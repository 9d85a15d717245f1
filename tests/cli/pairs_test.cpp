// `loadline ab`.
#include <fmt/format.h>
#include <signal.h>

#include "tests/cli/fixture.h"
#include "tests/support/this_build.h"

namespace loadline::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class Pairs : public CommandLine {
 protected:
  Words quick(const std::string& verb) const {
    return Words{verb, "--workload", "mnist", "--data",  mnist(), "--batch-size", "8", "--trial-batches",
                 "3",  "--workers",  "1",     "--pairs", "4"};
  }
  static Json parsed(const std::filesystem::path& path) { return Json::parse(bytes_of(path)); }
};

// Both have eight pairs: of four, one trial that a busy machine delays can hide the factor of ten.
TEST_F(Pairs, FindASlowerComputeAndKeepBothResults) {
  const Words words = quick("ab") + Words{"--pairs", "8",
                                          "--mode",  "full",
                                          "--base",  "--compute device:samples_per_second=2000",
                                          "--new",   "--compute device:samples_per_second=200",
                                          "-o",      "out.json"};
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("regression: mnist FULL is "));
  EXPECT_THAT(outcome.out,
              HasSubstr(" slower: compute device:samples_per_second=2000 -> device:samples_per_second=200 "));
  EXPECT_THAT(outcome.err, HasSubstr("\nwarm-up mnist/FULL/thread-pool/workers:1/batch:8: "));
  EXPECT_THAT(outcome.err, HasSubstr("\ntrial 8/8 mnist/FULL/thread-pool/workers:1/batch:8: "));
  EXPECT_THAT(outcome.out, HasSubstr("\nout-new.json against out-base.json in pairs: samples/s"));
  EXPECT_EQ(files(), (std::set<std::string>{"mnist", "out-base.json", "out-new.json"}));
  const Json base = parsed(home_ / "out-base.json");
  const Json changed = parsed(home_ / "out-new.json");
  ASSERT_EQ(base["cells"].size(), 1U);
  EXPECT_EQ(base["cells"][0]["trials"].size(), 8U);
  EXPECT_EQ(base["status"], "complete");
  EXPECT_EQ(base["cells"][0]["compute"], "device:samples_per_second=2000");
  EXPECT_EQ(changed["cells"][0]["compute"], "device:samples_per_second=200");
  EXPECT_NE(base["run_id"], changed["run_id"]);

  const Outcome again = run({"diff", "--paired", "out-base.json", "out-new.json"});
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_EQ(again.out, outcome.out);
}

TEST_F(Pairs, RunInSeparateProcesses) {
  const Words words = quick("ab") + Words{"--pairs",
                                          "8",
                                          "--mode",
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
  EXPECT_THAT(outcome.err, HasSubstr("pair 8/8\n"));
  EXPECT_EQ(parsed(home_ / "out-base.json")["cells"][0]["trials"].size(), 8U);
  EXPECT_EQ(run({"diff", "--paired", "out-base.json", "out-new.json"}).out, outcome.out);
}

TEST_F(Pairs, SwitchAFlagOnForOneSide) {
  run(quick("ab") + Words{"--mode", "io", "--in-memory=off", "--new", "--in-memory", "-q", "-o", "out"});
  EXPECT_EQ(parsed(home_ / "out-base.json")["config"]["in_memory"], false);
  EXPECT_EQ(parsed(home_ / "out-new.json")["config"]["in_memory"], true);
}

TEST_F(Pairs, SayWhichExclusionsNoCellOfEitherSideMeets) {
  const Words words = quick("ab") + Words{"--mode", "io", "--exclude", "workers=2,loader=serail", "-o", "out"};
  const Words one_side = words + Words{"--new", "--workers 1,2 --prefetch 3"};
  const std::string said = run(one_side).err;
  EXPECT_THAT(said, StartsWith("--exclude: no cell meets loader=serail\n"));
  EXPECT_EQ(said.find("--exclude", 1), std::string::npos) << said;
  EXPECT_EQ(run(one_side + Words{"--overwrite", "-q"}).err, "");
}

TEST_F(Pairs, LeaveOutOfASideWhatTheCommonAndItsOwnExclusionsName) {
  run(quick("ab") + Words{"--mode", "io", "--exclude", "batch_size=16", "--new",
                          "--exclude workers=7 --exclude prefetch=9", "-q", "-o", "out"});
  EXPECT_EQ(parsed(home_ / "out-base.json")["config"]["exclude"], Json({"batch_size=16"}));
  EXPECT_EQ(parsed(home_ / "out-new.json")["config"]["exclude"], Json({"batch_size=16", "workers=7", "prefetch=9"}));
}

TEST_F(Pairs, SayWhichBinaryFailed) {
  EXPECT_THAT(run(quick("ab") + Words{"--new-binary", "/nonexistent/loadline", "--base", "--prefetch 3"}).err,
              HasSubstr("loadline: cannot run /nonexistent/loadline: No such file or directory\n"));
  const Outcome outcome = run(quick("ab") + Words{"--new-binary", "/bin/false", "-q"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(refusals(outcome), testing::ElementsAre("--new: /bin/false run ended with exit code 1"));
}

// A program in place of loadline that writes something else to the file named by its last argument.
class OtherBinaries : public Pairs {
 protected:
  // The refusal of an `ab` whose base is a script with this body; the script writes to "$out".
  std::string refusal_of(const std::string& body) {
    const auto path = write(home_ / "other.sh", "#!/bin/sh\nfor out; do :; done\n" + body + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    const Outcome outcome = run(quick("ab") + Words{"--mode", "io", "--seed", kSeed, "--base-binary", path.string(),
                                                    "--new-binary", kTool, "-q", "-o", "out"});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
    EXPECT_EQ(outcome.out, "");
    const Words said = refusals(outcome);
    if (said.size() != 1) return outcome.err;
    const std::string who = fmt::format("--base: {} run ", path.string());
    return said[0].starts_with(who) ? said[0].substr(who.size()) : said[0];
  }

  static constexpr const char* kSeed = "1";
};

TEST_F(OtherBinaries, ThatWriteNothingAreAnError) {
  EXPECT_EQ(refusal_of(""), "wrote no result");
}

TEST_F(OtherBinaries, ThatWriteSomethingElseAreAnError) {
  EXPECT_EQ(refusal_of("echo '{}' >\"$out\""),
            "wrote something that cannot be used: its result: not a result of loadline: it has no schema_version");
  EXPECT_THAT(refusal_of("echo '{\"schema_version\": 99}' >\"$out\""),
              StartsWith("wrote something that cannot be used: its result: written by another loadline as schema "
                         "version 99"));
}

TEST_F(OtherBinaries, ThatWriteAnEarlierResultAreAnError) {
  ASSERT_EQ(run(short_run(mnist(), "old.json") + Words{"--mode", "io", "--loader", "thread-pool", "-q"}).exit_code, 0);
  Json old = parsed(home_ / "old.json");
  old["started"] = "2026-01-01T00:00:00Z";
  write(home_ / "old.json", old.dump());
  EXPECT_EQ(
      refusal_of(fmt::format("cp {} \"$out\"", (home_ / "old.json").string())),
      "wrote something that cannot be used: its result began at 2026-01-01T00:00:00Z, before the run was started");
}

TEST_F(OtherBinaries, ThatWriteAResultTwiceAreAnError) {
  const std::string kept = (home_ / "kept.json").string();
  EXPECT_THAT(refusal_of(fmt::format("if [ -e {0} ]; then cp {0} \"$out\"; else {1} \"$@\" && cp \"$out\" {0}; fi",
                                     kept, kTool)),
              StartsWith("wrote the result of an earlier run again, "));
}

TEST_F(OtherBinaries, ThatMeasureSomethingElseAreAnError) {
  EXPECT_EQ(refusal_of(fmt::format("{} \"$@\" --seed 2", kTool)),
            "wrote something that cannot be used: its result has another --seed than requested");
  EXPECT_EQ(refusal_of(fmt::format("{} \"$@\" --output {} && cp {} \"$out\"", kTool, (home_ / "x.json").string(),
                                   (home_ / "x.json").string())),
            "wrote something that cannot be used: its result has another command line");
  EXPECT_THAT(refusal_of(fmt::format("{} \"$@\" --trials 2", kTool)),
              testing::AllOf(StartsWith("wrote something that cannot be used: its result has 2 trials of mnist/IO/"),
                             testing::EndsWith(" instead of 1")));
}

TEST_F(Pairs, RefuseWhatCannotBePaired) {
  expect_refusal(run(quick("ab") + Words{"--base", "--prefetch 4", "--new", "--prefetch 4"}), 2,
                 "--base and --new: they do not differ; `loadline aa` measures how much identical runs differ");
  expect_refusal(run(quick("ab") + Words{"--base", "--wrokers 1"}), 2,
                 "--base: unknown option '--wrokers' (did you mean --workers?)");
  expect_refusal(run(quick("ab") + Words{"--base", "--workers 1,2", "--mode", "io"}), 2,
                 "--base and --new: both sides need equally many cells of the same modes, to form pairs, got "
                 "mnist/IO/thread-pool/workers:1/batch:8, mnist/IO/thread-pool/workers:2/batch:8 and "
                 "mnist/IO/thread-pool/workers:1/batch:8");
  expect_refusal(run(quick("ab") + Words{"--pairs", "1", "--new", "--prefetch 4"}), 2,
                 "--pairs 1: want at least 2, because one pair has no interval");
  expect_refusal(run(quick("ab") + Words{"-o", "-", "--new", "--prefetch 4"}), 2,
                 "--output -: ab writes two results; give it a file");
}

TEST_F(Pairs, AreSavedDuringTheRun) {
  const Words words{"--mode", "io", "--pairs", "100000", "--new", "--prefetch 3", "-o", "out"};
  for (const Words& how : {Words{}, Words{"--processes"}}) {
    SCOPED_TRACE(testing::PrintToString(how));
    Tool tool(quick("ab") + words + how, world_);
    ASSERT_TRUE(tool.wait_until_err_says(how.empty() ? "trial 3/" : "pair 3/"));
    tool.send(SIGKILL);
    EXPECT_EQ(tool.finish().signal, SIGKILL);
    for (const char* file : {"out-base.json", "out-new.json"}) {
      EXPECT_EQ(parsed(home_ / file)["status"], "partial");
      EXPECT_GE(trials_in(parsed(home_ / file)), 1U);
      std::filesystem::remove(home_ / file);
    }
  }
}

TEST_F(Pairs, ReportAFullDisk) {
  world_.most_file_bytes = 4096;
  const Outcome outcome = run(quick("ab") + Words{"--mode", "io", "--new", "--prefetch 3", "-o", "out"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_LT(
      outcome.err.find("loadline: cannot write out-base.json: File too large; nothing is saved; the run goes on and "
                       "tries again\n"),
      outcome.err.find("trial 4/4 "));
  EXPECT_EQ(files(), (std::set<std::string>{"mnist"}));
}

TEST_F(Pairs, NameACallThatHungWhenTheyWereStopped) {
  const std::string word = std::string(kPlugins) + "faulty.so:fault=hangs,classes=10";
  Tool tool(quick("ab") + Words{"--mode", "io", "--new", "--loader " + word, "-o", "out"}, world_);
  ASSERT_TRUE(tool.wait_until_err_says("hangs now"));
  tool.send(SIGINT);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("loader " + word + ": next() "));
}

TEST_F(Pairs, AreKeptWhenStopped) {
  Tool tool(quick("ab") + Words{"--pairs", "100000", "--new", "--prefetch 3", "-o", "out"}, world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 3/100000 "));
  tool.send(SIGTERM);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 143);
  EXPECT_THAT(outcome.err, HasSubstr("loadline: interrupted; what was measured so far is in out-base.json and "
                                     "out-new.json\n"));
  EXPECT_EQ(parsed(home_ / "out-base.json")["status"], "partial");
}

}  // namespace
}  // namespace loadline::test
