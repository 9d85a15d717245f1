#include "harness/show/summary_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/show/wrap.h"
#include "tests/harness/support/loader_stages.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using testing::HasSubstr;
using testing::Not;

using Rates = std::vector<double>;

// What `loadline run --workload mnist` measures: three modes of two loaders, five trials each.
Result default_run(const Rates& serial, const Rates& one_worker, const Rates& two_workers) {
  const Rates io{3100, 3600, 4000, 3300, 3500};
  const Rates synthetic{990, 1010, 1000, 1003, 997};
  Result result = test::result_of({
      {.mode = Mode::kIo, .rates = io},
      {.mode = Mode::kIo, .rates = io, .loader = "thread-pool", .workers = 1},
      {.mode = Mode::kIo, .rates = io, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kSynthetic, .rates = synthetic},
      {.mode = Mode::kFull, .rates = serial},
      {.mode = Mode::kFull, .rates = one_worker, .loader = "thread-pool", .workers = 1},
      {.mode = Mode::kFull, .rates = two_workers, .loader = "thread-pool", .workers = 2},
      test::overhead(),
  });
  result.options.workloads = {"mnist"};
  result.options.loaders = {"serial", "thread-pool"};
  result.options.workers = {1, 2};
  result.options.trials = 5;
  result.status = Status::kComplete;
  return result;
}

Result quiet_run() {
  return default_run({985, 995, 1000, 990, 992}, {985, 995, 1000, 990, 991}, {985, 995, 1000, 990, 993});
}

Result noisy_run() {
  return default_run({900, 1000, 1050, 880, 960}, {600, 990, 700, 995, 650}, {1200, 1000, 700, 1300, 900});
}

// All that a run prints about its result.
std::string shown(const Result& result) {
  const Judgement judgement = judge_run(result);
  return summary_text(result, judgement) + warning_names_text(judgement) +
         result_text("loadline-20261128T135859Z-6fc9e9.json");
}

std::vector<std::string> summary_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void expect_short(const std::string& text) {
  const auto lines = summary_lines(text);
  EXPECT_LE(lines.size(), 15U) << text;
  EXPECT_TRUE(std::ranges::all_of(lines, [](const std::string& line) { return columns_of(line) <= 80; })) << text;
}

TEST(SummaryText, OfADefaultRunHasAtMost15LinesOf80Columns) {
  const std::string text = shown(quiet_run());
  expect_short(text);
  EXPECT_THAT(text, HasSubstr("Bound by compute: "));
  EXPECT_THAT(text, HasSubstr("mnist: use serial"));
}

TEST(SummaryText, OfANoisyDefaultRunHasAtMost15LinesOf80Columns) {
  const std::string text = shown(noisy_run());
  expect_short(text);
  EXPECT_THAT(text, HasSubstr("mnist: undecided: "));
}

// Verdict and recommendation are long: workers on all CPUs cannot keep up and say on what they spend their time, and
// two other loaders are compared with them.
Result wordy_run() {
  const Rates io{310, 360, 400, 330, 350};
  Result result = test::result_of({
      {.mode = Mode::kIo, .rates = io},
      {.mode = Mode::kIo, .rates = io, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kIo, .rates = io, .loader = "flow-graph", .workers = 2},
      {.mode = Mode::kSynthetic, .rates = {990, 1010, 1000, 1003, 997}},
      {.mode = Mode::kFull, .rates = {280, 275, 283, 281, 279}},
      {.mode = Mode::kFull, .rates = {330, 331, 329, 330, 332}, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kFull, .rates = {325, 340, 310, 320, 330}, .loader = "flow-graph", .workers = 2},
      test::overhead(),
  });
  result.environment.machine.threads_in_force = 2;
  result.options.workloads = {"mnist"};
  result.options.loaders = {"serial", "thread-pool", "flow-graph"};
  result.options.workers = {2};
  result.options.trials = 5;
  result.status = Status::kComplete;
  for (std::size_t cell = 0; cell < 3; ++cell) {
    for (Trial& trial : result.cells[cell].trials) {
      trial.fill = Fill{.wall_seconds = trial.wall_seconds, .batches = trial.batches, .samples = trial.samples};
    }
  }
  for (Trial& trial : result.cells[5].trials) {
    test::spend(trial, 2, {{WorkerStage::kRead, 0.3}, {WorkerStage::kDecode, 0.4}, {WorkerStage::kWindowWait, 0.2}});
  }
  return result;
}

TEST(SummaryText, OfTheLongestSentencesHasAtMost15LinesOf80ColumnsAndKeepsWhatToDo) {
  Result result = wordy_run();
  const std::string text = shown(result);
  expect_short(text);
  EXPECT_THAT(text, HasSubstr("so use a faster --loader"));
  EXPECT_THAT(text, HasSubstr("mnist: use thread-pool with 2 workers.\n")) << "without what is slower";
  EXPECT_THAT(text, Not(HasSubstr("In FULL"))) << "which the report has";
}

// The table shows an IO that is slower than SYNTHETIC, which alone looks as if loading were the limit.
TEST(SummaryText, SaysHowFastTheLoaderIsByItselfWhereItsIoIsSlowerThanTheCompute) {
  Result result = default_run({690, 700, 710, 695, 705}, {985, 995, 1000, 990, 991}, {985, 995, 1000, 990, 993});
  result.cells[1].trials = result.cells[2].trials =
      test::cell_result({.mode = Mode::kIo, .rates = {700, 710, 690, 705, 695}}).trials;
  for (const std::size_t cell : {1U, 2U}) {
    for (Trial& trial : result.cells[cell].trials) {
      trial.fill = Fill{.wall_seconds = trial.wall_seconds / 2, .batches = trial.batches, .samples = trial.samples};
    }
  }
  const auto lines = summary_lines(shown(result));
  std::string text;
  for (const std::string& line : lines) text += " " + line.substr(std::min(line.find_first_not_of(' '), line.size()));
  EXPECT_THAT(text, HasSubstr("thread-pool x 1: Bound by compute: "));
  EXPECT_THAT(text,
              HasSubstr("; thread-pool with 1 worker by itself is 1.40 ± 0.02 times as fast as the compute; use a "
                        "faster compute."));
}

TEST(SummaryText, NamesACpuOfAnyLengthOnOneLine) {
  Result result = wordy_run();
  result.environment.machine.cpu_model = "Example CPU with a name so long that it takes more than a line";
  const std::string text = shown(result);
  expect_short(text);
  EXPECT_THAT(text, testing::StartsWith("loadline 1.2.3 on Example CPU with a name so long that"));
  EXPECT_THAT(summary_lines(text).front(), testing::EndsWith("..., 2 of 8 CPUs in force"));
}

// One more configuration, and a warning.
TEST(SummaryText, ExceedsTheLimitRatherThanGiveUpTheAdviceWhereTheTableIsAtItsLongest) {
  Result result = wordy_run();
  result.cells.push_back(test::cell_result(
      {.mode = Mode::kFull, .rates = {200, 230, 260, 290, 320}, .loader = "thread-pool", .workers = 1}));
  const std::string text = shown(result);
  EXPECT_EQ(summary_lines(text).size(), 17U) << text;
  EXPECT_THAT(text, HasSubstr("\nthread-pool x 1 "));
  EXPECT_THAT(text, HasSubstr("\nwarnings: "));
  EXPECT_THAT(text, HasSubstr("thread-pool x 2: Bound by loading: device:samples_per_second=1000 waits\n"
                              "  67.0 ± 0.3 % of the time for thread-pool with 2 workers: each of the 2 CPUs in\n"
                              "  force has a worker already, so use a faster --loader, give each sample less\n"
                              "  work or get more CPUs (more --workers only if they wait for storage).\n"
                              "mnist: use thread-pool with 2 workers.\n"));
}

// The four with the highest means used to have all rows but one.
TEST(SummaryText, HasARowForEachLoaderThatTheRecommendationNames) {
  std::vector<test::CellRequest> cells{
      {.mode = Mode::kSynthetic, .rates = {990, 1010, 1000, 1003, 997}},
      {.mode = Mode::kFull, .rates = {985, 994, 999, 989, 990}, .loader = "flow-graph", .workers = 2}};
  for (const std::size_t workers : {1U, 2U, 3U, 4U, 5U}) {
    const double last = 990 + static_cast<double>(workers);
    cells.push_back(
        {.mode = Mode::kFull, .rates = {985, 995, 1000, 990, last}, .loader = "thread-pool", .workers = workers});
  }
  const std::string text = shown(test::result_of(cells));
  EXPECT_THAT(text,
              HasSubstr(": use thread-pool with 1 worker; flow-graph with 2 workers is as fast\n  within 5 %.\n"));
  for (const char* row : {"\nflow-graph x 2 ", "\nthread-pool x 1 ", "\nthread-pool x 4 ", "\nthread-pool x 5 "}) {
    EXPECT_THAT(text, HasSubstr(row));
  }
  EXPECT_THAT(text, HasSubstr("\nand 2 more configurations\n"));
}

TEST(SummaryText, HasWhatAnOptionRequestedHoweverLongItGets) {
  Result result = wordy_run();
  result.options.au = 0.85;
  EXPECT_THAT(shown(result), HasSubstr("85 %"));
}

TEST(SummaryText, ShowsAStallThatIsTooNoisyInOneWord) {
  const std::string text =
      shown(default_run({985, 995, 1000, 990, 992}, {300, 990, 200, 995, 150}, {1200, 1000, 300, 1300, 900}));
  EXPECT_THAT(text, HasSubstr("  noisy\n"));
  EXPECT_THAT(text, HasSubstr("; the trials are too noisy to say whether thread-pool"));
  EXPECT_THAT(text, Not(HasSubstr("too noisy to say\n")));
}

// It used to call serial "the simplest of 1 that are as fast within 5 %".
TEST(SummaryText, SaysNothingOfOthersThatAreAsFastWhereThereAreNone) {
  EXPECT_THAT(shown(default_run({985, 995, 1000, 990, 992}, {600, 990, 700, 995, 650}, {1200, 1000, 700, 1300, 900})),
              HasSubstr("mnist: use serial; thread-pool with 2 workers may be slower"));
}

TEST(ResultText, KeepsALongNameInOnePiece) {
  const std::string path = "/" + std::string(50, 'a') + "/a result.json";
  EXPECT_EQ(result_text(path), "result: " + path + "\n  (details: `loadline report`)\n");
}

TEST(ResultText, NamesTheFileAndWhatShowsItInFull) {
  EXPECT_EQ(result_text("first.json"), "result: first.json (details: `loadline report`)\n");
  const std::string fits(43, 'a');
  EXPECT_EQ(result_text(fits), "result: " + fits + " (details: `loadline report`)\n");
}

}  // namespace
}  // namespace loadline
