#include "harness/judge/filling.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using Rates = std::vector<double>;

CellResult io_with_fill() {
  CellResult io = test::cell_result({.mode = Mode::kIo, .rates = {600, 610, 620}});
  for (Trial& trial : io.trials) trial.fill = Fill{.wall_seconds = 2, .batches = 18, .samples = 1800};
  return io;
}

TEST(Filling, IsWhatIoFilledWithoutADrain) {
  const CellResult io = io_with_fill();
  const CellResult full = test::cell_result({.mode = Mode::kFull, .rates = {875, 876, 877}});
  const Filling filling = filling_of(&io, &full);
  EXPECT_TRUE(filling.measured);
  EXPECT_EQ(filling.rates, (Rates{900, 900, 900}));
}

TEST(Filling, LeavesOutPilots) {
  CellResult io = io_with_fill();
  io.trials[0].pilot = true;
  EXPECT_EQ(filling_of(&io, nullptr).rates, (Rates{900, 900}));
}

TEST(Filling, IsAtLeastIoAndFullWhereItWasNotMeasured) {
  const CellResult io = test::cell_result({.mode = Mode::kIo, .rates = {600, 600}});
  const CellResult full = test::cell_result({.mode = Mode::kFull, .rates = {800, 800}});
  EXPECT_NEAR(filling_of(&io, &full).rates[0], 800, 1e-9);
  EXPECT_FALSE(filling_of(&io, &full).measured);
  EXPECT_NEAR(filling_of(&io, nullptr).rates[0], 600, 1e-9);
  EXPECT_TRUE(filling_of(nullptr, nullptr).rates.empty());
}

}  // namespace
}  // namespace loadline
