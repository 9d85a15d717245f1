#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/plan/settings.h"
#include "harness/show/report/report.h"
#include "tests/harness/show/report/runs.h"

namespace loadline {
namespace {

using test::result_of;
using test::sweep;
using testing::HasSubstr;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line + ',');
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

std::string value_of(const std::string& csv, const std::string& column) {
  const auto lines = lines_of(csv);
  const auto names = fields_of(lines[0]);
  const auto found = std::ranges::find(names, column);
  if (found == names.end()) return "there is no column " + column;
  return fields_of(lines[1])[static_cast<std::size_t>(found - names.begin())];
}

TEST(ReportCsv, HasARowPerTrialAndAColumnPerSetting) {
  const std::vector<Result> results{sweep()};
  const auto lines = lines_of(report_csv(results));
  EXPECT_EQ(lines.size(), 1U + 6 * 3);
  EXPECT_THAT(lines[0], testing::StartsWith("run_id,started,hostname,cell,round,place,started_seconds,workload,"));
  EXPECT_THAT(
      lines[0],
      testing::EndsWith(",peak_rss_bytes,device_read_bytes,loader_order_seconds,loader_slot_wait_seconds,"
                        "loader_window_wait_seconds,"
                        "loader_open_seconds,loader_read_seconds,loader_library_lock_seconds,"
                        "loader_inflate_seconds,loader_decode_seconds,loader_tokenise_seconds,loader_transform_seconds,"
                        "loader_hand_over_seconds,loader_next_call_seconds,loader_idle_seconds"));
  const auto names = fields_of(lines[0]);
  for (const SettingRow& setting : settings()) {
    EXPECT_EQ(std::ranges::count(names, setting.name), 1) << setting.name;
  }
  EXPECT_THAT(lines[1], testing::StartsWith("20261121T095800Z-3fa2c1,2026-11-21T09:58:00Z,node1,"
                                            "mnist/IO/thread-pool/workers:1/batch:100,0,0,0,mnist,"));
}

TEST(ReportCsv, KeepsNumbersAsExactAsTheyWereMeasured) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {3000}}});
  Trial& trial = result.cells[0].trials[0];
  trial.wait.p99_seconds = 1.0 / 3;
  trial.usage.device_read_bytes = 4096;
  trial.usage.run_delay_seconds = 0.125;
  trial.fill = Fill{.wall_seconds = 2, .batches = 100, .samples = 10000};
  trial.queue = QueueLevels{.ready_at_start = 3, .ready_at_end = 1};
  trial.page_cache.before = Residency{.pages = 8, .resident_pages = 2};
  const std::vector<Result> results{result};
  const std::string csv = report_csv(results);
  EXPECT_EQ(value_of(csv, "wait_p99_seconds"), "0.3333333333333333");
  EXPECT_EQ(value_of(csv, "samples"), "10000");
  EXPECT_EQ(value_of(csv, "device_read_bytes"), "4096");
  EXPECT_EQ(value_of(csv, "run_delay_seconds"), "0.125");
  EXPECT_EQ(value_of(csv, "fill_samples_per_second"), "5000");
  EXPECT_EQ(value_of(csv, "ready_at_start"), "3");
  EXPECT_EQ(value_of(csv, "ready_at_end"), "1");
  EXPECT_EQ(value_of(csv, "pilot"), "false");
  EXPECT_EQ(value_of(csv, "fingerprint"), "123456789abcdef0");
  EXPECT_EQ(value_of(csv, "resident_before"), "0.25");
}

TEST(ReportCsv, AddsUpTheTimeOfAllWorkers) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {1000}}});
  Trial& trial = result.cells[0].trials[0];
  trial.loader_stages = LoaderStages{{{.stage = WorkerStage::kSlotWait, .seconds = {0.5, 0.25}}}};
  const std::vector<Result> results{result};
  EXPECT_EQ(value_of(report_csv(results), "loader_slot_wait_seconds"), "0.75");
  EXPECT_EQ(value_of(report_csv(results), "loader_read_seconds"), "") << "not known";
}

TEST(ReportCsv, LeavesEmptyWhatIsMissing) {
  const std::vector<Result> results{result_of({{.mode = Mode::kIo, .rates = {3000}}})};
  EXPECT_EQ(value_of(report_csv(results), "hostname"), "");
  EXPECT_EQ(value_of(report_csv(results), "resident_after"), "");
  EXPECT_EQ(value_of(report_csv(results), "device_read_bytes"), "");
  EXPECT_EQ(value_of(report_csv(results), "steal_seconds"), "");
  EXPECT_EQ(value_of(report_csv(results), "fill_samples_per_second"), "");
}

TEST(ReportCsv, QuotesCommasAndQuotesAndGuardsFormulas) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {3000}}});
  result.cells[0].cell.data = "/a,b/\"c\"";
  result.environment.machine.hostname = "=two\nlines";
  const std::vector<Result> results{result};
  EXPECT_THAT(report_csv(results), HasSubstr(",\"/a,b/\"\"c\"\"\","));
  EXPECT_THAT(report_csv(results), HasSubstr(R"(,'=two\nlines,)"));
}

}  // namespace
}  // namespace loadline
