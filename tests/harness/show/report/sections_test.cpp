#include "harness/show/report/sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/show/report/runs.h"

namespace loadline {
namespace {

using test::Reported;
using test::result_of;
using test::sweep;
using testing::ElementsAre;
using testing::HasSubstr;

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

TEST(Sections, AreThoseThatTheRunHasSomethingFor) {
  const Reported reported({sweep()});
  EXPECT_THAT(ids_of(sections_of(reported.data(), kAll)),
              ElementsAre("throughput", "bounds", "scaling", "waits", "timeline", "cpu", "machine"));
}

TEST(Sections, OfOneRunDoNotNameIt) {
  const Reported one({sweep()});
  const Reported two({sweep(), sweep()});
  EXPECT_THAT(keys_of(sections_of(one.data(), kAll)[0].table),
              ElementsAre("workload", "name", "mode", "trials", "mean", "low", "high"));
  EXPECT_THAT(keys_of(sections_of(two.data(), kAll)[1].table),
              ElementsAre("run", "workload", "name", "mode", "trials", "mean", "low", "high"));
}

TEST(Sections, SayWhatTheyLeaveOut) {
  const Reported reported({sweep()});
  const auto sections = sections_of(reported.data(), {.most_configurations = 1, .most_in_time = 1});
  EXPECT_EQ(sections[0].table.rows.size(), 3U);
  EXPECT_THAT(
      sections[0].notes,
      ElementsAre("The 1 best configurations of each workload are shown, 1 of 2; `loadline report --format csv` "
                  "has all."));
}

TEST(WalkSection, HasARowARun) {
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
  EXPECT_EQ(sections_of(two.data(), kAll)[0].id, "walk");
}

TEST(ThroughputSection, HasARowAModeAndNoIntervalOfOneTrial) {
  Result result = sweep();
  result.cells[0].trials.resize(1);
  const Reported reported({result});
  const Section section = throughput_section(reported.data());
  EXPECT_THAT(column_of(section, "mode"), ElementsAre("IO", "SYNTHETIC", "FULL", "IO", "SYNTHETIC", "FULL"));
  EXPECT_THAT(column_of(section, "trials"), ElementsAre(3.0, 3.0, 3.0, 1.0, 3.0, 3.0));
  // 2000 ± 4.3027 * 100 / sqrt(3)
  EXPECT_NEAR(std::get<double>(column_of(section, "low")[0]), 1751.6, 0.1);
  EXPECT_EQ(column_of(section, "low")[3], Datum());
}

TEST(ThroughputSection, NamesTheCeilingAndWhatIsReachedOfIt) {
  Result result = sweep();
  test::add_ceiling(result, test::ceiling("gather", 2), {4000, 4000, 4000}, {1});
  const Reported reported({result});
  const Section section = throughput_section(reported.data());
  EXPECT_EQ(column_of(section, "bound")[0], Datum("gather"));
  EXPECT_DOUBLE_EQ(std::get<double>(column_of(section, "ceiling")[0]), 4000);
  EXPECT_NEAR(std::get<double>(column_of(section, "share")[0]), 0.5, 0.001);
}

TEST(ScalingSection, HasAPointAWorkerCount) {
  const Reported reported({sweep()});
  const Section section = scaling_section(reported.data());
  EXPECT_THAT(column_of(section, "name"), ElementsAre("thread-pool", "thread-pool", "thread-pool", "thread-pool"));
  EXPECT_THAT(column_of(section, "mode"), ElementsAre("IO", "IO", "FULL", "FULL"));
  EXPECT_THAT(column_of(section, "workers"), ElementsAre(1.0, 2.0, 1.0, 2.0));
  EXPECT_EQ(column_of(section, "fit-scalability")[0], Datum()) << "two counts do not make a law";
}

TEST(ScalingSection, HasTheLawsOfThreeCountsAndTheirWords) {
  const Reported reported({result_of({{.mode = Mode::kIo, .rates = {1000}, .loader = "thread-pool", .workers = 1},
                                      {.mode = Mode::kIo, .rates = {2000}, .loader = "thread-pool", .workers = 2},
                                      {.mode = Mode::kIo, .rates = {3000}, .loader = "thread-pool", .workers = 3}})});
  const Section section = scaling_section(reported.data());
  EXPECT_NEAR(std::get<double>(column_of(section, "fit-scalability")[2]), 3000, 0.01);
  EXPECT_NEAR(std::get<double>(column_of(section, "fit-capped")[1]), 2000, 0.01);
  ASSERT_EQ(section.notes.size(), 1U);
  EXPECT_THAT(section.notes[0],
              HasSubstr("; Linear up to a cap: 1.0 k samples/s a worker, no cap reached; off by 0.0 %."));
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

TEST(TimelineSection, HasARowATrialOfTheFullCells) {
  Result result = sweep();
  result.cells[4].trials[2].started_seconds = 12.5;
  const Reported reported({result});
  const Section section = timeline_section(reported.data(), 1);
  EXPECT_THAT(column_of(section, "mode"), ElementsAre("FULL", "FULL", "FULL"));
  EXPECT_THAT(column_of(section, "started"), ElementsAre(0.0, 0.0, 12.5));
  EXPECT_THAT(section.notes, ElementsAre("Only the 1 best configurations of each workload are shown."));
}

TEST(StartSection, ComparesTheFirstEpochWithAsManyWarmSamples) {
  Result result = result_of({{.mode = Mode::kFull, .rates = {1000, 1000, 1000}}});
  result.cells[0].first_epoch =
      FirstEpoch{.open_seconds = 0.25, .first_batch_seconds = 0.5, .wall_seconds = 4, .samples = 2000};
  const Reported reported({result});
  EXPECT_THAT(start_section(reported.data()).table.rows[0],
              ElementsAre("A", "mnist", "serial", "FULL", 0.25, 0.5, 0.75, 2000.0, 4.0, 2.0, 2.0));
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
}

TEST(StagesSection, SharesOutTheTimeOfTheStep) {
  Result result = result_of({{.mode = Mode::kFull, .rates = {1000}}});
  result.cells[0].trials[0].stages = {{"wait", 100, 2.5}, {"forward", 100, 7.5}, {"never", 0, 0}};
  const Reported reported({result});
  const Section section = stages_section(reported.data());
  EXPECT_THAT(column_of(section, "stage"), ElementsAre("wait", "forward"));
  EXPECT_THAT(column_of(section, "share"), ElementsAre(0.25, 0.75));
}

TEST(CpuSection, CountsFor1000SamplesAndAdmitsWhatTheSystemDoesNotTell) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 1000}}});
  for (Trial& trial : result.cells[0].trials) {
    trial.usage.user_cpu_seconds = 15;
    trial.usage.system_cpu_seconds = 5;
    trial.usage.voluntary_switches = 40;
  }
  const Reported reported({result});
  const Section section = cpu_section(reported.data());
  EXPECT_THAT(column_of(section, "user"), ElementsAre(1.5));
  EXPECT_THAT(column_of(section, "system"), ElementsAre(0.5));
  EXPECT_THAT(column_of(section, "cpus"), ElementsAre(2.0));
  EXPECT_THAT(column_of(section, "voluntary"), ElementsAre(4.0));
  EXPECT_THAT(column_of(section, "device"), ElementsAre(Datum()));
}

TEST(HistorySection, IsOfRunsThatStartedAtDifferentTimes) {
  Result later = sweep();
  later.started = "2026-11-22T09:58:00Z";
  EXPECT_TRUE(history_section(Reported({sweep(), sweep()}).data()).table.rows.empty());
  const Reported reported({sweep(), later});
  EXPECT_THAT(
      column_of(history_section(reported.data()), "started"),
      ElementsAre("2026-11-21T09:58:00Z", "2026-11-22T09:58:00Z", "2026-11-21T09:58:00Z", "2026-11-22T09:58:00Z"));
}

TEST(CeilingsSection, HasARowACeiling) {
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

}  // namespace
}  // namespace loadline
