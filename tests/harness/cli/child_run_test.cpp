#include "harness/cli/child_run.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::overhead;
using test::result_of;

constexpr const char* kOutput = "run-1.json";

const OptionRow& row_named(std::string_view name) {
  for (const OptionRow& row : run_options()) {
    if (row.name == name) return row;
  }
  throw std::logic_error("no such option");
}

// A result of one FULL and one IO cell of two trials each, started in the second of the request.
Result answer() {
  Result result = result_of({{.mode = Mode::kFull, .rates = {1, 1}}, {.mode = Mode::kIo, .rates = {1, 1}}, overhead()});
  result.status = Status::kComplete;
  result.started = "2026-11-22T10:00:00Z";
  result.options.trials = 2;
  result.options.prefetch = 4;
  result.options.output = kOutput;
  return result;
}

ChildRequest request() {
  const Result asked = answer();
  const std::chrono::sys_days day = std::chrono::year(2026) / 11 / 22;
  return {.options = asked.options,
          .given = {&row_named("prefetch")},
          .cells = {asked.cells[0].cell, asked.cells[1].cell},
          .began = day + std::chrono::hours(10) + std::chrono::milliseconds(700),
          .build = asked.environment.build};
}

std::string fault_after(const std::function<void(Result&)>& change) {
  Result result = answer();
  change(result);
  return fault_of(result, request());
}

TEST(FaultOf, AcceptsTheRequestedResult) {
  EXPECT_EQ(fault_of(answer(), request()), "");
}

TEST(FaultOf, IgnoresOptionsThatWereNotGiven) {
  EXPECT_EQ(fault_after([](Result& result) { result.options.window_samples = 1; }), "");
}

TEST(FaultOf, FindsAPartialResult) {
  EXPECT_EQ(fault_after([](Result& result) { result.status = Status::kPartial; }), "is partial");
}

TEST(FaultOf, FindsAResultOfAnEarlierRun) {
  EXPECT_EQ(fault_after([](Result& result) { result.started = "2026-11-22T09:59:59Z"; }),
            "began at 2026-11-22T09:59:59Z, before the run was started");
  EXPECT_EQ(fault_after([](Result& result) { result.started = "today"; }),
            "began at today, before the run was started");
}

TEST(FaultOf, FindsAResultOfAnotherCommandLine) {
  EXPECT_EQ(fault_after([](Result& result) { result.options.output = "other.json"; }), "has another command line");
  EXPECT_EQ(fault_after([](Result& result) { result.options.prefetch = 2; }), "has another --prefetch than requested");
}

TEST(FaultOf, FindsAResultOfAnotherBuild) {
  EXPECT_EQ(fault_after([](Result& result) { result.environment.build.git_revision = "abc"; }),
            "comes from another build, 1.2.3 abc");
}

TEST(FaultOf, FindsCellsThatWereNotRequested) {
  EXPECT_EQ(fault_after([](Result& result) { result.cells.erase(result.cells.begin()); }),
            "has different cells than requested");
  EXPECT_EQ(fault_after([](Result& result) { result.cells[0].cell.workers = 7; }),
            "has different cells than requested");
}

TEST(FaultOf, FindsMissingAndFailedTrials) {
  EXPECT_EQ(fault_after([](Result& result) { result.cells[1].trials.pop_back(); }),
            "has 1 trials of mnist/IO/serial/batch:100 instead of 2");
  EXPECT_EQ(fault_after([](Result& result) { result.cells[1].error = "no room"; }),
            "has a failed cell mnist/IO/serial/batch:100: no room");
}

}  // namespace
}  // namespace loadline
