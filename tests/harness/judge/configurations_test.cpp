#include "harness/judge/configurations.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::overhead;
using test::result_of;

TEST(Configurations, PairIoAndFullWithTheSyntheticTheyShare) {
  const Judgement judgement = judge_run(result_of({
      {.mode = Mode::kIo, .rates = {5000}},
      {.mode = Mode::kIo, .rates = {5000}, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kSynthetic, .rates = {1000}},
      {.mode = Mode::kSynthetic, .rates = {1000}, .batch_size = 64},
      {.mode = Mode::kFull, .rates = {990}},
      {.mode = Mode::kFull, .rates = {995}, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kFull, .rates = {995}, .loader = "thread-pool", .workers = 2, .batch_size = 64},
      {.mode = Mode::kFull, .rates = {995}, .workload = "cifar10"},
      overhead(),
  }));
  ASSERT_EQ(judgement.configurations.size(), 4U);
  const auto expect = [&](std::size_t i, std::optional<std::size_t> io, std::optional<std::size_t> synthetic,
                          std::optional<std::size_t> full) {
    EXPECT_EQ(judgement.configurations[i].io, io) << i;
    EXPECT_EQ(judgement.configurations[i].synthetic, synthetic) << i;
    EXPECT_EQ(judgement.configurations[i].full, full) << i;
  };
  expect(0, 0, 2, 4);
  expect(1, 1, 2, 5);
  expect(2, std::nullopt, 3, 6);
  expect(3, std::nullopt, std::nullopt, 7);
  EXPECT_EQ(judgement.configurations[1].loader, "thread-pool");
  EXPECT_EQ(judgement.configurations[1].workers, 2U);
  EXPECT_EQ(judgement.configurations[0].verdict.bound, Bound::kUnclear) << "one trial";
  EXPECT_EQ(judgement.configurations[2].verdict.bound, Bound::kIncomplete);
}

TEST(Configurations, LeaveOutASyntheticThatClaimsALoader) {
  Result result = result_of({{.mode = Mode::kSynthetic, .rates = {100, 101, 102}}});
  result.cells[0].cell.loader = "serial";
  const Judgement judgement = judge_run(result);
  EXPECT_TRUE(judgement.configurations.empty());
  EXPECT_EQ(judgement.cells[0].samples_per_second->mean, 101);
}

}  // namespace
}  // namespace loadline
