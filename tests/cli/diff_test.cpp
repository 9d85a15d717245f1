// `loadline diff`, and baselines by name: what they print, and with which exit code they end.
#include <signal.h>

#include "harness/judge/metrics.h"
#include "loaders/names.h"
#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class Diff : public CommandLine {
 protected:
  // Runs one FULL cell and its SYNTHETIC; returns the result.
  Json measured(const Words& options = {}) const {
    const Words words{"--loader", "serial", "--mode", "full,synthetic", "--trials", "3", "-q"};
    EXPECT_EQ(run(short_run(mnist(), "measured.json") + words + options).exit_code, 0);
    return Json::parse(bytes_of(home_ / "measured.json"));
  }
  // Gives every cell one trial for each rate.
  static Json with_rates(Json result, const std::vector<double>& rates) {
    for (Json& cell : result["cells"]) {
      Json trials = Json::array();
      for (std::size_t i = 0; i < rates.size(); ++i) {
        Json trial = cell["trials"][0];
        trial["round"] = i;
        trial["wall_seconds"] = trial["samples"].get<double>() / rates[i];
        trial["run_delay_seconds"] = nullptr;  // other processes slowed the trial, but not these rates
        trials.push_back(trial);
      }
      cell["trials"] = trials;
    }
    return result;
  }
  void keep(const std::string& name, const Json& result) const { write(home_ / name, result.dump()); }
  // Writes base.json, and slower.json with rates a tenth lower.
  void keep_two() const {
    const Json result = measured();
    keep("base.json", with_rates(result, {990, 1000, 1010}));
    keep("slower.json", with_rates(result, {890, 900, 910}));
  }
};

TEST_F(Diff, ExitsWithThreeOnARegression) {
  keep_two();
  const Outcome slower = run({"diff", "base.json", "slower.json"});
  EXPECT_EQ(slower.exit_code, 3);
  EXPECT_EQ(slower.err, "");
  EXPECT_THAT(slower.out, StartsWith("regression: mnist/FULL/serial/batch:8 is 10 ± 2 % slower (p < 0.001)\n"));
  const Outcome faster = run({"diff", "slower.json", "base.json"});
  EXPECT_EQ(faster.exit_code, 0);
  EXPECT_THAT(faster.out, StartsWith("improvement: mnist/FULL/serial/batch:8 is 11 ± 3 % faster (p < 0.001)\n"));
}

TEST_F(Diff, ComparesSeveralResultsWithOneBase) {
  keep_two();
  const Outcome outcome = run({"diff", "--each", "base.json", "base.json", "slower.json"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.out, StartsWith("equivalent: "));
  EXPECT_THAT(outcome.out, HasSubstr("\nregression: "));
}

TEST_F(Diff, NamesTheResultOfEachVerdictBesideAFile) {
  keep_two();
  const Outcome each = run({"diff", "--each", "base.json", "base.json", "slower.json", "-o", "each.txt"});
  EXPECT_EQ(each.exit_code, 3);
  EXPECT_THAT(each.out, StartsWith("base.json against base.json:\nequivalent: "));
  EXPECT_THAT(each.out, HasSubstr("\nslower.json against base.json:\nregression: "));
  EXPECT_THAT(run({"diff", "base.json", "slower.json", "-o", "one.txt"}).out, StartsWith("regression: "));
}

TEST_F(Diff, FailsIfAStepOfAWalkFailed) {
  keep_two();
  Json result = Json::parse(bytes_of(home_ / "base.json"));
  for (Json& cell : result["cells"]) {
    if (cell["mode"] != "FULL") continue;
    cell["trials"] = Json::array();
    cell["error"] = "device lost";
  }
  keep("failed.json", result);
  const Outcome failed = run({"diff", "base.json", "failed.json", "base.json"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_EQ(failed.err, "loadline: failed.json has no trials of FULL of mnist: device lost\n");
  EXPECT_THAT(failed.out, StartsWith("missing: failed.json has no trials of FULL of mnist: device lost\n"));
  EXPECT_EQ(run({"diff", "base.json", "failed.json", "base.json", "--allow-missing"}).exit_code, 1);
}

TEST_F(Diff, JudgesAWalkWithoutAResultThatLacksTheCell) {
  keep_two();
  Json result = Json::parse(bytes_of(home_ / "base.json"));
  auto& cells = result["cells"];
  for (std::size_t i = cells.size(); i-- > 0;) {
    if (cells[i]["mode"] == "FULL") cells.erase(i);
  }
  keep("less.json", result);
  const Outcome less = run({"diff", "base.json", "less.json", "base.json"});
  EXPECT_EQ(less.exit_code, 1);
  EXPECT_EQ(less.err, "loadline: less.json has no FULL of mnist; --allow-missing judges the rest\n");
  EXPECT_EQ(run({"diff", "base.json", "less.json", "base.json", "--allow-missing"}).exit_code, 0);
}

TEST_F(Diff, NamesWhatFailsAWalkBetweenItsEnds) {
  const Json result = measured();
  const auto measure = [&](const std::string& file, double rate) {
    keep(file, with_rates(result, {0.999 * rate, rate, 1.001 * rate}));
  };
  measure("s1.json", 1000);
  measure("s2.json", 980);
  measure("s3.json", 960);
  measure("s4.json", 975);
  const Outcome slower = run({"diff", "s1.json", "s2.json", "s3.json", "s4.json"});
  EXPECT_EQ(slower.exit_code, 3) << slower.err;
  EXPECT_THAT(slower.out, HasSubstr("\nregression: mnist FULL, s1.json -> s3.json: 4.0 ± 0.2 % slower (p < 0.001)\n"));
  keep("noisy.json", with_rates(result, {920, 1000, 1080}));
  const Outcome noisy = run({"diff", "s1.json", "noisy.json", "s1.json", "--fail-on", "inconclusive"});
  EXPECT_EQ(noisy.exit_code, 3) << noisy.err;
  EXPECT_THAT(noisy.out, HasSubstr("\ninconclusive: mnist FULL, s1.json -> noisy.json: "));
}

TEST_F(Diff, WalksThroughSeveralResults) {
  keep_two();
  const Outcome slower = run({"diff", "base.json", "slower.json", "base.json"});
  EXPECT_EQ(slower.exit_code, 3) << slower.err;
  EXPECT_THAT(slower.out, StartsWith("equivalent: mnist FULL, base.json -> base.json: the same within 3 % (0 ± 2 % "));
  EXPECT_THAT(slower.out,
              HasSubstr("\nregression: mnist FULL, base.json -> slower.json: 10 ± 2 % slower: no setting changed "
                        "(p "));
  const Outcome faster = run({"diff", "slower.json", "base.json", "base.json"});
  EXPECT_EQ(faster.exit_code, 0) << faster.err;
  for (const char* format : {"markdown", "csv", "json"}) {
    SCOPED_TRACE(format);
    const Outcome to_file =
        run({"diff", "base.json", "slower.json", "base.json", "--format", format, "-o", "walk.out", "--overwrite"});
    EXPECT_EQ(to_file.exit_code, 3);
    EXPECT_EQ(bytes_of(home_ / "walk.out"),
              run({"diff", "base.json", "slower.json", "base.json", "--format", format}).out);
    EXPECT_THAT(to_file.out, StartsWith("equivalent: mnist FULL, "));
  }
  expect_refusal(run({"diff", "base.json", "slower.json", "base.json", "--across", "loader"}), 2,
                 "--across: a walk compares the fastest cell of each result; give two results, or --each");
  expect_refusal(run({"diff", "base.json", "slower.json", "--paired"}), 2,
                 "--paired: these are not the two results of one `loadline ab`; leave it out");
  expect_refusal(run({"diff", "base.json", "--by", "loader", "--across", "workers"}), 2,
                 "--across: it matches the cells of two results, but --by compares those of one; leave one out");
  expect_refusal(run({"diff", "base.json", "slower.json", "--across", "mode"}), 2,
                 "--across mode: partners may not differ in this setting");
  expect_refusal(run({"diff", "base.json", "slower.json", "base.json", "--paired"}), 2,
                 "--paired: it compares the two results of one `loadline ab`; give only those");
}

TEST_F(Diff, ComparesAcrossLoadersWorkersAndComputes) {
  // On a busy machine even equal trials may differ more than any margin, so each trial gets a fixed rate.
  const auto measure = [&](const std::string& output, const Words& options) {
    const Outcome outcome = run(short_run(mnist(), output) + Words{"-q"} + options);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    keep(output, with_rates(result(output), {990, 1000, 1010}));
  };
  measure("s1.json", {"--loader", "thread-pool", "--workers", "1"});
  measure("s2.json", {"--loader", "flow-graph", "--workers", "2"});
  measure("s3.json", {"--loader", "thread-pool", "--workers", "1", "--compute", "device:samples_per_second=2000000"});
  measure("s4.json", {"--loader", "thread-pool", "--workers", "1", "--batch-size", "4"});
  const auto text_of = [&](const Words& files) { return run(Words{"diff"} + files).out; };
  EXPECT_THAT(text_of({"s1.json", "s2.json"}), HasSubstr(": loader thread-pool -> flow-graph, workers 1 -> 2"));
  EXPECT_THAT(text_of({"s1.json", "s3.json"}), HasSubstr(" -> device:samples_per_second=2000000"));
  EXPECT_THAT(text_of({"s1.json", "s3.json"}), HasSubstr("of the change, the compute gave x "));
  EXPECT_THAT(text_of({"s1.json", "s4.json"}), HasSubstr(": batch size 8 -> 4"));
  EXPECT_THAT(text_of({"s1.json", "s4.json"}), HasSubstr("mnist/FULL/thread-pool/workers:1: batch size 8 -> 4"));
  EXPECT_THAT(text_of({"--across", "loader,workers", "s1.json", "s2.json"}), HasSubstr(": loader thread-pool -> "));
  measure("s5.json", {"--loader", "serial"});
  EXPECT_THAT(text_of({"--across", "loader,workers", "s5.json", "s1.json"}), HasSubstr(": loader serial -> "));
  EXPECT_EQ(run({"diff", "--across", "batch-size", "s1.json", "s2.json", "--metric", "full"}).exit_code, 1);
  EXPECT_EQ(run({"diff", "--across", "batch", "s1.json", "s2.json"}).exit_code, 2);
  const Outcome walk = run({"diff", "s1.json", "s2.json", "s3.json", "s4.json"});
  EXPECT_EQ(walk.exit_code, 0) << walk.err;
  EXPECT_THAT(walk.out, HasSubstr("\ns2.json  loader thread-pool -> flow-graph, workers 1 -> 2  "));
}

TEST_F(Diff, FailsIfACellOfTheBaseIsMissing) {
  keep_two();
  Json result = Json::parse(bytes_of(home_ / "base.json"));
  auto& cells = result["cells"];
  for (std::size_t i = cells.size(); i-- > 0;) {
    if (cells[i]["mode"] == "FULL") cells.erase(i);
  }
  keep("less.json", result);
  const Outcome less = run({"diff", "base.json", "less.json"});
  EXPECT_EQ(less.exit_code, 1);
  EXPECT_EQ(less.err,
            "loadline: mnist/FULL/serial/batch:8 of base.json has no partner in less.json; --allow-missing judges the "
            "rest\n");
  EXPECT_THAT(less.out, StartsWith("missing: mnist/FULL/serial/batch:8 of base.json has no partner in less.json\n"));
  EXPECT_EQ(run({"diff", "base.json", "less.json", "--allow-missing"}).exit_code, 0);
}

// The fastest of the sweep used to be missed.
TEST_F(Diff, ComparesASingleConfigurationWithItsCounterpartInASweep) {
  const Outcome outcome = run(short_run(mnist(), "measured.json") +
                              Words{"--loader", "thread-pool", "--workers", "1,2", "--mode", "full,synthetic", "-q"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  Json sweep = with_rates(result("measured.json"), {990, 1000, 1010});
  const Json faster = with_rates(sweep, {1990, 2000, 2010});
  Json one = sweep;
  for (std::size_t i = sweep["cells"].size(); i-- > 0;) {
    if (sweep["cells"][i]["workers"] != 2) continue;
    sweep["cells"][i] = faster["cells"][i];
    one["cells"].erase(i);
  }
  keep("sweep.json", sweep);
  keep("one.json", one);
  const Outcome same = run({"diff", "sweep.json", "one.json"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(same.out, StartsWith("equivalent: mnist/FULL/thread-pool/workers:1/batch:8 "));
  EXPECT_THAT(same.out, HasSubstr("\n  of the 2 configurations of mnist in sweep.json, "
                                  "mnist/FULL/thread-pool/workers:1/batch:8 is compared, the counterpart of the one in "
                                  "one.json\n"));
  keep("slower.json", with_rates(one, {890, 900, 910}));
  EXPECT_EQ(run({"diff", "sweep.json", "slower.json"}).exit_code, 3);
}

TEST_F(Diff, FailsIfADecidingCellHasNoTrials) {
  keep_two();
  Json result = Json::parse(bytes_of(home_ / "base.json"));
  for (Json& cell : result["cells"]) {
    if (cell["mode"] == "FULL") cell["trials"] = Json::array();
  }
  keep("empty.json", result);
  const Outcome empty = run({"diff", "base.json", "empty.json"});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_EQ(
      empty.err,
      "loadline: mnist/FULL/serial/batch:8 decides but has no figures to decide by: the new result has no trials\n");
  EXPECT_EQ(run({"diff", "base.json", "empty.json", "--allow-missing"}).exit_code, 1);
}

TEST_F(Diff, UsesTheRequestedMargin) {
  keep_two();
  EXPECT_EQ(run({"diff", "base.json", "slower.json", "--margin", "15%"}).exit_code, 0);
  expect_refusal(run({"diff", "base.json", "slower.json", "--margin", "15 %"}), 2,
                 "--margin: want a share from 0 to 10, such as 0.05 or 5%, got '15 %'");
  expect_refusal(run({"diff", "base.json", "slower.json", "--margin", "3"}), 2,
                 "--margin 3: this number means 300 %; write 3% for per cent, or 300% if you mean that");
}

TEST_F(Diff, FailsOnTheRequestedVerdict) {
  const Json result = measured();
  keep("base.json", with_rates(result, {1000}));
  keep("new.json", with_rates(result, {500}));
  const Outcome outcome = run({"diff", "base.json", "new.json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, StartsWith("inconclusive: mnist/FULL/serial/batch:8 is 50 % slower: a single trial has no "
                                      "interval; use more --trials\n"));
  EXPECT_EQ(run({"diff", "base.json", "new.json", "--fail-on", "inconclusive"}).exit_code, 3);
  expect_refusal(run({"diff", "base.json", "new.json", "--fail-on", "nothing"}), 2,
                 "--fail-on 'nothing': want one of regression, inconclusive");
}

TEST_F(Diff, WritesEachFormatWithTheVerdictOnStdout) {
  keep_two();
  for (const char* format : {"text", "markdown", "csv", "json"}) {
    SCOPED_TRACE(format);
    const Outcome to_stdout = run({"diff", "base.json", "slower.json", "--format", format});
    const Outcome to_file =
        run({"diff", "base.json", "slower.json", "--format", format, "-o", "diff.out", "--overwrite"});
    EXPECT_EQ(to_file.exit_code, 3);
    EXPECT_EQ(bytes_of(home_ / "diff.out"), to_stdout.out);
    EXPECT_THAT(to_file.out, StartsWith("regression: "));
  }
  EXPECT_EQ(Json::parse(run({"diff", "base.json", "slower.json", "--format", "json"}).out)["diffs"][0]["verdict"],
            "regression");
  expect_refusal(run({"diff", "base.json", "slower.json", "--format", "xml"}), 2,
                 "--format 'xml': want one of text, markdown, csv, json");
  expect_refusal(run({"diff", "base.json", "slower.json", "-o", "nowhere/diff.txt"}), 1,
                 "cannot write nowhere/diff.txt: No such file or directory");
}

TEST_F(Diff, KeepsItsExitCodeThoughNobodyReadsStdoutIfItWritesAFile) {
  keep_two();
  world_.deaf_stdout = true;
  const Outcome to_file = run({"diff", "base.json", "slower.json", "-o", "diff.txt"});
  EXPECT_EQ(to_file.exit_code, 3);
  EXPECT_EQ(to_file.err, "");
  EXPECT_THAT(bytes_of(home_ / "diff.txt"), StartsWith("regression: "));
  EXPECT_EQ(run({"diff", "base.json", "slower.json"}).exit_code, 128 + SIGPIPE) << "not 3: nobody has read why";
  world_.deaf_stdout = false;
  world_.stdout_file = "/dev/full";
  EXPECT_EQ(run({"diff", "base.json", "slower.json", "-o", "full.txt"}).exit_code, 1);
}

TEST_F(Diff, NeedsTwoResults) {
  keep_two();
  expect_refusal(run({"diff"}), 2, "diff: want a base and at least one other result, such as base.json new.json");
  expect_refusal(run({"diff", "base.json"}), 2,
                 "diff: want a base and at least one other result, such as base.json new.json");
  expect_refusal(run({"diff", "base.json", "--base-value", "serial"}), 2,
                 "--base-value: it is a value of the setting that --by names; give --by too");
  expect_refusal(run({"diff", "base.json", "slower.json", "--by", "loader"}), 2,
                 "--by: it compares cells within one result; give only that");
  expect_refusal(run({"diff", "base.json", "--by", "loader", "--fail-on", "inconclusive"}), 2,
                 "--fail-on: no cell decides with --by, so nothing can fail; leave one out");
  expect_refusal(run({"diff", "base.json", "slower.json", "--metric", "ful"}), 2,
                 "--metric 'ful': want one of " + list_of(names_of(metrics())) + " (did you mean full?)");
}

TEST_F(Diff, RefusesFilesThatAreNotResultsOfThisVersion) {
  keep_two();
  const auto refusal = [&](const std::string& text) {
    write(home_ / "other.json", text);
    const Outcome outcome = run({"diff", "base.json", "other.json"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(refusals(outcome).size(), 1U) << outcome.err;
    return refusals(outcome).empty() ? "" : refusals(outcome)[0];
  };
  Json result = Json::parse(bytes_of(home_ / "base.json"));
  const std::string text = result.dump();
  EXPECT_THAT(refusal(text.substr(0, text.size() / 2)), HasSubstr("other.json: "));
  EXPECT_THAT(refusal("not JSON"), HasSubstr("other.json: "));
  EXPECT_THAT(refusal(R"({"context": {}, "benchmarks": []})"), HasSubstr("not a result of loadline"));
  Json later = result;
  later["schema_version"] = 99;
  EXPECT_THAT(refusal(later.dump()), HasSubstr("schema version 99"));
  Json twice = result;
  twice["cells"].push_back(twice["cells"][0]);
  EXPECT_THAT(refusal(twice.dump()), HasSubstr("cells["));
  EXPECT_THAT(refusal(""), HasSubstr("other.json: "));
  expect_refusal(run({"diff", "base.json", "nothing.json"}), 1, "cannot open nothing.json: No such file or directory");
}

TEST_F(Diff, IgnoresTheStatisticsInTheFile) {
  keep_two();
  Json result = Json::parse(bytes_of(home_ / "slower.json"));
  for (Json& cell : result["cells"]) cell["samples_per_second"] = nullptr;
  result["headlines"] = nullptr;
  keep("bare.json", result);
  EXPECT_EQ(run({"diff", "base.json", "bare.json"}).exit_code, 3);
}

TEST_F(Diff, RefusesResultsOfDifferentMachines) {
  keep_two();
  Json result = Json::parse(bytes_of(home_ / "slower.json"));
  result["machine"]["cpu_model"] = "Other CPU";
  result["build"]["build_type"] = "Other";
  keep("slower.json", result);
  const Outcome outcome = run({"diff", "base.json", "slower.json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cannot compare slower.json with base.json: they differ in CPU ("));
  EXPECT_THAT(outcome.err, HasSubstr(", build type ("));
  const Outcome allowed = run({"diff", "base.json", "slower.json", "--allow-mismatch"});
  EXPECT_EQ(allowed.exit_code, 3);
  EXPECT_THAT(allowed.out, HasSubstr("\ncompared although they differ in\n  CPU: "));
}

TEST_F(Diff, RefusesResultsWithNothingInCommon) {
  keep_two();
  Json result = Json::parse(bytes_of(home_ / "slower.json"));
  for (Json& cell : result["cells"]) cell["workload"] = "fashion-mnist";
  keep("slower.json", result);
  expect_refusal(run({"diff", "base.json", "slower.json"}), 1,
                 "cannot compare slower.json with base.json: they have no workload in common: one has fashion-mnist, "
                 "the other mnist");
}

TEST_F(Diff, ComparesAlongASetting) {
  ASSERT_EQ(run(short_run(mnist()) + Words{"--dtype", "u8,f32", "--mode", "io", "--loader", "serial", "-q"}).exit_code,
            0);
  const Outcome outcome = run({"diff", "result.json", "--by", "dtype"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, StartsWith("dtype f32 against u8: 1 inconclusive\n"));
  EXPECT_THAT(run({"diff", "result.json", "--by", "dtype", "--base-value", "f32"}).out,
              StartsWith("dtype u8 against f32: 1 inconclusive\n"));
}

TEST_F(Diff, KeepsBaselinesByName) {
  keep_two();
  const Outcome kept = run({"diff", "--save-baseline", "main", "base.json"});
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_EQ(bytes_of(home_ / "baselines" / "main.json"), bytes_of(home_ / "base.json"));
  EXPECT_THAT(run({"list"}).out, HasSubstr("\n\nbaselines (--baseline)\n  main           3 cells of 20"));
  const Outcome outcome = run({"diff", "--baseline", "main", "slower.json"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("\nslower.json against baseline main: "));
  expect_refusal(run({"diff", "--baseline", "mian", "slower.json"}), 2,
                 "--baseline mian: there is no baseline with this name, only main (did you mean main?)");
  expect_refusal(run({"diff", "--baseline", "main"}), 2, "diff: want at least one result to compare with the baseline");
}

TEST_F(Diff, RefusesToKeepABaselineAndToCompare) {
  keep_two();
  ASSERT_EQ(run({"diff", "--save-baseline", "main", "base.json"}).exit_code, 0);
  const Words keeping{"diff", "--save-baseline", "pr", "slower.json"};
  expect_refusal(run(keeping + Words{"--baseline", "main"}), 2,
                 "diff: --baseline excludes --save-baseline, see --help");
  expect_refusal(run(keeping + Words{"--fail-on", "inconclusive"}), 2,
                 "diff: --fail-on excludes --save-baseline, see --help");
  expect_refusal(run(keeping + Words{"--format", "json"}), 2, "diff: --save-baseline excludes --format, see --help");
  expect_refusal(run(keeping + Words{"-o", "diff.txt"}), 2, "diff: --save-baseline excludes --output, see --help");
  expect_refusal(run(keeping + Words{"base.json"}), 2, "--save-baseline: want one result to keep");
  EXPECT_EQ(names_in(home_ / "baselines"), (std::set<std::string>{"main.json"}));
  EXPECT_EQ(run(keeping + Words{"--overwrite", "--color", "never"}).exit_code, 0);
}

TEST_F(Diff, RefusesToKeepAResultWithAFailedCell) {
  Json failed = measured();
  for (Json& cell : failed["cells"]) {
    if (cell["mode"] != "FULL") continue;
    cell["trials"] = Json::array();
    cell["error"] = "device lost";
  }
  keep("failed.json", failed);
  expect_refusal(run({"diff", "--save-baseline", "main", "failed.json"}), 1,
                 "failed.json: mnist/FULL/serial/batch:8: device lost, so it cannot be a baseline");
}

// A run that --time-limit ended early is complete.
TEST_F(Diff, RefusesToKeepAResultWithCellsThatHaveNoTrials) {
  Json early = measured();
  for (Json& cell : early["cells"]) {
    if (cell["mode"] == "FULL") cell["trials"] = Json::array();
  }
  const std::size_t cells = early["cells"].size();
  keep("early.json", early);
  const std::string why = "1 of " + std::to_string(cells) + " cells has no trials";
  expect_refusal(run({"diff", "--save-baseline", "main", "early.json"}), 1,
                 "early.json: " + why + ", so it cannot be a baseline");
  const Outcome again = run({"run", "--resume", "early.json", "-q", "--save-baseline", "main"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(again.out, "baseline main: not saved, because " + why + "\n");
  EXPECT_FALSE(std::filesystem::exists(home_ / "baselines" / "main.json"));
}

TEST_F(Diff, KeepsBaselinesInTheUsersDataDirectory) {
  keep_two();
  world_.environment["LOADLINE_BASELINES"] = "";
  world_.environment["XDG_DATA_HOME"] = (home_ / "share").string();
  ASSERT_EQ(run({"diff", "--save-baseline", "main", "base.json"}).exit_code, 0);
  EXPECT_EQ(names_in(home_ / "share" / "loadline" / "baselines"), (std::set<std::string>{"main.json"}));
}

TEST_F(Diff, RefusesBadBaselineNamesAndStoppedRuns) {
  keep_two();
  for (const char* name : {"../main", "a/b", ".hidden", "", "noise-host", "a b"}) {
    SCOPED_TRACE(name);
    const Outcome outcome = run({"diff", "--save-baseline=" + std::string(name), "base.json"});
    EXPECT_EQ(outcome.exit_code, 2);
  }
  Json stopped = Json::parse(bytes_of(home_ / "base.json"));
  stopped["status"] = "partial";
  keep("stopped.json", stopped);
  expect_refusal(run({"diff", "--save-baseline", "main", "stopped.json"}), 1,
                 "stopped.json: its run was stopped, so it cannot be a baseline");
  expect_refusal(
      run({"diff", "--baseline", "main", "base.json"}), 2,
      "--baseline main: there is no baseline in " + (home_ / "baselines").string() + "; --save-baseline keeps one");
}

TEST_F(Diff, KeepsAndComparesARunByName) {
  world_.environment["COLUMNS"] = "";
  const Words words = short_run(mnist()) + Words{"--mode", "full", "--loader", "serial", "--trials", "3"};
  const Outcome first = run(words + Words{"--save-baseline", "main"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  // No run can reach this base.
  Json base = Json::parse(bytes_of(home_ / "baselines" / "main.json"));
  write(home_ / "baselines" / "main.json", with_rates(base, {0.99e9, 1e9, 1.01e9}).dump());
  const Outcome second = run(words + Words{"--baseline", "main"});
  EXPECT_EQ(second.exit_code, 3) << second.err;
  EXPECT_THAT(second.out, HasSubstr("\nregression: mnist/FULL/serial/batch:8 is "));
  EXPECT_THAT(second.out, testing::Not(HasSubstr("not shown in"))) << "a pipe gets all columns";
  EXPECT_THAT(run(words + Words{"-q", "--baseline", "main"}).out, StartsWith("regression: mnist/FULL/"));
  expect_refusal(run(words + Words{"--baseline", "other"}), 2,
                 "--baseline other: there is no baseline with this name, only main");
  EXPECT_EQ(run(words + Words{"--save-baseline", "a/b"}).exit_code, 2);
}

TEST_F(Diff, KeepsARunOnlyIfItsComparisonDoesNotFail) {
  const Words words = short_run(mnist()) + Words{"--mode", "full", "--loader", "serial", "--trials", "3", "-q"};
  ASSERT_EQ(run(words + Words{"--save-baseline", "main"}).exit_code, 0);
  const Json base = Json::parse(bytes_of(home_ / "baselines" / "main.json"));
  const Words again = words + Words{"--baseline", "main", "--save-baseline", "main", "--overwrite"};
  // No run can reach this base, and none is as slow as the next.
  const std::string fast = with_rates(base, {0.99e9, 1e9, 1.01e9}).dump();
  write(home_ / "baselines" / "main.json", fast);
  const Outcome slower = run(again);
  EXPECT_EQ(slower.exit_code, 3) << slower.err;
  EXPECT_THAT(slower.out,
              HasSubstr("\nbaseline main: not saved, because this run is a regression against baseline main\n"));
  EXPECT_EQ(bytes_of(home_ / "baselines" / "main.json"), fast);
  const std::string slow = with_rates(base, {0.00099, 0.001, 0.00101}).dump();
  write(home_ / "baselines" / "main.json", slow);
  EXPECT_EQ(run(again).exit_code, 0);
  EXPECT_NE(bytes_of(home_ / "baselines" / "main.json"), slow);
}

TEST_F(Diff, SaysWhyARunThatCannotBeComparedIsNotKept) {
  Json base = measured();
  base["datasets"][0]["fingerprint"] = "0000000000000001";
  keep("base.json", base);
  ASSERT_EQ(run({"diff", "--save-baseline", "main", "base.json"}).exit_code, 0);
  const Outcome outcome = run(short_run(mnist()) + Words{"--mode", "full", "--loader", "serial", "-q", "--baseline",
                                                         "main", "--save-baseline", "pr"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("they differ in data of mnist (fingerprint 0000000000000001 and "));
  EXPECT_EQ(outcome.out, "baseline pr: not saved, because this run cannot be compared with baseline main\n");
  EXPECT_EQ(names_in(home_ / "baselines"), (std::set<std::string>{"main.json"}));
}

TEST_F(Diff, RefusesABaselineOfAnotherMachineBeforeTheRun) {
  Json base = measured();
  base["machine"]["cpu_model"] = "Other CPU";
  keep("base.json", base);
  ASSERT_EQ(run({"diff", "--save-baseline", "main", "base.json"}).exit_code, 0);
  const Outcome outcome = run(short_run(mnist(), "new.json") + Words{"--baseline", "main"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cannot compare this run with baseline main: they differ in CPU (Other CPU and "));
  EXPECT_THAT(outcome.err, HasSubstr("; a run without --baseline, and then `loadline diff --allow-mismatch --baseline "
                                     "main new.json`, compares them anyway\n"));
  EXPECT_FALSE(files().contains("new.json")) << "before anything is measured";
}

TEST_F(Diff, RefusesABaselineOfOtherModesOrWorkloadsBeforeTheRun) {
  const Json base = measured();
  keep("base.json", base);
  ASSERT_EQ(run({"diff", "--save-baseline", "main", "base.json"}).exit_code, 0);
  const Words words = short_run(mnist(), "new.json") +
                      Words{"--loader", "serial", "--baseline", "main", "--save-baseline", "pr", "--mode"};
  expect_refusal(run(words + Words{"io"}), 1,
                 "cannot compare this run with baseline main: they have no mode in common: one has IO, the other FULL, "
                 "SYNTHETIC; run both with the same --mode");
  expect_refusal(run(words + Words{"full", "--workload", "fashion-mnist"}), 1,
                 "cannot compare this run with baseline main: they have no workload in common: one has fashion-mnist, "
                 "the other mnist");
  EXPECT_FALSE(files().contains("new.json")) << "before anything is measured";
  EXPECT_EQ(names_in(home_ / "baselines"), (std::set<std::string>{"main.json"}));
}

// It used to show the result and compare nothing.
TEST_F(Diff, ComparesACompleteRunThatIsResumedWithItsBaseline) {
  keep("base.json", measured());
  ASSERT_EQ(run({"diff", "--save-baseline", "main", "base.json"}).exit_code, 0);
  ASSERT_EQ(run(short_run(mnist(), "new.json") + Words{"--loader", "serial", "--mode", "io"}).exit_code, 0);
  expect_refusal(run({"run", "--resume", "new.json", "-q", "--baseline", "main"}), 1,
                 "cannot compare this run with baseline main: they have no mode in common: one has IO, the other FULL, "
                 "SYNTHETIC; run both with the same --mode");
  ASSERT_EQ(run({"run", "--resume", "new.json", "-q", "--save-baseline", "io"}).exit_code, 0);
  const Outcome outcome = run({"run", "--resume", "new.json", "-q", "--baseline", "io"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("this run against baseline io: "));
}

TEST_F(Diff, MeasuresAgainstABaselineThatHasOneOfItsModes) {
  keep("base.json", measured());
  ASSERT_EQ(run({"diff", "--save-baseline", "main", "base.json"}).exit_code, 0);
  const Outcome outcome =
      run(short_run(mnist(), "new.json") + Words{"--loader", "serial", "--mode", "io,synthetic", "--baseline", "main"});
  EXPECT_THAT(outcome.err, testing::Not(HasSubstr("cannot compare")));
  EXPECT_TRUE(files().contains("new.json")) << outcome.err;
}

}  // namespace
}  // namespace loadline::test
