// What `-o` may replace, and what no command overwrites.
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Output : public CommandLine {
 protected:
  Output() { mnist(); }

  std::string data() const { return (home_ / "mnist").string(); }

  // A run without --overwrite.
  Words careful_run(const std::string& output, const Words& more = {}) const {
    return Words{"run",    "--workload", "mnist",    "--data", data(),    "--batch-size", "8",
                 "--mode", "io",         "--loader", "serial", "--quiet", "-o",           output} +
           kShort + more;
  }

  // Expects the command to print this sentence, leave the file unchanged and create no other.
  void expect_kept(const std::string& file, const Words& words, int exit_code, const std::string& sentence) const {
    const std::string before = bytes_of(home_ / file);
    const auto names = files();
    expect_refusal(run(words), exit_code, sentence);
    EXPECT_EQ(bytes_of(home_ / file), before);
    EXPECT_EQ(files(), names);
  }

  void stop_in_the_middle(const std::string& output) const {
    ASSERT_EQ(run(careful_run(output)).exit_code, 0);
    auto json = result(output);
    json["status"] = "partial";
    write(home_ / output, json.dump());
  }
};

TEST_F(Output, ReplacesACompleteResultOnlyWithOverwrite) {
  ASSERT_EQ(run(careful_run("result.json")).exit_code, 0);
  expect_kept("result.json", careful_run("result.json"), 1,
              "cannot write result.json: a result exists already; --overwrite replaces it");
  const auto before = result()["run_id"];
  EXPECT_EQ(run(careful_run("result.json", {"--overwrite"})).exit_code, 0);
  EXPECT_NE(result()["run_id"], before);
}

TEST_F(Output, NeverReplacesTheResultOfAStoppedRun) {
  stop_in_the_middle("result.json");
  const std::string sentence =
      "cannot write result.json: it holds the result of a stopped run; continue it with --resume, remove it, or name "
      "another";
  expect_kept("result.json", careful_run("result.json"), 1, sentence);
  expect_kept("result.json", careful_run("result.json", {"--overwrite"}), 1, sentence);
}

TEST_F(Output, ReplacesAStoppedSearchWhichNothingContinues) {
  stop_in_the_middle("result.json");
  auto json = result("result.json");
  json["config"]["find"] = "best";
  write(home_ / "result.json", json.dump());
  expect_kept("result.json", careful_run("result.json"), 1,
              "cannot write result.json: a result exists already; --overwrite replaces it");
  EXPECT_EQ(run(careful_run("result.json", {"--overwrite"})).exit_code, 0);
}

TEST_F(Output, NeverReplacesAFileThatIsNotAResult) {
  const std::string sentence = ": the file is not a loadline result and is not replaced; name another";
  ASSERT_EQ(run(careful_run("cut.json")).exit_code, 0);
  write(home_ / "cut.json", bytes_of(home_ / "cut.json").substr(0, 1000));
  write(home_ / "thesis.tex", "years of work");
  write(home_ / "other.json", R"({"status": "complete", "run_id": "1"})");
  for (const char* file : {"thesis.tex", "other.json", "cut.json"}) {
    SCOPED_TRACE(file);
    expect_kept(file, careful_run(file), 1, "cannot write " + std::string(file) + sentence);
    expect_kept(file, careful_run(file, {"--overwrite"}), 1, "cannot write " + std::string(file) + sentence);
  }
}

TEST_F(Output, ReplacesAnEmptyFileOnlyWithOverwrite) {
  write(home_ / "new.json", "");
  expect_kept("new.json", careful_run("new.json"), 1,
              "cannot write new.json: an empty file exists already; --overwrite replaces it");
  EXPECT_EQ(run(careful_run("new.json", {"--overwrite"})).exit_code, 0);
  EXPECT_EQ(result("new.json")["status"], "complete");
}

TEST_F(Output, NeverReplacesTheDatasetUnderAnyName) {
  const std::string labels = "mnist/train-labels-idx1-ubyte";
  fs::create_symlink(labels, home_ / "link.json");
  fs::create_hard_link(home_ / labels, home_ / "twin.json");
  const auto sentence = [&](const std::string& name) {
    return fmt::format("cannot write {}: it belongs to the dataset {}, which this command reads", name, data());
  };
  const Words fast = Words{"--overwrite", "--quiet"} + kShort;
  const auto command = [&](const std::string& output) {
    return Words{"run", "--workload", "mnist", "--data", data(), "--batch-size", "8", "-o", output} + fast;
  };
  expect_kept(labels, command(labels), 2, sentence(labels));
  expect_kept(labels, command("twin.json"), 2, sentence("twin.json"));
  expect_kept(labels, command("link.json"), 2, sentence(labels));
  EXPECT_TRUE(fs::is_symlink(home_ / "link.json"));
}

TEST_F(Output, NeverReplacesADatasetOfOneFile) {
  ASSERT_EQ(run({"data", "convert", data(), "mnist.h5", "-q"}).exit_code, 0);
  for (const char* verb : {"run", "ceilings", "train"}) {
    SCOPED_TRACE(verb);
    expect_kept("mnist.h5",
                {verb, "--workload", "mnist", "--data", "mnist.h5", "--batch-size", "8", "--workers", "1",
                 "--overwrite", "-o", "mnist.h5"},
                2, "cannot write mnist.h5: it belongs to the dataset mnist.h5, which this command reads");
  }
  fs::create_hard_link(home_ / "mnist.h5", home_ / "out-new.json");
  const Words sides{"--workload", "mnist", "--data", "mnist.h5", "--batch-size", "8", "--workers", "1", "-o"};
  expect_kept("mnist.h5", Words{"ab", "--overwrite", "--new", "--prefetch 3"} + sides + Words{"out"}, 2,
              "cannot write out-new.json: it belongs to the dataset mnist.h5, which this command reads");
  expect_kept("mnist.h5", Words{"aa", "--overwrite"} + sides + Words{"mnist.h5"}, 2,
              "cannot write mnist.h5: it belongs to the dataset mnist.h5, which this command reads");
}

TEST_F(Output, WritesBesideTheSamplesAndReplacesAResultThere) {
  const Words words = careful_run("mnist/result.json");
  EXPECT_EQ(run(words).exit_code, 0);
  EXPECT_EQ(run(words + Words{"--overwrite"}).exit_code, 0);
  EXPECT_EQ(result("mnist/result.json")["status"], "complete");
}

TEST_F(Output, NeverReplacesAnInputOfTheSameCommand) {
  ASSERT_EQ(run(careful_run("a.json")).exit_code, 0);
  ASSERT_EQ(run(careful_run("b.json", {"--save-baseline", "main"})).exit_code, 0);
  fs::create_symlink("a.json", home_ / "link.json");
  fs::create_hard_link(home_ / "a.json", home_ / "twin.json");
  const Words commands[] = {{"export", "--to", "benchy", "a.json"},
                            {"report", "a.json", "--format", "csv"},
                            {"diff", "b.json", "a.json"},
                            {"merge", "b.json", "a.json"}};
  for (const Words& command : commands) {
    SCOPED_TRACE(testing::PrintToString(command));
    for (const std::string output : {"a.json", "./a.json", "twin.json"}) {
      expect_kept("a.json", command + Words{"--overwrite", "-o", output}, 2,
                  "cannot write " + output + ": it is a.json, which this command reads");
    }
    expect_kept("a.json", command + Words{"--overwrite", "-o", "link.json"}, 2,
                "cannot write a.json: it is a.json, which this command reads");
  }
  const std::string baseline = (home_ / "baselines" / "main.json").string();
  expect_kept("baselines/main.json", {"diff", "--baseline", "main", "a.json", "--overwrite", "-o", baseline}, 2,
              fmt::format("cannot write {0}: it is {0}, which this command reads", baseline));
  expect_kept("a.json", careful_run("a.json", {"--config", "a.json", "--overwrite"}), 2,
              "cannot write a.json: it is a.json, which this command reads");
}

TEST_F(Output, OfTextReplacesAnyTextWithOverwriteButNoResult) {
  ASSERT_EQ(run(careful_run("a.json")).exit_code, 0);
  ASSERT_EQ(run(careful_run("b.json")).exit_code, 0);
  write(home_ / "notes.txt", "mine");
  const Words commands[] = {
      {"export", "--to", "benchy", "a.json"}, {"report", "a.json", "--format", "csv"}, {"diff", "a.json", "a.json"}};
  for (const Words& command : commands) {
    SCOPED_TRACE(testing::PrintToString(command));
    write(home_ / "notes.txt", "mine");
    expect_kept("notes.txt", command + Words{"-o", "notes.txt"}, 1,
                "cannot write notes.txt: the file exists already; --overwrite replaces it");
    EXPECT_EQ(run(command + Words{"-o", "notes.txt", "--overwrite"}).exit_code, 0);
    EXPECT_NE(bytes_of(home_ / "notes.txt"), "mine");
    expect_kept("b.json", command + Words{"-o", "b.json", "--overwrite"}, 1,
                "cannot write b.json: it holds the result of a run, which only another result may replace");
  }
}

TEST_F(Output, OfMergeReplacesAResultThatLackedShares) {
  ASSERT_EQ(run(careful_run("a.json")).exit_code, 0);
  ASSERT_EQ(run(careful_run("b.json")).exit_code, 0);
  stop_in_the_middle("both.json");
  const Words words{"merge", "a.json", "b.json", "-o", "both.json"};
  expect_kept("both.json", words, 1, "cannot write both.json: a result exists already; --overwrite replaces it");
  EXPECT_EQ(run(words + Words{"--overwrite"}).exit_code, 0);
  EXPECT_EQ(result("both.json")["status"], "complete");
}

TEST_F(Output, OfPairsIsCheckedOnBothSides) {
  ASSERT_EQ(run(careful_run("out-new.json")).exit_code, 0);
  expect_kept("out-new.json",
              {"ab", "--workload", "mnist", "--data", data(), "--workers", "1", "--new", "--prefetch 3", "-o", "out"},
              1, "cannot write out-new.json: a result exists already; --overwrite replaces it");
}

TEST_F(Output, OverABaselineNeedsOverwriteToo) {
  ASSERT_EQ(run(careful_run("a.json", {"--save-baseline", "main"})).exit_code, 0);
  const std::string sentence =
      "--save-baseline main: a baseline with this name exists already; --overwrite replaces it";
  expect_kept("baselines/main.json", careful_run("b.json", {"--save-baseline", "main"}), 1, sentence);
  EXPECT_FALSE(fs::exists(home_ / "b.json")) << "before anything is measured";
  expect_kept("baselines/main.json", {"diff", "--save-baseline", "main", "a.json"}, 1, sentence);
  EXPECT_EQ(run({"diff", "--save-baseline", "main", "a.json", "--overwrite"}).exit_code, 0);
  EXPECT_EQ(run(careful_run("b.json", {"--save-baseline", "main", "--overwrite"})).exit_code, 0);
  EXPECT_EQ(bytes_of(home_ / "baselines" / "main.json"), bytes_of(home_ / "b.json"));
}

// One writer at a time

TEST_F(Output, HasOneWriterAtATime) {
  Tool first(long_run(data()), world_);
  ASSERT_TRUE(first.wait_until_err_says("trial 1/"));
  EXPECT_TRUE(files().contains("result.json.lock"));
  const std::string sentence = "cannot write result.json: another loadline is writing it and holds result.json.lock";
  expect_refusal(run(careful_run("result.json", {"--overwrite"})), 1, sentence);
  expect_refusal(run({"run", "--resume", "result.json"}), 1, sentence);
  first.send(SIGTERM);
  EXPECT_EQ(first.finish().exit_code, 143);
  EXPECT_EQ(files(), (std::set<std::string>{"mnist", "result.json"}));
}

TEST_F(Output, IsNotBlockedByTheLockOfAKilledWriter) {
  Tool first(long_run(data()), world_);
  ASSERT_TRUE(first.wait_until_err_says("trial 2/"));
  first.send(SIGKILL);
  EXPECT_EQ(first.finish().signal, SIGKILL);
  EXPECT_TRUE(files().contains("result.json.lock"));
  EXPECT_EQ(run(careful_run("other.json")).exit_code, 0);
  Tool second({"run", "--resume", "result.json"}, world_);
  ASSERT_TRUE(second.wait_until_err_says("trial "));
  second.send(SIGTERM);
  EXPECT_EQ(second.finish().exit_code, 143);
  EXPECT_FALSE(files().contains("result.json.lock"));
}

}  // namespace
}  // namespace loadline::test
