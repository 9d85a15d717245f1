#include "harness/result/run_series.h"

#include <gmock/gmock.h>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::failed;
using test::thrown_by;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(RunSeries, AreNoneWhereTheResultHasNone) {
  const RunSeries series = run_series_of(R"({"cells": [{"trials": [{"samples": 1}]}]})", "r.json");
  EXPECT_THAT(series.loader_stages, IsEmpty());
}

TEST(RunSeries, AddUpTheWorkersOfAStage) {
  const RunSeries series = run_series_of(
      R"({"cells": [{"trials": []}, {"trials": [{}, {"loader_stages": {"order": [0.5, 1.5], "decode": [2, 0]}}]}]})",
      "r.json");
  EXPECT_THAT(series.loader_stages, ElementsAre(Pair(Pair(1, 1), ElementsAre(Pair("order", 2), Pair("decode", 2)))));
}

TEST(RunSeries, NameThePlaceOfWhatIsWrong) {
  EXPECT_EQ(thrown_by([] { run_series_of(R"({"cells": [{"trials": [{"loader_stages": {"order": 1}}]}]})", "r.json"); }),
            failed("r.json: cells[0].trials[0].loader_stages.order: want a list, got 1"));
}

}  // namespace
}  // namespace loadline
