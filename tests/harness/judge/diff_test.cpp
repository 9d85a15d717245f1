#include "harness/judge/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "loaders/error.h"
#include "tests/harness/support/comparisons.h"

namespace loadline {
namespace {

using test::CellRequest;
using test::diff;
using test::kFull;
using test::kIo;
using test::kSynthetic;
using test::overhead;
using test::request;
using test::result;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::function<void()>& refused, Error::Kind kind = Error::Kind::kFailed) {
  try {
    refused();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

// Ratios, intervals and p come from scipy: scipy.stats.t with the formulas of statistics.h.

TEST(Diff, ReportsARegressionWithItsRatio) {
  const ResultDiff made = diff(result({request(kFull, {990, 1000, 1010})}), result({request(kFull, {890, 900, 910})}));
  ASSERT_EQ(made.cells.size(), 1U);
  const CellDiff& cell = made.cells[0];
  EXPECT_EQ(cell.name, "mnist/FULL/thread-pool/workers:2/batch:100");
  EXPECT_TRUE(cell.gate);
  EXPECT_EQ(cell.change, Change::kRegression);
  EXPECT_EQ(made.verdict, Change::kRegression);
  EXPECT_NEAR(cell.comparison->ratio.value, 0.899992962, 1e-9);
  EXPECT_NEAR(cell.comparison->ratio.ci95->low, 0.878590829, 1e-9);
  EXPECT_NEAR(cell.comparison->ratio.ci95->high, 0.921916443, 1e-9);
  EXPECT_NEAR(*cell.adjusted_p, 0.000275244155, 1e-12);
  EXPECT_DOUBLE_EQ(cell.base_summary->mean, 1000);
  EXPECT_DOUBLE_EQ(cell.changed_summary->mean, 900);
  EXPECT_EQ(cell.margin, 0.03);
}

TEST(Diff, ReportsAnImprovement) {
  EXPECT_EQ(diff(result({request(kFull, {990, 1000, 1010})}), result({request(kFull, {1190, 1200, 1210})})).verdict,
            Change::kImprovement);
}

TEST(Diff, CallsAChangeWithinTheMarginEquivalent) {
  const Result base = result({request(kFull, {495, 500, 505})});
  const Result changed = result({request(kFull, {496, 501, 506})});
  EXPECT_EQ(diff(base, changed).verdict, Change::kEquivalent);
  EXPECT_EQ(diff(base, changed, {.margin = 0.01}).verdict, Change::kInconclusive);
}

TEST(Diff, DoesNotCallAnInsignificantChangeEqual) {
  EXPECT_EQ(diff(result({request(kFull, {90, 100, 110})}), result({request(kFull, {91, 99, 112})})).verdict,
            Change::kInconclusive);
}

TEST(Diff, CallsTimesThatGrowARegression) {
  Result base = result({request(kFull, {100, 100, 100})});
  Result changed = base;
  for (std::size_t i = 0; i < 3; ++i) {
    base.cells[0].trials[i].wait.p99_seconds = 0.001 * static_cast<double>(100 + i);
    changed.cells[0].trials[i].wait.p99_seconds = 0.001 * static_cast<double>(150 + i);
  }
  EXPECT_EQ(diff(base, changed, {.metric = &metric_named("wait_p99_seconds")}).verdict, Change::kRegression);
  EXPECT_EQ(diff(changed, base, {.metric = &metric_named("wait_p99_seconds")}).verdict, Change::kImprovement);
}

TEST(Diff, ListsCellsThatOnlyOneResultHas) {
  const ResultDiff made = diff(result({request(kFull, {1, 2}, 1), request(kFull, {5, 6}, 2), overhead()}),
                               result({request(kFull, {5, 6}, 2), request(kFull, {1, 2}, 4, "cifar10")}));
  EXPECT_THAT(made.gone, ElementsAre(Unmatched{"mnist/FULL/thread-pool/workers:1/batch:100", false}));
  EXPECT_THAT(made.added, ElementsAre(Unmatched{"cifar10/FULL/thread-pool/workers:4/batch:100", false}));
  EXPECT_THAT(made.lost, ElementsAre());
}

TEST(Diff, SaysHowPartnersDiffer) {
  const ResultDiff made =
      diff(result({request(kFull, {990, 1000, 1010}, 1)}), result({request(kFull, {890, 900, 910}, 2)}));
  ASSERT_EQ(made.cells.size(), 1U);
  EXPECT_THAT(made.cells[0].changes, ElementsAre(Difference{"workers", "1", "2"}));
  EXPECT_EQ(made.cells[0].by, MatchedBy::kConfiguration);
  EXPECT_EQ(made.cells[0].name, "mnist/FULL/thread-pool/workers:1/batch:100");
  EXPECT_EQ(made.cells[0].changed_name, "mnist/FULL/thread-pool/workers:2/batch:100");
  EXPECT_EQ(made.verdict, Change::kRegression);
}

TEST(Diff, IsDecidedByTheModeOfItsMetric) {
  const Result base = result({request(kIo, {9, 9}, 2), request(kFull, {7, 7}, 2)});
  const ResultDiff made = diff(base, base, {.metric = &metric_named("io")});
  ASSERT_EQ(made.cells.size(), 1U);
  EXPECT_EQ(made.cells[0].base, 0U);
  EXPECT_TRUE(made.cells[0].gate);
}

TEST(Diff, AdjustsTheGateByHolmAndTheOthersByBenjaminiAndHochberg) {
  // Each workload's FULL decides and its SYNTHETIC does not: two of each.
  const auto step = [](std::vector<double> rates, std::string workload) {
    return CellRequest{.mode = kSynthetic, .rates = std::move(rates), .workload = std::move(workload)};
  };
  const Result base = result({step({990, 1000, 1010}, "a"), request(kFull, {990, 1000, 1010}, 2, "a"),
                              step({90, 100, 110}, "b"), request(kFull, {90, 100, 110}, 2, "b")});
  const Result changed = result({step({890, 900, 910}, "a"), request(kFull, {890, 900, 910}, 2, "a"),
                                 step({91, 99, 112}, "b"), request(kFull, {91, 99, 112}, 2, "b")});
  const ResultDiff made = diff(base, changed);
  EXPECT_NEAR(*made.cells[0].adjusted_p, 2 * 0.000275244155, 1e-11);
  EXPECT_NEAR(*made.cells[1].adjusted_p, 2 * 0.000275244155, 1e-11);
  EXPECT_NEAR(*made.cells[2].adjusted_p, 0.943221371, 1e-9);
  EXPECT_NEAR(*made.cells[3].adjusted_p, 0.943221371, 1e-9);
  EXPECT_EQ(made.verdict, Change::kRegression);
}

TEST(Diff, AdjustsTheGatesOfSeveralResultsTogether) {
  const Result base = result({request(kFull, {990, 1000, 1010})});
  const Result slower = result({request(kFull, {890, 900, 910})});
  const Result noisy = result({request(kFull, {920, 1000, 1085})});
  const std::vector<Named> files{{"a.json", slower}, {"b.json", slower}, {"c.json", noisy}};
  const auto made = diff_each({"base.json", base}, files, {});
  ASSERT_EQ(made.size(), 3U);
  EXPECT_NEAR(*made[0].cells[0].adjusted_p, 3 * 0.000275244155, 1e-11);
  EXPECT_NEAR(*made[1].cells[0].adjusted_p, 3 * 0.000275244155, 1e-11);
  EXPECT_EQ(made[1].changed, "b.json");
  EXPECT_EQ(made[2].verdict, Change::kInconclusive);
}

TEST(Diff, NamesAConvertedCopyByItsFormat) {
  const Result base = result({request(kFull, {990, 1000, 1010})});
  Result changed = base;
  changed.datasets[0].info.format = "hdf5";
  const ResultDiff made = diff(base, changed);
  EXPECT_EQ(made.cells[0].by, MatchedBy::kSettings);
  EXPECT_THAT(made.cells[0].changes, ElementsAre(Difference{"format", "idx", "hdf5"}));
}

TEST(Diff, NamesAnotherOrderOfTheChannels) {
  const Result base = result({request(kFull, {990, 1000, 1010})});
  Result changed = base;
  changed.datasets[0].info.channels_last = true;
  EXPECT_THAT(diff(base, changed).cells[0].changes, ElementsAre(Difference{"format", "idx", "idx with channels last"}));
}

TEST(Diff, AttributesAChangeOfFullToComputeAndLoading) {
  const auto of = [](double synthetic, double io, double full, const std::string& compute) {
    Result made = result({{.mode = kSynthetic, .rates = {synthetic, synthetic}, .workload = "mnist"},
                          request(kIo, {io, io}),
                          request(kFull, {full, full})});
    made.cells[0].cell.compute = made.cells[2].cell.compute = compute;
    return made;
  };
  const ResultDiff made = diff(of(1000, 5000, 1000, "device:samples_per_second=1000"),
                               of(2000, 1500, 1200, "device:samples_per_second=2000"));
  const auto& shares = made.cells[2].shares;
  ASSERT_TRUE(shares.has_value());
  EXPECT_TRUE(shares->other_step);
  EXPECT_NEAR(shares->compute.value, 2, 1e-12);
  EXPECT_NEAR(shares->loading.value, 0.6, 1e-12);
  EXPECT_NEAR(shares->before.stall->value, 0, 1e-12);
  EXPECT_NEAR(shares->after.stall->value, 0.4, 1e-12);
  EXPECT_EQ(shares->before.bound, Bound::kCompute);
  EXPECT_NEAR(shares->compute.value * shares->loading.value, made.cells[2].comparison->ratio.value, 1e-12);
  // The same step with other loading.
  Result more = of(1000, 5000, 1000, "device:samples_per_second=1000");
  for (CellResult& cell : more.cells) cell.cell.workers = cell.cell.loader ? 4 : 0;
  const ResultDiff same = diff(of(1000, 800, 700, "device:samples_per_second=1000"), more);
  EXPECT_FALSE(same.cells[2].shares->other_step);
}

TEST(Diff, GivesARatioButNoVerdictForASingleTrial) {
  const ResultDiff made = diff(result({request(kFull, {100})}), result({request(kFull, {50, 51})}));
  EXPECT_EQ(made.verdict, Change::kInconclusive);
  EXPECT_NEAR(made.cells[0].comparison->ratio.value, 0.50497524691810387, 1e-12);
  EXPECT_FALSE(made.cells[0].comparison->ratio.ci95.has_value());
  EXPECT_EQ(made.cells[0].obstacle, "a single trial has no interval; use more --trials");
}

TEST(Diff, SaysWhyACellHasNothingToCompare) {
  Result changed = result({request(kFull, {})});
  changed.cells[0].error = "the disk is full";
  const ResultDiff made = diff(result({request(kFull, {1, 2})}), changed);
  EXPECT_EQ(made.verdict, Change::kInconclusive);
  EXPECT_FALSE(made.cells[0].comparison.has_value());
  EXPECT_EQ(made.cells[0].obstacle, "the new result has no trials: the disk is full");
}

TEST(Diff, HasNoRatioWhereAMetricIsZero) {
  const Result base = result({request(kFull, {1, 2})});
  const ResultDiff made = diff(base, base, {.metric = &metric_named("wait_p99_seconds")});
  EXPECT_FALSE(made.cells[0].comparison.has_value());
  EXPECT_EQ(made.cells[0].obstacle, "wait_p99_seconds is 0 in some trials, so there is no ratio");
}

TEST(Diff, DistinguishesAnUnmeasuredFigureFromZero) {
  const Result base = result({request(kFull, {1, 2})});
  const ResultDiff made = diff(base, base, {.metric = &metric_named("peak_rss_bytes")});
  EXPECT_FALSE(made.cells[0].comparison.has_value());
  EXPECT_FALSE(made.cells[0].base_summary.has_value());
  EXPECT_EQ(made.cells[0].obstacle, "peak_rss_bytes was not measured");
}

TEST(Diff, RefusesUnlikeResultsNamingEveryDifference) {
  const Result base = result({request(kFull, {1, 2})});
  Result changed = base;
  changed.environment.machine.cpu_model = "Other CPU";
  changed.environment.machine.threads_in_force = 3;
  changed.environment.build.build_type = "Debug";
  changed.datasets[0].fingerprint = 1;
  changed.ranks = RunRanks{.places = {{}, {}}};
  EXPECT_EQ(refusal([&] { diff(base, changed); }),
            "cannot compare new.json with base.json: they differ in CPU (Example CPU and Other CPU), CPUs in force "
            "(4 and 3), processes (1 and 2), build type (Release and Debug), data of mnist (fingerprint "
            "123456789abcdef0 and fingerprint "
            "0000000000000001); --allow-mismatch compares them anyway");
  EXPECT_EQ(diff(base, changed, {.allow_mismatch = true}).unlike.size(), 5U);
}

TEST(Diff, RefusesResultsUnderDifferentQuotas) {
  Result base = result({request(kFull, {1, 2})});
  base.environment.machine.threads_in_force = 1;
  Result changed = base;
  changed.environment.machine.cgroup_cpu_limit = 0.5;
  EXPECT_EQ(refusal([&] { diff(base, changed); }),
            "cannot compare new.json with base.json: they differ in CPUs in force (1 and 0.5); --allow-mismatch "
            "compares them anyway");
  EXPECT_EQ(diff(changed, changed).unlike.size(), 0U);
}

TEST(Diff, ShowsDifferencesThatMayExplainAChange) {
  const Result base = result({request(kFull, {1, 2})});
  Result changed = base;
  changed.environment.build.git_revision = "abc";
  changed.environment.build.libraries = {{"HDF5", "1.10.8"}};
  changed.environment.machine.hostname = "other";
  changed.options.trial_seconds = 0.05;
  EXPECT_THAT(diff(base, changed).noteworthy,
              ElementsAre(Difference{"revision", "unknown", "abc"}, Difference{"libraries", "", "HDF5 1.10.8"},
                          Difference{"host", "unknown", "other"}, Difference{"length of trials", "0.5 s", "0.05 s"}));
  changed = base;
  changed.options.trial_batches = 8;
  EXPECT_THAT(diff(base, changed).noteworthy, ElementsAre(Difference{"length of trials", "0.5 s", "8 batches"}));
}

TEST(Diff, TreatsAnotherCacheStateAsAMismatch) {
  const Result base = result({request(kFull, {1, 2})});
  Result changed = base;
  changed.cells[0].cell.cache = CacheState::kCold;
  EXPECT_THAT(refusal([&] { diff(base, changed); }), HasSubstr("they differ in cache state (warm and cold); "));
  EXPECT_EQ(diff(base, changed, {.allow_mismatch = true}).cells.size(), 1U);
}

TEST(Diff, RefusesSamplesOfAnotherSizeUnlessTheyMayDiffer) {
  const Result base = result({request(kFull, {1, 2})});
  Result changed = base;
  set_image_size(changed.cells[0].cell.photo, 160);
  EXPECT_EQ(
      refusal([&] { diff(base, changed); }),
      "cannot compare new.json with base.json: they differ in image size of mnist (224 and 160); --allow-mismatch "
      "compares them anyway");
  EXPECT_EQ(diff(base, changed, {.allow_mismatch = true}).unlike.size(), 1U);
  EXPECT_TRUE(diff(base, changed, {.across = {"image_size"}}).unlike.empty());
}

TEST(Diff, RefusesResultsWithNothingInCommon) {
  const Result base = result({request(kFull, {1, 2}, 1)});
  const auto refusal_of = [&](const Result& changed, const DiffOptions& options = {}) {
    return refusal([&] { diff(base, changed, options); });
  };
  EXPECT_EQ(
      refusal_of(result({request(kFull, {1, 2}, 1, "cifar10")})),
      "cannot compare new.json with base.json: they have no workload in common: one has cifar10, the other mnist");
  EXPECT_EQ(refusal_of(result({request(kIo, {1, 2}, 1)})),
            "cannot compare new.json with base.json: they have no mode in common: one has IO, the other FULL; run both "
            "with the same --mode");
  EXPECT_EQ(refusal_of(base, {.metric = &metric_named("io")}),
            "cannot compare new.json with base.json: base.json has no trials of IO");
  Result other = result({request(kFull, {1, 2}, 2)});
  other.cells[0].cell.sampler.batch_size = 8;
  EXPECT_EQ(
      refusal_of(other, {.across = {"workers"}}),
      "cannot compare new.json with base.json: no two configurations differ only in the settings of --across; the "
      "closest two also differ in batch size 100 -> 8");
}

TEST(Diff, SaysWhatElseDiffersWhereTheStepAloneWouldHaveAPartner) {
  Result base = result({request(kFull, {1, 2}, 1), request(kSynthetic, {1, 2})});
  Result changed = base;
  changed.cells[0].cell.loader = "flow-graph";
  for (CellResult& cell : changed.cells) cell.cell.transform.dtype = DType::kU8;
  EXPECT_EQ(
      refusal([&] { diff(base, changed, {.across = {"dtype"}}); }),
      "cannot compare new.json with base.json: no two configurations differ only in the settings of --across; the "
      "closest two also differ in loader thread-pool -> flow-graph");
}

TEST(Diff, NotesResultsThatLackTrials) {
  Result base = result({request(kFull, {1, 2})});
  Result changed = base;
  base.status = changed.status = Status::kPartial;
  changed.merged_from = {"x", "y"};
  EXPECT_THAT(diff(base, changed).notes, ElementsAre("base.json comes from a run that was stopped",
                                                     "new.json: parts of the run are missing, or were stopped"));
}

TEST(Diff, NotesACompleteRunThatEndedBeforeItCameToAllCells) {
  const Result base = result({request(kFull, {1, 2}), request(kFull, {1, 2}, 4), request(kFull, {1, 2}, 8)});
  Result changed = base;
  changed.cells[1].trials.clear();
  EXPECT_THAT(diff(base, changed).notes, ElementsAre("new.json: 1 of 3 cells has no trials"));
  changed.cells[2].trials.clear();
  EXPECT_THAT(diff(base, changed).notes, ElementsAre("new.json: 2 of 3 cells have no trials"));
  changed.cells[1].error = changed.cells[2].error = "the disk is full";
  EXPECT_THAT(diff(base, changed).notes, ElementsAre());
}

TEST(Diff, SaysWhichConfigurationOfASweepIsComparedWithASingleOne) {
  const Result sweep = result({request(kFull, {100, 100, 100}, 1), request(kFull, {200, 200, 200}, 2)});
  const Result slower = result({request(kFull, {100, 100, 100}, 1)});
  const ResultDiff made = diff(sweep, slower);
  EXPECT_EQ(made.verdict, Change::kEquivalent) << "no regression from 200";
  EXPECT_THAT(made.notes, ElementsAre("of the 2 configurations of mnist in base.json, "
                                      "mnist/FULL/thread-pool/workers:1/batch:100 is compared, the counterpart of the "
                                      "one in new.json"));
  EXPECT_THAT(diff(slower, sweep).notes, ElementsAre("of the 2 configurations of mnist in new.json, "
                                                     "mnist/FULL/thread-pool/workers:1/batch:100 is compared, the "
                                                     "counterpart of the one in base.json"));
  const ResultDiff other = diff(sweep, result({request(kFull, {100, 100, 100}, 4)}));
  EXPECT_EQ(other.verdict, Change::kRegression);
  EXPECT_THAT(other.notes, ElementsAre("none of the 2 configurations of mnist in base.json is the counterpart of the "
                                       "one in new.json, so the fastest are compared"));
}

TEST(Diff, NotesThatBothAreTheSameRun) {
  Result base = result({request(kFull, {1, 2})});
  base.run_id = "a";
  Result changed = base;
  EXPECT_THAT(diff(base, changed).notes,
              ElementsAre("base.json and new.json are the same run, so they say nothing about two runs"));
  changed.run_id = "b";
  EXPECT_THAT(diff(base, changed).notes, ElementsAre());
}

TEST(Diff, LeavesOutPilots) {
  Result base = result({request(kFull, {5, 990, 1000, 1010})});
  base.cells[0].trials[0].pilot = true;
  EXPECT_DOUBLE_EQ(diff(base, base).cells[0].base_summary->mean, 1000);
}

TEST(DiffPairs, JudgesRoundByRound) {
  // A drift hides the change unless rounds are compared in pairs.
  const Result base = result({request(kFull, {1000, 1100, 1200, 1300}, 1)});
  const Result changed = result({request(kFull, {900, 995, 1075, 1175}, 8)});
  const ResultDiff made = diff_pairs({"a", base}, {"b", changed}, {});
  EXPECT_EQ(made.verdict, Change::kRegression);
  EXPECT_NEAR(made.cells[0].comparison->ratio.value, 0.901049519, 1e-9);
  EXPECT_NEAR(made.cells[0].comparison->ratio.ci95->low, 0.894678089, 1e-9);
  EXPECT_NEAR(made.cells[0].comparison->ratio.ci95->high, 0.907466324, 1e-9);
  EXPECT_NEAR(*made.cells[0].adjusted_p, 2.15782141e-5, 1e-13);
  ASSERT_EQ(made.cells[0].changes.size(), 1U) << "the sides are told apart by what differs, not by the base's name";
  EXPECT_EQ(made.cells[0].changes[0].what, "workers");
}

TEST(DiffPairs, LeavesOutRoundsThatOnlyOneSideHas) {
  Result base = result({request(kFull, {1000, 1100, 1200, 1300, 7})});
  Result changed = result({request(kFull, {5, 1000, 1100, 1200, 1300})});
  for (Trial& trial : changed.cells[0].trials) trial.round = (trial.round + 4) % 5;
  const ResultDiff made = diff_pairs({"a", base}, {"b", changed}, {});
  EXPECT_DOUBLE_EQ(made.cells[0].base_summary->mean, (1000 + 1100 + 1200 + 1300 + 7) / 5.0);
  base.cells[0].trials.pop_back();
  EXPECT_DOUBLE_EQ(diff_pairs({"a", base}, {"b", changed}, {}).cells[0].changed_summary->mean, 1150);
}

TEST(DiffPairs, IsDecidedByEveryIoAndFull) {
  const Result base = result({{.mode = kSynthetic, .rates = {1, 2}, .workload = "mnist"},
                              request(kIo, {1, 2}),
                              request(kFull, {1, 2}, 1),
                              request(kFull, {2, 3}, 2)});
  std::vector<bool> gate;
  for (const CellDiff& cell : diff_pairs({"a", base}, {"b", base}, {}).cells) gate.push_back(cell.gate);
  EXPECT_THAT(gate, ElementsAre(false, true, true, true));
}

TEST(DiffPairs, RefusesSidesWithDifferentModes) {
  const Result base = result({request(kIo, {1, 2})});
  const Result changed = result({request(kFull, {1, 2})});
  EXPECT_THAT(refusal([&] {
                diff_pairs({"a", base}, {"b", changed}, {});
              }),
              HasSubstr("do not have the same modes in the same order"));
}

TEST(DiffAlong, TakesNoWorkersForANumberOfThemWhereTheLoaderDoes) {
  Result file = result({{.mode = kFull, .rates = {100, 101, 99}, .loader = "a.py:make", .workers = 0},
                        {.mode = kFull, .rates = {200, 202, 198}, .loader = "a.py:make", .workers = 2}});
  file.options.loaders = {"a.py:make"};
  file.options.workers = {0, 2};
  const ResultDiff made = diff_along({"file", file}, "workers", "0", {});
  ASSERT_EQ(made.cells.size(), 1U);
  EXPECT_EQ(made.cells[0].base_value, "0");
  EXPECT_EQ(made.cells[0].changed_value, "2");
}

TEST(DiffAlong, ComparesTheValuesOfASettingWithoutAGate) {
  const Result file = result({request(kFull, {990, 1000, 1010}, 1), request(kFull, {890, 900, 910}, 2)});
  const ResultDiff made = diff_along({"file", file}, "workers", "", {});
  EXPECT_EQ(made.along, "workers");
  ASSERT_EQ(made.cells.size(), 1U);
  EXPECT_EQ(made.cells[0].base_value, "1");
  EXPECT_EQ(made.cells[0].changed_value, "2");
  EXPECT_FALSE(made.cells[0].gate);
  EXPECT_EQ(made.cells[0].change, Change::kRegression);
}

}  // namespace
}  // namespace loadline
