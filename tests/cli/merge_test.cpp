// merge and export.
#include <filesystem>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;

class Merge : public CommandLine {
 protected:
  // Three configurations, which the shares divide.
  static inline const Words kSweep{"--loader", "serial,thread-pool", "--workers", "1,2"};

  void make(const std::string& name, const Words& options = {}) const {
    ASSERT_EQ(run(short_run((home_ / "mnist").string(), name) + Words{"-q", "--loader", "serial"} + options).exit_code,
              0);
  }
};

TEST_F(Merge, MakesOneResultOfTheSharesOfASweep) {
  mnist();
  make("a.json", kSweep + Words{"--part", "1/2"});
  make("b.json", kSweep + Words{"--part", "2/2"});
  const Outcome outcome = run({"merge", "a.json", "b.json", "-o", "result.json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "merged 2 results into 8 cells\nresult: result.json\n");
  EXPECT_EQ(result()["status"], "complete");
  EXPECT_EQ(result()["configurations"].size(), 3U);
  EXPECT_EQ(result()["merged_from"][1], result("b.json")["run_id"]);
  EXPECT_EQ(trials_in(result()), trials_in(result("a.json")) + trials_in(result("b.json")));
}

TEST_F(Merge, SaysWhenSharesAreMissing) {
  mnist();
  make("a.json", kSweep + Words{"--part", "1/3"});
  make("b.json", kSweep + Words{"--part", "2/3"});
  const Outcome outcome = run({"merge", "a.json", "b.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(" cells, which are not all that were requested (share 3/3 is missing)\nresult: "
                                     "loadline-2"));
}

TEST_F(Merge, MakesAWholeOfSharesThatSpellTheirDataDifferently) {
  mnist();
  make("a.json", kSweep + Words{"--data", "mnist", "--part", "1/3"});
  make("b.json", kSweep + Words{"--data", "./mnist/", "--part", "2/3"});
  make("c.json", kSweep + Words{"--data", (home_ / "mnist").string(), "--part", "3/3"});
  const Outcome outcome = run({"merge", "a.json", "b.json", "c.json", "-o", "result.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "merged 3 results into 8 cells\nresult: result.json\n");
  EXPECT_EQ(result()["status"], "complete");
  ASSERT_EQ(result()["datasets"].size(), 1U);
  EXPECT_EQ(result()["datasets"][0]["path"], "mnist");
  EXPECT_EQ(result()["datasets"][0]["canonical_path"], std::filesystem::canonical(home_ / "mnist").string());
}

// It used to be complete, without some cells.
TEST_F(Merge, SaysWhenSharesAreOfDifferentSweeps) {
  mnist();
  make("a.json", {"--loader", "serial,thread-pool", "--workers", "1", "--part", "1/2"});
  make("b.json", {"--loader", "thread-pool,serial", "--workers", "1", "--part", "2/2"});
  const Outcome outcome = run({"merge", "a.json", "b.json", "-o", "result.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(" cells, which are not all that were requested (the shares are of different "
                                     "sweeps: b.json has another --loader than a.json)\n"));
  EXPECT_EQ(result()["status"], "partial");
  EXPECT_EQ(result()["config"]["part"], nullptr);
}

TEST_F(Merge, AddsTheMissingShareToAMerge) {
  mnist();
  for (const std::string share : {"1", "2", "3"}) make(share + ".json", kSweep + Words{"--part", share + "/3"});
  ASSERT_EQ(run({"merge", "1.json", "2.json", "-o", "two.json"}).exit_code, 0);
  EXPECT_EQ(result("two.json")["status"], "partial");
  EXPECT_EQ(result("two.json")["config"]["part"], "1/3,2/3");
  const Outcome outcome = run({"merge", "two.json", "3.json", "-o", "result.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(" cells\nresult: result.json\n"));
  EXPECT_EQ(result()["status"], "complete");
  EXPECT_EQ(result()["config"]["part"], nullptr);
}

// It used to say only that trials are missing.
TEST_F(Merge, SaysWhenSharesAndTrialsAreMissing) {
  mnist();
  make("a.json", kSweep + Words{"--part", "1/3", "--trials", "2"});
  make("b.json", kSweep + Words{"--part", "2/3", "--trials", "2"});
  auto stopped = result("a.json");
  stopped["status"] = "partial";
  stopped["cells"][0]["trials"].erase(1);
  stopped["cells"][0]["stopped"] = "time-limit";
  write(home_ / "a.json", stopped.dump());
  const Outcome outcome = run({"merge", "a.json", "b.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr(" cells, which are not all that were requested (share 3/3 is missing), and some of "
                        "which have fewer trials than requested\nresult: loadline-2"));
}

// The other share used to be missing.
TEST_F(Merge, LacksNothingBesideARunOfTheWholeSweep) {
  mnist();
  make("a.json", kSweep);
  make("b.json", kSweep + Words{"--part", "1/2"});
  const Outcome outcome = run({"merge", "a.json", "b.json", "-o", "result.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "merged 2 results into 8 cells\nresult: result.json\n");
  EXPECT_EQ(result()["status"], "complete");
}

TEST_F(Merge, RefusesTrialsOfAnotherLength) {
  mnist();
  make("a.json", kSweep);
  make("b.json", kSweep + Words{"--part", "1/2", "--trial-batches", "4"});
  const Outcome outcome = run({"merge", "a.json", "b.json", "-o", "result.json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err,
            "loadline: cannot merge b.json with a.json: it differs in --trial-batches (4, not 3); --allow-mismatch "
            "merges them anyway\n");
}

TEST_F(Merge, RefusesARepeatedResultAndOtherFiles) {
  mnist();
  make("a.json");
  const std::string id = result("a.json")["run_id"];
  expect_refusal(run({"merge", "a.json", "a.json", "-o", "result.json"}), 1,
                 "cannot merge a.json: run " + id + " is already in a.json");
  expect_refusal(run({"merge", "a.json"}), 2, "merge: want at least two results, got 1");
  expect_refusal(run({"merge", "a.json", "none.json"}), 1, "cannot open none.json: No such file or directory");
  write(home_ / "cut.json", bytes_of(home_ / "a.json").substr(0, 1000));
  expect_refusal(run({"merge", "a.json", "cut.json"}), 1, "cut.json: not JSON: it is cut short");
  EXPECT_EQ(files(), (std::set<std::string>{"a.json", "cut.json", "mnist"}));
}

TEST_F(Merge, WritesOnlyTheResultToStdout) {
  mnist();
  make("a.json");
  make("b.json");
  const Outcome outcome = run({"merge", "a.json", "b.json", "-o", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["merged_from"].size(), 2U);
}

TEST_F(Merge, ExportsToBenchy) {
  mnist();
  make("a.json");
  const Outcome outcome = run({"export", "--to", "benchy", "a.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["nranks"], 1);
  EXPECT_EQ(json["FULL"]["trial_throughput"].size(), 1U);
  ASSERT_EQ(run({"export", "--to", "benchy", "a.json", "-o", "benchy.json"}).exit_code, 0);
  EXPECT_EQ(bytes_of(home_ / "benchy.json"), outcome.out);
  expect_refusal(run({"export", "--to", "bency", "a.json"}), 2,
                 "--to 'bency': want one of benchy, csv, tensorboard (did you mean benchy?)");
  expect_refusal(run({"export", "--to", "benchy", "a.json", "runs"}), 2,
                 "export: benchy writes one file, which -o FILE names, and takes no directory runs");
}

class Tensorboard : public Merge {
 protected:
  void SetUp() override {
    if (run({"list"}).out.find("left out: built without protobuf") != std::string::npos) {
      GTEST_SKIP() << "built without protobuf";
    }
    mnist();
    make("a.json");
  }

  // The files below `directory` by their paths, with their contents.
  std::map<std::string, std::string> event_files(const std::string& directory) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home_ / directory)) {
      if (entry.is_regular_file()) files[entry.path().string()] = bytes_of(entry.path());
    }
    return files;
  }
};

TEST_F(Tensorboard, GetsARunForEachCell) {
  const Outcome outcome = run({"export", "--to", "tensorboard", "a.json", "runs"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  const auto files = event_files("runs");
  EXPECT_EQ(files.size(), result("a.json")["cells"].size() + 1);
  for (const auto& [path, bytes] : files) {
    EXPECT_NE(path.find("/events.out.tfevents."), std::string::npos) << path;
    EXPECT_EQ(bytes.find("brain.Event:2"), 23U) << path;
  }
}

TEST_F(Tensorboard, NeverReplacesAFile) {
  ASSERT_EQ(run({"export", "--to", "tensorboard", "a.json", "runs"}).exit_code, 0);
  const auto before = event_files("runs");
  const Outcome again = run({"export", "--to", "tensorboard", "a.json", "runs"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, testing::AllOf(testing::StartsWith("loadline: cannot write runs/"),
                                        testing::EndsWith(": it exists already\n")));
  EXPECT_EQ(event_files("runs"), before);
}

TEST_F(Tensorboard, LeavesNothingWhereItCannotWriteAll) {
  world_.most_file_bytes = 512;
  const Outcome outcome = run({"export", "--to", "tensorboard", "a.json", "deep/runs"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, testing::EndsWith(": File too large\n"));
  EXPECT_FALSE(std::filesystem::exists(home_ / "deep"));
}

TEST_F(Tensorboard, RefusesImpossibleRequestsInASentence) {
  expect_refusal(run({"export", "--to", "tensorboard", "a.json"}), 2,
                 "export: want a directory for tensorboard after the result");
  expect_refusal(run({"export", "--to", "tensorboard", "a.json", "runs", "-o", "b"}), 2,
                 "--output: for tensorboard, give a directory after the result");
  expect_refusal(run({"export", "--to", "tensorboard", "a.json", "runs", "--overwrite"}), 2,
                 "--overwrite: tensorboard event files never replace others");
  expect_refusal(run({"export", "--to", "tensorboard", "a.json", "a.json"}), 1,
                 "cannot make the directory a.json: File exists");
}

}  // namespace
}  // namespace loadline::test
