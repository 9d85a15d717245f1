#include "harness/judge/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/diff.h"
#include "tests/harness/support/comparisons.h"

namespace loadline {
namespace {

using test::CellRequest;
using test::diff;
using test::kFull;
using test::kIo;
using test::kSynthetic;
using test::request;
using test::result;
using testing::ElementsAre;

TEST(Gate, ReportsAMissingWorkloadAsLost) {
  const Result base = result({request(kFull, {1000, 1001}), request(kFull, {5, 6}, 2, "cifar10"),
                              request(kFull, {7, 8}, 4, "cifar10"), request(kIo, {9, 9}, 4, "cifar10")});
  const Result changed = result({request(kFull, {1000, 1001})});
  const ResultDiff made = diff(base, changed);
  EXPECT_EQ(made.cells[0].change, Change::kEquivalent);
  EXPECT_EQ(made.verdict, Change::kInconclusive);
  EXPECT_THAT(made.gone, ElementsAre(Unmatched{"cifar10/FULL/thread-pool/workers:2/batch:100", false},
                                     Unmatched{"cifar10/FULL/thread-pool/workers:4/batch:100", true},
                                     Unmatched{"cifar10/IO/thread-pool/workers:4/batch:100", true}));
  EXPECT_THAT(made.lost,
              ElementsAre("cifar10/IO/thread-pool/workers:4/batch:100 of base.json has no partner in new.json",
                          "cifar10/FULL/thread-pool/workers:4/batch:100 of base.json has no partner in new.json"));
  const ResultDiff allowed = diff(base, changed, {.allow_missing = true});
  EXPECT_THAT(allowed.lost, ElementsAre());
  EXPECT_EQ(allowed.verdict, Change::kEquivalent);
}

TEST(Gate, ReportsAMissingFullAsLost) {
  const Result base = result(
      {request(kIo, {9, 9}), request(kFull, {7, 7}), {.mode = kSynthetic, .rates = {8, 8}, .workload = "mnist"}});
  const Result changed = result({request(kIo, {9, 9}), {.mode = kSynthetic, .rates = {8, 8}, .workload = "mnist"}});
  EXPECT_THAT(diff(base, changed).lost,
              ElementsAre("mnist/FULL/thread-pool/workers:2/batch:100 of base.json has no partner in new.json"));
}

TEST(Gate, ReportsTheFastestAsLostWhereOnlySlowerOnesHavePartners) {
  const Result changed = result({request(kFull, {90, 90}, 1), request(kFull, {100, 100}, 2)});
  const auto lost = [&](double fastest) {
    return diff(result({request(kFull, {90, 90}, 1), request(kFull, {100, 100}, 2),
                        request(kFull, {fastest, fastest}, 4)}),
                changed)
        .lost;
  };
  EXPECT_THAT(lost(200), ElementsAre("mnist/FULL/thread-pool/workers:4/batch:100 of base.json has no partner in "
                                     "new.json, and is the fastest FULL of mnist there"));
  EXPECT_THAT(lost(101), ElementsAre()) << "it leads by no more than the margin";
}

// A sweep used to miss its fastest in its own slower cell.
TEST(Gate, LosesNothingOfASweepToASingleConfigurationOfIt) {
  const Result sweep = result({request(kIo, {300, 300, 300}, 1), request(kFull, {100, 100, 100}, 1),
                               request(kIo, {600, 600, 600}, 2), request(kFull, {200, 200, 200}, 2)});
  const Result one = result({request(kIo, {300, 300, 300}, 1), request(kFull, {100, 100, 100}, 1)});
  const ResultDiff made = diff(sweep, one);
  EXPECT_THAT(made.lost, ElementsAre());
  EXPECT_EQ(made.verdict, Change::kEquivalent);
  EXPECT_THAT(made.gone, ElementsAre(Unmatched{"mnist/IO/thread-pool/workers:2/batch:100", false},
                                     Unmatched{"mnist/FULL/thread-pool/workers:2/batch:100", false}));
  // FULL of no configuration is left.
  EXPECT_THAT(diff(sweep, result({request(kIo, {300, 300, 300}, 1)})).lost,
              ElementsAre("mnist/FULL/thread-pool/workers:2/batch:100 of base.json has no partner in new.json"));
}

TEST(Gate, IsNeverDecidedBySyntheticBesideIoOrFull) {
  const CellRequest step{.mode = kSynthetic, .rates = {8, 8}, .workload = "mnist"};
  const ResultDiff made = diff(result({step}), result({step, request(kFull, {7, 7})}));
  EXPECT_FALSE(made.cells[0].gate);
  EXPECT_THAT(
      made.lost,
      ElementsAre(
          "nothing decides for mnist: base.json has neither IO nor FULL of that workload to compare new.json with"));
}

std::vector<bool> gate(const Result& base, const Result& changed) {
  std::vector<bool> gate;
  for (const CellDiff& cell : diff(base, changed).cells) gate.push_back(cell.gate);
  return gate;
}

TEST(Gate, IsDecidedByTheFastestIoAndTheFastestFullOfEachWorkload) {
  const Result base = result({request(kIo, {9, 9}, 1),
                              request(kFull, {5, 5}, 1),
                              request(kFull, {7, 7}, 2),
                              request(kIo, {4, 4}, 1, "cifar10"),
                              request(kIo, {6, 6}, 2, "cifar10"),
                              {.mode = kSynthetic, .rates = {8, 8}, .workload = "photos"}});
  EXPECT_THAT(gate(base, base), ElementsAre(true, false, true, false, true, true));
}

TEST(Gate, SeesLoadingGetSlowerWhereTheComputeIsTheLimit) {
  const Result base = result({request(kIo, {990, 1000, 1010}), request(kFull, {100, 100, 100})});
  const Result changed = result({request(kIo, {240, 250, 260}), request(kFull, {100, 100, 100})});
  EXPECT_EQ(diff(base, changed).verdict, Change::kRegression);
}

TEST(Gate, IsNotDecidedByTheLuckiestCellOfTheBase) {
  EXPECT_THAT(gate(result({request(kFull, {100, 100}, 1), request(kFull, {110, 110}, 2)}),
                   result({request(kFull, {120, 120}, 1), request(kFull, {100, 100}, 2)})),
              ElementsAre(true, false));
}

TEST(Gate, IsAlsoDecidedByTheFastestCellOfTheBaseIfNothingReachesItsRateNow) {
  const Result base = result({request(kFull, {100, 100, 100}, 1), request(kFull, {199, 200, 201}, 2)});
  const auto now = [](double one_worker) {
    return result({request(kFull, {one_worker, one_worker, one_worker}, 1), request(kFull, {39, 40, 41}, 2)});
  };
  EXPECT_THAT(gate(base, now(100)), ElementsAre(true, true));
  EXPECT_EQ(diff(base, now(100)).verdict, Change::kRegression);
  // Within the margin of it.
  EXPECT_THAT(gate(base, now(195)), ElementsAre(true, false));
  EXPECT_EQ(diff(base, now(195)).verdict, Change::kImprovement);
}

TEST(Gate, IsDecidedByTheFastestCellEvenWhereItFailsNow) {
  Result changed = result({request(kFull, {100, 100}, 1), request(kFull, {}, 2)});
  changed.cells[1].error = "it broke";
  const Result base = result({request(kFull, {100, 100}, 1), request(kFull, {200, 200}, 2)});
  EXPECT_THAT(gate(base, changed), ElementsAre(false, true));
  EXPECT_EQ(diff(base, changed).verdict, Change::kInconclusive);
  EXPECT_THAT(diff(base, changed).lost,
              ElementsAre("mnist/FULL/thread-pool/workers:2/batch:100 decides but has no figures to decide by: the new "
                          "result has no trials: it broke"));
}

TEST(Gate, SaysOnceWhySeveralCellsThatDecideHaveNoFigures) {
  const Result base =
      result({request(kIo, {300, 300}, 2), request(kFull, {200, 200}, 2), request(kFull, {100, 100}, 1)});
  Result changed = result({request(kIo, {}, 2), request(kFull, {}, 2), request(kFull, {90, 90}, 1)});
  changed.cells[0].error = "it broke";
  changed.cells[1].error = "it broke";
  EXPECT_THAT(
      diff(base, changed).lost,
      ElementsAre("mnist/IO/thread-pool/workers:2/batch:100 and mnist/FULL/thread-pool/workers:2/batch:100 decide "
                  "but have no figures to decide by: the new result has no trials: it broke"));
}

TEST(Gate, IsNotDecidedByACellThatFailedInTheBaseWhereAnotherHasFigures) {
  Result base = result({request(kFull, {100, 100}, 1), request(kFull, {}, 2)});
  base.cells[1].error = "it broke";
  const Result changed = result({request(kFull, {100, 100}, 1), request(kFull, {200, 200}, 2)});
  EXPECT_THAT(gate(base, changed), ElementsAre(true, false));
  EXPECT_EQ(diff(base, changed).verdict, Change::kEquivalent);
}

TEST(Gate, IsDecidedByTheFastestOfEachEvenWhereAllOfThemFailNow) {
  const Result base = result({request(kIo, {300, 300}, 1), request(kFull, {100, 100}, 1), request(kIo, {400, 400}, 2),
                              request(kFull, {200, 200}, 2)});
  Result changed =
      result({request(kIo, {500, 500}, 4), request(kFull, {}, 4), request(kIo, {300, 300}, 8), request(kFull, {}, 8)});
  changed.cells[1].error = "it broke";
  const auto lost = ElementsAre(
      "mnist/FULL/thread-pool/workers:2/batch:100 decides but has no figures to decide by: the "
      "new result has no trials: it broke");
  EXPECT_THAT(diff(base, changed).lost, lost);
  EXPECT_THAT(diff(base, changed, {.allow_missing = true}).lost, lost);
}

}  // namespace
}  // namespace loadline
