#include <csignal>

#include "tests/cli/fixture.h"
#include "tests/support/this_build.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;

// Loaders that are not in the table, as users of the tool see them.
class Plugins : public CommandLine {
 protected:
  static std::string faulty(const std::string& fault) {
    return std::string(kPlugins) + "faulty.so:fault=" + fault + ",classes=10";
  }

  Words run_of(const std::string& loader) const {
    return short_run(mnist()) +
           Words{"--loader", loader, "--dtype", "u8", "--compute", "device:samples_per_second=1e6"};
  }

  Outcome check(const std::string& loader, const Words& more = {}) const {
    return run(Words{"check", loader, "--workload", "mnist", "--data", mnist(), "--batch-size", "8"} + more);
  }
};

TEST_F(Plugins, AreMeasuredBesideRowsOfTheTable) {
  const std::string word = faulty("none");
  const Outcome outcome = run(run_of("serial," + word) + Words{"--workers", "1,2"});

  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(word + " x 2"));
  const auto json = result();
  EXPECT_EQ(json["cells"][1]["loader"], word);
  EXPECT_EQ(json["cells"][1]["trials"].size(), 1U);
  ASSERT_EQ(json["loaders"].size(), 1U);
  const auto& loader = json["loaders"][0];
  EXPECT_EQ(loader["loader"], word);
  EXPECT_EQ(loader["name"], "faulty");
  EXPECT_EQ(loader["version"], "2.5");
  EXPECT_THAT(loader["path"].get<std::string>(), HasSubstr("/test_plugins/faulty.so"));
  EXPECT_EQ(loader["delivered"]["dtype"], "u8");
  EXPECT_EQ(loader["delivered"]["shape"], nlohmann::json({1, 4, 4}));
  EXPECT_EQ(loader["delivered"]["labels"], true);
  EXPECT_EQ(loader["delivered"]["indices"], true);
}

TEST_F(Plugins, MayBeMissingWhenAResultIsReadBack) {
  ASSERT_EQ(run(run_of("serial," + faulty("none"))).exit_code, 0);
  std::string text = bytes_of(home_ / "result.json");
  for (auto at = text.find("/test_plugins/"); at != std::string::npos; at = text.find("/test_plugins/", at)) {
    text.replace(at, 14, "/no_plugins/");
  }
  write(home_ / "elsewhere.json", text);

  EXPECT_EQ(run({"report", "elsewhere.json", "-o", "report.md"}).exit_code, 0);
  EXPECT_EQ(run({"diff", "result.json", "result.json"}).exit_code, 0);
}

TEST_F(Plugins, FailTheirCellWithOneSentence) {
  const std::string word = faulty("throws-next");
  const Outcome outcome = run(run_of("serial," + word));

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("plug-in " + word + ": next() threw an exception: the shard is gone"));
  const auto json = result();
  EXPECT_EQ(json["cells"][0]["loader"], "serial");
  EXPECT_EQ(json["cells"][0]["trials"].size(), 1U) << "what the others did is kept";
}

TEST_F(Plugins, AreCheckedOneAtATime) {
  const std::string words = "serial," + faulty("hangs");
  expect_refusal(check(words), 2, "check: want one loader, got '" + words + "'");
}

TEST_F(Plugins, AreRefusedBeforeAnythingIsMeasured) {
  const std::string word = std::string(kPlugins) + "other_version.so";

  expect_refusal(run(run_of(word)), 1,
                 "plug-in " + word +
                     ": it was made for version 99 of loadline/plugin.h, but this loadline has version 1; compile it "
                     "with this loadline's header");
}

TEST_F(Plugins, ThatNeverReturnAreAbandonedAtTheTimeLimit) {
  const std::string word = faulty("hangs");
  const Outcome outcome = run(run_of(word) + Words{"--time-limit", "4", "--seed", "2"});

  EXPECT_EQ(outcome.exit_code, 1) << "seed 2 gives it the first turn";
  EXPECT_THAT(outcome.err, HasSubstr("loader " + word + ": next() has not returned "));
  EXPECT_EQ(result()["loaders"][0]["delivered"], nullptr);
}

TEST_F(Plugins, ThatNeverReturnAreAbandonedOnASignal) {
  Tool tool(short_run(mnist()) + Words{"--loader", faulty("hangs"), "--mode", "io"}, world_);
  ASSERT_TRUE(tool.wait_until_err_says("\n"));
  tool.send(SIGINT);
  const Outcome outcome = tool.finish();

  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_EQ(result()["status"], "partial");
}

TEST_F(Plugins, ThatCrashAreNamedByTheFunctionThatDid) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer says what crashed";
  const std::string word = faulty("aborts");
  const Outcome outcome = run(run_of("serial," + word));

  EXPECT_EQ(outcome.signal, SIGABRT);
  EXPECT_THAT(outcome.err, HasSubstr("loadline: SIGABRT in next() of loader " + word));
  EXPECT_EQ(outcome.err.find("is in result.json") != std::string::npos, files().contains("result.json"));
}

TEST_F(Plugins, ThatCrashWhileTheyAreOpenedAreNamed) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer says what crashed";
  const std::string word = std::string(kPlugins) + "crashes.so";
  const Outcome outcome = run(run_of(word));

  EXPECT_EQ(outcome.signal, SIGABRT);
  EXPECT_EQ(refusals(outcome), Words{"SIGABRT in loadline_plugin() of plug-in " + word});
}

TEST_F(Plugins, ThatThrowWhileTheyAreLoadedAreNamed) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer says what crashed";
  const std::string word = std::string(kPlugins) + "throws_early.so";
  const Outcome outcome = run(run_of(word));

  EXPECT_EQ(outcome.signal, SIGABRT);
  EXPECT_THAT(outcome.err, HasSubstr("what():  no licence\nloadline: SIGABRT in the loading of plug-in " + word));
}

TEST_F(Plugins, ThatExitDoNotEndTheRunAsASuccess) {
  const std::string word = faulty("exits");
  const Outcome outcome = run(run_of("serial," + word));

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("loadline: next() of loader " + word + " called exit()"));
}

TEST_F(Plugins, ThatOverflowTheStackAreNamedToo) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer says what crashed";
  const std::string word = faulty("overflows");
  const Outcome outcome = run(run_of("serial," + word));

  EXPECT_EQ(outcome.signal, SIGSEGV);
  EXPECT_THAT(outcome.err, HasSubstr("loadline: SIGSEGV in next() of loader " + word));
}

TEST_F(Plugins, MustDeliverWhatTheComputeNeeds) {
  if (run({"list"}).out.find("\n  cnn ") == std::string::npos) GTEST_SKIP() << "built without oneDNN";
  const std::string word = std::string(kPlugins) + "plain.so";
  write(home_ / "large/train-images-idx3-ubyte", idx_images(64, 12, 12));
  write(home_ / "large/train-labels-idx1-ubyte", idx_header({64}) + std::string(64, '\1'));
  const Outcome outcome =
      run(short_run("large") + Words{"--loader", word, "--compute", "cnn", "--mode", "full", "--dtype", "f32"});

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("loader " + word + ": it delivers samples of f32[], and compute cnn needs f32[1x12x12]"));
}

TEST_F(Plugins, RefuseOptionsOfTheLoadersInTheTable) {
  expect_refusal(
      run(run_of(faulty("none")) + Words{"--stores", "cached"}), 2,
      "--stores: it applies only to the loaders that `loadline list` shows, and --loader chooses none of them");
  expect_refusal(run({"train", "--workload", "mnist", "--data", mnist(), "--loader", faulty("none")}), 2,
                 "--loader " + faulty("none") + ": train takes only the loaders that `loadline list` shows");
}

TEST_F(Plugins, InPythonAreReferredToPython) {
  expect_refusal(run(run_of("train.py:make_loader")), 2,
                 "loader train.py:make_loader: a loader in Python needs `python3 -m loadline` instead of `loadline`");
}

TEST_F(Plugins, PassTheirCheck) {
  const std::string word = faulty("none");
  const Outcome outcome = check(word, {"--workers", "1,2"});

  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, word +
                             ": plug-in faulty 2.5, u8[1x4x4] with labels, with indices\n"
                             "  1 worker, epoch 0: 64 samples in 8 batches\n"
                             "  1 worker, epoch 1: 64 samples in 8 batches\n"
                             "  2 workers, epoch 0: 64 samples in 8 batches\n"
                             "  2 workers, epoch 1: 64 samples in 8 batches\n"
                             "  samples are identified by the indices that it reports\n"
                             "ok: each sample comes once per epoch, with its own label if it has one\n");
}

TEST_F(Plugins, AreNotedByTheirCheckIfTheirSamplesHaveAnotherSize) {
  const Outcome outcome = check(faulty("small-samples"), {"--workers", "1"});

  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("  samples are identified by the indices that it reports\n"
                                     "  its samples have 4 values each, those of loadline's own loaders have 16\n"));
}

TEST_F(Plugins, PassTheirCheckWithWhatAnEpochOfThisRankHas) {
  const std::string label = "comes once per epoch, with its own label if it has one";
  EXPECT_THAT(check("serial", {"--rank", "1", "--world-size", "2"}).out,
              testing::EndsWith("ok: each sample of this share " + label + "\n"));
  EXPECT_THAT(check("serial", {"--drop-last"}).out, testing::EndsWith("ok: each sample " + label + "\n"))
      << "8 batches of 8";
  const Outcome short_last =
      run({"check", "serial", "--workload", "mnist", "--data", mnist(), "--batch-size", "10", "--drop-last"});
  EXPECT_THAT(short_last.out, testing::EndsWith("ok: each sample " + label + ", without the short last batch\n"));
}

TEST_F(Plugins, FailTheirCheckWithTheNumbersOfSamples) {
  const std::string word = faulty("repeats");
  const Outcome outcome = check(word, {"--workers", "1", "--epochs", "1"});

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("with 1 worker: epoch 0: 1 sample never came: 3\n"
                                     "with 1 worker: epoch 0: 1 sample came more than once: 2\n"));
  EXPECT_THAT(outcome.err, HasSubstr("loader " + word + " does not deliver "));
  EXPECT_THAT(outcome.err, HasSubstr(": 2 faults\n"));
}

TEST_F(Plugins, ThatNeverReturnEndTheirCheckAtTheTimeLimit) {
  const Outcome outcome = check(faulty("hangs"), {"--workers", "1", "--time-limit", "1"});

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("next() has not returned"));
}

TEST_F(Plugins, ThatDeliverForLongEndTheirCheckAtTheTimeLimit) {
  const std::string word = faulty("none");
  const Outcome outcome = check(word, {"--workers", "1", "--epochs", "1000000000", "--time-limit", "0.5"});

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(refusals(outcome),
            Words{"checking " + word + " was stopped at the time limit of 0.5 s: not all epochs were checked"});
}

TEST_F(Plugins, InTheDocumentationPassTheirCheck) {
  const std::string example = std::string(kPlugins) + "libcifar10.so";
  ASSERT_EQ(run({"data", "make", "cifar10", "cifar10", "--samples", "100"}).exit_code, 0);
  const Words on{"--workload", "cifar10", "--data", "cifar10", "--dtype", "u8", "--batch-size", "16"};

  for (const Words& more : {Words{}, {"--split", "test"}, {"--drop-last"}, {"--rank", "1", "--world-size", "2"}}) {
    const Outcome checked = run(Words{"check", example, "--workers", "1,2,3"} + on + more);
    EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  }
  const Outcome measured = run(Words{"run", "--loader", "thread-pool," + example, "--workers", "2", "-o", "result.json",
                                     "--compute", "device:samples_per_second=1e6"} +
                               on + kShort);
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_EQ(result()["loaders"][0]["name"], "cifar10-example");
}

}  // namespace
}  // namespace loadline::test
