#include "harness/measure/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "harness/measure/run_traced.h"
#include "harness/show/trace_text.h"
#include "tests/harness/measure/run_fixture.h"
#include "tests/harness/measure/simulated_rig.h"
#include "tests/support/trace_checker.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;
using test::Behaviour;
using test::events_in;
using test::faults_of_trace;
using test::processes_in;
using test::tracks_in;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// The text of a trace file for a run that began at `start`.
std::string text_of_traces(const std::vector<TrialTrace>& traces, Time start) {
  std::string text;
  TraceText writer([&text](std::string_view piece) { text += piece; }, start);
  for (const TrialTrace& trace : traces) writer.add(trace, 1e6);
  writer.finish({{"tool", "loadline 1.2.3"}});
  return text;
}

class SimulatedTrace : public testing::Test {
 protected:
  std::string traced(Mode mode, const Behaviour& behaviour, const TraceLimits& limits = {}) {
    test::FakeClock clock;
    const test::SimulatedRig rig(clock, mode, behaviour);
    const Time start = clock.now();
    auto trace = trace_trial(rig, {.length = Batches{50}}, limits, clock, {});
    EXPECT_TRUE(trace.has_value());
    if (!trace) return "";
    trial_ = trace->trial;
    std::vector<TrialTrace> traces;
    traces.push_back(std::move(*trace));
    return text_of_traces(traces, start);
  }

  Trial trial_;
};

const Behaviour kSlowLoader{.service = 3ms, .step = 1ms, .depth = 2, .copy = 200us, .epoch = 20};
const Behaviour kSlowStep{.service = 1ms, .step = 3ms, .depth = 2, .copy = 200us, .epoch = 20};

TEST_F(SimulatedTrace, FollowsEveryBatchFromItsReadToTheEndOfItsStep) {
  for (const Behaviour& behaviour : {kSlowLoader, kSlowStep}) {
    const std::string text = traced(Mode::kFull, behaviour);
    EXPECT_THAT(faults_of_trace(text), IsEmpty());
    const nlohmann::json trace = nlohmann::json::parse(text);
    std::map<int, std::vector<std::string>> ways;
    std::map<int, std::string> tracks;
    for (const nlohmann::json& event : trace["traceEvents"]) {
      if (event["name"] == "thread_name") tracks[event["tid"]] = event["args"]["name"];
      if (event.contains("id")) ways[event["id"]].push_back(tracks[event["tid"]]);
    }
    EXPECT_EQ(ways.size(), trial_.warm_up_batches + trial_.batches) << "one of each batch that the compute took";
    for (const auto& [id, way] : ways) {
      EXPECT_EQ(way.front(), "worker 0");
      EXPECT_EQ(way.back(), "device steps");
      EXPECT_THAT(way, Contains("consumer"));
      EXPECT_THAT(way, Contains("device copies"));
    }
  }
}

TEST_F(SimulatedTrace, HasNoOverlapOnATrack) {
  for (const Mode mode : {Mode::kIo, Mode::kFull, Mode::kSynthetic}) {
    for (const Behaviour& behaviour : {kSlowLoader, kSlowStep}) {
      EXPECT_THAT(faults_of_trace(traced(mode, behaviour)), IsEmpty()) << name(mode);
    }
  }
}

TEST_F(SimulatedTrace, ShowsItsPhasesAndEpochs) {
  const nlohmann::json trace = nlohmann::json::parse(traced(Mode::kFull, kSlowLoader));
  EXPECT_THAT(tracks_in(trace, 1),
              ElementsAre("trial", "epochs", "worker 0", "consumer", "device copies", "device steps"));
  const auto phases = events_in(trace, "X", "trial");
  ASSERT_THAT(phases, SizeIs(3));
  EXPECT_EQ(phases[1]["name"], "warm-up");
  EXPECT_EQ(phases[2]["name"], "timed");
  EXPECT_EQ(phases[2]["args"]["batches"], 50);
  EXPECT_NEAR(phases[2]["dur"].get<double>(), 1e6 * trial_.wall_seconds, 1e-3);
  const auto epochs = events_in(trace, "X", "epochs");
  ASSERT_GE(epochs.size(), 3U);
  EXPECT_EQ(epochs[1]["name"], "epoch 1");
  EXPECT_EQ(epochs[1]["args"]["batches"], 20);
}

TEST_F(SimulatedTrace, CountsBytesAndReadyBatches) {
  const nlohmann::json trace = nlohmann::json::parse(traced(Mode::kFull, kSlowStep));
  std::map<std::string, nlohmann::json> last;
  for (const nlohmann::json& event : events_in(trace, "C")) last[event["name"]] = event["args"];
  EXPECT_EQ(last["bytes read"]["bytes"].get<std::uint64_t>() % 80, 0U);
  EXPECT_GE(last["bytes read"]["bytes"], 80 * trial_.batches);
  EXPECT_GT(last["ready batches"]["batches"], 0) << "the loader is ahead of the compute";
  EXPECT_FALSE(last.contains("reads in flight")) << "nobody tells of any";
}

TEST_F(SimulatedTrace, KeepsNoMoreThanItsLimitAndCountsWhatIsLost) {
  const std::string text = traced(Mode::kFull, kSlowLoader, {.of_track = 40});
  EXPECT_THAT(faults_of_trace(text), IsEmpty());
  const nlohmann::json trace = nlohmann::json::parse(text);
  EXPECT_EQ(events_in(trace, "X", "consumer").size() + events_in(trace, "X", "device steps").size() +
                events_in(trace, "X", "device copies").size(),
            40U);
  EXPECT_LE(events_in(trace, "X", "worker 0").size(), 40U);
  EXPECT_FALSE(events_in(trace, "f").empty());
  const auto phases = events_in(trace, "X", "trial");
  EXPECT_EQ(phases.back()["name"], "warm-up and timed") << "where the one ended is lost";
  EXPECT_GT(trace["metadata"]["lost_slices"], 0);
  EXPECT_EQ(trace["metadata"]["trials"][0]["lost_slices"], trace["metadata"]["lost_slices"]);
}

TEST(TraceLimits, DivideTheTotalAmongTheTracks) {
  EXPECT_EQ(limits_of_tracks(2).of_track, 32'768U);
  EXPECT_EQ(limits_of_tracks(1000).of_track, 1'048U);
  EXPECT_EQ(limits_of_tracks(100'000'000).of_track, 4U);
}

class RunTraced : public test::RunTest {
 protected:
  // Runs, then traces. Returns all traces in the order in which they were taken.
  std::vector<TrialTrace> trace(const RunOptions& options, std::size_t trials = 1) {
    mnist();
    result_.options = options;
    EXPECT_TRUE(run(plan_of(options)));
    std::vector<TrialTrace> traces;
    RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_, .start = start_};
    outcome_ = run_traced({.trials = trials,
                           .begins = [](const CellResult&) {},
                           .take = [&](TrialTrace& one, const CellResult&) { traces.push_back(std::move(one)); }},
                          result_, context);
    return traces;
  }

  // Takes next to no time.
  RunOptions small() const {
    RunOptions wanted = options();
    wanted.modes = {"io", "synthetic"};
    wanted.workers.clear();
    wanted.loaders = {"serial"};
    wanted.trials = 1;
    return wanted;
  }

  const Time start_ = clock_.now();
  TraceOutcome outcome_;
};

TEST_F(RunTraced, KeepsToTheFormatWithNativeLoaders) {
  RunOptions wanted = options();
  wanted.trials = 1;
  wanted.loaders = {"serial", "thread-pool", "flow-graph"};
  wanted.compute = "device:samples_per_second=1e6,copy_bytes_per_second=1e9,devices=2";
  const auto traces = trace(wanted, 2);
  EXPECT_EQ(outcome_.cells, 7U) << "IO and FULL of each loader, and SYNTHETIC";
  EXPECT_THAT(outcome_.failures, IsEmpty());
  EXPECT_THAT(traces, SizeIs(14));
  const std::string text = text_of_traces(traces, start_);
  EXPECT_THAT(faults_of_trace(text), IsEmpty());
  const nlohmann::json trace = nlohmann::json::parse(text);
  EXPECT_THAT(processes_in(trace), SizeIs(7));
  EXPECT_THAT(processes_in(trace), Contains("mnist/FULL/thread-pool/workers:2/batch:8"));
  EXPECT_FALSE(events_in(trace, "f").empty());
  EXPECT_FALSE(events_in(trace, "X", "device 1 copies").empty());
}

TEST_F(RunTraced, LeavesTheTrialsOfTheResultAlone) {
  trace(small(), 3);
  for (const CellResult& cell : result_.cells) EXPECT_THAT(cell.trials, SizeIs(1)) << cell.cell.name();
}

TEST_F(RunTraced, BeginsNoCellWithoutTimeLeft) {
  trace(small());
  result_.options.time_limit = 1e-6;
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_, .start = start_};
  const TraceOutcome late = run_traced({.begins = [](const CellResult&) { FAIL(); }}, result_, context);
  EXPECT_TRUE(late.done);
  EXPECT_EQ(late.cells, outcome_.cells);
  EXPECT_EQ(late.without_time, outcome_.cells);
}

TEST_F(RunTraced, EndsWhenItIsStopped) {
  trace(small());
  stop_.request_stop();
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_, .start = start_};
  EXPECT_FALSE(run_traced({.begins = [](const CellResult&) {}}, result_, context).done);
}

TEST_F(RunTraced, GoesOnAfterACellThatFails) {
  const auto whole = trace(small()).size();
  for (CellResult& cell : result_.cells) {
    if (cell.cell.mode == Mode::kSynthetic) cell.cell.compute = "device:samples_per_second=1e-3,devices=0";
  }
  std::size_t taken = 0;
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_, .start = start_};
  const TraceOutcome outcome = run_traced(
      {.begins = [](const CellResult&) {}, .take = [&](TrialTrace&, const CellResult&) { ++taken; }}, result_, context);
  EXPECT_EQ(taken + 1, whole);
  ASSERT_THAT(outcome.failures, SizeIs(1));
  EXPECT_THAT(outcome.failures[0], testing::StartsWith("cannot trace mnist/SYNTHETIC/batch:8: "));
}

}  // namespace
}  // namespace loadline
