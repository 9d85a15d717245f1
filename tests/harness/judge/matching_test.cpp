#include "harness/judge/matching.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "harness/judge/gate.h"
#include "tests/harness/support/results.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::CellRequest;
using test::kFull;
using test::kIo;
using test::overhead;
using test::result_of;
using testing::ElementsAre;
using testing::HasSubstr;

CellRequest request(Mode mode, std::size_t workers = 2) {
  return {.mode = mode, .rates = {1}, .loader = "thread-pool", .workers = workers};
}

Matching match(const Result& base, const Result& changed) {
  return match_cells({"base.json", base}, {"new.json", changed}, metrics().front());
}

// Writes each pair as "base-changed".
std::vector<std::string> pairs_of(const Matching& matching) {
  std::vector<std::string> pairs;
  for (const Match& pair : matching.pairs) pairs.push_back(fmt::format("{}-{}", pair.base, pair.changed));
  return pairs;
}

TEST(MatchCells, UsesSettingsWhateverTheNamesAndPlaces) {
  const Result base = result_of({request(kIo), request(kFull)});
  Result changed = result_of({request(kFull), request(kIo)});
  changed.cells[0].cell.data = "/scratch/mnist";
  changed.cells[0].cell.axes = {"dtype"};
  changed.cells[0].cell.threads_in_force = 7;
  changed.cells[0].cell.placement.worker_cpus = {1, 2};
  const Matching made = match(base, changed);
  EXPECT_THAT(made.pairs, ElementsAre(Match{0, 1}, Match{1, 0}));
  EXPECT_THAT(made.gone, ElementsAre());
  EXPECT_THAT(made.added, ElementsAre());
}

TEST(MatchCells, ListsCellsThatOnlyOneResultHas) {
  const Matching made = match(result_of({request(kFull, 1), request(kFull, 2), overhead()}),
                              result_of({request(kFull, 1), request(kIo, 4)}));
  EXPECT_THAT(made.pairs, ElementsAre(Match{0, 0}));
  EXPECT_THAT(made.gone, ElementsAre(1));
  EXPECT_THAT(made.added, ElementsAre(1));
}

TEST(MatchCells, PairsDifferentCacheStatesWhereOnlyOneIsLeft) {
  Result base = result_of({request(kFull), request(kFull)});
  base.cells[1].cell.cache = CacheState::kCold;
  Result changed = base;
  changed.cells[0].cell.cache = CacheState::kCold;
  changed.cells[1].cell.cache = CacheState::kAsIs;
  EXPECT_THAT(match(base, changed).pairs, ElementsAre(Match{0, 1}, Match{1, 0}));
}

TEST(MatchCells, DistinguishesCellsOfOneResultByWhereTheirDataLies) {
  Result base = result_of({request(kFull), request(kFull)});
  base.cells[1].cell.data = "/elsewhere";
  Result changed = base;
  std::swap(changed.cells[0], changed.cells[1]);
  EXPECT_THAT(match(base, changed).pairs, ElementsAre(Match{0, 1}, Match{1, 0}));
}

TEST(MatchCells, DistinguishesCellsOfOneResultByTheirPlacement) {
  Result base = result_of({request(kFull), request(kFull)});
  base.cells[1].cell.placement.worker_cpus = {1};
  Result changed = base;
  std::swap(changed.cells[0], changed.cells[1]);
  EXPECT_THAT(match(base, changed).pairs, ElementsAre(Match{0, 1}, Match{1, 0}));
}

TEST(MatchCells, RefusesCellsWithTheSameSettings) {
  const Result twice = result_of({request(kFull), request(kFull)});
  EXPECT_THAT(test::thrown_by([&] { match(twice, twice); }).message,
              HasSubstr("base.json: cells mnist/FULL/thread-pool/workers:2/batch:100 and "
                        "mnist/FULL/thread-pool/workers:2/batch:100 have the same settings"));
}

// IO and FULL of one loader.
std::vector<CellRequest> configuration(const std::string& loader, std::size_t workers, double rate = 1) {
  return {{.mode = kIo, .rates = {rate}, .loader = loader, .workers = workers},
          {.mode = kFull, .rates = {rate}, .loader = loader, .workers = workers}};
}

Result result(const std::vector<std::vector<CellRequest>>& configurations) {
  std::vector<CellRequest> all;
  for (const auto& one : configurations) all.insert(all.end(), one.begin(), one.end());
  return result_of(all);
}

void set_compute(Result& result, const std::string& compute) {
  for (CellResult& cell : result.cells) {
    if (cell.cell.mode != kIo) cell.cell.compute = compute;
  }
}

TEST(MatchAcross, PairsTheOnlyConfigurationOfEach) {
  const Matching made = match(result({configuration("thread-pool", 1)}), result({configuration("flow-graph", 2)}));
  EXPECT_THAT(made.pairs, ElementsAre(Match{0, 0, MatchedBy::kConfiguration}, Match{1, 1, MatchedBy::kConfiguration}));
  EXPECT_THAT(made.gone, ElementsAre());
  EXPECT_THAT(made.added, ElementsAre());
}

TEST(MatchAcross, FindsSyntheticThroughTheConfiguration) {
  Result base = result({configuration("thread-pool", 1), {{.mode = Mode::kSynthetic, .rates = {1}}}});
  Result changed = result({configuration("thread-pool", 2), {{.mode = Mode::kSynthetic, .rates = {1}}}});
  set_compute(changed, "device:samples_per_second=9");
  EXPECT_THAT(match(base, changed).pairs,
              ElementsAre(Match{0, 0, MatchedBy::kConfiguration}, Match{1, 1, MatchedBy::kConfiguration},
                          Match{2, 2, MatchedBy::kConfiguration}));
}

TEST(MatchAcross, PairsIoBySettingsWhereOnlyTheComputeChanged) {
  const Result base = result({configuration("thread-pool", 1)});
  Result changed = base;
  set_compute(changed, "device:samples_per_second=9");
  EXPECT_THAT(match(base, changed).pairs,
              ElementsAre(Match{0, 0, MatchedBy::kSettings}, Match{1, 1, MatchedBy::kConfiguration}));
}

TEST(MatchAcross, PairsSeveralByWhatBothHaveInCommon) {
  const Matching made = match(result({configuration("thread-pool", 1), configuration("thread-pool", 2)}),
                              result({configuration("flow-graph", 2), configuration("flow-graph", 4)}));
  EXPECT_THAT(made.pairs, ElementsAre(Match{2, 0, MatchedBy::kAxes}, Match{3, 1, MatchedBy::kAxes}));
  EXPECT_THAT(made.gone, ElementsAre(0, 1));
  EXPECT_THAT(made.added, ElementsAre(2, 3));
}

TEST(MatchAcross, IgnoresTheStorageThatALoaderImplies) {
  Result changed = result({configuration("hdf5-mmap", 1), configuration("hdf5-mmap", 2)});
  for (CellResult& cell : changed.cells) {
    cell.cell.data = "mnist.h5";
    cell.cell.dataset.format = "hdf5";
    cell.cell.dataset.hdf5_images = "train";
  }
  const Matching made = match(result({configuration("thread-pool", 1), configuration("thread-pool", 2)}), changed);
  EXPECT_THAT(pairs_of(made), ElementsAre("0-0", "1-1", "2-2", "3-3"));
}

TEST(MatchAcross, PairsTheFastestOfEachWhereNothingElseDecides) {
  const Matching made = match(result({configuration("thread-pool", 1, 100), configuration("thread-pool", 2, 300)}),
                              result({configuration("thread-pool", 4, 200), configuration("thread-pool", 8, 150)}));
  EXPECT_THAT(made.pairs,
              ElementsAre(Match{2, 0, MatchedBy::kBest, Mode::kIo}, Match{3, 1, MatchedBy::kBest, Mode::kFull}));
}

TEST(MatchAcross, PairsTheFastestWithTheOnlyOne) {
  const Matching made = match(result({configuration("serial", 0, 100)}),
                              result({configuration("thread-pool", 1, 100), configuration("thread-pool", 2, 300)}));
  EXPECT_THAT(made.pairs,
              ElementsAre(Match{0, 2, MatchedBy::kBest, Mode::kIo}, Match{1, 3, MatchedBy::kBest, Mode::kFull}));
}

// The fastest of the sweep used to be its partner, although another has as many workers.
TEST(MatchAcross, PairsTheOnlyOneWithItsCounterpartAmongSeveral) {
  const Result sweep = result({configuration("thread-pool", 1, 100), configuration("thread-pool", 2, 300)});
  Result one = result({configuration("thread-pool", 1, 100)});
  for (CellResult& cell : one.cells) cell.cell.prefetch = 9;
  const Matching made = match(sweep, one);
  EXPECT_THAT(made.pairs, ElementsAre(Match{0, 0, MatchedBy::kAxes}, Match{1, 1, MatchedBy::kAxes}));
  EXPECT_THAT(made.gone, ElementsAre(2, 3));
  EXPECT_THAT(made.ones, ElementsAre(OneOfSeveral{"mnist", true, 2, 1}));
  EXPECT_THAT(match(one, sweep).pairs, ElementsAre(Match{0, 0, MatchedBy::kAxes}, Match{1, 1, MatchedBy::kAxes}));
  EXPECT_THAT(match(one, sweep).ones, ElementsAre(OneOfSeveral{"mnist", false, 2, 1}));
}

TEST(MatchAcross, PairsNoConfigurationThatDiffersInWhatTheOtherResultVaries) {
  const Result sweep = result({configuration("thread-pool", 1, 100), configuration("flow-graph", 2, 300)});
  const Result one = result({configuration("thread-pool", 2, 100)});
  const Matching made = match(sweep, one);
  EXPECT_THAT(made.pairs,
              ElementsAre(Match{2, 0, MatchedBy::kBest, Mode::kIo}, Match{3, 1, MatchedBy::kBest, Mode::kFull}));
  EXPECT_THAT(made.ones, ElementsAre(OneOfSeveral{"mnist", true, 2, std::nullopt}));
}

TEST(MatchAcross, KnowsTheOnlyOneOfSeveralAlsoWhereAllSettingsAreTheSame) {
  const Result sweep = result({configuration("thread-pool", 1, 100), configuration("thread-pool", 2, 300)});
  EXPECT_THAT(match(sweep, result({configuration("thread-pool", 2, 300)})).ones,
              ElementsAre(OneOfSeveral{"mnist", true, 2, 3}));
  EXPECT_THAT(match(sweep, sweep).ones, ElementsAre());
}

// As with 1 and 2 workers, the faster of which in IO is the slower in FULL.
TEST(MatchAcross, PairsTheFastestIoAndTheFastestFullWhicheverConfigurationsTheseAre) {
  Result base = result({configuration("thread-pool", 1, 100), configuration("thread-pool", 2, 300)});
  base.cells[0].trials = {test::trial_of(900, 100)};
  const Result changed = result({configuration("flow-graph", 4, 100)});
  const Named first{"base.json", base};
  const Named second{"new.json", changed};
  EXPECT_THAT(match_cells(first, second, metric_named("io")).pairs,
              ElementsAre(Match{0, 0, MatchedBy::kBest, Mode::kIo}));
  const Matching both = match_cells(first, second, metrics().front());
  EXPECT_THAT(both.pairs,
              ElementsAre(Match{0, 0, MatchedBy::kBest, Mode::kIo}, Match{3, 1, MatchedBy::kBest, Mode::kFull}));
  EXPECT_THAT(gate_of(first, second, both, metrics().front(), 0.03).lost, ElementsAre());
}

TEST(MatchAcross, LetsOnlyTheNamedSettingsDiffer) {
  const Result base = result({configuration("thread-pool", 1, 100), configuration("thread-pool", 2, 300)});
  const Result changed = result({configuration("flow-graph", 2, 200), configuration("flow-graph", 4, 150)});
  const Named first{"base.json", base};
  const Named second{"new.json", changed};
  const std::vector<std::string> loader{"loader"};
  const std::vector<std::string> both{"loader", "workers"};
  EXPECT_THAT(pairs_of(match_cells(first, second, metrics().front(), loader)), ElementsAre("2-0", "3-1"));
  EXPECT_THAT(match_cells(first, second, metrics().front(), both).pairs,
              ElementsAre(Match{2, 0, MatchedBy::kBest, Mode::kIo}, Match{3, 1, MatchedBy::kBest, Mode::kFull}));
  const std::vector<std::string> batch{"batch_size"};
  EXPECT_THAT(match_cells(first, second, metrics().front(), batch).pairs, ElementsAre());
  const std::vector<std::string> unknown{"worker"};
  EXPECT_THAT(test::thrown_by([&] { match_cells(first, second, metrics().front(), unknown); }).message,
              HasSubstr("--across 'worker'"));
}

TEST(MatchAcross, LetsWhatOnlyWorkersHaveDifferFromALoaderWithoutAny) {
  const Result base = result({configuration("serial", 0, 100)});
  Result changed = result({configuration("thread-pool", 2, 200)});
  for (CellResult& cell : changed.cells) cell.cell.prefetch = 4;
  const Named first{"base.json", base};
  const Named second{"new.json", changed};
  const std::vector<std::string> both{"loader", "workers"};
  EXPECT_THAT(pairs_of(match_cells(first, second, metrics().front(), both)), ElementsAre("0-0", "1-1"));
  const std::vector<std::string> loader{"loader"};
  EXPECT_THAT(match_cells(first, second, metrics().front(), loader).pairs, ElementsAre());
}

TEST(MatchAcross, StaysWithinAWorkload) {
  Result changed = result({configuration("thread-pool", 1)});
  for (CellResult& cell : changed.cells) cell.cell.workload = "cifar10";
  EXPECT_THAT(match(result({configuration("thread-pool", 1)}), changed).pairs, ElementsAre());
}

TEST(MatchAcross, FindsNoPartnerForAModeThatWasNotRun) {
  const Matching made = match(result({configuration("thread-pool", 1)}), result_of({request(kIo, 2)}));
  EXPECT_THAT(pairs_of(made), ElementsAre("0-0"));
  EXPECT_THAT(made.gone, ElementsAre(1));
}

// Writes each pair as "base/its value changed/its value".
std::vector<std::string> pairs_along(const Result& file, const std::string& setting, const std::string& base = "") {
  std::vector<std::string> pairs;
  for (const AlongPair& pair : match_along({"file", file}, setting, base, metrics().front())) {
    pairs.push_back(fmt::format("{}/{} {}/{}", pair.base, pair.base_value, pair.changed, pair.changed_value));
  }
  return pairs;
}

TEST(MatchAlong, ComparesEachValueWithTheFirst) {
  const Result file = result_of(
      {request(kIo, 1), request(kIo, 2), request(kFull, 1), request(kFull, 2), request(kFull, 4), overhead()});
  EXPECT_THAT(pairs_along(file, "workers"), ElementsAre("0/1 1/2", "2/1 3/2", "2/1 4/4"));
}

TEST(MatchAlong, ComparesWithTheRequestedValue) {
  const Result file = result_of({request(kFull, 1), request(kFull, 2), request(kIo, 1)});
  EXPECT_THAT(pairs_along(file, "workers", "2"), ElementsAre("1/2 0/1"));
}

TEST(MatchAlong, ComparesALoaderWithoutWorkersWithEveryWorkerCount) {
  const Result file = result_of({{.mode = kFull, .rates = {1}}, request(kFull, 1), request(kFull, 2)});
  EXPECT_THAT(pairs_along(file, "loader"), ElementsAre("0/serial 1/thread-pool", "0/serial 2/thread-pool"));
}

TEST(MatchAlong, IgnoresTheStorageThatALoaderImplies) {
  Result file = result_of({request(kFull), request(kFull)});
  file.cells[1].cell.loader = "hdf5-mmap";
  file.cells[1].cell.data = "mnist.h5";
  file.cells[1].cell.dataset.format = "hdf5";
  EXPECT_THAT(pairs_along(file, "loader"), ElementsAre("0/thread-pool 1/hdf5-mmap"));
}

TEST(MatchAlong, RefusesASettingThatDoesNotVary) {
  const Result file = result_of({request(kFull, 1), request(kIo, 2)});
  EXPECT_EQ(test::thrown_by([&] { pairs_along(file, "workers"); }),
            test::usage("--by workers: no two cells of file differ in this setting alone; there it is 1, 2"));
  EXPECT_THAT(test::thrown_by([&] { pairs_along(file, "worker"); }).message, HasSubstr("did you mean workers?"));
  EXPECT_THAT(test::thrown_by([&] { pairs_along(file, "workers", "3"); }).message,
              HasSubstr("--base-value: workers of file '3': want one of 1, 2"));
}

}  // namespace
}  // namespace loadline
