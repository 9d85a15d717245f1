// Results kept by name: `loadline baseline` lists, shows and deletes them, and shows their history.
#include <fmt/format.h>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Baseline : public CommandLine {
 protected:
  Baseline() { world_.environment["COLUMNS"] = ""; }

  Json measured() const {
    const Words words{"--loader", "serial", "--mode", "full,synthetic", "--trials", "3", "-q"};
    EXPECT_EQ(run(short_run(mnist(), "measured.json") + words).exit_code, 0);
    return Json::parse(bytes_of(home_ / "measured.json"));
  }
  // Keeps a result with this rate, started at this minute, under `name`.
  void keep(const std::string& name, Json result, double rate, int minute) const {
    for (Json& cell : result["cells"]) {
      for (std::size_t i = 0; i < cell["trials"].size(); ++i) {
        Json& trial = cell["trials"][i];
        trial["wall_seconds"] = trial["samples"].get<double>() / (rate + static_cast<double>(i));
        trial["run_delay_seconds"] = nullptr;  // other processes slowed the trial, but not these rates
      }
    }
    result["started"] = fmt::format("2026-11-22T10:{:02}:00Z", minute);
    write(home_ / "kept.json", result.dump());
    ASSERT_EQ(run({"diff", "--save-baseline", name, "kept.json", "--overwrite"}).exit_code, 0);
  }
};

TEST_F(Baseline, IsListedShownAndDeleted) {
  const Json result = measured();
  keep("main", result, 1000, 0);
  keep("other", result, 2000, 1);
  EXPECT_THAT(run({"baseline", "list"}).out,
              AllOf(StartsWith("  main           3 cells of 2026-11-22T10:00:00Z, on "), HasSubstr("\n  other   ")));
  EXPECT_THAT(run({"baseline", "show", "main"}).out, HasSubstr("\nsamples/s, mean ± standard deviation"));
  EXPECT_EQ(run({"baseline", "delete", "main"}).out, "baseline main: deleted\n");
  EXPECT_EQ(names_in(home_ / "baselines"), (std::set<std::string>{"other.json"}));
  expect_refusal(run({"baseline", "show", "main"}), 2,
                 "baseline main: there is no baseline with this name, only other");
}

TEST_F(Baseline, ListIsJsonForOtherPrograms) {
  keep("main", measured(), 1000, 0);
  write(home_ / "baselines" / "torn.json", "{");
  const Json listed = Json::parse(run({"baseline", "list", "--json"}).out);
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0]["name"], "main");
  EXPECT_EQ(listed[0]["cells"], 3);
  EXPECT_EQ(listed[0]["error"], nullptr);
  EXPECT_TRUE(listed[1]["error"].is_string());
  EXPECT_EQ(Json::parse(run({"list", "--json"}).out)["baselines"], listed);
}

TEST_F(Baseline, DeletesNoneIfOneNameIsUnknown) {
  keep("main", measured(), 1000, 0);
  expect_refusal(run({"baseline", "delete", "main", "mian"}), 2,
                 "baseline mian: there is no baseline with this name, only main (did you mean main?)");
  EXPECT_EQ(names_in(home_ / "baselines"), (std::set<std::string>{"main.json"}));
  expect_refusal(
      run({"baseline", "delete", "../main"}), 2,
      "baseline: want a name of letters, digits and . _ - + that does not begin with . or - or noise-, got '../main'");
}

TEST_F(Baseline, HistoryShowsTheEarlierResultsAndTheirTrend) {
  const Json result = measured();
  keep("main", result, 1000, 0);
  EXPECT_EQ(run({"baseline", "history", "main"}).out, "baseline main: no earlier result had this name\n");
  keep("main", result, 951, 1);
  keep("main", result, 899, 2);
  keep("main", result, 852, 3);
  const std::string history = run({"baseline", "history", "main"}).out;
  EXPECT_THAT(history,
              AllOf(StartsWith("trend of mnist FULL: 5.2 ± 0.3 % slower per result over 4 results (p < 0.001)"),
                    HasSubstr("\n2026-11-22T10:00:00Z  "), HasSubstr("\n2026-11-22T10:03:00Z  ")));
  EXPECT_THAT(run({"baseline", "history", "main", "--last", "2"}).out,
              AllOf(StartsWith("trend of mnist FULL: unknown from 2 results; a trend takes three\n"),
                    testing::Not(HasSubstr("2026-11-22T10:01:00Z"))));
  EXPECT_THAT(run({"baseline", "list"}).out, HasSubstr("; 3 results before it\n"));
  EXPECT_EQ(run({"baseline", "delete", "main"}).out, "baseline main: deleted, with 3 that had its name before\n");
  EXPECT_EQ(names_in(home_ / "baselines"), std::set<std::string>());
}

TEST_F(Baseline, HistoryShowsTheOthersIfOneCannotBeRead) {
  const Json result = measured();
  keep("main", result, 1000, 0);
  keep("main", result, 951, 1);
  keep("main", result, 899, 2);
  keep("main", result, 852, 3);
  write(home_ / "baselines" / "main.history" / "2.json", "{");
  const Outcome one = run({"baseline", "history", "main"});
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_THAT(one.out, AllOf(StartsWith("trend of mnist FULL: "), HasSubstr(" over 3 results "),
                             HasSubstr("\n2026-11-22T10:02:00Z  ")));
  EXPECT_THAT(refusals(one), testing::ElementsAre(HasSubstr("main.history/2.json: ")));
  write(home_ / "baselines" / "main.history" / "1.json", "{");
  write(home_ / "baselines" / "main.history" / "3.json", "{");
  const Outcome none = run({"baseline", "history", "main"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.out, "baseline main: no trend, because only 1 of 4 results can be read\n");
  EXPECT_EQ(refusals(none).size(), 3U);
}

TEST_F(Baseline, HistoryNeedsTwoResults) {
  keep("main", measured(), 1000, 0);
  expect_refusal(run({"baseline", "history", "main", "--last", "1"}), 2,
                 "--last: want at least 2, because one result is no history");
}

}  // namespace
}  // namespace loadline::test
