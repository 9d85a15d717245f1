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
  EXPECT_THAT(series.times_seconds, IsEmpty());
  EXPECT_THAT(series.monitor, IsEmpty());
  EXPECT_THAT(series.loader_stages, IsEmpty());
  EXPECT_THAT(run_series_of(R"({"monitor": null, "cells": []})", "r.json").monitor, IsEmpty());
}

TEST(RunSeries, AreThoseOfTheMonitor) {
  const RunSeries series =
      run_series_of(R"({"cells": [], "monitor": {"period_seconds": 0.2, "times_seconds": [0.0, 0.2],
    "series": [{"name": "cpu user", "of": "cpu0", "unit": "share", "source": "/proc/stat", "values": [0.5, null]},
               {"name": "memory", "of": null, "unit": "bytes", "values": [1, 2]}]}})",
                    "r.json");
  EXPECT_THAT(series.times_seconds, ElementsAre(0, 0.2));
  ASSERT_EQ(series.monitor.size(), 2U);
  EXPECT_EQ(series.monitor[0].name, "cpu user");
  EXPECT_EQ(series.monitor[0].of, "cpu0");
  EXPECT_EQ(series.monitor[0].unit, "share");
  EXPECT_THAT(series.monitor[0].values, ElementsAre(0.5, std::nullopt));
  EXPECT_EQ(series.monitor[1].of, "");
}

TEST(RunSeries, AddUpTheWorkersOfAStage) {
  const RunSeries series = run_series_of(
      R"({"cells": [{"trials": []}, {"trials": [{}, {"loader_stages": {"order": [0.5, 1.5], "decode": [2, 0]}}]}]})",
      "r.json");
  EXPECT_THAT(series.loader_stages, ElementsAre(Pair(Pair(1, 1), ElementsAre(Pair("order", 2), Pair("decode", 2)))));
}

TEST(RunSeries, NameThePlaceOfWhatIsWrong) {
  EXPECT_EQ(thrown_by([] {
              run_series_of(R"({"cells": [], "monitor": {"times_seconds": [0], "series": [
                {"name": "a", "of": "b", "unit": "c", "values": []}]}})",
                            "r.json");
            }),
            failed("r.json: monitor.series[0].values: want 1 values, one for each time, got 0"));
}

}  // namespace
}  // namespace loadline
