// merge and export.
#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;

class Merge : public CommandLine {
 protected:
  // Shares are of configurations: three of them.
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
  EXPECT_THAT(outcome.out, HasSubstr(" cells, which are not all that was asked for\nresult: loadline-2"));
}

TEST_F(Merge, RefusesOneResultTwiceAndWhatIsNoResult) {
  mnist();
  make("a.json");
  const std::string id = result("a.json")["run_id"];
  expect_refusal(run({"merge", "a.json", "a.json", "-o", "result.json"}), 1,
                 "cannot merge a.json: run " + id + " is in a.json already");
  expect_refusal(run({"merge", "a.json"}), 2, "merge: want at least two results, got 1");
  expect_refusal(run({"merge", "a.json", "none.json"}), 1, "cannot open none.json: No such file or directory");
  write(home_ / "cut.json", bytes_of(home_ / "a.json").substr(0, 1000));
  expect_refusal(run({"merge", "a.json", "cut.json"}), 1, "cut.json: not JSON: it is cut short");
  EXPECT_EQ(files(), (std::set<std::string>{"a.json", "cut.json", "mnist"}));
}

TEST_F(Merge, WritesToStdoutAndNothingElseThere) {
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
                 "--to 'bency': want one of benchy (did you mean benchy?)");
}

}  // namespace
}  // namespace loadline::test
