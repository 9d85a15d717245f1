#include "harness/show/walk_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/judgement.h"
#include "harness/show/walk_csv.h"
#include "tests/harness/support/comparisons.h"

namespace loadline {
namespace {

using test::result_of;
using test::walk;
using testing::HasSubstr;
using testing::StartsWith;

Result step(std::vector<double> io, std::vector<double> synthetic, std::vector<double> full, std::size_t workers,
            const std::string& compute = "device:samples_per_second=1e3") {
  Result result =
      result_of({{.mode = Mode::kIo, .rates = std::move(io), .loader = "thread-pool", .workers = workers},
                 {.mode = Mode::kSynthetic, .rates = std::move(synthetic)},
                 {.mode = Mode::kFull, .rates = std::move(full), .loader = "thread-pool", .workers = workers}});
  result.cells[1].cell.compute = result.cells[2].cell.compute = compute;
  result.status = Status::kComplete;
  return result;
}

std::vector<Result> three() {
  return {step({198, 200, 202}, {990, 1000, 1010}, {178, 180, 182}, 1),
          step({1190, 1200, 1210}, {990, 1000, 1010}, {890, 900, 910}, 8),
          step({1190, 1200, 1210}, {3960, 4000, 4040}, {990, 1000, 1010}, 8, "device:samples_per_second=4e3")};
}

TEST(WalkText, IsATableWithARowPerStep) {
  const std::string text = walk_text(walk(three()));
  EXPECT_THAT(text, StartsWith("improvement: mnist FULL, s1.json -> s3.json: 5.56 ± 0.14 times as fast (p < 0.001)\n"
                               "\n"
                               "mnist: samples/s, mean ± standard deviation of the trials; ± of stalls and gains: 95 % "
                               "interval\n"
                               "\n"
                               "result   what changed "));
  EXPECT_THAT(text, HasSubstr("\ns1.json  thread-pool x 1, device:samples_per_second=1e3, batch size 100 "));
  EXPECT_THAT(text, HasSubstr("\ns2.json  workers 1 -> 8 "));
  EXPECT_THAT(text, HasSubstr("  1.200 ± 0.010 k  1.000 ± 0.010 k     900.0 ± 10.0      10 ± 2 %  "));
  EXPECT_THAT(text, HasSubstr("\ns3.json  compute device:samples_per_second=1e3 -> device:samples_per_second=4e3 "));
  EXPECT_THAT(text,
              HasSubstr("\ngains and verdicts: for FULL, against the step before, by Holm over all gains; alpha 0.05\n"
                        "\n"
                        "where the compute changed\n"
                        "  s3.json: the compute gave x 4.00 ± 0.09 (SYNTHETIC), loading x "));
}

TEST(WalkText, NamesEachStepThatMadeItSlower) {
  auto results = three();
  std::swap(results[0], results[1]);
  EXPECT_THAT(walk_text(walk(results)),
              StartsWith("improvement: mnist FULL, s1.json -> s3.json: 11 ± 3 % faster (p < 0.001)\n"
                         "regression: mnist FULL, s1.json -> s2.json: 80.0 ± 0.5 % slower: workers 8 -> 1 (p < "
                         "0.001)\n"));
}

// Of one configuration, whose FULL alone changes.
std::vector<Result> with_full(const std::vector<double>& rates) {
  std::vector<Result> results;
  for (const double rate : rates) {
    results.push_back(step({1190, 1200, 1210}, {990, 1000, 1010}, {rate * 0.999, rate, rate * 1.001}, 8));
  }
  return results;
}

TEST(WalkText, NamesAResultThatBecameSlowerThanTheFirstByAndBy) {
  const Walk made = walk(with_full({800, 784, 768, 780}));
  EXPECT_EQ(made.verdict, Change::kRegression);
  EXPECT_THAT(walk_text(made),
              StartsWith("equivalent: mnist FULL, s1.json -> s4.json: the same within 3 % (2.5 ± 0.2 % slower)\n"
                         "regression: mnist FULL, s1.json -> s3.json: 4.0 ± 0.2 % slower (p < 0.001)\n"
                         "\n"));
}

TEST(WalkText, NamesOnlyTheFirstOfSeveralResultsThatAreSlowerThanTheFirst) {
  EXPECT_THAT(walk_text(walk(with_full({800, 784, 768, 760, 768, 780}))),
              StartsWith("equivalent: mnist FULL, s1.json -> s6.json: the same within 3 % (2.5 ± 0.2 % slower)\n"
                         "regression: mnist FULL, s1.json -> s3.json: 4.0 ± 0.2 % slower (p < 0.001)\n"
                         "\n"));
}

TEST(WalkText, SaysOnceWhatIsBothTheLastStepAndTheWholeWalk) {
  EXPECT_THAT(walk_text(walk(with_full({800, 700}))),
              StartsWith("regression: mnist FULL, s1.json -> s2.json: 12.5 ± 0.2 % slower: no setting changed (p < "
                         "0.001)\n"
                         "\n"));
}

TEST(WalkText, NamesWhatLeavesAWalkInconclusive) {
  auto results = with_full({800, 800, 800});
  for (std::size_t i = 0; i < 3; ++i) {
    results[1].cells[2].trials[i] = test::trial_of(800 + 60 * (static_cast<double>(i) - 1), 100);
  }
  const Walk made = walk(results);
  EXPECT_EQ(made.verdict, Change::kInconclusive);
  const std::string text = walk_text(made);
  EXPECT_THAT(text, StartsWith("equivalent: mnist FULL, s1.json -> s3.json: the same within 3 % (0.0 ± 0.2 % faster or "
                               "slower)\n"
                               "inconclusive: mnist FULL, s1.json -> s2.json: "));
  EXPECT_THAT(text, HasSubstr("\ninconclusive: mnist FULL, s2.json -> s3.json: "));
}

TEST(WalkText, ShowsTheMetricOfEveryResult) {
  auto results = with_full({800, 800, 800});
  for (std::size_t k = 0; k < results.size(); ++k) {
    for (Trial& trial : results[k].cells[2].trials) trial.wait.p99_seconds = 0.001 * static_cast<double>(k + 2);
  }
  const std::string text = walk_text(walk(results, {.metric = &metric_named("wait_p99_seconds")}));
  EXPECT_THAT(text, HasSubstr("  2.0 ms ± 0 µs  "));
  EXPECT_THAT(text, HasSubstr("  3.0 ms ± 0 µs  "));
  EXPECT_THAT(text, HasSubstr("  4.0 ms ± 0 µs  "));
}

TEST(WalkText, BeginsWithWhatAStepLacks) {
  auto results = three();
  results[1].cells[2].trials.clear();
  EXPECT_THAT(walk_text(walk(results)), StartsWith("missing: s2.json has no trials of FULL of mnist\n"));
}

TEST(WalkMarkdown, IsAListAndATable) {
  const std::string text = walk_markdown(walk(three()));
  EXPECT_THAT(text, StartsWith("- improvement: mnist FULL, s1.json -> s3.json: 5.56 ± 0.14 times as fast"));
  EXPECT_THAT(text,
              HasSubstr("| result | what changed | IO | SYNTHETIC | FULL | stall | bound by | over the step "
                        "before | over the first | verdict |\n"
                        "|---|---|---:|---:|---:|---:|---|---:|---:|---|\n"
                        "| s1.json | thread-pool x 1, device:samples_per_second=1e3, batch size 100 | 200.0 ± 2.0 |"));
}

TEST(WalkCsv, HasARowPerStep) {
  const std::string text = walk_csv(walk(three()));
  EXPECT_THAT(text, StartsWith("workload,mode,metric,step,result,cell,changed,io_count,"));
  EXPECT_THAT(text, HasSubstr("\nmnist,FULL,samples_per_second,2,s2.json,mnist/FULL/thread-pool/workers:8/batch:100,"
                              "workers 1 -> 8,3,1200,10,3,1000,10,3,900,10,"));
  EXPECT_THAT(text, HasSubstr("\nmnist,FULL,samples_per_second,1,s1.json,mnist/FULL/thread-pool/workers:1/batch:100,"
                              "\"thread-pool x 1, device:samples_per_second=1e3, batch size 100\",3,200,2,"));
}

}  // namespace
}  // namespace loadline
