#include "synthetic/recording/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::failed;
using test::thrown_by;
using testing::ElementsAre;
using testing::HasSubstr;

// A valid recording of five batches, two to an entry.
std::string sound_text() {
  return R"({
  "job_schema_version": 1, "run_id": "20261122T160000Z-0000ff", "status": "complete",
  "started": "2026-11-22T16:00:00Z", "finished": "2026-11-22T16:00:09Z", "argv": ["train.py"],
  "hostname": "node1", "cpu_model": null, "threads_in_force": 2, "versions": {"python": "3.11.2"},
  "loader": "DataLoader", "workers": 2, "prefetch": 2, "asynchronous": false,
  "epochs": 1, "batches": 5, "samples": 18, "wall_seconds": 9.5, "epoch_start_seconds": 1,
  "wait": {"total_seconds": 3, "p50_seconds": 0.5, "p95_seconds": 1, "p99_seconds": 1, "max_seconds": 1},
  "step": {"total_seconds": 6, "p50_seconds": 1, "p95_seconds": 2, "p99_seconds": 2, "max_seconds": 2},
  "neighbours": [{"loader": "Validation", "batches": 3, "wait_seconds": 0.5, "step_seconds": 0.25}],
  "sequence": {"batches_per_entry": 2, "wait_nanoseconds": [1500000000, 1000000000, 500000000],
               "step_nanoseconds": [2000000000, 3000000000, 1000000000], "samples": [8, 8, 2]}
})";
}

// The valid recording with `from` replaced by `to`.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = sound_text();
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

test::Thrown reading(const std::string& text) {
  return thrown_by([&] { parse_recording(text, "job.json"); });
}

TEST(Recording, IsReadWithAllItsFields) {
  const Recording job = parse_recording(sound_text(), "job.json");
  EXPECT_EQ(job.run_id, "20261122T160000Z-0000ff");
  EXPECT_TRUE(job.complete);
  EXPECT_EQ(job.finished, "2026-11-22T16:00:09Z");
  EXPECT_THAT(job.arguments, ElementsAre("train.py"));
  EXPECT_EQ(job.cpu_model, std::nullopt);
  EXPECT_THAT(job.versions, ElementsAre(testing::Pair("python", "3.11.2")));
  EXPECT_EQ(job.loader, "DataLoader");
  EXPECT_EQ(job.workers, 2);
  EXPECT_EQ(job.prefetch, 2);
  EXPECT_EQ(job.batches, 5);
  EXPECT_EQ(job.samples, 18);
  EXPECT_EQ(job.wait.p95_seconds, 1);
  EXPECT_EQ(job.step.total_seconds, 6);
  EXPECT_EQ(job.neighbours.at(0).batches, 3);
  EXPECT_EQ(job.sequence.batches_per_entry, 2);
  EXPECT_THAT(job.sequence.waits, ElementsAre(Time(1500000000), Time(1000000000), Time(500000000)));
  EXPECT_THAT(job.sequence.steps, ElementsAre(Time(2000000000), Time(3000000000), Time(1000000000)));
  EXPECT_THAT(job.sequence.samples, ElementsAre(8, 8, 2));
}

TEST(Recording, MayLackTheCountsOfSamples) {
  const Recording job = parse_recording(changed("[8, 8, 2]", "null"), "job.json");
  EXPECT_TRUE(job.sequence.samples.empty());
}

TEST(Recording, MayHaveNoBatches) {
  std::string text = changed("\"batches\": 5", "\"batches\": 0");
  for (const std::string list :
       {"[1500000000, 1000000000, 500000000]", "[2000000000, 3000000000, 1000000000]", "[8, 8, 2]"}) {
    text.replace(text.find(list), list.size(), "[]");
  }
  EXPECT_TRUE(parse_recording(text, "job.json").sequence.waits.empty());
}

TEST(Recording, IsDistinguishedFromOtherDocuments) {
  EXPECT_TRUE(is_recording(sound_text()));
  EXPECT_TRUE(is_recording(" {\"job_schema_version\": 7}"));
  EXPECT_FALSE(is_recording(R"({"schema_version": 4, "argv": ["\"job_schema_version\""]})"));
  EXPECT_FALSE(is_recording(sound_text().substr(0, 100)));
  EXPECT_FALSE(is_recording("\"job_schema_version\""));
  EXPECT_FALSE(is_recording(""));
}

TEST(Recording, OfAnotherVersionIsRefused) {
  EXPECT_EQ(reading(changed("\"job_schema_version\": 1", "\"job_schema_version\": 2")),
            failed("job.json: written by another loadline, job schema version 2; this one reads 1"));
  EXPECT_EQ(reading("{}"), failed("job.json: not a job recorded by loadline.record"));
}

TEST(Recording, ThatContradictsItselfIsRefused) {
  EXPECT_EQ(reading(changed("[2000000000, 3000000000, 1000000000]", "[2000000000]")),
            failed("job.json: sequence.step_nanoseconds: want 3 entries for 5 batches, got 1"));
  EXPECT_EQ(reading(changed("[8, 8, 2]", "[8, 8]")),
            failed("job.json: sequence.samples: want 3 entries for 5 batches, got 2"));
  EXPECT_EQ(reading(changed("\"batches\": 5", "\"batches\": 18446744073709551615")),
            failed("job.json: sequence.wait_nanoseconds: want 9223372036854775808 entries for 18446744073709551615 "
                   "batches, got 3"));
}

TEST(Recording, WithImpossibleFiguresIsRefused) {
  EXPECT_EQ(reading(changed("\"batches_per_entry\": 2", "\"batches_per_entry\": 0")),
            failed("job.json: sequence.batches_per_entry: want a number above 0, got 0"));
  EXPECT_EQ(reading(changed("1500000000", "-1")),
            failed("job.json: sequence.wait_nanoseconds[0]: want a whole number, got -1"));
  EXPECT_EQ(reading(changed("1500000000", "9007199254740993")),
            failed("job.json: sequence.wait_nanoseconds[0]: want a whole number up to 9007199254740992, got "
                   "9007199254740993"));
  EXPECT_EQ(reading(changed("\"wall_seconds\": 9.5", "\"wall_seconds\": -1")),
            failed("job.json: wall_seconds: want seconds of at least 0, got -1"));
  EXPECT_EQ(reading(changed("\"complete\"", "\"done\"")),
            failed("job.json: status: want complete or partial, got 'done'"));
}

TEST(Recording, ThatIsCutShortIsRefused) {
  EXPECT_THAT(reading(sound_text().substr(0, 300)).message, HasSubstr("job.json: not JSON: it is cut short"));
}

TEST(Recording, EscapesTerminalCommands) {
  const Recording job = parse_recording(changed("\"node1\"", "\"a\\u001b[2J\""), "job.json");
  EXPECT_EQ(job.hostname, "a\\x1b[2J");
}

}  // namespace
}  // namespace loadline
