#include "harness/judge/busy_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "harness/forecast/normal.h"
#include "harness/judge/diff.h"
#include "harness/plan/plan.h"
#include "loaders/random.h"
#include "synthetic/compute/compute.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using testing::ElementsAre;

constexpr double kCpusOfPairs = 4;

// A trial that could use all CPUs while others take `share` of them: it gets the rest and is that much slower.
Trial beside(double share, double rate = 1000) {
  Trial trial = test::trial_of(rate * (1 - share), 100);
  trial.usage.user_cpu_seconds = trial.wall_seconds * kCpusOfPairs * (1 - share);
  trial.usage.run_delay_seconds = trial.wall_seconds * kCpusOfPairs * share;
  trial.usage.steal_seconds = 0;
  return trial;
}

// Trials of the base and of the changed side, round by round.
struct Sides {
  Result base = test::result_of({{.mode = Mode::kFull, .rates = {}}});
  Result changed;

  Sides() {
    base.status = Status::kComplete;
    changed = base;
  }
  void add(Trial first, Trial second) {
    first.round = second.round = base.cells[0].trials.size();
    base.cells[0].trials.push_back(std::move(first));
    changed.cells[0].trials.push_back(std::move(second));
  }
  std::vector<TrialPair> pairs() const { return pairs_by_round(base.cells[0], changed.cells[0]); }
  std::vector<bool> busy() const {
    std::vector<bool> busy;
    for (const PairLoad& one : other_loads(pairs(), {.of_one = kCpusOfPairs})) busy.push_back(one.busy());
    return busy;
  }
  ResultDiff diff() const { return diff_pairs({"a", base}, {"b", changed}, {}); }
};

TEST(BusyPairs, AreThoseInWhichOthersTookMoreOfTheCpusThanInTheQuietest) {
  Sides sides;
  sides.add(beside(0), beside(0.01));
  sides.add(beside(0.3), beside(0));
  sides.add(beside(0.04), beside(0.04));
  sides.add(beside(0), beside(0.07));
  EXPECT_THAT(sides.busy(), ElementsAre(false, true, false, true));
}

TEST(BusyPairs, AreAbsentWhereOthersTakeTheSameFromAll) {
  Sides sides;
  for (int i = 0; i < 3; ++i) sides.add(beside(0.5), beside(0.5));
  EXPECT_THAT(sides.busy(), ElementsAre(false, false, false));
}

TEST(BusyPairs, IgnoreThreadsThatWaitForEachOther) {
  Sides sides;
  for (const double delays : {20.0, 35.0}) {
    Trial trial = beside(0);
    trial.usage.run_delay_seconds = delays * trial.wall_seconds;
    sides.add(trial, trial);
  }
  EXPECT_THAT(sides.busy(), ElementsAre(false, false));
}

TEST(BusyPairs, IgnoreThreadsThatWaitForEachOtherWhileCpusAreIdle) {
  Sides sides;
  Trial own = beside(0.1);
  own.usage.idle_seconds = 0.08 * kCpusOfPairs * own.wall_seconds;
  sides.add(beside(0), own);
  sides.add(beside(0), beside(0));
  EXPECT_THAT(sides.busy(), ElementsAre(false, false));
  sides.changed.cells[0].trials[0].usage.idle_seconds = 0.02 * kCpusOfPairs * own.wall_seconds;
  EXPECT_THAT(sides.busy(), ElementsAre(true, false));
}

TEST(BusyPairs, IncludeThoseThatAHypervisorTookCpusFrom) {
  Sides sides;
  Trial stolen = beside(0);
  stolen.usage.user_cpu_seconds *= 0.9;
  stolen.usage.steal_seconds = 0.1 * kCpusOfPairs * stolen.wall_seconds;
  sides.add(beside(0), beside(0));
  sides.add(beside(0), stolen);
  EXPECT_THAT(sides.busy(), ElementsAre(false, true));
}

TEST(BusyPairs, AreAbsentWhereAQuotaHeldBackTheProcess) {
  Sides sides;
  Trial throttled = beside(0.5);
  throttled.usage.throttled_seconds = throttled.usage.run_delay_seconds;
  sides.add(beside(0), beside(0));
  sides.add(beside(0), throttled);
  EXPECT_THAT(sides.busy(), ElementsAre(false, false));
}

TEST(BusyPairs, AreAbsentWhereTheSystemReportsNoDelays) {
  Sides sides;
  Trial silent = beside(0.5);
  silent.usage.run_delay_seconds = silent.usage.steal_seconds = std::nullopt;
  sides.add(beside(0), silent);
  sides.add(beside(0), silent);
  EXPECT_THAT(sides.busy(), ElementsAre(false, false));
}

TEST(BusyPairs, AreSetAsideWhereHalfOrMoreAreQuiet) {
  Sides sides;
  for (const double rate : {990.0, 1000.0, 1010.0}) sides.add(beside(0, rate), beside(0, rate + 1));
  sides.add(beside(0), beside(0.4));
  const ResultDiff made = sides.diff();
  EXPECT_EQ(made.verdict, Change::kEquivalent);
  EXPECT_EQ(made.cells[0].base_summary->count, 3U);
  EXPECT_THAT(made.notes, ElementsAre("mnist/FULL/serial/batch:100: other work took 5 % or more of the time of all "
                                      "CPUs in 1 of 4 pairs, which is set aside"));
}

TEST(BusyPairs, LeaveNoVerdictWhereMostAreBusyAndExplainTheChange) {
  Sides sides;
  sides.add(beside(0), beside(0));
  for (const double rate : {990.0, 1000.0, 1010.0}) sides.add(beside(0, rate), beside(0.4, rate));
  const ResultDiff made = sides.diff();
  EXPECT_EQ(made.verdict, Change::kInconclusive);
  EXPECT_EQ(made.cells[0].obstacle,
            "other work took 5 % or more of the time of all CPUs in 3 of 4 pairs: no verdict, run it again on a quiet "
            "machine");
  EXPECT_EQ(*made.cells[0].adjusted_p, 1);
  EXPECT_NEAR(made.cells[0].comparison->ratio.value, std::pow(0.6, 0.75), 1e-9) << "as it was measured";
}

TEST(BusyPairs, ShowAChangeThatOthersCannotExplain) {
  Sides sides;
  sides.add(beside(0), beside(0, 100));
  for (const double rate : {990.0, 1000.0, 1010.0}) sides.add(beside(0, rate), beside(0.4, rate / 10));
  const ResultDiff made = sides.diff();
  EXPECT_EQ(made.verdict, Change::kRegression);
  EXPECT_THAT(made.notes, ElementsAre("mnist/FULL/serial/batch:100: other work took 5 % or more of the time of all "
                                      "CPUs in 3 of 4 pairs; p covers only what this does not explain"));
}

TEST(BusyPairs, ShowAChangeWhoseFasterSideOthersSlowed) {
  Sides sides;
  sides.add(beside(0), beside(0, 510));
  for (const double rate : {990.0, 1000.0, 1010.0}) sides.add(beside(0.95, rate * 4), beside(0, rate / 10));
  EXPECT_EQ(sides.diff().verdict, Change::kRegression);
}

// A result of its own: what others took all the time does not show in differences between its trials.
Result run_beside(double share, double factor) {
  Result run = test::result_of({{.mode = Mode::kFull, .rates = {}}});
  run.status = Status::kComplete;
  run.environment.machine.threads_in_force = static_cast<std::size_t>(kCpusOfPairs);
  for (const double rate : {990.0, 1000.0, 1010.0}) {
    Trial trial = beside(share, rate * factor);
    trial.usage.idle_seconds = 0;
    trial.round = run.cells[0].trials.size();
    run.cells[0].trials.push_back(std::move(trial));
  }
  return run;
}

ResultDiff diff_of(const Result& base, const Result& changed) {
  return diff_results({"a", base}, {"b", changed}, {});
}

TEST(OtherLoad, LeavesNoVerdictOnARunThatItMayHaveSlowedAsMuch) {
  const ResultDiff made = diff_of(run_beside(0, 1), run_beside(0.4, 1));
  EXPECT_EQ(made.verdict, Change::kInconclusive);
  EXPECT_EQ(made.cells[0].obstacle,
            "other work kept it off the CPUs for at most 0 % of its time in a, and 40 % in b, which may be the whole "
            "reason: measure it again on a quiet machine");
  EXPECT_EQ(diff_of(run_beside(0.4, 1), run_beside(0, 1)).verdict, Change::kInconclusive) << "no improvement either";
}

TEST(OtherLoad, IsNotedBesideAChangeThatItCannotExplain) {
  const ResultDiff made = diff_of(run_beside(0, 1), run_beside(0.4, 0.5));
  EXPECT_EQ(made.verdict, Change::kRegression);
  EXPECT_THAT(made.notes, ElementsAre("mnist/FULL/serial/batch:100: other work kept it off the CPUs for at most 0 % of "
                                      "its time in a, and 40 % in b, which may explain a part of the change"));
}

// The note used to take the slower side alone, so that on evenly busy machines nothing was ever a regression.
TEST(OtherLoad, OfBothRunsExplainsOnlyTheDifference) {
  const ResultDiff even = diff_of(run_beside(0.4, 1), run_beside(0.4, 0.8));
  EXPECT_EQ(even.verdict, Change::kRegression);
  EXPECT_THAT(even.notes, ElementsAre("mnist/FULL/serial/batch:100: other work kept it off the CPUs for at most 40 % "
                                      "of its time in a, and 40 % in b; measure both side by side with `loadline ab`"));
  EXPECT_EQ(diff_of(run_beside(0.86, 1), run_beside(0.83, 0.15)).verdict, Change::kRegression);
  EXPECT_EQ(diff_of(run_beside(0.4, 0.8), run_beside(0.4, 1)).verdict, Change::kImprovement);
}

TEST(OtherLoad, LeavesNoVerdictWhereOneRunLostAsMuchMoreThanTheOther) {
  const ResultDiff made = diff_of(run_beside(0.2, 1), run_beside(0.4, 1));
  EXPECT_EQ(made.verdict, Change::kInconclusive);
  EXPECT_EQ(made.cells[0].obstacle,
            "other work kept it off the CPUs for at most 20 % of its time in a, and 40 % in b, which may be the whole "
            "reason: measure both side by side with `loadline ab`");
  const ResultDiff beyond = diff_of(run_beside(0.2, 1), run_beside(0.4, 0.5));
  EXPECT_EQ(beyond.verdict, Change::kRegression);
  EXPECT_THAT(
      beyond.notes,
      ElementsAre("mnist/FULL/serial/batch:100: other work kept it off the CPUs for at most 20 % of its time in a, and "
                  "40 % in b, which may explain a part of the change; measure both side by side with `loadline ab`"));
}

// "others took 8 % of the CPUs from b, which explains a part of the change", although b did all that its device can.
TEST(OtherLoad, ExplainsNothingWhereTheRateIsThatOfTheDevice) {
  const Result base = run_beside(0, 1);
  Result changed = run_beside(0.4, 0.5);
  changed.cells[0].cell.compute = "device:samples_per_second=300";
  EXPECT_EQ(diff_of(base, changed).verdict, Change::kRegression);
  EXPECT_THAT(diff_of(base, changed).notes, ElementsAre());
  changed.cells[0].cell.compute = "device:samples_per_second=400";
  EXPECT_EQ(diff_of(base, changed).notes.size(), 1U) << "a quarter is missing";
}

TEST(OtherLoad, ExplainsNothingWhereFullIsTheSyntheticOfARealDevice) {
  if (std::ranges::find(computes(), "cuda", &ComputeKind::name) == computes().end()) GTEST_SKIP() << "built without";
  const auto with_gpu = [](Result run, double synthetic) {
    run.cells.push_back(test::cell_result({.mode = Mode::kSynthetic, .rates = {synthetic, synthetic + 1}}));
    for (CellResult& cell : run.cells) cell.cell.compute = "cuda";
    return run;
  };
  const Result base = with_gpu(run_beside(0, 1), 2000);
  EXPECT_THAT(diff_of(base, with_gpu(run_beside(0.4, 0.5), 300)).notes, ElementsAre());
  EXPECT_EQ(diff_of(base, with_gpu(run_beside(0.4, 0.5), 400)).notes.size(), 1U);
}

TEST(OtherLoad, OfTheFasterRunHidesNoRegression) {
  EXPECT_EQ(diff_results({"a", run_beside(0.1, 1)}, {"b", run_beside(0, 0.5)}, {}).verdict, Change::kRegression);
}

// The same trial made by several ranks, each on CPUs of its own: what they used and waited for is summed up, what their
// hosts did is not.
Trial by_ranks(Trial trial, std::size_t ranks) {
  const auto count = static_cast<double>(ranks);
  trial.usage.user_cpu_seconds *= count;
  trial.usage.system_cpu_seconds *= count;
  *trial.usage.run_delay_seconds *= count;
  trial.ranks = TrialRanks{.each = std::vector<RankShare>(ranks)};
  return trial;
}

CellResult cell_of(const Trial& trial) {
  CellResult cell = test::cell_result({.mode = Mode::kFull, .rates = {}});
  cell.trials.push_back(trial);
  return cell;
}

TEST(OtherLoad, OfRanksIsThatOfEach) {
  Trial one = beside(0.1);
  one.usage.user_cpu_seconds *= 0.5;
  one.usage.system_cpu_seconds = 0.02 * kCpusOfPairs * one.wall_seconds;
  one.usage.idle_seconds = 0.3 * kCpusOfPairs * one.wall_seconds;
  one.usage.steal_seconds = 0.01 * kCpusOfPairs * one.wall_seconds;
  one.usage.throttled_seconds = 0.03 * kCpusOfPairs * one.wall_seconds;
  const OtherLoad alone = other_load(cell_of(one), {.of_one = kCpusOfPairs});
  const OtherLoad ranks = other_load(cell_of(by_ranks(one, 4)), {.of_one = kCpusOfPairs});
  EXPECT_NEAR(alone.taken, 0.08, 1e-12);
  EXPECT_NEAR(alone.slowed, std::log1p(0.08 / 0.47), 1e-12);
  EXPECT_NEAR(ranks.taken, alone.taken, 1e-12);
  EXPECT_NEAR(ranks.slowed, alone.slowed, 1e-12);
}

TEST(OtherLoad, IsNotWhatRanksOnTheSameCpusTakeFromEachOther) {
  Trial one = beside(0);
  one.usage.idle_seconds = 0;
  Trial crowded = by_ranks(one, 4);  // each has a quarter of the CPUs and waits while the others run
  crowded.usage.user_cpu_seconds = one.usage.user_cpu_seconds;
  crowded.usage.run_delay_seconds = 3 * kCpusOfPairs * one.wall_seconds;
  EXPECT_EQ(other_load(cell_of(crowded), {.of_one = kCpusOfPairs, .of_all = kCpusOfPairs}).taken, 0);
}

TEST(RunCpus, CountTheCpusOfAllRanksOnce) {
  Result run = run_beside(0, 1);
  EXPECT_EQ(run_cpus(run).of_one, 4);
  EXPECT_FALSE(run_cpus(run).of_all.has_value());
  run.ranks = RunRanks{};
  run.ranks->places = {{"n1", {0, 1, 2, 3}}, {"n1", {4, 5, 6, 7}}, {"n1", {4, 5, 6, 7}}, {"n2", {0, 1, 2, 3}}};
  EXPECT_EQ(*run_cpus(run).of_all, 12);
  run.environment.machine.cgroup_cpu_limit = 2;
  EXPECT_EQ(run_cpus(run).of_one, 2);
  EXPECT_EQ(*run_cpus(run).of_all, 6);
}

TEST(OtherLoad, OfRanksHidesAndInventsNoRegression) {
  const auto run_of = [](double used, double waited, double rate) {
    Result run = run_beside(0, rate / 1000);
    for (Trial& trial : run.cells[0].trials) {
      const double available = trial.wall_seconds * kCpusOfPairs;
      trial.usage.user_cpu_seconds = used * available;
      trial.usage.run_delay_seconds = waited * available;
      trial.usage.idle_seconds = 0.3 * available;
      trial = by_ranks(trial, 4);
    }
    return run;
  };
  const auto verdict_of = [&](double used, double waited) {
    return diff_results({"a", run_of(used, 0, 1000)}, {"b", run_of(used, waited, 920)}, {}).verdict;
  };
  EXPECT_EQ(verdict_of(0.15, 0.02), Change::kRegression) << "2 % of the CPUs of each";
  EXPECT_EQ(verdict_of(0.5, 0.1), Change::kInconclusive) << "10 %";
}

TEST(BusyPairs, SlowATrialThatSleepsByNoMoreThanItsThreadsWaited) {
  Sides sides;
  Trial held = beside(0);
  held.usage.user_cpu_seconds = 0.001 * held.wall_seconds;
  Trial quiet = held;
  held.usage.run_delay_seconds = 0.25 * held.wall_seconds;
  sides.add(quiet, quiet);
  sides.add(quiet, held);
  const auto loads = other_loads(sides.pairs(), {.of_one = kCpusOfPairs});
  EXPECT_DOUBLE_EQ(loads[1].changed.taken, 0.25 / kCpusOfPairs);
  EXPECT_NEAR(loads[1].changed.slowed, -std::log(0.75), 1e-12);
}

// Simulates 20 pairs in the order that the default seed gives them. For one of every seven trials' time, a neighbour
// takes `share` of the CPUs. Both sides vary by 1 %; the changed side is slower by `loss`.
Sides series(std::uint64_t draw, double share, double loss) {
  NormalDraws noise(key_of(1, draw));
  const double phase = 7 * noise.uniform();
  constexpr std::size_t kInstants = 50;
  std::size_t trials = 0;
  const auto next = [&](double rate) {
    double time = 0;  // beside the neighbour
    for (std::size_t i = 0; i < kInstants; ++i) {
      const double now = static_cast<double>(trials) + (static_cast<double>(i) + 0.5) / kInstants;
      if (std::fmod(now + phase, 7) < 1) time += 1.0 / kInstants;
    }
    ++trials;
    return beside(share * time, rate * std::exp(0.01 * noise.one()));
  };
  Sides sides;
  for (std::uint64_t round = 1; round <= 20; ++round) {
    const bool other_first = pair_order(RunOptions().seed, round, 1).front() == 1;
    Trial first = next(other_first ? 1000 * (1 - loss) : 1000);
    Trial second = next(other_first ? 1000 : 1000 * (1 - loss));
    if (other_first) std::swap(first, second);
    sides.add(std::move(first), std::move(second));
  }
  return sides;
}

// The same sides on a system that reports nothing about neighbours, so that no pair is busy.
Sides untold(Sides sides) {
  for (Result* const side : {&sides.base, &sides.changed}) {
    for (Trial& trial : side->cells[0].trials) {
      trial.usage.run_delay_seconds.reset();
      trial.usage.steal_seconds.reset();
    }
  }
  return sides;
}

constexpr std::size_t kSeries = 500;

template <typename Make>
std::size_t verdicts_of(Make make, std::initializer_list<Change> changes) {
  std::size_t count = 0;
  for (std::uint64_t draw = 0; draw < kSeries; ++draw) {
    count += std::ranges::find(changes, make(draw).diff().verdict) != changes.end() ? 1 : 0;
  }
  return count;
}

TEST(BusyPairs, RarelyGiveAVerdictOnEqualSidesBesideAnIntermittentNeighbour) {
  for (const double share : {0.3, 0.6}) {
    const auto told = [&](std::uint64_t draw) { return series(draw, share, 0); };
    const auto silent = [&](std::uint64_t draw) { return untold(series(draw, share, 0)); };
    EXPECT_LE(verdicts_of(told, {Change::kRegression, Change::kImprovement}), kSeries / 20) << share;
    EXPECT_GT(verdicts_of(silent, {Change::kRegression, Change::kImprovement}), kSeries / 20)
        << share << ": what judging by all pairs would give";
  }
}

TEST(BusyPairs, HideNoLossThatTheOthersShow) {
  const auto lossy = [](std::uint64_t draw) { return series(draw, 0.3, 0.05); };
  EXPECT_GE(verdicts_of(lossy, {Change::kRegression}), kSeries * 19 / 20);
}

TEST(BusyPairs, ChangeNothingOnAQuietMachine) {
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    const Sides quiet = series(draw, 0, 0.02);
    EXPECT_EQ(quiet.diff().cells[0].adjusted_p, untold(quiet).diff().cells[0].adjusted_p);
  }
}

}  // namespace
}  // namespace loadline
