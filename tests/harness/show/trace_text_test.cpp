#include "harness/show/trace_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/trace_checker.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Moment = std::chrono::steady_clock::time_point;

// One worker reads a batch in 2 µs and transforms it in 3 µs; the consumer waits for it for 6 µs and keeps it for 4 µs.
TrialTrace one_batch(std::string cell = "mnist/IO/thread-pool/workers:1/batch:8") {
  TrialTrace trace{
      .cell = std::move(cell), .begin = 100us, .made = 110us, .steps = StepLog(8), .consumer = ConsumerLog(8)};
  trace.workers.emplace_back(8);
  WorkerLog& log = trace.workers.front();
  log.add({.stage = WorkerStage::kIdle, .begin = Moment(100us), .end = Moment(110us)});
  log.add({.stage = WorkerStage::kRead, .begin = Moment(110us), .end = Moment(112us), .sequence = 0, .bytes = 64});
  log.add({.stage = WorkerStage::kTransform, .begin = Moment(112us), .end = Moment(115us), .sequence = 0});
  trace.consumer.got({.asked = 110us, .got = 116us, .samples = 8, .ready = 0});
  trace.consumer.consumed(116us + 1ns, 120us);
  trace.trial.samples = 8;
  trace.trial.batches = 1;
  trace.trial.wall_seconds = 1e-5;
  return trace;
}

std::string text_of_one(const TrialTrace& trace, std::optional<double> counted = {}) {
  std::string text;
  TraceText writer([&text](std::string_view piece) { text += piece; }, 100us);
  writer.add(trace, counted);
  writer.finish({{"tool", "loadline 1.2.3"}});
  return text;
}

TEST(TraceText, IsInTheTraceEventFormat) {
  EXPECT_EQ(text_of_one(one_batch(), 1e6), R"({"traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"mnist/IO/thread-pool/workers:1/batch:8"}},
{"ph":"M","pid":1,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"trial"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"epochs"}},
{"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":2}},
{"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"worker 0"}},
{"ph":"M","pid":1,"tid":3,"name":"thread_sort_index","args":{"sort_index":3}},
{"ph":"M","pid":1,"tid":4,"name":"thread_name","args":{"name":"consumer"}},
{"ph":"M","pid":1,"tid":4,"name":"thread_sort_index","args":{"sort_index":4}},
{"ph":"X","pid":1,"tid":1,"ts":0.000,"dur":10.000,"cat":"trial","name":"set-up","args":{"traced_trial":0}},
{"ph":"X","pid":1,"tid":1,"ts":10.000,"dur":10.000,"cat":"trial","name":"timed","args":{"traced_trial":0,"samples":8,"batches":1}},
{"ph":"X","pid":1,"tid":2,"ts":10.000,"dur":10.000,"cat":"epoch","name":"epoch 0","args":{"batches":1}},
{"ph":"X","pid":1,"tid":3,"ts":10.000,"dur":2.000,"cat":"loader","name":"read","args":{"batch":0,"bytes":64}},
{"ph":"X","pid":1,"tid":3,"ts":12.000,"dur":3.000,"cat":"loader","name":"transform","args":{"batch":0}},
{"ph":"X","pid":1,"tid":4,"ts":10.000,"dur":6.000,"cat":"consumer","name":"wait","args":{"batch":0,"epoch":0,"samples":8}},
{"ph":"X","pid":1,"tid":4,"ts":16.001,"dur":3.999,"cat":"consumer","name":"take","args":{"batch":0,"epoch":0,"samples":8}},
{"ph":"s","pid":1,"tid":3,"ts":10.000,"cat":"batch","name":"batch","id":1},
{"ph":"t","pid":1,"tid":4,"ts":15.999,"cat":"batch","name":"batch","id":1},
{"ph":"f","pid":1,"tid":4,"ts":19.999,"cat":"batch","name":"batch","id":1,"bp":"e"},
{"ph":"C","pid":1,"ts":16.000,"name":"ready batches","args":{"batches":0}},
{"ph":"C","pid":1,"ts":0.000,"name":"bytes read","args":{"bytes":0}},
{"ph":"C","pid":1,"ts":12.000,"name":"bytes read","args":{"bytes":64}}
],
"displayTimeUnit":"ms",
"metadata":{
"tool":"loadline 1.2.3",
"most_slices_of_a_track":32768,
"most_slices":1048576,
"lost_slices":0,
"trials":[
{"cell":"mnist/IO/thread-pool/workers:1/batch:8","traced_trial":0,"samples_per_second":800000,"mean_of_counted_trials":1e+06,"share_of_mean":0.8,"slices":7,"lost_slices":0}
]}}
)");
}

TEST(TraceText, EscapesNamesThatWouldBreakIt) {
  for (const std::string name :
       {"a\"b\\c", "two\nlines", "\x1b[2J", "\xff\xfe no UTF-8", "\xe2\x80\xae turned", "", "\x7f"}) {
    const std::string text = text_of_one(one_batch(name));
    EXPECT_THAT(test::faults_of_trace(text), IsEmpty()) << testing::PrintToString(name);
  }
  const auto trace = nlohmann::json::parse(text_of_one(one_batch("a\"b\\c")));
  EXPECT_THAT(test::processes_in(trace), ElementsAre("a\"b\\c"));
}

TEST(TraceText, HasAProcessForEachCellOfSeveralTrials) {
  std::string text;
  TraceText writer([&text](std::string_view piece) { text += piece; }, 0us);
  writer.add(one_batch("first"), {});
  writer.add(one_batch("second"), {});
  TrialTrace again{
      .cell = "first", .number = 1, .begin = 200us, .made = 201us, .steps = StepLog(1), .consumer = ConsumerLog(1)};
  again.trial.wall_seconds = 1;
  writer.add(again, {});
  writer.finish({});
  EXPECT_THAT(test::faults_of_trace(text), IsEmpty());
  const auto trace = nlohmann::json::parse(text);
  EXPECT_THAT(test::processes_in(trace), ElementsAre("first", "second"));
  EXPECT_EQ(test::events_in(trace, "X").back()["pid"], 1);
  EXPECT_TRUE(trace["metadata"]["trials"][2]["share_of_mean"].is_null());
}

TEST(TraceText, SumsUpTheReadsInFlightOfAllWorkers) {
  TrialTrace trace = one_batch();
  trace.workers.clear();
  for (const std::uint32_t reads : {3, 5}) {
    WorkerLog& log = trace.workers.emplace_back(8);
    log.add({.stage = WorkerStage::kRead, .reads_in_flight = reads, .begin = Moment(110us), .end = Moment(112us)});
    log.add({.stage = WorkerStage::kDecode, .reads_in_flight = reads, .begin = Moment(112us), .end = Moment(113us)});
    log.add({.stage = WorkerStage::kRead,
             .reads_in_flight = 0,
             .begin = Moment(113us),
             .end = Moment(110us + reads * 1us)});
  }
  const std::string text = text_of_one(trace);
  EXPECT_THAT(text, HasSubstr(R"("ts":12.000,"name":"reads in flight","args":{"reads":8}})"));
  EXPECT_THAT(text, HasSubstr(R"("ts":13.000,"name":"reads in flight","args":{"reads":5}})"));
  EXPECT_THAT(text, HasSubstr(R"("ts":15.000,"name":"reads in flight","args":{"reads":0}})"));
}

TEST(TraceText, IsWrittenPieceByPiece) {
  std::size_t pieces = 0;
  std::size_t largest = 0;
  TraceText writer(
      [&](std::string_view piece) {
        ++pieces;
        largest = std::max(largest, piece.size());
      },
      0us);
  for (int i = 0; i < 300; ++i) writer.add(one_batch(), {});
  writer.finish({});
  EXPECT_GT(pieces, 2U);
  EXPECT_LT(largest, std::size_t{1} << 17) << "whatever the number of trials";
}

}  // namespace
}  // namespace loadline
