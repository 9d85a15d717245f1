#include "harness/judge/matching.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/results.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::CellRequest;
using test::overhead;
using test::result_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr Mode kIo = Mode::kIo;
constexpr Mode kFull = Mode::kFull;

CellRequest request(Mode mode, std::size_t workers = 2) {
  return {.mode = mode, .rates = {1}, .loader = "thread-pool", .workers = workers};
}

Matching match(const Result& base, const Result& changed) {
  return match_cells({"base.json", base}, {"new.json", changed}, metrics().front());
}

TEST(MatchCells, GoesBySettingsWhateverTheirNamesAndPlaces) {
  const Result base = result_of({request(kIo), request(kFull)});
  Result changed = result_of({request(kFull), request(kIo)});
  changed.cells[0].cell.data = "/scratch/mnist";
  changed.cells[0].cell.axes = {"dtype"};
  changed.cells[0].cell.threads_in_force = 7;
  changed.cells[0].cell.placement.worker_cpus = {1, 2};
  const Matching made = match(base, changed);
  EXPECT_THAT(made.pairs, ElementsAre(Pair(0, 1), Pair(1, 0)));
  EXPECT_THAT(made.gone, ElementsAre());
  EXPECT_THAT(made.added, ElementsAre());
}

TEST(MatchCells, SaysWhatOnlyOneOfThemHas) {
  const Matching made = match(result_of({request(kFull, 1), request(kFull, 2), overhead()}),
                              result_of({request(kFull, 1), request(kFull, 4)}));
  EXPECT_THAT(made.pairs, ElementsAre(Pair(0, 0)));
  EXPECT_THAT(made.gone, ElementsAre(1));
  EXPECT_THAT(made.added, ElementsAre(1));
}

TEST(MatchCells, GoesAcrossCacheStatesWhereOnlyOneIsLeft) {
  Result base = result_of({request(kFull), request(kFull)});
  base.cells[1].cell.cache = CacheState::kCold;
  Result changed = base;
  changed.cells[0].cell.cache = CacheState::kCold;
  changed.cells[1].cell.cache = CacheState::kAsIs;
  EXPECT_THAT(match(base, changed).pairs, ElementsAre(Pair(0, 1), Pair(1, 0)));
}

TEST(MatchCells, DoesNotGoAcrossCacheStatesWhereThereIsAChoice) {
  const Result base = result_of({request(kFull)});
  Result changed = result_of({request(kFull), request(kFull)});
  changed.cells[0].cell.cache = CacheState::kCold;
  changed.cells[1].cell.cache = CacheState::kAsIs;
  const Matching made = match(base, changed);
  EXPECT_THAT(made.pairs, ElementsAre());
  EXPECT_THAT(made.gone, ElementsAre(0));
  EXPECT_THAT(made.added, ElementsAre(0, 1));
}

TEST(MatchCells, RefusesThoseThatDifferOnlyInWhereTheirDataLies) {
  Result twice = result_of({request(kFull), request(kFull)});
  twice.cells[1].cell.data = "/elsewhere";
  EXPECT_THAT(test::thrown_by([&] { match(twice, twice); }).message, HasSubstr("differ only in where their data lies"));
}

// "base against changed" of each.
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

TEST(MatchAlong, ComparesWithTheValueThatIsAskedFor) {
  const Result file = result_of({request(kFull, 1), request(kFull, 2), request(kIo, 1)});
  EXPECT_THAT(pairs_along(file, "workers", "2"), ElementsAre("1/2 0/1"));
}

TEST(MatchAlong, HoldsALoaderWithoutWorkersAgainstEveryNumberOfThem) {
  const Result file = result_of({{.mode = kFull, .rates = {1}}, request(kFull, 1), request(kFull, 2)});
  EXPECT_THAT(pairs_along(file, "loader"), ElementsAre("0/serial 1/thread-pool", "0/serial 2/thread-pool"));
}

TEST(MatchAlong, TakesNoHeedOfTheStorageThatALoaderBringsAlong) {
  Result file = result_of({request(kFull), request(kFull)});
  file.cells[1].cell.loader = "hdf5-mmap";
  file.cells[1].cell.data = "mnist.h5";
  file.cells[1].cell.dataset.format = "hdf5";
  EXPECT_THAT(pairs_along(file, "loader"), ElementsAre("0/thread-pool 1/hdf5-mmap"));
}

TEST(MatchAlong, RefusesWhatDoesNotVary) {
  const Result file = result_of({request(kFull, 1), request(kIo, 2)});
  EXPECT_EQ(test::thrown_by([&] { pairs_along(file, "workers"); }),
            test::usage("--by workers: no two cells of file differ in it alone, it is 1, 2 there"));
  EXPECT_THAT(test::thrown_by([&] { pairs_along(file, "worker"); }).message, HasSubstr("did you mean workers?"));
  EXPECT_THAT(test::thrown_by([&] { pairs_along(file, "workers", "3"); }).message,
              HasSubstr("--base-value: workers of file '3': want one of 1, 2"));
}

}  // namespace
}  // namespace loadline
