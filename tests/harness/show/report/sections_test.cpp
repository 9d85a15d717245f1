#include "harness/show/report/sections.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/show/report/stage_rows.h"
#include "tests/harness/show/report/runs.h"

namespace loadline {
namespace {

using test::Reported;
using test::result_of;
using test::sweep;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr SectionOptions kAll{.most_configurations = 100, .most_in_time = 100};

std::vector<std::string_view> ids_of(const std::vector<Section>& sections) {
  std::vector<std::string_view> ids;
  for (const Section& section : sections) ids.push_back(section.id);
  return ids;
}

std::vector<std::string_view> keys_of(const DataTable& table) {
  std::vector<std::string_view> keys;
  for (const Column& column : table.columns) keys.push_back(column.key);
  return keys;
}

std::vector<Datum> column_of(const Section& section, std::string_view key) {
  std::vector<Datum> column;
  for (std::size_t i = 0; i < section.table.columns.size(); ++i) {
    if (section.table.columns[i].key != key) continue;
    for (const auto& row : section.table.rows) column.push_back(row[i]);
  }
  return column;
}

TEST(Sections, AreThoseThatTheRunHasDataFor) {
  const Reported reported({sweep()});
  EXPECT_THAT(ids_of(sections_of(reported.data(), kAll)),
              ElementsAre("throughput", "scaling", "bounds", "trials", "waits", "timeline", "cpu", "machine"));
}

TEST(Sections, DoNotNameASingleRun) {
  const Reported one({sweep()});
  const Reported two({sweep(), sweep()});
  EXPECT_THAT(keys_of(sections_of(one.data(), kAll)[0].table),
              ElementsAre("workload", "name", "mode", "trials", "mean", "low", "high", "synthetic", "of-synthetic"));
  EXPECT_THAT(
      keys_of(sections_of(two.data(), kAll)[1].table),
      ElementsAre("run", "workload", "name", "mode", "trials", "mean", "low", "high", "synthetic", "of-synthetic"));
}

TEST(Sections, SayWhatTheyLeaveOut) {
  const Reported reported({sweep()});
  const auto sections = sections_of(reported.data(), {.most_configurations = 1, .most_in_time = 1});
  EXPECT_EQ(sections[0].table.rows.size(), 3U) << "IO, SYNTHETIC and FULL of the fastest";
  EXPECT_THAT(sections[0].notes,
              ElementsAre("The best configuration of each workload is shown, 1 of 2; `loadline report "
                          "--format csv` has all of them."));
}

TEST(WalkSection, HasARowPerRun) {
  Result faster = sweep();
  for (CellResult& cell : faster.cells) {
    if (cell.cell.mode != Mode::kSynthetic) cell.cell.cache = CacheState::kAsIs;
  }
  const Reported one({sweep()});
  const Reported two({sweep(), faster});
  EXPECT_THAT(walk_section(one.data()).table.rows, testing::IsEmpty());
  const Section section = walk_section(two.data());
  EXPECT_EQ(section.id, "walk");
  EXPECT_THAT(column_of(section, "run"), ElementsAre("A", "B"));
  EXPECT_THAT(column_of(section, "name"), ElementsAre(testing::_, "cache warm -> as-is"));
  EXPECT_THAT(column_of(section, "before"), ElementsAre(Datum(), testing::Ne(Datum())));
  const auto rates = std::get<Values>(column_of(section, "rates")[1]).numbers;
  ASSERT_EQ(rates.size(), 3U);
  EXPECT_NEAR(*rates[0], 1500, 1e-6);
  EXPECT_EQ(sections_of(two.data(), kAll)[0].id, "walk");
}

TEST(ThroughputSection, HasARowPerModeAndNoIntervalForOneTrial) {
  Result result = sweep();
  result.cells[0].trials.resize(1);
  const Reported reported({result});
  const Section section = throughput_section(reported.data());
  EXPECT_THAT(column_of(section, "mode"), ElementsAre("IO", "SYNTHETIC", "FULL", "IO", "FULL"));
  EXPECT_THAT(column_of(section, "name"), ElementsAre("thread-pool x 1", "resident batches of 100", "thread-pool x 1",
                                                      "thread-pool x 2", "thread-pool x 2"));
  EXPECT_THAT(column_of(section, "trials"), ElementsAre(1.0, 3.0, 3.0, 3.0, 3.0));
  EXPECT_EQ(column_of(section, "low")[0], Datum());
  // 2000 exp(-4.3027 * 100 / sqrt(3) / 2000)
  EXPECT_NEAR(std::get<double>(column_of(section, "low")[3]), 1766.4, 0.1);
}

TEST(ThroughputSection, HasNoIntervalThatCrossesZero) {
  const Reported reported({result_of({{.mode = Mode::kIo, .rates = {100, 100, 10000}}})});
  EXPECT_LT(reported.judgements[0].cells[0].samples_per_second->ci95->low, 0);
  const Section section = throughput_section(reported.data());
  EXPECT_GT(std::get<double>(column_of(section, "low")[0]), 0);
}

TEST(ThroughputSection, ComparesFullWithSyntheticAndWithItsOwnBound) {
  const Reported reported({sweep()});
  const Section section = throughput_section(reported.data());
  EXPECT_THAT(column_of(section, "synthetic"), ElementsAre(3000.0, Datum(), 3000.0, 3000.0, 3000.0));
  EXPECT_NEAR(std::get<double>(column_of(section, "of-synthetic")[4]), 0.533, 0.001);
  EXPECT_EQ(column_of(section, "ceiling")[4], Datum()) << "nobody measured what the loader fills";

  Result filled = sweep();
  for (const std::size_t io : {0U, 1U}) {
    for (Trial& trial : filled.cells[io].trials) trial.fill = Fill{.wall_seconds = 1, .batches = 20, .samples = 2000};
  }
  const Reported measured({filled});
  const Section held = throughput_section(measured.data());
  EXPECT_EQ(column_of(held, "bound")[4], Datum("what its loader fills"));
  EXPECT_NEAR(std::get<double>(column_of(held, "ceiling")[4]), 2000, 5);
  EXPECT_NEAR(std::get<double>(column_of(held, "share")[4]), 0.8, 0.002);
}

TEST(ThroughputSection, HasTheSameOrderInEveryWorkload) {
  const Reported reported({result_of({
      {.mode = Mode::kIo, .rates = {3}, .loader = "thread-pool", .workers = 1, .workload = "mnist"},
      {.mode = Mode::kIo, .rates = {9}, .loader = "thread-pool", .workers = 10, .workload = "mnist"},
      {.mode = Mode::kIo, .rates = {5}, .loader = "flow-graph", .workers = 2, .workload = "mnist"},
      {.mode = Mode::kIo, .rates = {7}, .loader = "thread-pool", .workers = 10, .workload = "cifar10"},
      {.mode = Mode::kIo, .rates = {2}, .loader = "flow-graph", .workers = 2, .workload = "cifar10"},
      {.mode = Mode::kIo, .rates = {8}, .loader = "thread-pool", .workers = 1, .workload = "cifar10"},
  })});
  EXPECT_THAT(column_of(throughput_section(reported.data()), "name"),
              ElementsAre("flow-graph x 2", "thread-pool x 1", "thread-pool x 10", "flow-graph x 2", "thread-pool x 1",
                          "thread-pool x 10"));
}

TEST(ThroughputSection, LeavesOutAShareThatIsTooNoisyToSay) {
  Result result = sweep();
  test::add_ceiling(result, test::ceiling("gather", 2), {400, 4000, 40000}, {1});
  const Reported reported({result});
  EXPECT_EQ(column_of(throughput_section(reported.data()), "share")[3], Datum());
}

TEST(ThroughputSection, NamesTheCeilingAndTheShareThatIsReached) {
  Result result = sweep();
  test::add_ceiling(result, test::ceiling("gather", 2), {4000, 4000, 4000}, {1});
  const Reported reported({result});
  const Section section = throughput_section(reported.data());
  EXPECT_EQ(column_of(section, "bound")[3], Datum("gather"));
  EXPECT_DOUBLE_EQ(std::get<double>(column_of(section, "ceiling")[3]), 4000);
  EXPECT_NEAR(std::get<double>(column_of(section, "share")[3]), 0.5, 0.001);
}

TEST(ScalingSection, HasAPointPerWorkerCount) {
  const Reported reported({sweep()});
  const Section section = scaling_section(reported.data());
  EXPECT_THAT(column_of(section, "name"), ElementsAre("thread-pool", "thread-pool", "thread-pool", "thread-pool"));
  EXPECT_THAT(column_of(section, "mode"), ElementsAre("IO", "IO", "FULL", "FULL"));
  EXPECT_THAT(column_of(section, "workers"), ElementsAre(1.0, 2.0, 1.0, 2.0));
  EXPECT_THAT(column_of(section, "compute"), ElementsAre(3000.0, 3000.0, 3000.0, 3000.0));
  EXPECT_EQ(column_of(section, "fit-scalability")[0], Datum()) << "two counts do not make a law";
}

TEST(ScalingSection, HasTheLawsAndTheirTextFromThreeCountsOn) {
  const Reported reported({result_of({{.mode = Mode::kIo, .rates = {1000}, .loader = "thread-pool", .workers = 1},
                                      {.mode = Mode::kIo, .rates = {2000}, .loader = "thread-pool", .workers = 2},
                                      {.mode = Mode::kIo, .rates = {3000}, .loader = "thread-pool", .workers = 3}})});
  const Section section = scaling_section(reported.data());
  EXPECT_NEAR(std::get<double>(column_of(section, "fit-scalability")[2]), 3000, 0.01);
  EXPECT_NEAR(std::get<double>(column_of(section, "fit-capped")[1]), 2000, 0.01);
  ASSERT_EQ(section.notes.size(), 1U);
  EXPECT_THAT(section.notes[0],
              HasSubstr("; Linear up to a cap: 1.0 k samples/s per worker, no cap reached; off by 0.0 %."));
}

TEST(ScalingSection, ExplainsOnlyFitsThatThereAre) {
  std::vector<test::CellRequest> cells;
  for (const std::size_t workers : {1U, 2U}) {
    cells.push_back({.mode = Mode::kIo, .rates = {1000.0}, .loader = "thread-pool", .workers = workers});
  }
  const Reported two({result_of(cells)});
  EXPECT_THAT(scaling_section(two.data()).reading, testing::Not(HasSubstr("Universal Scalability Law")));
  cells.push_back({.mode = Mode::kIo, .rates = {1000.0}, .loader = "thread-pool", .workers = 3});
  const Reported three({result_of(cells)});
  EXPECT_THAT(scaling_section(three.data()).reading, HasSubstr("fits of the Universal Scalability Law"));
}

TEST(ScalingSection, SaysHowManyFitsItDoesNotList) {
  const auto notes_of = [](std::size_t loaders) {
    std::vector<test::CellRequest> cells;
    for (std::size_t i = 0; i < loaders; ++i) {
      for (const std::size_t workers : {1U, 2U, 3U}) {
        cells.push_back({.mode = Mode::kIo,
                         .rates = {1000.0 * static_cast<double>(workers)},
                         .loader = fmt::format("loader-{}", i),
                         .workers = workers});
      }
    }
    const Reported reported({result_of(cells)});
    return scaling_section(reported.data()).notes;
  };
  EXPECT_THAT(notes_of(12), SizeIs(12));
  EXPECT_THAT(notes_of(12).back(), HasSubstr("Universal Scalability Law"));
  EXPECT_THAT(notes_of(13), SizeIs(13));
  EXPECT_EQ(notes_of(13).back(),
            "The fits of 1 more curve are not listed here; the table has the rates that they predict.");
  EXPECT_EQ(notes_of(15).back(),
            "The fits of 3 more curves are not listed here; the table has the rates that they predict.");
}

TEST(WaitsSection, TakesMediansOverTrialsAndTheLongestOfAll) {
  Result result = result_of({{.mode = Mode::kFull, .rates = {1000, 1000, 1000}}});
  for (std::size_t i = 0; i < 3; ++i) {
    const auto scale = static_cast<double>(i + 1);
    result.cells[0].trials[i].wait = {.total_seconds = 1,
                                      .p50_seconds = scale,
                                      .p95_seconds = 10 * scale,
                                      .p99_seconds = 20 * scale,
                                      .max_seconds = 30 * scale};
  }
  const Reported reported({result});
  const Section section = waits_section(reported.data());
  EXPECT_THAT(section.table.rows[0],
              ElementsAre("A", "mnist", "serial", "FULL", 2.0, 20.0, 40.0, 90.0, testing::VariantWith<double>(0.1)));
}

// FULL with a slow first trial, as a pilot.
Result with_pilot() {
  Result result = result_of({{.mode = Mode::kFull, .rates = {100, 1000, 1000}}});
  result.cells[0].trials[0].pilot = true;
  return result;
}

TEST(WaitsSection, LeavesOutPilots) {
  Result result = with_pilot();
  for (Trial& trial : result.cells[0].trials) trial.wait = {.total_seconds = trial.pilot ? 90.0 : 1, .max_seconds = 1};
  result.cells[0].trials[0].wait.max_seconds = 60;
  const Reported reported({result});
  const Section section = waits_section(reported.data());
  EXPECT_THAT(column_of(section, "max"), ElementsAre(1.0));
  EXPECT_THAT(column_of(section, "share"), ElementsAre(0.1));
}

TEST(TimelineSection, LeavesOutPilots) {
  const Reported reported({with_pilot()});
  EXPECT_THAT(column_of(timeline_section(reported.data(), 1), "rate"), ElementsAre(1000.0, 1000.0));
}

TEST(TimelineSection, HasARowPerTrialOfTheFullCells) {
  Result result = sweep();
  result.cells[4].trials[2].started_seconds = 12.5;
  const Reported reported({result});
  const Section section = timeline_section(reported.data(), 1);
  EXPECT_THAT(column_of(section, "mode"), ElementsAre("FULL", "FULL", "FULL"));
  EXPECT_THAT(column_of(section, "started"), ElementsAre(0.0, 0.0, 12.5));
  EXPECT_THAT(section.notes, ElementsAre("Only the best configuration of each workload is shown."));
}

TEST(TimelineSection, HasTheSameTimesAsTheTrials) {
  Result result = result_of({{.mode = Mode::kFull, .rates = {1000, 1000}}});
  result.cells[0].trials[0].started_seconds = 3;
  result.cells[0].trials[0].clock_started_seconds = 3.25;
  result.cells[0].trials[1].started_seconds = 6;  // as in results of older versions
  const Reported reported({result});
  EXPECT_THAT(column_of(timeline_section(reported.data(), 1), "started"), ElementsAre(3.25, 6.0));
  EXPECT_THAT(column_of(trials_section(reported.data()), "started"), ElementsAre(Datum(Values{{3.25, 6.0}})));
}

TEST(StartSection, ComparesTheFirstEpochWithAsManyWarmSamples) {
  Result result = result_of({{.mode = Mode::kFull, .rates = {1000, 1000, 1000}}});
  result.cells[0].first_epoch =
      FirstEpoch{.open_seconds = 0.25, .first_batch_seconds = 0.5, .wall_seconds = 4, .samples = 2000};
  const Reported reported({result});
  EXPECT_THAT(start_section(reported.data()).table.rows[0],
              ElementsAre("A", "mnist", "serial", "FULL", 0.25, 0.5, 0.75, 2000.0, 4.0, 4.25, 2.0, 2.125));
}

TEST(StartSection, ComparesAColdStartWithWarmTrialsOnly) {
  Result result = result_of({{.mode = Mode::kFull, .rates = {100, 100}}});
  result.cells[0].cell.cache = CacheState::kCold;
  result.cells[0].first_epoch =
      FirstEpoch{.open_seconds = 9, .first_batch_seconds = 0.5, .wall_seconds = 1, .samples = 2000};
  const Reported alone({result});
  EXPECT_THAT(column_of(start_section(alone.data()), "start"), ElementsAre(10.0));
  EXPECT_THAT(column_of(start_section(alone.data()), "warm"), ElementsAre(Datum()));
  EXPECT_THAT(column_of(start_section(alone.data()), "times"), ElementsAre(Datum()));
  result.cells.push_back(result_of({{.mode = Mode::kFull, .rates = {1000, 1000}}}).cells[0]);
  const Reported both({result});
  EXPECT_THAT(column_of(start_section(both.data()), "warm"), ElementsAre(2.0));
  EXPECT_THAT(column_of(start_section(both.data()), "times"), ElementsAre(5.0));
}

TEST(CacheSection, PairsCellsThatDifferInNothingElse) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000}},
                             {.mode = Mode::kIo, .rates = {100}},
                             {.mode = Mode::kIo, .rates = {500}, .loader = "thread-pool", .workers = 2}});
  result.cells[1].cell.cache = CacheState::kCold;
  const Reported reported({result});
  const Section section = cache_section(reported.data());
  EXPECT_THAT(column_of(section, "name"), ElementsAre("serial", "serial"));
  EXPECT_THAT(column_of(section, "cache"), ElementsAre("cold", "warm"));
  EXPECT_THAT(column_of(section, "mean"), ElementsAre(100.0, 1000.0));
  EXPECT_THAT(column_of(section, "rates"), ElementsAre(Datum(Values{{100.0}}), Datum(Values{{1000.0}})));
}

TEST(TrialsSection, HasARowPerCellWithItsTrialsOneByOne) {
  Result result = sweep();
  result.cells[0].trials.insert(result.cells[0].trials.begin(), test::trial_of(1, 100));
  result.cells[0].trials[0].pilot = true;
  for (std::size_t i = 0; i < 4; ++i) {
    result.cells[0].trials[i].started_seconds = 10.0 * static_cast<double>(i);
    result.cells[0].trials[i].round = i;
  }
  const Reported reported({result});
  const Section section = trials_section(reported.data());
  EXPECT_THAT(column_of(section, "mode"), ElementsAre("IO", "SYNTHETIC", "FULL", "IO", "FULL"));
  EXPECT_EQ(column_of(section, "started")[0], Datum(Values{{10.0, 20.0, 30.0}})) << "the pilot is left out";
  EXPECT_EQ(column_of(section, "rounds")[0], Datum(Values{{1.0, 2.0, 3.0}}));
  EXPECT_EQ(column_of(section, "median")[0], Datum(1000.0));
  EXPECT_EQ(column_of(section, "outliers")[0], Datum());
}

TEST(TrialsSection, CountsOutliersFromOne) {
  const Reported reported({result_of({{.mode = Mode::kIo, .rates = {100, 101, 99, 100, 40, 100}}})});
  EXPECT_THAT(column_of(trials_section(reported.data()), "outliers"), ElementsAre(Datum(Values{{5.0}})));
}

// The chart used to ring marks that no warning names.
TEST(TrialsSection, HasNoOutlierThatIsTooCloseToMatter) {
  const Reported reported({result_of({{.mode = Mode::kIo, .rates = {1000, 1001, 1002, 1003, 980}}})});
  ASSERT_EQ(reported.data().runs[0].judgement.cells[0].outliers.size(), 1U);
  EXPECT_THAT(column_of(trials_section(reported.data()), "outliers"), ElementsAre(Datum()));
}

TEST(TrialsSection, CountsOutliersWithoutPilotsWhereverTheseAre) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {20, 100, 101, 40, 99, 20, 100, 100, 30}}});
  for (const std::size_t pilot : {0U, 5U}) result.cells[0].trials[pilot].pilot = true;
  const Reported reported({result});
  EXPECT_THAT(column_of(trials_section(reported.data()), "outliers"), ElementsAre(Datum(Values{{3.0, 7.0}})));
}

TEST(StagesSection, DividesTheTimeOfTheStepInMicrosecondsPerSample) {
  Result result = result_of({{.mode = Mode::kFull, .rates = {1000}}});
  result.cells[0].trials[0].stages = {{"wait", 100, 2.5}, {"forward", 100, 7.5}, {"never", 0, 0}};
  const Reported reported({result});
  const Section section = stages_section(reported.data());
  EXPECT_THAT(column_of(section, "part"), ElementsAre("step", "step"));
  EXPECT_THAT(column_of(section, "stage"), ElementsAre("wait", "forward"));
  EXPECT_THAT(column_of(section, "share"), ElementsAre(0.25, 0.75));
  EXPECT_THAT(column_of(section, "amount"), ElementsAre(250.0, 750.0)) << "of 10,000 samples";
}

TEST(StagesSection, HasTheLoaderAboveTheStepOfItsCell) {
  Result result = result_of({{.mode = Mode::kFull, .rates = {1000, 1000}}});
  for (Trial& trial : result.cells[0].trials) {
    trial.stages = {{"wait", 100, 10}};
    trial.loader_stages = LoaderStages{{{WorkerStage::kRead, {2, 4}}, {WorkerStage::kDecode, {8, 6}}}};
  }
  const Reported reported({result});
  const Section section = stages_section(reported.data());
  EXPECT_THAT(column_of(section, "part"), ElementsAre("loader", "loader", "step"));
  EXPECT_THAT(column_of(section, "stage"), ElementsAre("read", "decode", "wait"));
  EXPECT_THAT(column_of(section, "amount"), ElementsAre(300.0, 700.0, 1000.0)) << "of 20,000 samples";
}

TEST(LoaderStageRows, AddUpToTheTimeOfASample) {
  const std::vector<StageOfWorkers> stages{{"read", {1, 3}}, {"decode", {8, 6}}, {"idle", {1, 1}}, {"inflate", {0, 0}}};
  const auto rows = loader_stage_rows({Datum("a")}, stages, 1000);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[0], ElementsAre("a", "loader", "read", 2000.0, 0.2, Datum(), Datum()));
  EXPECT_THAT(rows[1], ElementsAre("a", "loader", "decode", 7000.0, 0.7, Datum(), Datum()));
  EXPECT_THAT(rows[2], ElementsAre("a", "loader", "idle", 1000.0, 0.1, Datum(), Datum()));
  EXPECT_EQ(rows[0].size(), 1 + stage_columns().size());
  EXPECT_THAT(loader_stage_rows({}, stages, 0), testing::IsEmpty());
}

TEST(CpuSection, CountsPerSampleAndAdmitsWhatTheSystemDoesNotReport) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 1000}}});
  for (Trial& trial : result.cells[0].trials) {
    trial.usage.user_cpu_seconds = 15;
    trial.usage.system_cpu_seconds = 5;
    trial.usage.voluntary_switches = 40;
  }
  const Reported reported({result});
  const Section section = cpu_section(reported.data());
  EXPECT_THAT(column_of(section, "user"), ElementsAre(1500.0));
  EXPECT_THAT(column_of(section, "system"), ElementsAre(500.0));
  EXPECT_THAT(column_of(section, "cpus"), ElementsAre(2.0));
  EXPECT_THAT(column_of(section, "voluntary"), ElementsAre(4.0));
  EXPECT_THAT(column_of(section, "device"), ElementsAre(Datum()));
}

TEST(CpuSection, LeavesOutPilots) {
  Result result = with_pilot();
  for (Trial& trial : result.cells[0].trials) {
    trial.usage.user_cpu_seconds = trial.pilot ? 90 : 15;
    trial.usage.major_faults = trial.pilot ? 1000 : 2;
    trial.usage.peak_rss_bytes = trial.pilot ? 64U << 20 : 32U << 20;
    if (!trial.pilot) trial.usage.device_read_bytes = 1 << 20;
  }
  const Reported reported({result});
  const Section section = cpu_section(reported.data());
  EXPECT_THAT(column_of(section, "user"), ElementsAre(1500.0));
  EXPECT_THAT(column_of(section, "cpus"), ElementsAre(1.5));
  EXPECT_THAT(column_of(section, "major"), ElementsAre(4.0));
  EXPECT_THAT(column_of(section, "rss"), ElementsAre(32.0));
  EXPECT_THAT(column_of(section, "device"), ElementsAre(2.0));
}

TEST(HistorySection, CoversRunsThatStartedAtDifferentTimes) {
  Result later = sweep();
  later.started = "2026-11-22T09:58:00Z";
  EXPECT_TRUE(history_section(Reported({sweep(), sweep()}).data()).table.rows.empty());
  const Reported reported({sweep(), later});
  EXPECT_THAT(
      column_of(history_section(reported.data()), "started"),
      ElementsAre("2026-11-21T09:58:00Z", "2026-11-22T09:58:00Z", "2026-11-21T09:58:00Z", "2026-11-22T09:58:00Z"));
}

TEST(CeilingsSection, HasARowPerCeiling) {
  Result result = sweep();
  test::add_ceiling(result, test::ceiling("gather", 2), {4000}, {1});
  const Reported reported({result});
  const Section section = ceilings_section(reported.data());
  EXPECT_THAT(column_of(section, "name"), ElementsAre("gather/mnist/data:0/batch:100/threads:2"));
  EXPECT_THAT(column_of(section, "unit"), ElementsAre("samples/s"));
}

TEST(MachineSection, LeavesOutWhatIsNotKnown) {
  const Reported reported({sweep()});
  const Section section = machine_section(reported.data());
  EXPECT_THAT(column_of(section, "fact"), testing::Contains(Datum("host")));
  EXPECT_THAT(column_of(section, "fact"), testing::Not(testing::Contains(Datum("job"))));
  EXPECT_THAT(std::get<std::string>(column_of(section, "value").back()),
              HasSubstr("/data/mnist: idx, 60000 samples, fingerprint 123456789abcdef0"));
}

TEST(MachineSection, HasMemoryInUnitsThatFit) {
  Result result = sweep();
  Machine& machine = result.environment.machine;
  machine.memory_total_bytes = std::uint64_t{24110} << 20;
  machine.cgroup_memory_limit_bytes = std::uint64_t{2} << 40;
  machine.last_level_cache_bytes = std::uint64_t{32} << 20;
  const Reported reported({result});
  const Section section = machine_section(reported.data());
  const auto fact = [&](const std::string& what) {
    const auto names = column_of(section, "fact");
    const auto found = std::ranges::find(names, Datum(what));
    return found == names.end() ? Datum()
                                : column_of(section, "value")[static_cast<std::size_t>(found - names.begin())];
  };
  EXPECT_EQ(fact("memory"), Datum("23.5 GiB"));
  EXPECT_EQ(fact("memory limit of the cgroup"), Datum("2.0 TiB"));
  EXPECT_EQ(fact("last-level cache"), Datum("32.0 MiB"));
}

}  // namespace
}  // namespace loadline
