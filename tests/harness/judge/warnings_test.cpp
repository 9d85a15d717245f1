#include "harness/judge/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "loaders/datasets/script.h"
#include "tests/harness/judge/warnings_fixture.h"

namespace loadline {
namespace {

using test::overhead;
using test::result_of;
using test::sound;
using test::warnings;
using Texts = std::map<std::string, std::string>;

TEST(Warnings, OfASoundResultAreNone) {
  EXPECT_EQ(warnings(sound()), Texts());
}

TEST(Warnings, ReportADebugOrSanitizerBuild) {
  Result result = sound();
  result.environment.build.build_type = "Debug";
  EXPECT_EQ(warnings(result),
            (Texts{{"debug-build", "this program was built as Debug, not Release, so its times are too long"}}));
  result.environment.build.sanitizer = "thread";
  EXPECT_EQ(
      warnings(result),
      (Texts{{"sanitizer-build", "this program was built with the thread sanitizer, so its times mean nothing"}}));
}

TEST(Warnings, ReportABusyMachine) {
  Result result = sound();
  result.environment.machine.load_average_1_minute = 4.0;
  EXPECT_EQ(warnings(result), Texts()) << "as many as CPUs";
  result.environment.machine.load_average_1_minute = 4.25;
  EXPECT_EQ(
      warnings(result),
      (Texts{{"machine-busy",
              "the load average was 4.25 at the start, with 4 CPUs in force: other work may have slowed the trials"}}));
}

TEST(Warnings, CompareTheLoadWithThePartOfACpuThatAQuotaLeaves) {
  Result result = sound();
  result.environment.machine.threads_in_force = 1;
  result.environment.machine.cgroup_cpu_limit = 0.5;
  result.environment.machine.load_average_1_minute = 0.75;
  EXPECT_EQ(warnings(result)["machine-busy"],
            "the load average was 0.75 at the start, with 0.5 CPUs in force: other work may have slowed the trials");
}

TEST(Warnings, ReportSmallPages) {
  Result result = sound();
  result.environment.machine.transparent_huge_pages = "never";
  EXPECT_EQ(warnings(result),
            (Texts{{"no-huge-pages",
                    "transparent huge pages are off: slots use small pages and cost more address translations"}}));
}

TEST(Warnings, ReportMemoryThatMayRunShort) {
  Result result = sound();
  result.memory = MemoryUse{.needed_bytes = 799,
                            .largest_bytes = 600,
                            .largest = "the slots of a",
                            .available_bytes = 1000,
                            .limit = "MemAvailable"};
  EXPECT_EQ(warnings(result), Texts());
  result.memory->needed_bytes = 800;
  EXPECT_EQ(
      warnings(result),
      (Texts{{"memory-short",
              "the run needs 800 bytes of memory, 600 bytes of it for the slots of a, and MemAvailable leaves "
              "1000 bytes: if memory runs short, the system drops cached files first and may then kill the run"}}));
}

TEST(Warnings, ReportSeveralHosts) {
  Result result = sound();
  result.environment.machine.hostname = "node1";
  EXPECT_EQ(warnings(result), Texts());
  result.environment.machine.hostname = "node1, node2";
  EXPECT_EQ(warnings(result), (Texts{{"several-hosts",
                                      "the trials ran on node1 and node2: differences between these hosts widen the "
                                      "intervals, or show as differences between cells"}}));
}

TEST(Warnings, ReportADatasetThatFitsTheCache) {
  Result result = sound();
  result.environment.machine.last_level_cache_bytes = 60000 * 784;
  EXPECT_EQ(warnings(result), Texts());
  result.environment.machine.last_level_cache_bytes = 60000 * 784 + 1;
  EXPECT_EQ(warnings(result), (Texts{{"dataset-fits-cache",
                                      "the 47040000 bytes of samples in /data/mnist fit the last-level cache of "
                                      "47040001 bytes: IO measures that cache"}}));
}

TEST(Warnings, ReportADatasetThatIsNotInThePageCache) {
  Result result = sound();
  result.datasets[0].before.resident_pages = 9;
  EXPECT_EQ(warnings(result), Texts()) << "nobody missed the page";
  result.cells[0].trials[0].usage.major_faults = 1;
  EXPECT_EQ(warnings(result), (Texts{{"not-resident",
                                      "the page cache held 9 of 10 pages of /data/mnist before the trials, although "
                                      "all had just been read: IO measures storage too"}}));
  result.cells[0].trials[0].usage.major_faults = 0;
  result.datasets[0].info.access = Access::kFiles;
  EXPECT_EQ(warnings(result), (Texts{{"not-resident",
                                      "the page cache held 9 of 10 pages of /data/mnist before the trials, although "
                                      "all had just been read: IO may measure storage too"}}));
  result.datasets[0].info.access = Access::kResident;
  EXPECT_EQ(warnings(result), Texts()) << "what the process holds itself needs no page cache";
}

TEST(Warnings, ReportLoadersThatReadOtherSamples) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 1010, 1020}},
                             {.mode = Mode::kIo, .rates = {1000, 1010, 1020}, .loader = "hdf5"},
                             overhead()});
  DatasetFacts copy = result.datasets[0];
  copy.path = "/data/mnist.h5";
  result.datasets.push_back(copy);
  result.cells[1].dataset = 1;
  EXPECT_EQ(warnings(result), Texts()) << "a copy of the same samples";
  result.datasets[1].fingerprint.reset();
  EXPECT_EQ(warnings(result), Texts()) << "it is not known yet";
  result.datasets[1].fingerprint = 1;
  EXPECT_EQ(warnings(result), (Texts{{"samples-differ",
                                      "/data/mnist.h5 reads different samples or labels from /data/mnist: they cannot "
                                      "be used to compare loaders of mnist"}}));
}

TEST(Warnings, ReportLoadersWhoseSamplesHaveAnotherSize) {
  Result result = sound();
  const std::string loader = result.cells[0].cell.loader.value();
  result.cells[0].slot_bytes = result.cells[0].cell.sampler.batch_size * 3136;
  result.loaders.push_back(
      {.loader = loader, .origin = {}, .delivered = DeliveredFormat{"f32", {1, 28, 28}, true, true}});
  EXPECT_EQ(warnings(result), Texts());
  result.loaders[0].delivered->dtype = "u8";
  EXPECT_EQ(
      warnings(result),
      (Texts{{"format-differs",
              loader + " delivers samples of u8[1x28x28], 784 bytes each, while those of SYNTHETIC and of other "
                       "loaders have 3136: they move different amounts for the same samples; use the --dtype that it "
                       "delivers"}}));
  result.loaders[0].delivered = DeliveredFormat{"f32", {4}, true, true};
  EXPECT_EQ(
      warnings(result),
      (Texts{{"format-differs",
              loader + " delivers samples of f32[4], 16 bytes each, while those of SYNTHETIC and of other loaders "
                       "have 3136: they move different amounts for the same samples; let it deliver samples of "
                       "their shape"}}))
      << "the type is the same";
  result.loaders[0].delivered->dtype = "u4";
  EXPECT_EQ(warnings(result), Texts()) << "nobody knows its size";
}

TEST(Warnings, ReportABatchSizeThatALoaderDoesNotUse) {
  Result result = sound();
  const std::string loader = *result.cells[0].cell.loader;
  result.loaders.push_back(
      {.loader = loader, .origin = {}, .delivered = DeliveredFormat{"unknown", {}, false, false, 100}});
  EXPECT_EQ(warnings(result), Texts()) << "no size was asked for";
  result.options.batch_sizes = {100};
  EXPECT_EQ(warnings(result), Texts());
  result.options.batch_sizes = {100, 200};
  EXPECT_EQ(warnings(result),
            (Texts{{"batch-size-ignored", loader + " delivers batches of 100 samples whatever --batch-size says "
                                                   "(100,200): its function has no parameter batch_size"}}));
}

TEST(Warnings, ReportBatchesOfAnotherSizeThanALoaderInPythonWasAskedFor) {
  Result result = sound();
  const std::string loader = *result.cells[0].cell.loader;
  result.datasets[0].info.format = kScriptFormat;
  result.loaders.push_back(
      {.loader = loader, .origin = {}, .delivered = DeliveredFormat{"unknown", {}, false, false, {}}});
  EXPECT_EQ(warnings(result), Texts());
  for (Trial& trial : result.cells[0].trials) trial.batches *= 3;
  EXPECT_EQ(warnings(result),
            (Texts{{"batch-size-ignored", loader + " delivered batches of 33.3 samples on average where batches of 100 "
                                                   "were requested: the rows show the requested size"}}));
}

TEST(Warnings, ReportMoreWorkersThanCpus) {
  Result result = sound();
  result.cells[0].cell.workers = 4;
  EXPECT_EQ(warnings(result), Texts());
  result.cells[0].cell.workers = 5;
  EXPECT_EQ(warnings(result),
            (Texts{{"workers-exceed-cpus", "up to 5 workers share 4 CPUs: they take turns unless they wait"}}));
}

TEST(Warnings, DoNotSayThatWorkersTakeTurnsWhereMoreOfThemThanCpusGain) {
  const auto with = [](double eight) {
    Result result =
        result_of({{.mode = Mode::kIo, .rates = {1000, 1001, 1002}, .loader = "thread-pool", .workers = 4},
                   {.mode = Mode::kIo, .rates = {eight, eight + 1, eight + 2}, .loader = "thread-pool", .workers = 8},
                   overhead()});
    return warnings(result).count("workers-exceed-cpus");
  };
  EXPECT_EQ(with(2000), 0U);
  EXPECT_EQ(with(1020), 1U);
}

TEST(Warnings, ReportStepsTooShortForTheHarness) {
  // 19 µs against 20 times 1 µs.
  const double rate = 100 / 19e-6;
  EXPECT_EQ(warnings(result_of({{.mode = Mode::kIo, .rates = {rate, rate, rate}}, overhead()})),
            (Texts{{"step-too-short",
                    "a batch of mnist/IO/serial/batch:100 takes 19 µs, less than 20 times the harness's own 1.0 µs: "
                    "use larger batches"}}));
}

TEST(Warnings, ReportACeilingThatALoaderExceeds) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1099, 1100, 1101}}, overhead()});
  test::add_ceiling(result, test::ceiling("gather-drain", 1), {999, 1000, 1001}, {0});
  EXPECT_EQ(warnings(result), (Texts{{"ceiling-beaten",
                                      "mnist/IO/serial/batch:100 reaches 110.0 ± 0.2 % of the ceiling "
                                      "gather-drain/mnist/data:0/batch:100/threads:1: that ceiling's kernel is too "
                                      "weak to be a limit, unless other work slowed it"}}));
  result.ceilings[0].trials.clear();
  test::add_ceiling(result, test::ceiling("gather-drain", 1), {900, 1000, 1100}, {0});
  EXPECT_EQ(warnings(result), Texts()) << "within noise";
}

TEST(Warnings, SayNothingOfAnExceededCeilingTooNoisyToCompareWith) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1099, 1100, 1101}}, overhead()});
  test::add_ceiling(result, test::ceiling("gather-drain", 1), {600, 700, 800}, {0});
  EXPECT_EQ(warnings(result).count("ceiling-beaten"), 0U);
}

TEST(Warnings, LeaveAComputeThatFullExceedsToTheVerdict) {
  Result result = result_of({{.mode = Mode::kSynthetic, .rates = {999, 1000, 1001}},
                             {.mode = Mode::kFull, .rates = {1099, 1100, 1101}},
                             overhead()});
  test::add_ceiling(result, test::ceiling("gather", 1), {5000, 5000, 5000}, {1});
  EXPECT_EQ(warnings(result), Texts()) << "the verdict does";
}

TEST(Warnings, ReportACeilingThatFailed) {
  Result result = sound();
  test::add_ceiling(result, test::ceiling("page-cache", 2), {}, {});
  result.ceilings[0].error = "cannot read shard.bin";
  EXPECT_EQ(warnings(result), (Texts{{"ceiling-failed", "page-cache/mnist/data:0/threads:2: cannot read shard.bin"}}));
}

TEST(Warnings, ReportSeveralBuilds) {
  Result result = sound();
  result.other_builds = {"loadline 1.2.2 (0123456789ab)"};
  EXPECT_EQ(warnings(result),
            (Texts{{"several-builds",
                    "loadline 1.2.2 (0123456789ab) measured some of the trials and loadline 1.2.3 the others: "
                    "differences between the builds widen the intervals, or show as differences between cells"}}));
}

Texts folds(const std::vector<Warning>& warnings) {
  Texts texts;
  for (const Warning& warning : folded(warnings)) texts[warning.id] = warning.message;
  return texts;
}

TEST(FoldedWarnings, ShowTheWorstOfEachKindAndWhatToDo) {
  const std::vector<Warning> warnings{{"wide-spread", "the trials of a vary by 12 % of their mean", 0.12},
                                      {"outlier-trial", "trial 3 of a stands apart", 0.3},
                                      {"wide-spread", "the trials of b vary by 41 % of their mean", 0.41},
                                      {"wide-spread", "the trials of c vary by 20 % of their mean", 0.20}};
  EXPECT_EQ(
      folds(warnings),
      (Texts{
          {"wide-spread",
           "3 cells, the worst: the trials of b vary by 41 % of their mean; use a quieter machine or longer trials "
           "(--trial-seconds)"},
          {"outlier-trial", "trial 3 of a stands apart; a stall is a finding, but if something else ran, run again"}}));
  EXPECT_EQ(folded(warnings)[0].id, "wide-spread") << "in the order of the first of each";
}

TEST(FoldedWarnings, NameTheLimitOfTrialsOfARunUntilIntervalsAreNarrow) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 1001}}, overhead()});
  result.status = Status::kComplete;
  result.options.until_ci = 0.01;
  EXPECT_EQ(folds(judge_run(result).warnings),
            (Texts{{"few-trials",
                    "mnist/IO/serial/batch:100 has 2 trials: too few for a reliable interval; measure 5 or more "
                    "(--max-trials)"}}));
}

TEST(FoldedWarnings, NameTheFirstWhereNoneIsWorse) {
  EXPECT_EQ(folds({{"cell-failed", "a: cannot read"}, {"cell-failed", "b: cannot read"}}),
            (Texts{{"cell-failed", "2 cells, the first: a: cannot read; fix the cause and run again"}}));
  EXPECT_EQ(folds({{"something-new", "a"}, {"something-new", "b", 1}}),
            (Texts{{"something-new", "2 cells, the worst: b"}}));
  EXPECT_EQ(folds({}), Texts());
}

TEST(FoldedWarnings, AreAFewLinesForANoisyRun) {
  std::vector<test::CellRequest> noisy;
  for (const std::size_t workers : {1, 2, 3, 4}) {
    noisy.push_back({.mode = Mode::kIo, .rates = {700, 1000}, .loader = "thread-pool", .workers = workers});
    noisy.push_back({.mode = Mode::kFull, .rates = {600, 1000}, .loader = "thread-pool", .workers = workers});
  }
  Result result = result_of(noisy);
  result.status = Status::kComplete;
  const Judgement judgement = judge_run(result);
  EXPECT_EQ(judgement.warnings.size(), 16U);
  const Texts texts = folds(judgement.warnings);
  EXPECT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts.at("few-trials"),
            "8 cells, the first: mnist/IO/thread-pool/workers:1/batch:100 has 2 trials: too few for a reliable "
            "interval; measure 5 or more (--trials)");
  EXPECT_EQ(
      texts.at("wide-spread"),
      "8 cells, the worst: the trials of mnist/FULL/thread-pool/workers:1/batch:100 vary by 35 % of their mean; use "
      "a quieter machine or longer trials (--trial-seconds)");
}

}  // namespace
}  // namespace loadline
