#include "harness/plan/one_value.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "harness/file/result_json.h"
#include "harness/file/training_json.h"
#include "harness/plan/data_kinds.h"
#include "harness/plan/plan.h"
#include "harness/plan/settings.h"
#include "harness/plan/workloads.h"
#include "loaders/names.h"
#include "synthetic/compute/compute.h"
#include "tests/harness/support/option_values.h"
#include "tests/harness/support/trainings.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using testing::HasSubstr;

bool is_list(const OptionRow& row) {
  return std::holds_alternative<std::vector<std::size_t> RunOptions::*>(row.field) ||
         std::holds_alternative<std::vector<double> RunOptions::*>(row.field) ||
         std::holds_alternative<std::vector<std::string> RunOptions::*>(row.field);
}

const OptionRow& option_named(std::string_view name) {
  return row_named(run_options(), "option", name);
}

// Two values of an axis, and the other options without which they would have no effect.
struct Two {
  std::string values;
  std::map<std::string_view, std::string> beside = {};
};

const std::map<std::string_view, Two> kAxes{
    {"read", {"pread,uring"}},
    {"reads-in-flight", {"16,64", {{"read", "uring"}}}},
    {"read-ahead", {"16,64", {{"read", "uring"}}}},
    {"cache", {"warm,cold"}},
    {"in-memory", {"off,on"}},
    {"dtype", {"u8,f32"}},
    {"layout", {"nchw,nhwc"}},
    {"crop-padding", {"0,4"}},
    {"flip", {"off,on"}},
    {"image-size", {"96,224"}},
    {"crop", {"centre,none"}},
    {"decoder", {"jpeg,opencv"}},
    {"turn-upright", {"false,true"}},
    {"scaled-dct", {"on,off"}},
    {"crop-edge", {"32,64"}},
    {"rotate", {"off,on"}},
    {"sequence-length", {"64,128", {{"workload", "tokens"}}}},
    {"sequences", {"random,documents", {{"workload", "tokens"}}}},
    {"kernels", {"auto,scalar"}},
    {"order", {"sequential,shuffled"}},
    {"page-samples", {"8,64", {{"order", "page-shuffled"}}}},
    {"window-samples", {"64,128", {{"order", "page-shuffled"}}}},
    {"drop-last", {"off,on"}},
    {"bucket-batches", {"0,50", {{"workload", "text"}}}},
    {"prefetch", {"2,4"}},
    {"delivery", {"in-order,completion"}},
    {"stores", {"cached,streaming"}},
    {"compute", {"device:samples_per_second=5,device:samples_per_second=7"}},
    {"precision", {"f32,bf16", {{"compute", "cnn"}}}},
    {"fusion", {"off,on", {{"compute", "cnn"}}}},
    {"compute-threads", {"1,2", {{"compute", "cnn"}}}},
    {"placement", {"shared,pin:1"}},
};

// An axis that is not named above has two values made from its row, with a workload of the data that it is for.
Two two_of(const OptionRow& row) {
  const auto named = kAxes.find(row.name);
  if (named != kAxes.end()) return named->second;
  const auto made = test::two_values(row);
  if (!made) throw std::runtime_error(fmt::format("no two values of --{} in this test", row.name));
  const auto workload =
      std::ranges::find_if(workloads(), [&](const Workload& one) { return (kinds_of(one) & row.data) != 0; });
  return {.values = *made, .beside = {{"workload", std::string(workload->name)}}};
}

// The cell written to a file and read again.
Cell reread(const Cell& cell) {
  TrainingResult training = test::training();
  training.cell.cell = cell;
  return parse_training(training_json(training), "training.json").cell.cell;
}

TEST(OneValue, AppliesToEveryOptionThatIsNeitherAListNorAnAxis) {
  for (const OptionRow& row : run_options()) {
    const int ways = (is_list(row) ? 1 : 0) + (row.axis ? 1 : 0) + (why_one_value(row).empty() ? 0 : 1);
    EXPECT_EQ(ways, 1) << "--" << row.name;
  }
}

TEST(OneValue, DoesNotApplyToAnAxisWhoseValuesAllRun) {
  for (const OptionRow& row : run_options()) {
    if (!row.axis) continue;
    const Two two = two_of(row);
    if (two.beside.contains("compute") && std::ranges::count(names_of(computes()), two.beside.at("compute")) == 0) {
      continue;  // built without this compute
    }
    RunOptions options{.modes = {"full"}, .loaders = {"thread-pool"}, .workers = {1}};
    for (const auto& [name, value] : two.beside) write_option(options, option_named(name), value);
    write_option(options, row, two.values);
    const Plan plan = make_plan(options, {.threads_in_force = 4, .cpus = {0, 1, 2, 3}, .data_directory = "/data"});
    const SettingRow& setting = setting_named("axis", key_of(row));
    std::set<std::string> values;
    std::set<std::string> names;
    for (const Cell& cell : plan.cells) {
      if (cell.mode != Mode::kFull) continue;
      values.insert(text_of(setting.read(cell)));
      names.insert(cell.name());
      EXPECT_EQ(setting.read(reread(cell)), setting.read(cell)) << "--" << row.name;
    }
    EXPECT_EQ(values.size(), 2U) << "--" << row.name << ": name two values in kAxes, with what they need";
    EXPECT_EQ(names.size(), 2U) << "--" << row.name;

    RunOptions again;
    apply_config(config_json(options), "test", again);
    EXPECT_EQ(read_option(again, row), read_option(options, row)) << "--" << row.name;
  }
}

TEST(OneValue, IsRequiredWithAReasonIfAListIsGiven) {
  const auto refusal = [](std::string_view name, std::string_view text) {
    return test::thrown_by([&] {
      RunOptions options;
      write_option(options, option_named(name), text);
    });
  };
  EXPECT_EQ(refusal("seed", "1,2"), test::usage("--seed: want one value, got '1,2': it applies to the whole run"));
  EXPECT_EQ(
      refusal("split", "train,test"),
      test::usage(
          "--split: want one value, got 'train,test': it describes the data, and a workload has one dataset per run"));
  EXPECT_EQ(refusal("data", "/data/a,b"), test::Thrown()) << "paths may have commas";
}

TEST(OneValue, OfAFlagIsOnOrOff) {
  const OptionRow& row = option_named("in-memory");
  RunOptions options;
  for (const char* text : {"on", "true", "off", "false"}) {
    write_option(options, row, text);
    EXPECT_EQ(options.in_memory, std::string(text) == "on" || std::string(text) == "true") << text;
    EXPECT_TRUE(options.axes.empty());
  }
  write_option(options, row, "all");
  EXPECT_EQ(options.axes, (std::vector<Axis>{{"in-memory", {"off", "on"}}}));
  EXPECT_EQ(test::thrown_by([&] { write_option(options, row, "off,false"); }),
            test::usage("--in-memory: the list contains 'off' twice"));
  EXPECT_EQ(test::thrown_by([&] { write_option(options, row, "maybe"); }),
            test::usage("--in-memory: want on or off, got 'maybe'"));
}

TEST(OneValueText, NamesEveryOptionThatTakesOneValue) {
  const std::string text = one_value_text();
  for (const OptionRow& row : run_options()) {
    if (why_one_value(row).empty()) continue;
    EXPECT_THAT(text, HasSubstr("--" + std::string(row.name))) << row.name;
  }
  EXPECT_THAT(text, HasSubstr("  --rank, --world-size: they are this process's share of a job\n"));
  EXPECT_THAT(text, HasSubstr("--documents: they describe the data, and a workload has one dataset per run\n"));
  EXPECT_THAT(text, HasSubstr("--output, --quiet: they apply to the whole run\n"));
  EXPECT_THAT(text, HasSubstr("  --on-corrupt: it changes nothing that is measured\n"));
}

}  // namespace
}  // namespace loadline
