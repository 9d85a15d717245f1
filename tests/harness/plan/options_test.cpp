#include "harness/plan/options.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "harness/file/result_json.h"
#include "loaders/transforms/kernels.h"
#include "tests/harness/support/option_values.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::OptionSample;
using test::thrown_by;
using test::usage;
using Sizes = std::vector<std::size_t>;
using Numbers = std::vector<double>;
using Strings = std::vector<std::string>;

const OptionRow& row_of(std::string_view name) {
  for (const OptionRow& row : run_options()) {
    if (row.name == name) return row;
  }
  throw std::runtime_error("no such option: " + std::string(name));
}

RunOptions written(std::string_view name, std::string_view text) {
  RunOptions options;
  write_option(options, row_of(name), text);
  return options;
}

test::Thrown refusal(std::string_view name, std::string_view text) {
  return thrown_by([&] { written(name, text); });
}

// Texts that are not the defaults, and the values that they stand for. Options that are not named here have a sample
// made from their row.
const std::map<std::string_view, OptionSample> kOptionSamples{
    {"workload", {"mnist,cifar10", Strings{"mnist", "cifar10"}}},
    {"mode", {"full,io", Strings{"full", "io"}}},
    {"loader", {"thread-pool", Strings{"thread-pool"}}},
    {"workers", {"1,4096", Sizes{1, 4096}}},
    {"batch-size", {"64,512", Sizes{64, 512}}},
    {"data", {"/data/a, b", std::string("/data/a, b")}},
    {"stage", {"/scratch", std::string("/scratch")}},
    {"format", {"cifar10", std::string("cifar10")}},
    {"split", {"test", std::string("test")}},
    {"labels", {"coarse", std::string("coarse")}},
    {"read", {"uring", std::string("uring")}},
    {"reads-in-flight", {"16", std::size_t{16}}},
    {"read-ahead", {"256", std::size_t{256}}},
    {"cache", {"cold", std::string("cold")}},
    {"in-memory", {"true", true}},
    {"hdf5-images", {"/train/x", std::string("/train/x")}},
    {"hdf5-labels", {"/train/y", std::string("/train/y")}},
    {"crops", {"77", std::size_t{77}}},
    {"token-type", {"u32", std::string("u32")}},
    {"tokenizer", {"bytes", std::string("bytes")}},
    {"text-key", {"body", std::string("body")}},
    {"documents", {"files", std::string("files")}},
    {"dtype", {"bf16", std::string("bf16")}},
    {"layout", {"nhwc", std::string("nhwc")}},
    {"normalise", {"off", std::string("off")}},
    {"mean", {"-0.5,0.25,0.25", Numbers{-0.5, 0.25, 0.25}}},
    {"std", {"0.5,1e-6", Numbers{0.5, 1e-6}}},
    {"crop-padding", {"0", std::size_t{0}}},
    {"flip", {"on", std::string("on")}},
    {"image-size", {"96", std::size_t{96}}},
    {"crop", {"centre", std::string("centre")}},
    {"decoder", {"opencv", std::string("opencv")}},
    {"turn-upright", {"true", true}},
    {"scaled-dct", {"true", true}},
    {"on-corrupt", {"skip", std::string("skip")}},
    {"crop-edge", {"32", std::size_t{32}}},
    {"rotate", {"off", std::string("off")}},
    {"sequence-length", {"64", std::size_t{64}}},
    {"sequences", {"documents", std::string("documents")}},
    {"kernels", {"scalar", std::string("scalar")}},
    {"order", {"page-shuffled", std::string("page-shuffled")}},
    {"page-samples", {"7", std::size_t{7}}},
    {"window-samples", {"70", std::size_t{70}}},
    {"seed", {"9007199254740992", std::size_t{9007199254740992}}},
    {"rank", {"3", std::size_t{3}}},
    {"world-size", {"4", std::size_t{4}}},
    {"rank-timeout", {"2.5", 2.5}},
    {"drop-last", {"true", true}},
    {"bucket-batches", {"50", std::size_t{50}}},
    {"prefetch", {"12", std::size_t{12}}},
    {"delivery", {"completion", std::string("completion")}},
    {"stores", {"streaming", std::string("streaming")}},
    {"compute", {"device:samples_per_second=5,depth=1", std::string("device:samples_per_second=5,depth=1")}},
    {"precision", {"bf16", std::string("bf16")}},
    {"fusion", {"off", std::string("off")}},
    {"compute-threads", {"3", std::size_t{3}}},
    {"placement", {"pin:0-3", std::string("pin:0-3")}},
    {"exclude", {"loader=serial workers>1,batch_size=64", Strings{"loader=serial workers>1", "batch_size=64"}}},
    {"filter", {"workers<4", Strings{"workers<4"}}},
    {"part", {"1/4", std::string("1/4")}},
    {"max-cells", {"7", std::size_t{7}}},
    {"trials", {"100000", std::size_t{100000}}},
    {"trial-seconds", {"0.125", 0.125}},
    {"trial-batches", {"9", std::size_t{9}}},
    {"warm-up-batches", {"0", std::size_t{0}}},
    {"time-limit", {"1.5m", 90.0}},
    {"until-ci", {"2%", 0.02}},
    {"max-trials", {"9", std::size_t{9}}},
    {"first-epoch-seconds", {"0", 0.0}},
    {"ceilings", {"off", std::string("off")}},
    {"monitor", {"200ms", 0.2}},
    {"counters", {"true", true}},
    {"au", {"0.9", 0.9}},
    {"check-verdict", {"true", true}},
    {"find", {"max-rate", std::string("max-rate")}},
    {"output", {"-", std::string("-")}},
    {"quiet", {"true", true}},
};

OptionSample sample_of(const OptionRow& row) {
  const auto named = kOptionSamples.find(row.name);
  if (named != kOptionSamples.end()) return named->second;
  const auto made = test::other_value(row);
  if (!made) throw std::runtime_error(fmt::format("no sample for --{} in this test", row.name));
  return *made;
}

RunOptions all_written() {
  RunOptions options;
  for (const OptionRow& row : run_options()) write_option(options, row, sample_of(row).text);
  return options;
}

TEST(RunOptions, HaveUniqueNames) {
  std::set<std::string_view> names;
  for (const OptionRow& row : run_options()) EXPECT_TRUE(names.insert(row.name).second) << row.name << " twice";
  for (const auto& [name, sample] : kOptionSamples) EXPECT_TRUE(names.contains(name)) << name << " does not exist";
}

TEST(RunOptions, TakeTheValuesThatTheirRowsTell) {
  const RunOptions standard;
  for (const OptionRow& row : run_options()) {
    const auto made = test::other_value(row);
    if (!made) continue;
    EXPECT_NE(made->value, read_option(standard, row)) << row.name;
    EXPECT_EQ(read_option(written(row.name, made->text), row), made->value) << row.name;
  }
}

TEST(RunOptions, ReadBackWhatWasWrittenAndNothingElse) {
  const RunOptions standard;
  for (const OptionRow& written_row : run_options()) {
    const OptionSample sample = sample_of(written_row);
    const RunOptions options = written(written_row.name, sample.text);
    for (const OptionRow& row : run_options()) {
      const bool same = &row == &written_row;
      EXPECT_EQ(read_option(options, row), same ? sample.value : read_option(standard, row))
          << row.name << " after --" << written_row.name;
    }
  }
}

TEST(RunOptions, SurviveConfigurationAsJson) {
  const RunOptions options = all_written();
  RunOptions again;
  apply_config(config_json(options), "test", again);
  for (const OptionRow& row : run_options()) EXPECT_EQ(read_option(again, row), sample_of(row).value) << row.name;
  EXPECT_EQ(config_json(again), config_json(options));
}

TEST(RunOptions, AtTheirDefaultsSurviveConfigurationAsJson) {
  RunOptions again;
  apply_config(config_json(RunOptions()), "test", again);
  const RunOptions standard;
  for (const OptionRow& row : run_options()) EXPECT_EQ(read_option(again, row), read_option(standard, row)) << row.name;
}

TEST(RunOptions, LeftToTheWorkloadHaveNoValue) {
  const RunOptions standard;
  for (const char* name :
       {"workers",      "batch-size", "data",    "stage",           "mean",          "std",
        "crop-padding", "prefetch",   "compute", "compute-threads", "trial-batches", "warm-up-batches",
        "exclude",      "filter",     "part",    "time-limit",      "until-ci",      "monitor",
        "au",           "find",       "output"}) {
    EXPECT_EQ(read_option(standard, row_of(name)), OptionValue()) << name;
    EXPECT_EQ(standard_text(row_of(name), {}), "") << name;
  }
}

TEST(RunOptions, ShowTheirDefaultsInTheHelp) {
  EXPECT_EQ(standard_text(row_of("workload"), {}), "fashion-mnist");
  EXPECT_EQ(standard_text(row_of("mode"), {}), "io,synthetic,full");
  EXPECT_EQ(standard_text(row_of("trials"), {}), "5");
  EXPECT_EQ(standard_text(row_of("trial-seconds"), {}), "0.5");
  EXPECT_EQ(standard_text(row_of("dtype"), {}), "f32");
  EXPECT_EQ(standard_text(row_of("quiet"), {}), "");
  EXPECT_EQ(standard_text(row_of("trial-seconds"), {.trial_seconds = 0.25}), "0.25") << "of another verb";
}

TEST(RunOptions, HaveDefaultsThatTheyAccept) {
  for (const OptionRow& row : run_options()) {
    const std::string text = standard_text(row, {});
    if (text.empty()) continue;
    EXPECT_EQ(refusal(row.name, text), test::Thrown()) << row.name;
  }
}

TEST(RunOptions, ApplyToCeilingsIfTheySayWhatIsLoaded) {
  for (const char* name : {"workload", "loader", "workers", "batch-size", "data", "in-memory", "dtype", "kernels",
                           "order", "seed", "trials", "output", "quiet"}) {
    EXPECT_TRUE(is_for_ceilings(row_of(name))) << name;
  }
  for (const char* name : {"mode", "prefetch", "delivery", "stores", "compute", "trial-seconds", "trial-batches",
                           "warm-up-batches", "first-epoch-seconds", "ceilings", "au", "check-verdict", "find"}) {
    EXPECT_FALSE(is_for_ceilings(row_of(name))) << name;
  }
}

TEST(RunOptions, ApplyToTrainingUnlessTheyAreAboutTrials) {
  for (const char* name : {"workload", "loader", "data", "dtype", "order", "prefetch", "compute", "precision",
                           "placement", "output", "quiet"}) {
    EXPECT_TRUE(is_for_training(row_of(name))) << name;
  }
  for (const char* name : {"mode", "trials", "trial-seconds", "trial-batches", "warm-up-batches", "first-epoch-seconds",
                           "ceilings", "au", "find"}) {
    EXPECT_FALSE(is_for_training(row_of(name))) << name;
  }
}

TEST(RunOptions, AcceptExternalLoadersWithCommasOfTheirOwn) {
  EXPECT_EQ(written("loader", "./a.so:rows=4,mode=fast,serial,train.py:make").loaders,
            (Strings{"./a.so:rows=4,mode=fast", "serial", "train.py:make"}));
  EXPECT_EQ(written("loader", "libmine.so,/x=y/b.so").loaders, (Strings{"libmine.so", "/x=y/b.so"}));
  EXPECT_EQ(loaders_in("serial,./mine.so:a=1,b=2"), (std::vector<std::string_view>{"serial", "./mine.so:a=1,b=2"}));
}

TEST(RunOptions, RefuseNumbersOutOfRange) {
  EXPECT_EQ(refusal("workers", "0"), test::Thrown());  // an external loader may do without workers
  EXPECT_EQ(refusal("workers", "4097"), usage("--workers: want a whole number from 0 to 4096, got '4097'"));
  EXPECT_EQ(refusal("batch-size", "0"), usage("--batch-size: want a whole number of at least 1, got '0'"));
  EXPECT_EQ(refusal("seed", "9007199254740993"),
            usage("--seed: want a whole number from 0 to 9007199254740992, got '9007199254740993'"));
  EXPECT_EQ(refusal("trial-seconds", "0"), usage("--trial-seconds: want a number from 0.001 to 1000000, got '0'"));
  for (const char* text : {"0", "1.01", "90"}) {
    EXPECT_EQ(refusal("au", text),
              usage("--au: want a share from 1e-06 to 1, such as 0.05 or 5%, got '" + std::string(text) + "'"));
  }
  EXPECT_EQ(refusal("std", "0"), usage("--std: want a number of at least 1e-06, got '0'"));
}

TEST(RunOptions, NameTheLargestNumberWhereItIsExceeded) {
  EXPECT_EQ(refusal("batch-size", "18446744073709551616"),
            usage("--batch-size: want a whole number from 1 to 18446744073709551615, got '18446744073709551616'"));
  EXPECT_EQ(refusal("std", "1e400"), usage("--std: want a number from 1e-06 to 1.7976931348623157e+308, got '1e400'"));
}

TEST(RunOptions, RefuseTextThatIsNotANumber) {
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "-1", "1.5", "0x10", "99999999999999999999", "eins"}) {
    EXPECT_EQ(refusal("trials", text),
              usage("--trials: want a whole number from 1 to 100000, got '" + std::string(text) + "'"));
  }
  for (const char* text : {"", "nan", "inf", "-inf", "1e999", "0,5"}) {
    EXPECT_EQ(refusal("first-epoch-seconds", text),
              usage("--first-epoch-seconds: want a number from 0 to 1000000, got '" + std::string(text) + "'"));
  }
}

TEST(RunOptions, RefuseUnknownWordsAndNameTheNearest) {
  EXPECT_EQ(refusal("dtype", "f16"), usage("--dtype 'f16': want one of u8, f32, bf16 (did you mean bf16?)"));
  EXPECT_EQ(refusal("split", "validation"), usage("--split 'validation': want one of train, test"));
  EXPECT_EQ(refusal("order", "shufled"),
            usage("--order 'shufled': want one of shuffled, page-shuffled, sequential (did you mean shuffled?)"));
  EXPECT_EQ(refusal("workload", "cifar10,cifar1000"),
            usage("--workload 'cifar1000': want one of fashion-mnist, mnist, "
                  "cifar10, cifar100, photos, nbody, tokens, text (did you mean "
                  "cifar100?)"));
}

TEST(RunOptions, RefuseEmptyTextIfThereIsADefault) {
  EXPECT_EQ(refusal("hdf5-labels", ""), usage("--hdf5-labels: want a value, got ''"));
  EXPECT_EQ(refusal("data", ""), test::Thrown()) << "the workload's";
}

TEST(RunOptions, RefuseListsWithGapsOrRepetitions) {
  EXPECT_EQ(refusal("workers", "1,,2"), usage("--workers: want a whole number from 0 to 4096, got ''"));
  EXPECT_EQ(refusal("workers", "1,2,1"), usage("--workers: the list contains '1' twice"));
  EXPECT_EQ(refusal("loader", "serial,serial"), usage("--loader: the list contains 'serial' twice"));
  EXPECT_EQ(refusal("mean", "0.5,0.5,0.5"), test::Thrown()) << "channels may be alike";
}

TEST(RunOptions, AcceptSharesInPercentAndTimesInTheirUnits) {
  EXPECT_EQ(written("au", "90%").au, 0.9);
  EXPECT_EQ(written("monitor", "1.5s").monitor, 1.5);
  EXPECT_EQ(refusal("monitor", "9ms"), usage("--monitor: want a time from 10ms to 1h, such as 200ms, got '9ms'"));
  EXPECT_EQ(written("time-limit", "45").time_limit, 45);
  EXPECT_EQ(written("time-limit", "45s").time_limit, 45);
  EXPECT_EQ(written("time-limit", "2h").time_limit, 7200);
  EXPECT_EQ(refusal("time-limit", "2d"), usage("--time-limit: want a time such as 90s, 20m or 1.5h, got '2d'"));
  EXPECT_EQ(refusal("time-limit", "0"), usage("--time-limit: want a time such as 90s, 20m or 1.5h, got '0'"));
  EXPECT_EQ(refusal("trials", "5%"), usage("--trials: want a whole number from 1 to 100000, got '5%'"));
}

TEST(RunOptions, AcceptRangesAndTheWordAll) {
  EXPECT_EQ(written("workers", "1:8:*2,12").workers, (Sizes{1, 2, 4, 8, 12}));
  EXPECT_EQ(written("batch-size", "32:96:32").batch_sizes, (Sizes{32, 64, 96}));
  EXPECT_EQ(written("mode", "all").modes, (Strings{"io", "synthetic", "full"}));
  EXPECT_GT(written("loader", "all").loaders.size(), 3U);
  EXPECT_EQ(refusal("workers", "1:8192:*2"),
            usage("--workers: want a whole number from 0 to 4096, but the range '1:8192:*2' contains 8192"));
  EXPECT_EQ(refusal("workers", "1:4,2"), usage("--workers: the list contains '2' twice"));
}

TEST(RunOptions, KeepSeveralValuesOfAnOptionWithOneValueAsAnAxis) {
  RunOptions options = written("prefetch", "2:8:*2");
  EXPECT_EQ(options.prefetch, 2U);
  EXPECT_EQ(options.axes, (std::vector<Axis>{{"prefetch", {"2", "4", "8"}}}));
  EXPECT_EQ(read_option(options, row_of("prefetch")), OptionValue(Sizes{2, 4, 8}));

  write_option(options, row_of("dtype"), "u8,f32");
  EXPECT_EQ(options.dtype, "u8");
  EXPECT_EQ(read_option(options, row_of("dtype")), OptionValue(Strings{"u8", "f32"}));

  RunOptions again;
  apply_config(config_json(options), "test", again);
  EXPECT_EQ(again.axes, (std::vector<Axis>{{"dtype", {"u8", "f32"}}, {"prefetch", {"2", "4", "8"}}}));

  write_option(options, row_of("prefetch"), "3");
  EXPECT_EQ(options.axes, (std::vector<Axis>{{"dtype", {"u8", "f32"}}})) << "one value is no axis";
}

TEST(RunOptions, TakeTheLastValueOfSeveralUnlessTheyAreConditionsWhichAllCount) {
  const auto twice = [](std::string_view name, std::string_view first, std::string_view second) {
    RunOptions options = written(name, first);
    write_option(options, row_of(name), second);
    return read_option(options, row_of(name));
  };
  EXPECT_EQ(twice("workers", "1,2", "4"), OptionValue(Sizes{4}));
  EXPECT_EQ(twice("trials", "7", "9"), OptionValue(std::size_t{9}));
  EXPECT_EQ(twice("exclude", "workers=1,workers=2", "loader=serial,workers=2"),
            OptionValue(Strings{"workers=1", "workers=2", "loader=serial"}))
      << "it used to be the last list";
  EXPECT_EQ(twice("filter", "mode=full,mode=io", "workers<4 batch_size=64,loader=serial"),
            OptionValue(Strings{"mode=full workers<4 batch_size=64", "mode=full loader=serial",
                                "mode=io workers<4 batch_size=64", "mode=io loader=serial"}));
  EXPECT_EQ(twice("filter", "mode=full,mode=io", "mode=full,mode=io"), OptionValue(Strings{"mode=full", "mode=io"}));
}

// The 2 used to be refused as no condition.
TEST(RunOptions, TakeSeveralValuesAfterTheEqualsSignOfACondition) {
  EXPECT_EQ(written("exclude", "workers=1,2").exclude, (Strings{"workers=1", "workers=2"}));
  EXPECT_EQ(written("filter", "loader=serial workers=1,2,4,mode=io").filter,
            (Strings{"loader=serial workers=1", "loader=serial workers=2", "loader=serial workers=4", "mode=io"}));
  EXPECT_EQ(written("exclude", "workers!=1,2").exclude, (Strings{"workers!=1", "2"})) << "refused with the plan";
  EXPECT_EQ(written("exclude", "workers>=1,2").exclude, (Strings{"workers>=1", "2"}));
  EXPECT_EQ(written("exclude", "workers=1,2 mode=io").exclude, (Strings{"workers=1", "2 mode=io"}));
  RunOptions options = written("exclude", "workers=1");
  write_option(options, row_of("exclude"), "2");
  EXPECT_EQ(options.exclude, (Strings{"workers=1", "2"})) << "each option stands by itself";
}

TEST(RunOptions, ReplaceTheConditionsOfAFile) {
  RunOptions options;
  apply_config(R"({"exclude": ["workers=1"], "filter": ["mode=io"]})", "test", options);
  write_option(options, row_of("exclude"), "workers=2");
  write_option(options, row_of("exclude"), "workers=4");
  write_option(options, row_of("filter"), "mode=full");
  EXPECT_EQ(options.exclude, (Strings{"workers=2", "workers=4"}));
  EXPECT_EQ(options.filter, Strings{"mode=full"});
}

TEST(RunOptions, DistinguishCommasWithinValuesFromThoseBetweenThem) {
  EXPECT_EQ(written("compute", "device:samples_per_second=5,depth=1,drain").axes,
            (std::vector<Axis>{{"compute", {"device:samples_per_second=5,depth=1", "drain"}}}));
  EXPECT_EQ(written("placement", "pin:0-3,8,shared").axes, (std::vector<Axis>{{"placement", {"pin:0-3,8", "shared"}}}));
}

TEST(RunOptions, LeaveAutoOutOfAll) {
  EXPECT_EQ(written("stores", "all").axes, (std::vector<Axis>{{"stores", {"cached", "streaming"}}}));
}

TEST(RunOptions, RefuseFlagsThatAreNeitherOnNorOff) {
  EXPECT_EQ(refusal("quiet", "yes"), usage("--quiet: want on or off, got 'yes'"));
  EXPECT_FALSE(written("quiet", "false").quiet);
}

TEST(PairsOptions, SayWhatIsMeasuredAndForHowLong) {
  std::vector<std::string_view> left_out;
  for (const OptionRow& row : run_options()) {
    if (!is_for_pairs(row)) left_out.push_back(row.name);
  }
  for (const std::string_view name : {"trials", "until-ci", "time-limit", "ceilings", "part", "au", "find"}) {
    EXPECT_NE(std::ranges::find(left_out, name), left_out.end()) << name;
  }
  for (const std::string_view name : {"workers", "prefetch", "trial-seconds", "seed", "output", "filter"}) {
    EXPECT_EQ(std::ranges::find(left_out, name), left_out.end()) << name;
  }
}

TEST(SweepOptions, SayWhichConfigurationsThereAreAndInWhichOrder) {
  std::vector<std::string_view> makers;
  for (const OptionRow& row : run_options()) {
    if (makes_sweep(row)) makers.push_back(row.name);
  }
  for (const std::string_view name : {"workload", "loader", "data", "dtype", "seed", "compute", "exclude", "filter"}) {
    EXPECT_NE(std::ranges::find(makers, name), makers.end()) << name;
  }
  for (const std::string_view name : {"part", "max-cells", "stage", "trials", "time-limit", "au", "output", "quiet"}) {
    EXPECT_EQ(std::ranges::find(makers, name), makers.end()) << name;
  }
}

TEST(KernelsIn, NamesAllThatAreAskedForOnce) {
  const std::string fastest(kernels_named("auto").name);
  EXPECT_EQ(kernels_in({.kernels = "scalar"}), "scalar");
  EXPECT_EQ(kernels_in({}), fastest);
  EXPECT_EQ(kernels_in({.axes = {{"kernels", {"auto", fastest}}}}), fastest);
  if (fastest == "scalar") GTEST_SKIP() << "this CPU has no other kernels";
  EXPECT_EQ(kernels_in({.axes = {{"kernels", {"scalar", "auto"}}}, .kernels = "scalar"}), "scalar and " + fastest);
}

TEST(ParseShare, TakesANumberOrAPercentage) {
  EXPECT_DOUBLE_EQ(parse_share("margin", "5%", 0, 1), 0.05);
  EXPECT_DOUBLE_EQ(parse_share("margin", "0.05", 0, 1), 0.05);
  EXPECT_EQ(test::thrown_by([] { parse_share("margin", "5 %", 0, 1); }).message,
            "--margin: want a share from 0 to 1, such as 0.05 or 5%, got '5 %'");
}

}  // namespace
}  // namespace loadline
