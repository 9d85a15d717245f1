#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/show/report/report.h"
#include "tests/harness/show/report/runs.h"
#include "tests/harness/support/ranks.h"

namespace loadline {
namespace {

using test::ranks_result;
using test::Reported;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Datum> data_of(const Section& section, std::string_view key) {
  std::vector<Datum> column;
  for (std::size_t i = 0; i < section.table.columns.size(); ++i) {
    if (section.table.columns[i].key != key) continue;
    for (const auto& row : section.table.rows) column.push_back(row[i]);
  }
  return column;
}

// FULL of one process that splits batches of 400 among four devices, which takes a tenth of its time each way.
Result one_process() {
  Result result = ranks_result({.full = {800, 800, 800}, .batch_size = 400});
  CellResult& cell = result.cells[0];
  cell.cell.compute = "device:samples_per_second=250,devices=4,mode=dp";
  for (Trial& trial : cell.trials) {
    trial.stages = {{"scatter", 100, 0.1 * trial.wall_seconds},
                    {"step", 100, 0.8 * trial.wall_seconds},
                    {"gather", 100, 0.1 * trial.wall_seconds}};
  }
  result.run_id = "dp";
  return result;
}

// FULL of four processes with a device each, whose steps wait for gradients for a twentieth of their time.
Result four_processes() {
  Result result = ranks_result({.ranks = 4, .full = {1000, 1000, 1000}, .wait_share = 0.25, .early_share = 0.5});
  CellResult& cell = result.cells[0];
  cell.cell.compute = "device:samples_per_second=250,gradient_bytes=1e6";
  for (Trial& trial : cell.trials) trial.stages = {{"gradients", 100, 0.05 * trial.wall_seconds}};
  result.run_id = "ddp";
  return result;
}

TEST(RanksSection, ShowsOneProcessForAllDevicesBesideAProcessForEach) {
  const Reported reported({one_process(), four_processes()});
  const Section section = devices_section(reported.data());
  EXPECT_THAT(data_of(section, "how"), ElementsAre(Datum("DP: one process splits"), Datum("DDP: a process each")));
  EXPECT_THAT(data_of(section, "processes"), ElementsAre(Datum(1.0), Datum(4.0)));
  EXPECT_THAT(data_of(section, "devices"), ElementsAre(Datum(4.0), Datum(4.0)));
  EXPECT_THAT(data_of(section, "batch"), ElementsAre(Datum(400.0), Datum(100.0)));
  EXPECT_THAT(data_of(section, "part"), ElementsAre(Datum(100.0), Datum(100.0)));
  EXPECT_THAT(data_of(section, "iterations"), ElementsAre(Datum(150.0), Datum(150.0))) << "of 60,000 samples";
  EXPECT_THAT(data_of(section, "mean"), ElementsAre(Datum(800.0), Datum(1000.0)));
  const auto overheads = data_of(section, "overhead");
  EXPECT_DOUBLE_EQ(std::get<double>(overheads[0]), 0.2);
  EXPECT_DOUBLE_EQ(std::get<double>(overheads[1]), 0.05);
  EXPECT_EQ(data_of(section, "gather")[1], Datum()) << "DDP has no such stage";
}

TEST(RanksSection, IsEmptyForOneDevice) {
  const Reported reported({test::sweep()});
  EXPECT_TRUE(devices_section(reported.data()).table.rows.empty());
  EXPECT_TRUE(ranks_section(reported.data()).table.rows.empty());
}

TEST(RanksSection, DividesTheTimeOfEachRankByThatOfTheSlowest) {
  const Reported reported({four_processes()});
  const Section section = ranks_section(reported.data());
  EXPECT_THAT(data_of(section, "rank"), ElementsAre(Datum(0.0), Datum(1.0), Datum(2.0), Datum(3.0)));
  EXPECT_THAT(data_of(section, "host"), ElementsAre(Datum("n1"), Datum("n1"), Datum("n1"), Datum("n1")));
  EXPECT_THAT(data_of(section, "wait"), ElementsAre(Datum(0.25), Datum(0.25), Datum(0.25), Datum(0.25)));
  EXPECT_THAT(data_of(section, "early"), ElementsAre(Datum(0.5), Datum(0.5), Datum(0.5), Datum(0.0)));
  EXPECT_THAT(data_of(section, "step"), ElementsAre(Datum(0.25), Datum(0.25), Datum(0.25), Datum(0.75)));
  EXPECT_THAT(data_of(section, "slowest"), ElementsAre(Datum(0.0), Datum(0.0), Datum(0.0), Datum(3.0)));
  ASSERT_FALSE(section.notes.empty());
  EXPECT_THAT(section.notes[0], HasSubstr("the last of 4 ranks to end holds up the others for"));
}

TEST(RanksSection, HasTheSlowestAndTheFastestOfManyRanks) {
  Result result = ranks_result({.ranks = 100, .full = {1000, 1000, 1000}});
  for (Trial& trial : result.cells[0].trials) {
    for (std::size_t rank = 0; rank < 100; ++rank) trial.ranks->each[rank].samples = 10 + rank;
  }
  const Reported reported({result});
  const Section section = ranks_section(reported.data());
  const auto ranks = data_of(section, "rank");
  ASSERT_EQ(ranks.size(), 64U);
  EXPECT_EQ(ranks[0], Datum(0.0));
  EXPECT_EQ(ranks[62], Datum(62.0));
  EXPECT_EQ(ranks[63], Datum(99.0));
  EXPECT_THAT(section.notes, testing::Contains(HasSubstr(": the slowest 63 and the fastest of 100 ranks.")));
}

TEST(RanksSection, IsATableBelowTheTextOfSeveralRuns) {
  const Reported reported({one_process(), four_processes()});
  const std::string text = report_text(reported.results, reported.judgements);
  EXPECT_THAT(text, HasSubstr("\nProcesses and devices\n"));
  EXPECT_THAT(text, HasSubstr("\nhow                   DP: one process splits  DDP: a process each\n"));
  const Reported alone({one_process()});
  EXPECT_THAT(report_text(alone.results, alone.judgements), testing::Not(HasSubstr("Processes and devices")));
}

}  // namespace
}  // namespace loadline
