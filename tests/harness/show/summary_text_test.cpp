#include "harness/show/summary_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/show/wrap.h"
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

TEST(SummaryText, ShowsAStallThatIsTooNoisyInOneWord) {
  const std::string text =
      shown(default_run({985, 995, 1000, 990, 992}, {300, 990, 200, 995, 150}, {1200, 1000, 300, 1300, 900}));
  EXPECT_THAT(text, HasSubstr("  noisy\n"));
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
