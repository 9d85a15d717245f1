// --dump-config and --config.
#include "loaders/loader.h"
#include "loaders/names.h"
#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;

class Config : public CommandLine {
 protected:
  void expect_usage(const std::string& text, const std::string& sentence) const {
    SCOPED_TRACE(text);
    write(home_ / "config.json", text);
    expect_refusal(run({"run", "--config", "config.json"}), 2, sentence);
  }
  std::string dump(const Words& options = {}) const {
    const Outcome outcome = run(Words{"run", "--dump-config"} + options);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
};

TEST_F(Config, ReadsBackWhatWasDumped) {
  const Words options{"--workload",  "cifar10,mnist",   "--workers", "1,3",
                      "--mean",      "0.1,0.25",        "--dtype",   "u8",
                      "--in-memory", "--trial-seconds", "0.125",     "--prefetch",
                      "5",           "--drop-last",     "--compute", "device:samples_per_second=100,depth=3",
                      "--output",    "a, b.json",       "--seed",    "9007199254740992"};
  const std::string dumped = dump(options);
  write(home_ / "config.json", dumped);
  EXPECT_EQ(dump({"--config", "config.json"}), dumped);
  EXPECT_NE(dumped, dump());
}

TEST_F(Config, HoldsListsOfFlagsAsWordsAndOtherListsAsValues) {
  const std::string dumped =
      dump({"--in-memory", "off,on", "--drop-last", "--scaled-dct=off", "--rotate", "off,on", "--prefetch", "2,4"});
  const auto config = nlohmann::json::parse(dumped);
  EXPECT_EQ(config["in_memory"], nlohmann::json({"off", "on"}));
  EXPECT_EQ(config["drop_last"], true);
  EXPECT_EQ(config["scaled_dct"], false);
  EXPECT_EQ(config["rotate"], nlohmann::json({"off", "on"}));
  EXPECT_EQ(config["prefetch"], nlohmann::json({2, 4}));
  write(home_ / "config.json", dumped);
  EXPECT_EQ(dump({"--config", "config.json"}), dumped);
}

TEST_F(Config, MayHaveValuesForOtherKindsOfDataButTheCommandLineMayNot) {
  write(home_ / "config.json", R"({"sequence_length": 64, "crops": 5})");
  const Words words = short_run(mnist()) + Words{"--config", "config.json"};
  EXPECT_EQ(run(words).exit_code, 0);
  expect_refusal(run(words + Words{"--overwrite", "--sequence-length", "64"}), 2,
                 "--sequence-length: it applies to tokens and text, not to workload mnist");
  const Outcome outcome = run(words + Words{"--overwrite", "--crops", "5"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(refusals(outcome),
            Words{"--crops: it applies to volumes, not to " + mnist() + ", which holds images of one size"});
}

TEST_F(Config, IsReadFromAPipe) {
  world_.input = dump({"--trials", "7"});
  EXPECT_EQ(dump({"--config", "-"}), world_.input);
}

TEST_F(Config, IsReadFromAnEarlierResultWithoutItsOutputFile) {
  const Words options = short_run(mnist());
  ASSERT_EQ(run(options + Words{"-q"}).exit_code, 0);
  auto config = result()["config"];
  config["output"] = nullptr;  // a repeated run does not overwrite the first result
  EXPECT_EQ(nlohmann::json::parse(dump({"--config", "result.json"})), config);
  ASSERT_EQ(run({"run", "--config", "result.json", "-o", "again.json"}).exit_code, 0);
  EXPECT_EQ(result("again.json")["config_hash"], result()["config_hash"]);
}

TEST_F(Config, IsOverriddenByTheCommandLineWhateverTheirOrder) {
  write(home_ / "config.json", R"({"trials": 7, "seed": 3})");
  EXPECT_EQ(dump({"--trials", "9", "--config", "config.json"}), dump({"--trials", "9", "--seed", "3"}));
}

// Only the last --exclude and the last --filter used to count.
TEST_F(Config, HoldsAllConditionsOfACommandLineAndTheLastValueOfAnyOtherOption) {
  const std::string dumped = dump({"--exclude", "workers=1", "--workers", "1,2", "--exclude=loader=serial workers=2",
                                   "--filter", "mode=full", "--workers", "4", "--filter", "workers>1"});
  const auto config = nlohmann::json::parse(dumped);
  EXPECT_EQ(config["exclude"], nlohmann::json({"workers=1", "loader=serial workers=2"}));
  EXPECT_EQ(config["filter"], nlohmann::json({"mode=full workers>1"}));
  EXPECT_EQ(config["workers"], nlohmann::json({4}));
  write(home_ / "config.json", dumped);
  EXPECT_EQ(dump({"--config", "none.json", "--config", "config.json"}), dumped);
  const auto other = nlohmann::json::parse(dump({"--config", "config.json", "--exclude", "workers=2"}));
  EXPECT_EQ(other["exclude"], nlohmann::json({"workers=2"}));
}

TEST_F(Config, MissingFileIsRefused) {
  expect_refusal(run({"run", "--config", "none.json"}), 1, "cannot open none.json: No such file or directory");
  expect_refusal(run({"run", "--config", "."}), 1, "cannot read .: it is a directory, want a file");
}

TEST_F(Config, ThatIsNotJsonIsRefused) {
  expect_usage("", "config.json: not JSON: it is empty");
  expect_usage("{\"trials\": 7", "config.json: not JSON: it is cut short");
  expect_usage("--trials 7", "config.json: not JSON: byte 2 is not valid here");
  expect_usage("[1, 2]", "config.json: want an object of options");
}

TEST_F(Config, UnknownKeyNamesTheNearest) {
  write(home_ / "config.json", R"({"worker": 7})");
  const Outcome outcome = run({"run", "--config", "config.json"});
  EXPECT_EQ(outcome.exit_code, 2);
  ASSERT_EQ(refusals(outcome).size(), 1U);
  EXPECT_THAT(refusals(outcome)[0], HasSubstr("config.json: unknown option 'worker' (did you mean workers?)"));
  EXPECT_THAT(refusals(outcome)[0], HasSubstr("(did you mean workers?)"));
}

TEST_F(Config, ValueOutOfRangeNamesTheFileToo) {
  expect_usage(R"({"trials": 0})", "config.json: --trials: want a whole number from 1 to 100000, got '0'");
  expect_usage(R"({"workers": [1, 1]})", "config.json: --workers: the list contains '1' twice");
  expect_usage(R"({"quiet": "perhaps"})", "config.json: --quiet: want on or off, got 'perhaps'");
  expect_usage(R"({"loader": "seriall"})", "config.json: --loader 'seriall': want one of " +
                                               list_of(names_of(loaders())) + " (did you mean serial?)");
  expect_usage(R"({"trials": {}})",
               "config.json: trials: want text, a number, true, false or a list of them, got an object");
  expect_usage(R"({"workload": []})", "config.json: workload: want at least one value in the list, got none");
}

}  // namespace
}  // namespace loadline::test
