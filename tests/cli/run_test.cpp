// `loadline run`: what goes to which stream and file, and how it ends.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class Run : public CommandLine {};

TEST_F(Run, ShowsATableAndWritesTheResult) {
  const Outcome outcome = run(short_run(mnist()));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("samples/s, mean ± standard deviation of the trials"));
  EXPECT_THAT(outcome.out, HasSubstr("\nresult: result.json\n"));
  EXPECT_EQ(refusals(outcome), Words());
  EXPECT_EQ(result()["status"], "complete");
  EXPECT_EQ(files(), (std::set<std::string>{"mnist", "result.json"}));
}

TEST_F(Run, SaysThatThereIsNoCudaDevice) {
  if (run({"list"}).out.find("cuda           left out: ") != std::string::npos) GTEST_SKIP() << "built without CUDA";
  world_.environment["CUDA_VISIBLE_DEVICES"] = "-1";
  const Outcome outcome = run(short_run(mnist()) + Words{"--mode", "synthetic", "--compute", "cuda"});
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(refusals(outcome).size(), 1U);
  EXPECT_THAT(refusals(outcome)[0], HasSubstr("compute cuda: no CUDA device found: "));
}

TEST_F(Run, PrintsTheSummaryOfAnotherToolAfterItsFigures) {
  auto arguments = short_run(mnist());
  arguments.insert(arguments.end(), {"--summary", "benchy"});
  EXPECT_THAT(run(arguments).out, HasSubstr("SUMMARY"));
  arguments.back() = "benchly";
  expect_refusal(run(arguments), 2, "--summary 'benchly': want benchy (did you mean benchy?)");
}

TEST_F(Run, NamesItsResultAfterTheRun) {
  Words words = short_run(mnist(), "");
  ASSERT_EQ(run(words + Words{"-q"}).exit_code, 0);
  std::set<std::string> written = files();
  written.erase("mnist");
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(*written.begin(), "loadline-" + result(*written.begin())["run_id"].get<std::string>() + ".json");
}

TEST_F(Run, PrintsALineForEachTrialAndNoProgressBarWithoutATerminal) {
  const Outcome outcome = run(short_run(mnist()) + Words{"--loader", "serial", "--first-epoch-seconds", "1"});
  EXPECT_THAT(outcome.err, Not(HasSubstr("\r")));
  EXPECT_THAT(outcome.err, Not(HasSubstr("\033")));
  for (const char* cell :
       {"mnist/IO/serial/batch:8", "mnist/SYNTHETIC/batch:8", "mnist/FULL/serial/batch:8", "OVERHEAD"})
    EXPECT_THAT(outcome.err, HasSubstr(fmt::format("trial 1/1 {}: ", cell)));
  EXPECT_THAT(outcome.err, testing::ContainsRegex(": [0-9.]+( [kMG])? samples/s \\(about [0-9.]+ s left\\)\n"));
  for (const char* cell : {"mnist/IO/serial/batch:8", "mnist/FULL/serial/batch:8"})
    EXPECT_THAT(outcome.err, HasSubstr(fmt::format("\nfirst epoch of {}: ", cell)));
}

// They used to end the run.
TEST_F(Run, LeavesOutOfAllLoadersThoseWithoutTheirCopyOfTheData) {
  const std::string data = mnist();
  const Words all = short_run(data) + Words{"--loader", "all", "--mode", "io", "--workers", "1"};
  const std::string copy = fmt::format("first run `loadline data convert {0} {0}", data);
  const Outcome outcome = run(all);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, testing::StartsWith(fmt::format("--loader all leaves out hdf5-mmap, hdf5 and hdf5-block "
                                                           "({0}.h5`) and hdf5-chunk ({0}-chunks.h5 --chunk 64`)\n",
                                                           copy)));
  EXPECT_EQ(result()["config"]["loader"], (Words{"serial", "thread-pool", "flow-graph"}));
  ASSERT_EQ(run({"data", "convert", data, data + ".h5", "--quiet"}).exit_code, 0);
  EXPECT_THAT(run(all).err, testing::StartsWith(fmt::format("--loader all leaves out hdf5-chunk ({}-chunks.h5 "
                                                            "--chunk 64`)\n",
                                                            copy)));
  const Words again = short_run(data, "") + Words{"--loader", "all", "--mode", "io", "--workers", "1"};
  EXPECT_EQ(run(again + Words{"--resume", "result.json"}).exit_code, 0) << "with the loaders that it has had";
}

TEST_F(Run, NamesMissingDataRatherThanLoadersThatCannotReadIt) {
  expect_refusal(run(short_run("nowhere") + Words{"--loader", "all"}), 1,
                 "cannot open nowhere: no such file or directory");
}

TEST_F(Run, SaysNothingWhenQuiet) {
  const Outcome outcome = run(short_run(mnist()) + Words{"--quiet"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(result()["status"], "complete");
}

TEST_F(Run, KeepsStdoutPureWhenTheResultGoesThere) {
  const Outcome outcome = run(short_run(mnist(), "-"));
  EXPECT_EQ(outcome.exit_code, 0);
  const auto json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["status"], "complete");
  EXPECT_THAT(outcome.err, HasSubstr("samples/s, mean ± standard deviation of the trials"));
  EXPECT_EQ(files(), (std::set<std::string>{"mnist"}));
}

TEST_F(Run, WritesNothingInADryRun) {
  const Outcome outcome = run(short_run(mnist()) + Words{"--dry-run", "--workers", "1,2"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("mnist/FULL/thread-pool/workers:2/batch:8"));
  EXPECT_THAT(outcome.out, HasSubstr("8 cells, 1 trial each, about "));
  EXPECT_EQ(files(), (std::set<std::string>{"mnist"}));
}

TEST_F(Run, SaysThatItsJobEndsFirst) {
  const Words words = short_run(mnist());
  world_.environment["SLURM_JOB_ID"] = "7";
  world_.environment["SLURM_JOB_END_TIME"] = "1764079080";  // long ago
  for (const Words& only_shown : {Words{}, Words{"--dry-run"}}) {
    EXPECT_THAT(run(words + only_shown).err,
                HasSubstr("the job has 0.0 s left, less than the run takes; --time-limit makes it fit\n"));
  }
}

TEST_F(Run, SaysWhichExclusionsNoCellMeets) {
  const Words words = short_run(mnist()) + Words{"--dry-run", "--exclude", "loader=serail,mode=io"};
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "--exclude: no cell meets loader=serail\n");
  EXPECT_EQ(run(words + Words{"-q"}).err, "");
}

TEST_F(Run, ReadsAPathWithSpacesAndBytesThatAreNotText) {
  const std::string odd = "with space \xff\xfe";
  const Outcome outcome = run(short_run(mnist(odd)));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(R"(with space \xff\xfe)"));
  EXPECT_THAT(result()["datasets"][0]["path"].get<std::string>(), HasSubstr("with space \uFFFD\uFFFD"));
}

TEST_F(Run, ChecksWhatItsVerdictPredicts) {
  // Steps of 80 ms take most of the time, whatever else the machine does.
  const Outcome outcome = run(short_run(mnist()) + Words{"--loader", "thread-pool", "--workers", "2", "--prefetch", "1",
                                                         "--compute", "device:samples_per_second=100,depth=0",
                                                         "--trials", "3", "--au", "0.05", "--check-verdict"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(" meets the 5 % requested."));
  if (result()["configurations"][0]["bound"] == "unclear" || loading_is_noise(result())) {
    GTEST_SKIP() << "too noisy a machine to predict anything";
  }
  EXPECT_THAT(outcome.err, HasSubstr("checking "));
  EXPECT_THAT(outcome.out, HasSubstr("predicted and measured\n  mnist: with 1 worker FULL would still reach "));
  const auto predictions = result()["predictions"];
  ASSERT_FALSE(predictions.empty());
  EXPECT_EQ(predictions[0]["cell"], "mnist/FULL/thread-pool/workers:1/batch:8");
  EXPECT_EQ(predictions[0]["compute"], "device:samples_per_second=100,depth=0");
  EXPECT_EQ(predictions[0]["identity"], false);
  EXPECT_EQ(predictions[0]["check"], 0);
  EXPECT_EQ(result()["checks"][0]["trials"].size(), 3U);
  EXPECT_TRUE(predictions[0]["agreement"].is_string());
  EXPECT_EQ(result()["configurations"][0]["goal"]["standing"], "met");
}

TEST_F(Run, SaysThatAVerdictPredictsNothingToCheck) {
  const Outcome outcome = run(short_run(mnist()) + Words{"--loader", "serial", "--check-verdict"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nnothing to check: these verdicts predict no throughput that another cell could "
                                     "show\n"));
}

TEST_F(Run, FindsTheFewestWorkers) {
  const Outcome outcome = run(short_run(mnist()) + Words{"--loader", "thread-pool", "--workers", "2", "--au", "1e-6",
                                                         "--find", "min-workers", "--trials", "4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("probe 1: 2 workers: AU "));
  EXPECT_THAT(outcome.err, HasSubstr("confirmation 1: 1 worker: AU "));
  EXPECT_THAT(outcome.out, HasSubstr("min-workers: thread-pool keeps AU 0.0001 % or more with 1 worker (AU "));
  EXPECT_EQ(result()["search"]["confirmed"], 1);
  EXPECT_EQ(result()["search"]["standing"], "confirmed");
  EXPECT_EQ(result()["search"]["probes"].size(), 3U);
  EXPECT_EQ(result()["status"], "complete");
}

TEST_F(Run, FindsTheFastestAndChecksItAgainstAllOthers) {
  const Words words = short_run(mnist()) +
                      Words{"--loader", "thread-pool", "--workers", "1,2", "--batch-size", "4,8", "--find", "best"};
  const Outcome dry = run(words + Words{"--dry-run"});
  EXPECT_THAT(dry.out,
              HasSubstr("12 candidates: 24 probes, each 0.25 of a trial, then 1 trial of each of the best 3, "));
  const Outcome outcome = run(words + Words{"--check-verdict"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("12 candidates: 24 probes, each 0.25 of a trial, then 1 trial "));
  EXPECT_THAT(outcome.err, HasSubstr("rung 1: 12 candidates, 1 probe each, 6 go on; mnist/FULL/thread-pool/"));
  EXPECT_THAT(outcome.err, HasSubstr("rung 2: 6 candidates, 2 probes each, 3 go on; mnist/FULL/"));
  EXPECT_THAT(outcome.out, HasSubstr("best of 12 candidates: unclear; no finalist is shown to be the best within 5 %; "
                                     "too few trials to tell, use --trials 5 or more.\nIt took 24 probes "))
      << "one trial each";
  const auto best = result()["best"];
  EXPECT_EQ(best["candidates"].size(), 12U);
  EXPECT_EQ(best["candidates"][0]["grid_samples_per_second"].size(), 1U);
  EXPECT_TRUE(best["winner"].is_null());
  EXPECT_EQ(best["standing"], "unclear");
  const auto cells = result()["cells"];
  EXPECT_EQ(
      std::ranges::count(cells, "FULL", [](const auto& cell) { return cell["mode"].template get<std::string>(); }), 3)
      << "the finalists";
  EXPECT_EQ(result()["status"], "complete");
}

TEST_F(Run, ConfiguresCeilingsDespiteItsGoal) {
  keep_ceilings_small();
  ASSERT_EQ(run(short_run(mnist()) + Words{"--au", "0.5", "--loader", "serial"}).exit_code, 0);
  const Outcome outcome = run({"ceilings", "--config", "result.json", "--quiet"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(Run, MeasuresColdBesideWarm) {
  const Outcome outcome = run(short_run(mnist()) + Words{"--loader", "serial", "--cache", "warm,cold"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("fetch stall"));
  EXPECT_THAT(outcome.out, HasSubstr("a first pass, with an empty page cache, goes into "));
  const auto json = result();
  std::size_t cold = 0;
  for (const auto& cell : json["cells"]) {
    if (cell["cache"] != "cold") continue;
    ++cold;
    const auto& trial = cell["trials"][0];
    EXPECT_EQ(trial["warm_up_batches"], 0);
    if (outcome.err.find("[not-cold]") != std::string::npos) continue;  // the tool reports that the cache was not cold
    EXPECT_EQ(trial["page_cache"]["before"]["resident_pages"], 0);
    EXPECT_NE(trial["device_read_bytes"], 0);
  }
  EXPECT_EQ(cold, 2U);
  for (const auto& configuration : json["configurations"]) {
    const bool is_cold = configuration["further"] == "/cache:cold";
    EXPECT_EQ(configuration["fetch_stall"].is_null(), !is_cold);
    EXPECT_EQ(configuration["prep_stall"].is_null(), !is_cold);
  }
}

TEST_F(Run, TakesTheFingerprintAfterwardsWithTheCacheAsIs) {
  const Outcome outcome = run(short_run(mnist()) + Words{"--loader", "serial", "--cache", "as-is"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(result()["datasets"][0]["fingerprint"].is_string());
  EXPECT_EQ(run(short_run(mnist()) + Words{"--cache", "as-is", "--dry-run"}).exit_code, 0);
}

// Output

TEST_F(Run, RefusesAMissingDirectoryBeforeItMeasures) {
  expect_refusal(run(short_run(mnist(), "none/result.json")), 1,
                 "cannot write none/result.json: No such file or directory");
}

TEST_F(Run, RefusesADirectoryInPlaceOfAFileBeforeItMeasures) {
  expect_refusal(run(short_run(mnist(), ".")), 1, "cannot write .: it is a directory, want a file");
  EXPECT_EQ(files(), (std::set<std::string>{"mnist"}));
}

TEST_F(Run, WritesIntoADeviceAndDoesNotReplaceIt) {
  ASSERT_EQ(::symlink("/dev/null", (home_ / "nothing").c_str()), 0);
  EXPECT_EQ(run(short_run(mnist(), "nothing")).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(home_ / "nothing"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(Run, WritesTheFileThatALinkLeadsTo) {
  ASSERT_EQ(run(short_run(mnist(), "target.json")).exit_code, 0);
  ASSERT_EQ(::symlink("target.json", (home_ / "link.json").c_str()), 0);
  EXPECT_EQ(run(short_run(mnist(), "link.json") + Words{"--seed", "2"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(home_ / "link.json"));
  EXPECT_EQ(result("target.json")["config"]["seed"], 2);
  EXPECT_EQ(result("target.json")["status"], "complete");
}

TEST_F(Run, WritesTheFileThatALinkLeadsToThoughItIsMissing) {
  std::filesystem::create_directory(home_ / "there");
  std::filesystem::create_symlink("there/new.json", home_ / "link.json");
  EXPECT_EQ(run(short_run(mnist(), "link.json")).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(home_ / "link.json"));
  EXPECT_EQ(result("there/new.json")["status"], "complete");
}

TEST_F(Run, RefusesLinksThatLeadInACircleBeforeItMeasures) {
  std::filesystem::create_symlink("two", home_ / "one");
  std::filesystem::create_symlink("one", home_ / "two");
  expect_refusal(run(short_run(mnist(), "one")), 1, "cannot write one: Too many levels of symbolic links");
  expect_refusal(run({"run", "--resume", "one"}), 1, "cannot read one: Too many levels of symbolic links");
}

TEST_F(Run, ReportsAFullDiskAndLeavesNothing) {
  std::filesystem::create_directory(home_ / "small");
  if (::mount("tmpfs", (home_ / "small").c_str(), "tmpfs", 0, "size=8k") != 0) {
    GTEST_SKIP() << "may not mount a small file system";
  }
  const Outcome outcome = run(short_run(mnist(), "small/result.json"));
  EXPECT_EQ(names_in(home_ / "small"), std::set<std::string>());
  ::umount2((home_ / "small").c_str(), MNT_DETACH);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(refusals(outcome),
            (Words{"cannot write small/result.json: No space left on device; nothing is saved; the run "
                   "goes on and tries again",
                   "cannot write small/result.json: No space left on device; nothing is saved"}));
  EXPECT_LT(outcome.err.find("the run goes on"), outcome.err.find("OVERHEAD"));
  EXPECT_THAT(outcome.out, HasSubstr("samples/s, mean")) << "the figures are not lost with the file";
  EXPECT_THAT(outcome.out, Not(HasSubstr("details: "))) << "there is no file to read them from";
}

TEST_F(Run, KeepsTheEarlierFileWhenTheNewOneCannotBeWritten) {
  const Words words = short_run(mnist());
  ASSERT_EQ(run(words).exit_code, 0);
  const std::string before = bytes_of(home_ / "result.json");
  world_.most_file_bytes = 4096;
  const Outcome outcome = run(words + Words{"--seed", "2"});
  EXPECT_EQ(outcome.exit_code, 1);
  const std::string sentence = "cannot write result.json: File too large; the earlier file is unchanged";
  EXPECT_EQ(refusals(outcome), (Words{sentence + "; the run goes on and tries again", sentence}));
  EXPECT_EQ(bytes_of(home_ / "result.json"), before);
  EXPECT_EQ(files(), (std::set<std::string>{"mnist", "result.json"}));
}

TEST_F(Run, SaysHowMuchIsSavedWhenTheDiskFillsUp) {
  const std::string data = mnist();
  ASSERT_EQ(run(short_run(data) + Words{"--mode", "io", "--loader", "serial"}).exit_code, 0);
  // Some trials of a longer run fit.
  world_.most_file_bytes = std::filesystem::file_size(home_ / "result.json") + 4096;
  std::filesystem::remove(home_ / "result.json");
  Tool tool(long_run(data) + Words{"--mode", "io", "--loader", "serial"}, world_);
  ASSERT_TRUE(tool.wait_until_err_says("the run goes on and tries again\n"));
  tool.send(SIGTERM);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 1);
  const Words said = refusals(outcome);
  ASSERT_EQ(said.size(), 2U) << outcome.err;
  const std::size_t trials = trials_in(result());
  const std::string saved = fmt::format("cannot write result.json: File too large; {} saved there",
                                        trials == 1 ? "1 trial is" : fmt::format("{} trials are", trials));
  EXPECT_EQ(said[0], saved + "; the run goes on and tries again");
  EXPECT_EQ(said[1], saved);
  EXPECT_EQ(result()["status"], "partial");
  EXPECT_EQ(files(), (std::set<std::string>{"mnist", "result.json"}));
}

TEST_F(Run, ReportsWhenItsFileCannotBeWrittenAndWhenItCanAgain) {
  Tool tool(long_run(mnist()) + Words{"--mode", "io", "--loader", "serial"}, world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 1/"));
  // Until no saving of the run comes between the two.
  for (std::error_code failed;;) {
    std::filesystem::remove(home_ / "result.json", failed);
    std::filesystem::create_directories(home_ / "result.json" / "in the way", failed);
    if (!failed) break;
  }
  ASSERT_TRUE(tool.wait_until_err_says("the run goes on and tries again\n"));
  std::filesystem::remove_all(home_ / "result.json");
  ASSERT_TRUE(tool.wait_until_err_says("result.json can be written again; "));
  tool.send(SIGTERM);
  EXPECT_EQ(tool.finish().exit_code, 143);
  EXPECT_EQ(result()["status"], "partial");
}

TEST_F(Run, FailsIfTheResultGoesToAClosedStdout) {
  const std::string data = mnist();
  world_.closed = {STDOUT_FILENO};
  expect_refusal(run(short_run(data, "-")), 1, "cannot write to stdout: it is closed");
  EXPECT_EQ(run(short_run(data)).exit_code, 0);
  for (const Words& words :
       {Words{"export", "--to", "benchy", "result.json"}, Words{"report", "result.json", "-o", "-"},
        Words{"merge", "result.json", "result.json", "-o", "-"}, Words{"diff", "result.json", "result.json"}}) {
    SCOPED_TRACE(testing::PrintToString(words));
    EXPECT_EQ(run(words).exit_code, 1);
  }
}

TEST_F(Run, WritesTheResultThoughNobodyReadsStdout) {
  world_.deaf_stdout = true;
  const Outcome outcome = run(short_run(mnist()));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(refusals(outcome), Words());
  EXPECT_EQ(result()["status"], "complete");
}

TEST_F(Run, WritesTheResultThoughStdoutAndStderrAreClosed) {
  world_.closed = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  EXPECT_EQ(run(short_run(mnist())).exit_code, 0);
  EXPECT_EQ(result()["status"], "complete");
}

// Its outcome was lost, and its exit code was 0.
TEST_F(CommandLine, AVerbWhoseOutcomeGoesOnlyToStdoutFailsIfThatIsClosed) {
  const std::string data = mnist();
  ASSERT_EQ(run(short_run(data) + Words{"--save-baseline", "main"}).exit_code, 0);
  for (const Words& words :
       {Words{"list"}, Words{"doctor"}, Words{"--version"}, Words{"--help"}, Words{"run", "--help"}, Words{"help"},
        Words{"completion", "bash"}, Words{"baseline", "list"}, Words{"baseline", "show", "main"},
        Words{"baseline", "history", "main"}, Words{"data", "info", data}, Words{"data", "verify", data},
        Words{"check", "serial", "--workload", "mnist", "--data", data, "--batch-size", "8"},
        Words{"run", "--dump-config"}, short_run(data) + Words{"--dry-run"}, Words{"report", "result.json"}}) {
    SCOPED_TRACE(testing::PrintToString(words));
    world_.closed = {STDOUT_FILENO};
    expect_refusal(run(words), 1, "cannot write to stdout: it is closed");
    world_.closed = {STDERR_FILENO};
    EXPECT_EQ(run(words).exit_code, 0);
  }
}

TEST_F(CommandLine, AVerbWhoseOutcomeGoesOnlyToStdoutEndsSilentlyIfNobodyReadsItToTheEnd) {
  world_.deaf_stdout = true;
  for (const Words& words : {Words{"run", "--dump-config"}, Words{"list"}}) {  // the latter is longer than its buffer
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 128 + SIGPIPE);
    EXPECT_EQ(outcome.err, "");
  }
}

// Interruption

class Interrupted : public CommandLine, public testing::WithParamInterface<int> {};

TEST_P(Interrupted, KeepsWhatWasMeasured) {
  Tool tool(long_run(mnist()), world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 1/"));
  tool.send(GetParam());
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 128 + GetParam());
  EXPECT_EQ(
      refusals(outcome),
      Words{
          "interrupted; what was measured so far is in result.json; continue with loadline run --resume result.json"});
  const auto json = result();
  EXPECT_EQ(json["status"], "partial");
  EXPECT_GE(trials_in(json), 1U);
  EXPECT_EQ(files(), (std::set<std::string>{"mnist", "result.json"}));
}

TEST_P(Interrupted, ReachesAComputeThatWaits) {
  // A step of more than two hours.
  Tool tool(long_run(mnist()) + Words{"--mode", "synthetic,io", "--compute", "device:samples_per_second=0.001,depth=0"},
            world_);
  ASSERT_TRUE(tool.wait_until_err_says("about "));
  tool.send(GetParam());
  EXPECT_EQ(tool.finish().exit_code, 128 + GetParam());
  EXPECT_EQ(result()["status"], "partial");
}

TEST_P(Interrupted, EndsAtOnceOnAFurtherSigint) {
  world_.small_stdout = true;  // holds less than a result, and is not read before the end
  Tool tool(Words{long_run(mnist())} + Words{"-o", "-"}, world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 1/"));
  tool.send(GetParam());
  ASSERT_TRUE(tool.wait_until_err_says("samples/s, mean ±"));
  tool.send_until_it_ends(SIGINT);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.signal, SIGINT);
  EXPECT_THAT(outcome.err, EndsWith("loadline: interrupted while it was stopping, so ended at once\n"));
}

TEST_P(Interrupted, IgnoresAFurtherSigterm) {
  world_.small_stdout = true;
  Tool tool(Words{long_run(mnist())} + Words{"-o", "-"}, world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 1/"));
  tool.send(GetParam());
  ASSERT_TRUE(tool.wait_until_err_says("samples/s, mean ±"));
  tool.send(SIGTERM);
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 128 + GetParam());
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["status"], "partial");
}

INSTANTIATE_TEST_SUITE_P(Signal, Interrupted, testing::Values(SIGINT, SIGTERM, SIGHUP), [](const auto& signal) {
  return signal.param == SIGINT ? "SIGINT" : signal.param == SIGTERM ? "SIGTERM" : "SIGHUP";
});

// Memory

class Memory : public CommandLine, public testing::WithParamInterface<bool> {};

TEST_P(Memory, StaysWithinDatasetAndSlots) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's own memory counts as the process's";
  constexpr std::size_t kSamples = 40'000;
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  // Pages of mapped files that were read count as the memory of the process too.
  write(home_ / "cifar" / "data_batch_1.bin", std::string(kSamples * (1 + kCifarPixels), '\0'));
  Words words =
      Words{"run", "--workload", "cifar10", "--data", "cifar", "-o", "result.json", "--workers", "2", "-q"} + kShort;
  if (GetParam()) words.emplace_back("--in-memory");
  ASSERT_EQ(run(words + Words{"--first-epoch-seconds", "1"}).exit_code, 0);
  const auto json = result();
  std::size_t peak = 0;
  std::size_t slots = 0;
  for (const auto& cell : json["cells"]) {
    for (const auto& trial : cell["trials"])
      peak = std::max(peak, trial["peak_rss_bytes"].is_null() ? 0 : trial["peak_rss_bytes"].get<std::size_t>());
    if (cell["workers"].is_null()) continue;
    const std::size_t count = cell["prefetch_in_force"].get<std::size_t>() + cell["workers"].get<std::size_t>() + 2;
    EXPECT_LE(cell["slots"].get<std::size_t>(), count);
    slots = std::max(slots, count * cell["slot_bytes"].get<std::size_t>());
  }
  EXPECT_GT(peak, 0U);
  EXPECT_LE(peak, kSamples * kCifarPixels + slots + 64 * kMiB);
}

INSTANTIATE_TEST_SUITE_P(Dataset, Memory, testing::Bool(),
                         [](const auto& resident) { return resident.param ? "Resident" : "Mapped"; });

}  // namespace
}  // namespace loadline::test
