#include "harness/show/diff_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/show/diff_csv.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::result_of;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Result result(std::vector<double> full, std::vector<double> io, std::size_t workers = 2) {
  Result made = result_of({{.mode = Mode::kFull, .rates = std::move(full), .loader = "thread-pool", .workers = workers},
                           {.mode = Mode::kIo, .rates = std::move(io), .loader = "thread-pool", .workers = workers}});
  made.status = Status::kComplete;
  return made;
}

ResultDiff regression() {
  static const Result kBase = result({990, 1000, 1010}, {90, 100, 110});
  static const Result kChanged = [] {
    Result made = result({890, 900, 910}, {91, 99, 112});
    made.environment.build.git_revision = "abc";
    return made;
  }();
  return diff_results({"base.json", kBase}, {"new.json", kChanged}, {});
}

std::string verdict(std::vector<double> base, std::vector<double> changed, std::size_t workers = 2) {
  const auto full = [](std::vector<double> rates, std::size_t count) {
    return result_of({{.mode = Mode::kFull, .rates = std::move(rates), .loader = "thread-pool", .workers = count}});
  };
  const Result first = full(std::move(base), 2);
  const Result second = full(std::move(changed), workers);
  const std::string text = verdict_text(diff_results({"base.json", first}, {"new.json", second}, {}));
  return text.substr(0, text.find('\n'));
}

TEST(DiffText, BeginsWithTheVerdict) {
  EXPECT_EQ(
      diff_text({regression()}),
      "regression: mnist/FULL/thread-pool/workers:2/batch:100 is 10 ± 2 % slower (p < 0.001)\n"
      "inconclusive: mnist/IO/thread-pool/workers:2/batch:100 is 1 % (-20 to 27 %) faster (p = 0.94); detecting 3 % "
      "would take 190 trials per side\n"
      "\n"
      "new.json against base.json: samples/s, mean ± standard deviation of the trials\n"
      "\n"
      "   cell                                                   base           new              change        p  "
      "verdict\n"
      "*  mnist/FULL/thread-pool/workers:2/batch:100  1.000 ± 0.010 k  900.0 ± 10.0           -10 ± 2 %  < 0.001  "
      "regression\n"
      "*  mnist/IO/thread-pool/workers:2/batch:100       100.0 ± 10.0  100.7 ± 10.6  +1 % (-20 to 27 %)     0.94  "
      "inconclusive\n"
      "*: decides; p: adjusted, for these by Holm, for the others by Benjamini-Hochberg; alpha 0.05\n"
      "\n"
      "also different\n"
      "  revision: unknown -> abc\n");
}

std::string table_in(std::size_t width) {
  const std::string text = diff_text({regression()}, width);
  const std::size_t begin = text.find("   cell");
  return text.substr(begin, text.find("*: decides") - begin);
}

TEST(DiffText, HoldsARowOnOneLineOfANarrowTerminal) {
  EXPECT_EQ(table_in(80),
            "   cell                                           new       change  verdict\n"
            "*  mnist/FULL/…pool/workers:2/batch:100  900.0 ± 10.0    -10 ± 2 %  regression\n"
            "*  mnist/IO/th…pool/workers:2/batch:100  100.7 ± 10.6  -20 to 27 %  inconclusive\n"
            "shortened to fit 80 columns: cell, change\n"
            "not shown in 80 columns: p, base\n");
  EXPECT_EQ(table_in(60),
            "   cell                                 change  verdict\n"
            "*  mnist/FUL…/workers:2/batch:100    -10 ± 2 %  regression\n"
            "*  mnist/IO/…/workers:2/batch:100  -20 to 27 %  inconclusive\n"
            "shortened to fit 60 columns: cell, change\n"
            "not shown in 60 columns: p, base, new\n");
  EXPECT_EQ(table_in(46),
            "   cell                           verdict\n"
            "*  mnist/FUL…workers:2/batch:100  regression\n"
            "*  mnist/IO/…workers:2/batch:100  inconclusive\n"
            "shortened to fit 46 columns: cell\n"
            "not shown in 46 columns: p, base, new, change\n")
      << "rows used to take two lines each";
}

TEST(DiffText, SaysOnHowManyPairsAVerdictRestsWhereOthersWereSetAside) {
  ResultDiff diff = regression();
  diff.paired = true;
  diff.cells[0].busy = {.busy = 2, .pairs = 5};
  diff.cells[1].busy = {.busy = 1, .pairs = 4};
  EXPECT_EQ(verdict_text(diff),
            "regression: mnist/FULL/thread-pool/workers:2/batch:100 is 10 ± 2 % slower (p < 0.001), judged by the 3 of "
            "5 pairs in which other work took less than 5 % of the time of all CPUs\n"
            "inconclusive: mnist/IO/thread-pool/workers:2/batch:100 is 1 % (-20 to 27 %) faster (p = 0.94), judged by "
            "the 3 of 4 pairs in which other work took less than 5 % of the time of all CPUs; detecting 3 % would take "
            "190 such pairs\n");
}

TEST(DiffText, SaysThatNoCellInCommonDecides) {
  const Result base =
      result_of({{.mode = Mode::kSynthetic, .rates = {990, 1000, 1010}},
                 {.mode = Mode::kFull, .rates = {90, 100, 110}, .loader = "thread-pool", .workers = 2}});
  const Result changed = result_of({{.mode = Mode::kSynthetic, .rates = {990, 1000, 1010}}});
  const ResultDiff diff = diff_results({"base.json", base}, {"new.json", changed}, {.allow_missing = true});
  EXPECT_THAT(verdict_text(diff),
              StartsWith("inconclusive: base.json and new.json have no cell in common that decides\n"));
}

TEST(DiffText, ListsTheFilesThatHaveChanged) {
  Result base = result({990, 1000, 1010}, {90, 100, 110});
  base.named_files = {{.named_by = "loader.py:make", .path = "loader.py", .hash = 1},
                      {.named_by = "replay:file=job.json", .path = "job.json", .hash = 3}};
  Result changed = base;
  changed.named_files[0].hash = 2;
  const std::string text = diff_text({diff_results({"base.json", base}, {"new.json", changed}, {})});
  EXPECT_THAT(text, HasSubstr("\nalso different\n"
                              "  contents of loader.py: hash 0000000000000001 -> hash 0000000000000002\n"));
  EXPECT_THAT(text, Not(HasSubstr("job.json")));
}

TEST(DiffText, SaysHowPartnersDiffer) {
  EXPECT_EQ(verdict({990, 1000, 1010}, {2990, 3000, 3010}, 8),
            "improvement: mnist FULL is 3.00 ± 0.07 times as fast: workers 2 -> 8 (p < 0.001)");
  EXPECT_EQ(verdict({495, 500, 505}, {496, 501, 506}, 8),
            "equivalent: mnist FULL is the same within 3 % (0 ± 2 % faster or slower): workers 2 -> 8");
  EXPECT_EQ(verdict({90, 100, 110}, {91, 99, 112}, 8),
            "inconclusive: mnist FULL is 1 % (-20 to 27 %) faster: workers 2 -> 8 (p = 0.94); detecting 3 % would take "
            "190 trials per side");
}

TEST(DiffText, SaysThatTheBestOfEachWasCompared) {
  const Result base = result({990, 1000, 1010}, {90, 100, 110}, 1);
  Result changed = result({2990, 3000, 3010}, {90, 100, 110}, 2);
  for (const CellResult& cell : result({890, 900, 910}, {90, 100, 110}, 4).cells) changed.cells.push_back(cell);
  const std::string text = diff_text({diff_results({"base.json", base}, {"new.json", changed}, {})});
  EXPECT_THAT(text, HasSubstr("improvement: mnist FULL is 3.00 ± 0.07 times as fast: the best of each, workers 1 -> 2 "
                              "(p < 0.001)\n"));
  EXPECT_THAT(text, HasSubstr("\nthe fastest of each result\n"
                              "  mnist/FULL/thread-pool/workers:1/batch:100 -> "
                              "mnist/FULL/thread-pool/workers:2/batch:100\n"));
  EXPECT_THAT(text, Not(HasSubstr("mnist/SYNTHETIC/batch:100 -> ")));
}

TEST(DiffText, CallsOnlyTheFastestOfAllTheBestOfEach) {
  const auto sweep = [](const std::vector<std::size_t>& slower) {
    Result made = result({990, 1000, 1010}, {1990, 2000, 2010}, 1);
    for (const std::size_t workers : slower) {
      const double rate = 100.0 * static_cast<double>(workers);
      const Result other = result({rate - 10, rate, rate + 10}, {90, 100, 110}, workers);
      made.cells.insert(made.cells.end(), other.cells.begin(), other.cells.end());
    }
    return made;
  };
  const std::string text = diff_text({diff_results({"base.json", sweep({2, 4})}, {"new.json", sweep({3})}, {})});
  EXPECT_THAT(text, HasSubstr("mnist/FULL/thread-pool/batch:100: the best of several, workers 4 -> 3 "));
  EXPECT_THAT(text, HasSubstr("\nthe fastest of several\n"));
  EXPECT_THAT(text, HasSubstr("\n  mnist/FULL/thread-pool/workers:4/batch:100 -> "
                              "mnist/FULL/thread-pool/workers:3/batch:100\n"));
  EXPECT_THAT(text, Not(HasSubstr("of each")));
}

TEST(DiffText, NamesWhatPartnersShareInEachRow) {
  const auto of_type = [](DType dtype) {
    Result made = result({990, 1000, 1010}, {90, 100, 110}, 1);
    for (const CellResult& cell : result({1990, 2000, 2010}, {190, 200, 210}, 2).cells) made.cells.push_back(cell);
    for (CellResult& cell : made.cells) cell.cell.transform.dtype = dtype;
    return made;
  };
  const Result base = of_type(DType::kF32);
  const Result changed = of_type(DType::kU8);
  const std::string text = diff_text({diff_results({"base.json", base}, {"new.json", changed}, {})});
  EXPECT_THAT(text, HasSubstr("mnist/FULL/thread-pool/workers:1/batch:100: dtype f32 -> u8  "));
  EXPECT_THAT(text, HasSubstr("mnist/FULL/thread-pool/workers:2/batch:100: dtype f32 -> u8  "));
}

TEST(DiffText, SaysWhyAnIntervalDoesNotDecide) {
  ResultDiff diff = regression();
  const std::string_view why =
      "alpha 0.05\nchange: its 95 % interval is that of the row alone; what counts is p, which allows for all rows "
      "judged together\n";
  EXPECT_THAT(diff_text({diff}), Not(HasSubstr(why)));
  diff.cells[0].adjusted_p = 0.06;
  EXPECT_THAT(diff_text({diff}), HasSubstr(why));
}

// The line used to name other rows, although there was one row only.
TEST(DiffText, SaysThatPLeavesOutWhatOthersMayHaveCaused) {
  ResultDiff diff = regression();
  diff.cells[0].busy = {.busy = 12, .pairs = 12};
  diff.cells[0].comparison->ratio.p = diff.cells[0].adjusted_p = 1;
  const std::string text = diff_text({diff});
  EXPECT_THAT(text,
              HasSubstr("alpha 0.05\nchange: its 95 % interval includes what other work may have caused; what counts "
                        "is p, which covers only the rest\n"));
  EXPECT_THAT(text, Not(HasSubstr("all rows judged together")));
}

TEST(DiffText, SaysThatAlphaIsNotThatOfTheInterval) {
  ResultDiff diff = regression();
  diff.alpha = 1e-6;
  EXPECT_THAT(diff_text({diff}),
              HasSubstr("alpha 1e-06\nchange: its interval is of 95 % whatever alpha is; what counts is p\n"));
}

// The change is of geometric means, and the columns show arithmetic ones.
TEST(DiffText, SaysWhySignAndColumnsMayDisagree) {
  const std::string_view why =
      "\nchange: of geometric means, in which slow trials weigh more, so its sign may differ from that of the "
      "arithmetic "
      "means shown\n";
  const Result base = result(std::vector<double>(10, 100), {1, 1, 1});
  const Result changed = result({65, 108, 109, 110, 111, 65, 108, 109, 110, 111}, {1, 1, 1});
  const std::string text = diff_text({diff_results({"base.json", base}, {"new.json", changed}, {})});
  EXPECT_THAT(text, HasSubstr("  100.0 ± 0.0   100.6 ± 18.8    -1 ± 17 %  "));
  EXPECT_THAT(text, HasSubstr(why));
  EXPECT_THAT(diff_text({regression()}), Not(HasSubstr(why)));
}

TEST(DiffText, SaysWhyRowsThatDoNotDecideAreInconclusive) {
  const auto of = [](const std::vector<std::vector<double>>& io) {
    std::vector<test::CellRequest> cells{
        {.mode = Mode::kIo, .rates = {9990, 10000, 10010}, .loader = "thread-pool", .workers = 1}};
    for (const std::vector<double>& rates : io) {
      cells.push_back({.mode = Mode::kIo, .rates = rates, .loader = "thread-pool", .workers = cells.size() + 1});
    }
    return result_of(cells);
  };
  const Result base = of({{90, 100, 110}, {80, 100, 120}, {100}, {100, 101}, {980, 990, 1010}});
  const Result changed = of({{91, 99, 112}, {80, 99, 121}, {90, 91}, {}, {960, 970, 980}});
  const std::string text = diff_text({diff_results({"base.json", base}, {"new.json", changed}, {})});
  EXPECT_THAT(text, HasSubstr("\n   mnist/IO/thread-pool/workers:2/batch:100 "));
  for (const char* row : {"workers:2/batch:100", "workers:3/batch:100"}) {
    const std::size_t begin = text.find(row);
    EXPECT_THAT(text.substr(begin, text.find('\n', begin) - begin), testing::EndsWith("  inconclusive [1]"));
  }
  EXPECT_THAT(text, HasSubstr("; alpha 0.05\n"
                              "[1]: detecting 3 % would take up to 757 trials per side\n"
                              "[2]: a single trial has no interval; use more --trials\n"
                              "[3]: the new result has no trials\n"));
}

TEST(DiffText, CombinesReasonsThatDifferOnlyInTheirFigures) {
  ResultDiff diff = regression();
  for (CellDiff& cell : diff.cells) {
    cell.gate = false;
    cell.change = Change::kInconclusive;
  }
  diff.cells[0].obstacle = "other work took 20 % of the time";
  diff.cells[1].obstacle = "other work took 30 % of the time";
  EXPECT_THAT(diff_text({diff}),
              HasSubstr("\n[1]: other work took 20 % of the time (the first such row; others have other figures)\n"));
  diff.cells[1].obstacle = diff.cells[0].obstacle;
  EXPECT_THAT(diff_text({diff}), HasSubstr("\n[1]: other work took 20 % of the time\n"));
}

TEST(DiffText, NamesTheMarginDownwardsWhereItIsNarrowerThanRequested) {
  const Result base = result({999, 1000, 1001}, {1, 1, 1});
  const Result changed = result({949, 950, 951}, {1, 1, 1});
  const auto verdict = [&](double margin) {
    const std::string text = verdict_text(diff_results({"base.json", base}, {"new.json", changed}, {.margin = margin}));
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(verdict(0.052),
            "regression: mnist/FULL/thread-pool/workers:2/batch:100 is 5.0 ± 0.2 % slower (p < 0.001), more than the "
            "margin, here 4.94 %");
  EXPECT_EQ(verdict(0.04), "regression: mnist/FULL/thread-pool/workers:2/batch:100 is 5.0 ± 0.2 % slower (p < 0.001)");
  EXPECT_EQ(
      verdict(0.0527),
      "inconclusive: mnist/FULL/thread-pool/workers:2/batch:100 is 5.0 ± 0.2 % slower (p < 0.001), which may or may "
      "not exceed the margin, here 5.01 %");
}

TEST(DiffText, AttributesAChangeOfFullToComputeAndLoading) {
  const auto of = [](double synthetic, double io, double full, const std::string& compute) {
    Result made = result_of({{.mode = Mode::kSynthetic, .rates = {0.999 * synthetic, synthetic, 1.001 * synthetic}},
                             {.mode = Mode::kIo, .rates = {0.999 * io, io, 1.001 * io}},
                             {.mode = Mode::kFull, .rates = {0.999 * full, full, 1.001 * full}}});
    made.cells[0].cell.compute = made.cells[2].cell.compute = compute;
    return made;
  };
  const Result base = of(1000, 5000, 1000, "device:samples_per_second=1000");
  const Result changed = of(2000, 1200, 1200, "device:samples_per_second=2000");
  EXPECT_THAT(
      verdict_text(diff_results({"base.json", base}, {"new.json", changed}, {})),
      HasSubstr("\nmnist FULL: stall 0.0 ± 0.2 % -> 40.0 ± 0.1 %, bound: compute -> unclear; of the change, the "
                "compute gave x 2.00 ± 0.01 (SYNTHETIC), loading x 0.60 ± 0.01 (utilisation)\n"));
  const auto without_io = [](Result made) {
    made.cells.erase(made.cells.begin() + 1);
    return made;
  };
  EXPECT_THAT(verdict_text(diff_results({"base.json", without_io(base)}, {"new.json", without_io(changed)}, {})),
              HasSubstr(", bound: not measured as before; of the change, "));
}

TEST(DiffText, SaysEachVerdictInASentence) {
  EXPECT_EQ(verdict({990, 1000, 1010}, {1190, 1200, 1210}),
            "improvement: mnist/FULL/thread-pool/workers:2/batch:100 is 20 ± 3 % faster (p < 0.001)");
  EXPECT_EQ(verdict({990, 1000, 1010}, {2990, 3000, 3010}),
            "improvement: mnist/FULL/thread-pool/workers:2/batch:100 is 3.00 ± 0.07 times as fast (p < 0.001)");
  EXPECT_EQ(verdict({495, 500, 505}, {496, 501, 506}),
            "equivalent: mnist/FULL/thread-pool/workers:2/batch:100 is the same within 3 % (0 ± 2 % faster or slower)");
  EXPECT_EQ(verdict({90, 100, 110}, {91, 99, 112}),
            "inconclusive: mnist/FULL/thread-pool/workers:2/batch:100 is 1 % (-20 to 27 %) faster (p = 0.94); "
            "detecting 3 % would take 190 trials per side");
  EXPECT_EQ(verdict({100}, {90, 91}),
            "inconclusive: mnist/FULL/thread-pool/workers:2/batch:100 is 9.5 % slower: a single trial has no interval; "
            "use more --trials");
  EXPECT_EQ(verdict({100, 101}, {}),
            "missing: mnist/FULL/thread-pool/workers:2/batch:100 decides but has no figures to decide by: the new "
            "result has no "
            "trials");
}

TEST(DiffText, NamesAMetricOtherThanThroughput) {
  Result base = result({1, 1, 1}, {1, 1, 1});
  Result changed = base;
  for (std::size_t i = 0; i < 3; ++i) {
    base.cells[0].trials[i].first_batch_seconds = 0.001 * static_cast<double>(100 + i);
    changed.cells[0].trials[i].first_batch_seconds = 0.001 * static_cast<double>(150 + i);
  }
  const std::string text = diff_text(
      {diff_results({"base.json", base}, {"new.json", changed}, {.metric = &metric_named("first_batch_seconds")})});
  EXPECT_THAT(text,
              StartsWith("regression: mnist/FULL/thread-pool/workers:2/batch:100: first_batch_seconds is 50 ± 3 % "
                         "longer (p < 0.001)\n"));
  EXPECT_THAT(text, HasSubstr("  101 ms ± 1.0 ms  151 ms ± 1.0 ms  "));
}

TEST(DiffText, ListsCellsThatOnlyOneSideHas) {
  Result base = result({1, 1}, {1, 1});
  Result changed = base;
  base.cells[1].cell.workload = "cifar10";
  changed.cells[1].cell.workload = "photos";
  const std::string text = diff_text({diff_results({"base.json", base}, {"new.json", changed}, {})});
  EXPECT_THAT(text,
              StartsWith("missing: cifar10/IO/thread-pool/workers:2/batch:100 of base.json has no partner in new.json\n"
                         "equivalent: mnist/FULL/"));
  EXPECT_THAT(text, HasSubstr("\nonly in base.json\n  cifar10/IO/thread-pool/workers:2/batch:100 (decides)\n"));
  EXPECT_THAT(text, HasSubstr("\nonly in new.json\n  photos/IO/thread-pool/workers:2/batch:100\n"));
}

TEST(DiffText, HasALinePerValueAlongASetting) {
  const Result file =
      result_of({{.mode = Mode::kFull, .rates = {990, 1000, 1010}},
                 {.mode = Mode::kFull, .rates = {890, 900, 910}, .loader = "thread-pool", .workers = 1},
                 {.mode = Mode::kFull, .rates = {1190, 1200, 1210}, .loader = "thread-pool", .workers = 2}});
  const std::string text = diff_text({diff_along({"r.json", file}, "loader", "", {})});
  EXPECT_THAT(text, StartsWith("loader thread-pool against serial: 1 regression, 1 improvement\n"));
  EXPECT_THAT(text, HasSubstr("\nthread-pool against serial  mnist/FULL/serial/batch:100: workers none -> 1  "));
  EXPECT_THAT(text, HasSubstr("\nthread-pool against serial  mnist/FULL/serial/batch:100: workers none -> 2  "));
}

TEST(DiffMarkdown, IsAListAndATable) {
  const std::string text = diff_markdown({regression()});
  EXPECT_THAT(text, StartsWith("- regression: mnist/FULL/thread-pool/workers:2/batch:100 is 10 ± 2 % slower"));
  EXPECT_THAT(text, HasSubstr("\n|  | cell | base | new | change | p | verdict |\n|---|---|---:|---:|---:|---:|---|\n| "
                              "* | mnist/FULL/thread-pool/workers:2/batch:100 | 1.000 ± 0.010 k | 900.0 ± 10.0 | -10 ± "
                              "2 % | < 0.001 | regression |\n"));
  EXPECT_THAT(text, HasSubstr("\nalso different:\n\n- revision: unknown -> abc\n"));
}

TEST(DiffCsv, HasARowPerCell) {
  Result base = result({100, 100}, {100, 100});
  Result changed = result({50, 50}, {50, 50}, 4);
  base.cells[1].cell.workload = "a";
  changed.cells[1].cell.workload = "b";
  EXPECT_EQ(
      diff_csv({diff_results({"base, old.json", base}, {"new.json", changed}, {})}),
      "base,new,cell,base_value,new_value,metric,base_count,base_mean,base_stddev,new_count,new_mean,new_stddev,"
      "ratio,ratio_low,ratio_high,p,adjusted_p,gate,margin,verdict,new_cell,matched_by,changed\n"
      "\"base, old.json\",new.json,mnist/FULL/thread-pool/workers:2/batch:100,,,samples_per_second,2,100,0,2,50,0,"
      "0.5,0.5,0.5,0,0,true,0.03,regression,mnist/FULL/thread-pool/workers:4/batch:100,configuration,workers 2 -> 4\n"
      "\"base, old.json\",new.json,a/IO/thread-pool/workers:2/batch:100,,,samples_per_second,,,,,,,,,,,,true,,"
      "gone,,,\n"
      "\"base, old.json\",new.json,b/IO/thread-pool/workers:4/batch:100,,,samples_per_second,,,,,,,,,,,,false,,"
      "added,,,\n");
}

}  // namespace
}  // namespace loadline
