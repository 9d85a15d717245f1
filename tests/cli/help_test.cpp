// Help for every verb, section by section and in full.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Help : public CommandLine {
 protected:
  Help() { world_.environment["COLUMNS"] = ""; }

  std::string shown(const Words& words) const {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
};

TEST_F(Help, ListsTheVerbs) {
  EXPECT_THAT(shown({"--help"}), AllOf(StartsWith("Usage: loadline VERB ...\n"), HasSubstr("\nVerbs\n  run   "),
                                       HasSubstr("\n  baseline   ")));
  EXPECT_EQ(shown({"help"}), shown({"--help"}));
}

TEST_F(Help, OfAVerbIsTheSameByVerbAndByOption) {
  EXPECT_EQ(shown({"help", "diff"}), shown({"diff", "--help"}));
  EXPECT_EQ(shown({"help", "data", "make"}), shown({"data", "make", "--help"}));
  EXPECT_THAT(shown({"data", "make", "--help"}), StartsWith("Usage: loadline data make [OPTIONS] KIND DIR\n"));
}

TEST_F(Help, NamesTheOptionsOfFurtherSections) {
  EXPECT_THAT(shown({"run", "--help"}),
              AllOf(HasSubstr("\n  --workers N,...         worker threads of loaders that have them\n"),
                    HasSubstr("\n  Trials                  --trials --trial-seconds "),
                    Not(HasSubstr("  --trial-seconds SECONDS"))));
}

TEST_F(Help, OfASectionExplainsItsOptions) {
  EXPECT_THAT(shown({"help", "run", "trials"}),
              AllOf(StartsWith("Trials\n  --trials N              trials of each cell [5]\n"),
                    HasSubstr("\n  --trial-seconds SECONDS\n                          length of a trial"),
                    Not(HasSubstr("--workers"))));
  EXPECT_THAT(shown({"help", "run", "samples"}), StartsWith("Order of samples\n"));
}

TEST_F(Help, OfASectionOfRunNeedsNoVerb) {
  EXPECT_THAT(shown({"help", "trials"}), StartsWith("Trials\n  --trials N              trials of each cell [5]\n"));
  EXPECT_EQ(shown({"help", "trials"}), shown({"help", "run", "trials"}));
  EXPECT_THAT(shown({"help", "data"}), StartsWith("Usage: loadline data VERB ...\n")) << "a verb comes first";
}

TEST_F(Help, OfAnOptionExplainsItAndNamesOtherVerbsThatHaveIt) {
  world_.environment["COLUMNS"] = "1000";
  const std::string help = shown({"help", "--read"});
  EXPECT_THAT(help, AllOf(StartsWith("Option of run (section data)\n"
                                     "  --read HOW,...          how to read the files of an image folder: "),
                          EndsWith("\n\nOther verbs with an option --read: ceilings, train, ab, aa, scale; "
                                   "`loadline help VERB --read` explains theirs\n"),
                          Not(HasSubstr("--read-ahead"))));
  EXPECT_EQ(shown({"help", "read"}), help);
  EXPECT_EQ(shown({"help", "run", "--read"}), help);
  EXPECT_THAT(shown({"help", "-q"}), StartsWith("Option of run (section output)\n  -q, --quiet             print no "));
  EXPECT_THAT(shown({"help", "--ceilings"}), StartsWith("Option of run (section trials)\n  --ceilings on|off "));
  EXPECT_THAT(shown({"help", "ceilings"}), StartsWith("Usage: loadline ceilings [OPTIONS]\n")) << "a verb comes first";
}

TEST_F(Help, OfAnOptionIsThatOfTheVerbBeforeItOrOfTheFirstThatHasIt) {
  EXPECT_THAT(shown({"help", "--fail-on"}),
              StartsWith("Option of diff (section judging)\n  --fail-on regression|inconclusive\n"));
  EXPECT_THAT(shown({"help", "ab", "--fail-on"}), StartsWith("Option of ab (section judging)\n  --fail-on "));
  EXPECT_THAT(shown({"help", "data", "make", "seed"}),
              StartsWith("Option of data make (section options)\n  --seed N                seed of everything in the "
                         "dataset [1]\n\nOther verbs with an option --seed: run, ceilings, "));
}

TEST_F(Help, OfAnOptionThatASectionBeginsWithShowsBoth) {
  EXPECT_THAT(shown({"help", "order"}),
              AllOf(StartsWith("Option of run (section order of samples)\n  --order NAME,...        order of "),
                    HasSubstr("\n\nOrder of samples\n  --order NAME,...  ")));
  EXPECT_EQ(shown({"help", "run", "order"}), shown({"help", "order"}));
  EXPECT_THAT(shown({"help", "run", "loader"}),
              AllOf(StartsWith("Option of run (section what to run)\n  --loader NAME,... "),
                    HasSubstr("\n\nLoader and compute\n  --prefetch ")));
}

TEST_F(Help, OfAnOptionOfNoVerbIsThatOfTheTool) {
  EXPECT_EQ(shown({"help", "--version"}),
            "Option of loadline (section options)\n"
            "  --version               print the version and what is built in, and stop\n");
  EXPECT_THAT(run({"help", "--versoin"}).err, EndsWith("; or an option (did you mean --version?)\n"));
}

TEST_F(Help, OfAWarningSaysWhenItAppearsAndWhatToDo) {
  world_.environment["COLUMNS"] = "1000";
  EXPECT_EQ(shown({"help", "wide-spread"}),
            "Warnings\n"
            "  wide-spread             the standard deviation of a cell is above 10 % of its mean\n"
            "                          what to do: use a quieter machine or longer trials (`--trial-seconds`)\n");
  EXPECT_EQ(shown({"help", "warnings", "wide-spread"}), shown({"help", "wide-spread"}));
}

// It used to be unknown there.
TEST_F(Help, OfAWordAfterAVerbIsTheSameUnlessTheVerbHasAnythingOfThatName) {
  EXPECT_EQ(shown({"help", "run", "wide-spread"}), shown({"help", "wide-spread"}));
  EXPECT_EQ(shown({"help", "data", "make", "warnings", "wide-spread"}), shown({"help", "wide-spread"}));
  EXPECT_EQ(shown({"help", "diff", "load", "line"}), shown({"help", "load line"}));
  EXPECT_THAT(shown({"help", "ab", "compute"}),
              AllOf(StartsWith("Option of ab (section loader and compute)\n"), Not(HasSubstr("Glossary"))));
}

TEST_F(Help, OfAWordIsThatOfTheGlossary) {
  world_.environment["COLUMNS"] = "1000";
  const std::string stall =
      "Glossary\n  stall                   the share of a FULL trial in which the compute waits for data\n";
  EXPECT_EQ(shown({"help", "stall"}), stall);
  EXPECT_EQ(shown({"help", "glossary", "Stall"}), stall);
  const std::string load_line =
      "Glossary\n  load line               the ceilings of this machine, and how near a loader gets\n";
  EXPECT_EQ(shown({"help", "load", "line"}), load_line);
  EXPECT_EQ(shown({"help", "load line"}), load_line);
  EXPECT_THAT(shown({"help", "AU"}), StartsWith("Glossary\n  accelerator utilisation (AU)\n"));
}

TEST_F(Help, OfAWordThatIsAnOptionAndASectionTooShowsAll) {
  EXPECT_THAT(shown({"help", "compute"}),
              AllOf(StartsWith("Option of run (section loader and compute)\n  --compute "),
                    HasSubstr("\n\nGlossary\n  compute                 what consumes batches "),
                    HasSubstr("\n\nLoader and compute\n  --prefetch ")));
  EXPECT_THAT(shown({"help", "baseline"}), StartsWith("Usage: loadline baseline VERB ...\n")) << "a verb comes alone";
  EXPECT_THAT(shown({"help", "glossary", "baseline"}),
              StartsWith("Glossary\n  baseline                a result kept "));
}

TEST_F(Help, ExplainsAllWarningsAndTheWholeGlossary) {
  EXPECT_THAT(shown({"help", "warnings"}),
              AllOf(StartsWith("Warnings\n  sanitizer-build         the program was built with a sanitizer\n"),
                    HasSubstr("\n  ceiling-beaten          "), Not(HasSubstr("]("))));
  EXPECT_THAT(shown({"help", "glossary"}),
              AllOf(StartsWith("Glossary\n  accelerator utilisation (AU)\n"),
                    HasSubstr("\n  workload                a named dataset"), Not(HasSubstr("]("))));
}

TEST_F(Help, ListsTheTopics) {
  EXPECT_THAT(shown({"help", "topics"}),
              AllOf(StartsWith("Usage: loadline help TOPIC\n\nVerbs\n  run                     Measure IO, "),
                    HasSubstr("\nSections of run, with their options\n  Options                 --help --help-all\n"),
                    HasSubstr("\n  Trials                  --trials --trial-seconds "),
                    HasSubstr("\n\nWords that loadline prints\n  warnings                sanitizer-build, "),
                    HasSubstr("\n  glossary                accelerator utilisation, AU, axis, ")));
}

TEST_F(Help, InFullShowsDefaultsChoicesAndEverySection) {
  world_.environment["COLUMNS"] = "1000";
  const std::string help = shown({"run", "--help-all"});
  EXPECT_THAT(help, HasSubstr("[serial,thread-pool]"));
  EXPECT_THAT(help, HasSubstr("in-order, completion"));
  EXPECT_THAT(help, HasSubstr("--trial-seconds SECONDS"));
  EXPECT_THAT(help, HasSubstr("--dtype TYPE,...")) << "which takes a list";
  EXPECT_THAT(help, HasSubstr("--in-memory [on|off,...]"));
  EXPECT_THAT(help, HasSubstr("--rank, --world-size: they are this process's share of a job"));
  EXPECT_THAT(help, HasSubstr("Exit codes: 0 ok, 1 failed or the result lacks what --baseline has, 2 usage"));
}

TEST_F(Help, OfAVerbWithOneConfigurationSpeaksOfNoListsAndTrials) {
  world_.environment["COLUMNS"] = "1000";
  for (const char* verb : {"check", "train"}) {
    const std::string help = shown({verb, "--help-all"});
    SCOPED_TRACE(verb);
    EXPECT_THAT(help, AllOf(HasSubstr("\nWhat to run\n"), HasSubstr("  --batch-size N          samples per batch\n"),
                            HasSubstr("  --dtype TYPE "), HasSubstr("  --drop-last [on|off] "),
                            HasSubstr("  --mean X,... "), Not(HasSubstr("trial")), Not(HasSubstr("Each list"))));
  }
  EXPECT_THAT(
      shown({"check", "--help"}),
      AllOf(HasSubstr("  --workers N,...         worker threads of loaders that have them; with several numbers, "
                      "or a range such as 1:8:*2, each is checked\n"),
            HasSubstr("  --time-limit DURATION   time for the check, such as 20m, which fails if it takes "
                      "longer; unset: no limit\n")));
  EXPECT_THAT(
      shown({"train", "--help-all"}),
      AllOf(HasSubstr("  --workers N             worker threads"), HasSubstr("  --compute NAME[:KEY=VALUE,...]\n"),
            HasSubstr("  --loader NAME           a loader that `loadline list` shows: serial, ")));
  EXPECT_EQ(shown({"__complete", "train", "--dtype", "u8,"}), "");
}

TEST_F(Help, SaysWhatTheOutputOfAVerbIs) {
  world_.environment["COLUMNS"] = "1000";
  EXPECT_THAT(shown({"run", "--help"}), HasSubstr("  -o, --output FILE       result file; - for stdout\n"));
  EXPECT_THAT(shown({"ab", "--help"}),
              HasSubstr("  -o, --output FILE       names the two results: FILE-base.json and FILE-new.json\n"));
  EXPECT_THAT(shown({"aa", "--help"}), HasSubstr("  -o, --output FILE       file of the noise floor; - for stdout\n"));
}

TEST_F(Help, NamesTheExitCodesOfEveryVerb) {
  for (const Words& verb : {Words{"merge"}, {"report"}, {"data", "verify"}, {"baseline", "history"}, {"doctor"}})
    EXPECT_THAT(shown(verb + Words{"--help"}), EndsWith("\nExit codes: 0 ok, 1 failed, 2 usage.\n"));
  EXPECT_THAT(shown({"data", "--help"}), Not(HasSubstr("Exit codes")));
}

TEST_F(Help, HasAnExampleForEveryVerb) {
  world_.environment["COLUMNS"] = "1000";
  const auto below = [&](const Words& path) {
    Words verbs;
    std::istringstream lines(shown(Words{"__complete"} + path + Words{""}));
    for (std::string line; std::getline(lines, line);) {
      if (line.find('\t') != std::string::npos) verbs.push_back(line.substr(0, line.find('\t')));
    }
    return verbs;
  };
  std::vector<Words> paths;
  for (const std::string& verb : below({})) {
    if (verb != "data" && verb != "baseline") paths.push_back({verb});
  }
  for (const char* above : {"data", "baseline"}) {
    for (const std::string& verb : below({above})) paths.push_back({above, verb});
  }
  ASSERT_GE(paths.size(), 24U);
  for (const Words& path : paths) {
    const std::string page = shown(path + Words{"--help-all"});
    const std::string name = fmt::format("loadline {}", fmt::join(path, " "));
    const auto begin = page.find("\nExamples\n");
    ASSERT_NE(begin, std::string::npos) << name;
    const std::string examples = page.substr(begin, page.find("\n\n", begin + 1) - begin);
    EXPECT_THAT(examples, HasSubstr(name));
    EXPECT_THAT(shown(Words{"help", "--man"} + path), HasSubstr(".SH EXAMPLES\n.nf\n"));
    std::istringstream words(examples);
    for (std::string word; words >> word;) {
      if (!word.starts_with("--")) continue;
      EXPECT_THAT(page.substr(0, begin), HasSubstr(' ' + word + ' ')) << name;
    }
  }
}

TEST_F(Help, OfAnUnknownTopicIsRefused) {
  const Outcome unknown = run({"help", "rnu"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, StartsWith("loadline: help: 'rnu': want a verb: run, ceilings, train, "));
  EXPECT_THAT(unknown.err, HasSubstr(", help; a section of run: options, what to run, "));
  EXPECT_THAT(
      unknown.err,
      EndsWith(", configuration; the id of a warning; a word of the glossary; or an option (did you mean run?)\n"));
  EXPECT_THAT(run({"help", "--trails"}).err, EndsWith("; or an option (did you mean --trials?)\n"));
  EXPECT_THAT(run({"help", "prefetsh"}).err, EndsWith("; or an option (did you mean prefetch?)\n"));
  EXPECT_THAT(run({"help", "stal"}).err, EndsWith("; or an option (did you mean stall?)\n"));
  EXPECT_THAT(run({"help", "ab", "--trials"}).err, EndsWith("; or an option (did you mean --pairs?)\n"));
  expect_refusal(run({"help", "warnings", "wide-spred"}), 2,
                 "help: 'wide-spred': want the id of a warning (did you mean wide-spread?)");
  expect_refusal(run({"help", "run", "trials", "foo"}), 2, "help: want one topic, got 'trials' and 'foo'");
  expect_refusal(run({"help", "read", "foo"}), 2, "help: want one topic, got 'read' and 'foo'");
  expect_refusal(run({"help", "diff", "trials"}), 2,
                 "help: 'trials': want a section of diff: options, judging; or an option");
  expect_refusal(run({"help", "data", "trials"}), 2,
                 "help: 'trials': want a verb: info, verify, make, convert; or an option");
  expect_refusal(run({"help", "data", "make", "--bogus"}), 2,
                 "help: '--bogus': want a section of data make: options; or an option");
  EXPECT_THAT(run({"help", "make"}).err, EndsWith("; or an option (did you mean data make?)\n"));
}

TEST_F(Help, IsAlsoAManualPage) {
  const std::string page = shown({"help", "--man", "data", "make"});
  EXPECT_THAT(page, StartsWith(".TH LOADLINE\\-DATA\\-MAKE 1 "));
  EXPECT_THAT(page, HasSubstr("\n.TP\n\\fB\\-\\-seed\\fR \\fIN\\fR\n"));
  expect_refusal(run({"help", "--man", "run", "trials"}), 2,
                 "help: --man: want a verb, because only verbs have man pages, got 'run trials'");
  expect_refusal(run({"help", "--man", "--read"}), 2,
                 "help: --man: want a verb, because only verbs have man pages, got '--read'");
  expect_refusal(run({"help", "--man", "rnu"}), 2,
                 "help: --man: want a verb, because only verbs have man pages, got 'rnu' (did you mean run?)");
}

TEST_F(Help, CompletesVerbsOptionsAndValues) {
  EXPECT_THAT(shown({"__complete", "basel"}), StartsWith("baseline\t"));
  EXPECT_THAT(shown({"__complete", "run", "--trial-s"}), StartsWith("--trial-seconds\t"));
  EXPECT_EQ(shown({"__complete", "run", "--loader", "thr"}), "thread-pool\n:files\n");
  EXPECT_EQ(shown({"__complete", "run", "--mode=sy"}), "--mode=synthetic\n");
  EXPECT_EQ(shown({"__complete", "diff", "--format", ""}), "text\nmarkdown\ncsv\njson\n");
  EXPECT_EQ(shown({"__complete", "data", "info", "--format", "id"}), "idx\n");
  EXPECT_EQ(shown({"__complete", "data", "convert", "--format", "np"}), "npy\nnpz\n");
  EXPECT_EQ(shown({"__complete", "data", "convert", "--from-format", "a"}), "auto\n");
  EXPECT_EQ(shown({"__complete", "data", "make", "--as", "js"}), "json-lines\n");
  EXPECT_EQ(shown({"__complete", "data", "make", "nbody", "there", "--as", ""}), "hdf5\nnpy\n");
  EXPECT_EQ(shown({"__complete", "data", "make", "text", "--as="}),
            "--as=lines\n--as=json-lines\n--as=files\n--as=tokens\n");
  EXPECT_EQ(shown({"__complete", "run", "--dtype", "u8,b"}), "u8,bf16\n");
  EXPECT_EQ(shown({"__complete", "run", "--mode=full,"}), "--mode=full,io\n--mode=full,synthetic\n");
  EXPECT_EQ(shown({"__complete", "run", "--loader=serial,fl"}),
            "--loader=serial,flow-graph\n:files --loader=serial,\n");
  EXPECT_EQ(shown({"__complete", "diff", "--color", ""}), "auto\nalways\nnever\n");
  EXPECT_EQ(shown({"__complete", "diff", "--fail-on", "i"}), "inconclusive\n");
  EXPECT_EQ(shown({"__complete", "diff", "--metric", "i"}), "io\n");
  EXPECT_EQ(shown({"__complete", "diff", "--across", "loader,workers"}), "loader,workers\n");
  EXPECT_EQ(shown({"__complete", "run", "--compute", "cn"}), "cnn\n");
  EXPECT_EQ(shown({"__complete", "forecast", "--all-reduce", ""}), "ring\ntree\nbest\n");
  EXPECT_EQ(shown({"__complete", "nothing", "--x"}), "");
}

TEST_F(Help, CompletesTheValueThatAnOptionMayGoWithout) {
  EXPECT_EQ(shown({"__complete", "check", "--drop-last", ""}), "on\noff\n");
  EXPECT_EQ(shown({"__complete", "check", "--drop-last=o"}), "--drop-last=on\n--drop-last=off\n");
  EXPECT_THAT(shown({"__complete", "check", "--drop-last", "--batch-s"}), StartsWith("--batch-size\t"));
  EXPECT_EQ(shown({"__complete", "check", "--drop-last", "--batch-size", "8", "thr"}), "thread-pool\n:files\n");
  EXPECT_EQ(shown({"__complete", "check", "--drop-last", "on", "thr"}), "thread-pool\n:files\n");
  EXPECT_EQ(shown({"__complete", "check", "--quiet", "thr"}), "thread-pool\n:files\n");
}

TEST_F(Help, CompletesArguments) {
  EXPECT_EQ(shown({"__complete", "report", ""}), ":files\n");
  EXPECT_EQ(shown({"__complete", "report", "one.json", ""}), ":files\n");
  EXPECT_EQ(shown({"__complete", "data", "make", "-q", "cif"}), "cifar10\ncifar100\n");
  EXPECT_EQ(shown({"__complete", "data", "make", "--seed", "1", "mnist", ""}), ":files\n");
  EXPECT_EQ(shown({"__complete", "data", "make", "mnist", "there", ""}), "");
  EXPECT_EQ(shown({"__complete", "check", "thr"}), "thread-pool\n:files\n");
  EXPECT_EQ(shown({"__complete", "completion", ""}), "bash\nzsh\nfish\n");
  EXPECT_EQ(shown({"__complete", "help", "run", "tri"}), "trials\n");
  EXPECT_EQ(shown({"__complete", "help", "tri"}), "trials\ntrial\tone timed pass of the loop\n");
  EXPECT_EQ(shown({"__complete", "help", "top"}), "topics\n");
  EXPECT_EQ(shown({"__complete", "help", "warn"}), "warnings\n");
  EXPECT_THAT(shown({"__complete", "help", "wide"}), StartsWith("wide-spread\tthe standard deviation of a cell "));
  EXPECT_THAT(shown({"__complete", "help", ""}), AllOf(HasSubstr("\nglossary\n"), Not(HasSubstr("\nstall\t"))));
  EXPECT_THAT(shown({"__complete", "help", "glossary", ""}), HasSubstr("\nstall\tthe share of a FULL trial "));
  EXPECT_THAT(shown({"__complete", "help", "--vers"}), StartsWith("--version\t"));
  EXPECT_THAT(shown({"__complete", "help", "--trial-s"}), StartsWith("--trial-seconds\t"));
  EXPECT_THAT(shown({"__complete", "help", "diff", "--fail"}), StartsWith("--fail-on\t"));
  EXPECT_THAT(shown({"__complete", "help", "data", "ma"}), StartsWith("make\t"));
  EXPECT_EQ(shown({"__complete", "baseline", "show", ""}), "");
  write(home_ / "baselines/before.json", "");
  EXPECT_EQ(shown({"__complete", "baseline", "show", ""}), "before\n");
  EXPECT_EQ(shown({"__complete", "diff", "--baseline", "b"}), "before\n");
}

TEST_F(Help, HasACompletionScriptForEachShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_THAT(shown({"completion", shell}), AllOf(HasSubstr("__complete"), HasSubstr("*.lock"))) << shell;
  }
  EXPECT_EQ(run({"completion", "ksh"}).exit_code, 2);
}

TEST_F(Help, DoctorSaysWhatIsBuiltInAndWhatDisturbs) {
  EXPECT_THAT(shown({"doctor"}),
              AllOf(HasSubstr("\nbuilt with Boost "), HasSubstr(" CPUs  "), HasSubstr("watched for 1 s"),
                    HasSubstr("  OpenCV  "), HasSubstr("  SentencePiece  ")));
}

TEST_F(Help, OfADoctorShowsAJobOnlyInsideOfOne) {
  EXPECT_THAT(shown({"doctor"}), Not(HasSubstr("  job  ")));
  world_.environment["SLURM_JOB_ID"] = "4711";
  world_.environment["SLURM_JOB_END_TIME"] = "1000";
  EXPECT_THAT(shown({"doctor"}), AllOf(ContainsRegex("\nok +job +4711 of slurm\n"),
                                       HasSubstr("the time limit of the job passed at 1970-01-01T00:16:40Z; request")));
}

}  // namespace
}  // namespace loadline::test
