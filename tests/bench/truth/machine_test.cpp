#include "bench/truth/machine.h"

#include <gtest/gtest.h>

#include "bench/truth/draws.h"
#include "bench/truth/report.h"
#include "bench/truth/rows.h"

namespace loadline::truth {
namespace {

// The short form: it finds what so few draws can find.
TEST(TruthMachine, FindsNoTargetMissed) {
  const Tally tally = run_machine({.draws = 120, .seed = 1, .truth_batches = 20'000});
  for (const Target& target : targets()) {
    EXPECT_NE(outcome_of(target, tally.of(target.id)), Outcome::kMissed)
        << target.id << "\n"
        << text_table(tally) << parts_text(tally, target.id);
  }
}

TEST(TruthMachine, CountsTheSameOnAnyNumberOfThreads) {
  const MachineOptions one{.draws = 8, .seed = 3, .truth_batches = 2'000, .threads = 1};
  MachineOptions two = one;
  two.threads = 2;
  EXPECT_EQ(text_table(run_machine(one)), text_table(run_machine(two)));
}

TEST(Draws, RepeatOnEveryStandardLibrary) {
  Draws draws(1);
  EXPECT_DOUBLE_EQ(draws.unit(), 0.13387664401253263);
}

}  // namespace
}  // namespace loadline::truth
