#include "harness/file/recording_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/recorded.h"
#include "harness/show/recording_text.h"

namespace loadline {
namespace {

using testing::HasSubstr;

Recording a_job() {
  Recording job{.run_id = "20261122T160000Z-0000ff",
                .started = "2026-11-22T16:00:00Z",
                .finished = "2026-11-22T16:00:09Z",
                .complete = true,
                .arguments = {"train.py"},
                .hostname = "node1",
                .cpu_model = "a CPU",
                .threads_in_force = 2,
                .versions = {{"python", "3.11.2"}},
                .loader = "DataLoader",
                .workers = 2,
                .prefetch = 4,
                .epochs = 1,
                .batches = 3,
                .samples = 24,
                .wall_seconds = 6};
  job.wait = {.total_seconds = 1.5, .p50_seconds = 0.5, .p95_seconds = 0.5, .p99_seconds = 0.5, .max_seconds = 0.5};
  job.step = {.total_seconds = 4.5, .p50_seconds = 1.5, .p95_seconds = 1.5, .p99_seconds = 1.5, .max_seconds = 1.5};
  job.sequence = {.waits = {Time(500000000), Time(500000000), Time(500000000)},
                  .steps = {Time(1500000000), Time(1500000000), Time(1500000000)},
                  .samples = {8, 8, 8}};
  job.neighbours = {{.loader = "Validation", .batches = 2, .wait_seconds = 0.5, .step_seconds = 0.25}};
  return job;
}

TEST(RecordingJson, IsReadBackAsItWasWritten) {
  const Recording job = a_job();
  const std::string text = recording_json(job);
  const Recording back = parse_recording(text, "job.json");
  EXPECT_EQ(recording_json(back), text);
  EXPECT_EQ(back.sequence.steps, job.sequence.steps);
  EXPECT_EQ(back.prefetch, 4);
}

TEST(RecordingJson, WritesEachListOnOneLine) {
  EXPECT_THAT(recording_json(a_job()), HasSubstr("\n    \"wait_nanoseconds\": [500000000,500000000,500000000],\n"));
}

TEST(RecordingText, ShowsTwoDigitsOfTotalsHoweverShortTheyAre) {
  Recording job = a_job();
  job.wait.total_seconds = 0.0042;
  job.step.total_seconds = 0.45;
  const std::string text = recording_text(job, judge_recording(job), "job.json");
  EXPECT_THAT(text, HasSubstr("\nwaits      4.2 ms "));
  EXPECT_THAT(text, HasSubstr("\nsteps      450 ms "));
}

TEST(RecordingText, ReportsWhatTheJobWaitedFor) {
  const Recording job = a_job();
  EXPECT_EQ(recording_text(job, judge_recording(job), "job.json"),
            "recorded: DataLoader x 2 on node1 (a CPU, 2 CPUs in force), python 3.11.2\n"
            "2026-11-22T16:00:00Z: 3 batches in 1 pass, 4.0 samples/s\n"
            "\n"
            "per batch  total  % of time     p50     p95     p99     max\n"
            "waits      1.5 s       25.0  500 ms  500 ms  500 ms  500 ms\n"
            "steps      4.5 s       75.0   1.5 s   1.5 s   1.5 s   1.5 s\n"
            "\n"
            "waiting over time, in parts of about equal length\n"
            "part  batches  waits %\n"
            "   1        1     25.0  ##########\n"
            "   2        1     25.0  ##########\n"
            "   3        1     25.0  ##########\n"
            "\n"
            "Too short to say: the loop waited 25 % of the time for DataLoader with 2 workers, in only 3 batches; "
            "record more.\n"
            "The job also iterated over Validation: 2 batches, 500 ms of waiting and 250 ms of steps.\n"
            "\n"
            "to see what these steps would gain from another loader:\n"
            "  loadline run --compute replay:file=job.json\n");
}

}  // namespace
}  // namespace loadline
