#include "harness/plan/conditions.h"

#include <gtest/gtest.h>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

Cell full_cell() {
  Cell cell{
      .workload = "mnist", .mode = Mode::kFull, .compute = "device:samples_per_second=5", .loader = "thread-pool"};
  cell.workers = 4;
  cell.sampler.batch_size = 64;
  return cell;
}

bool holds(const char* text, bool where_absent = false) {
  return hold(parse_conditions("--filter", text), full_cell(), where_absent);
}

test::Thrown refused_condition(const char* text) {
  return test::thrown_by([&] { parse_conditions("--exclude", text); });
}

TEST(Conditions, CompareSettingsAsText) {
  EXPECT_TRUE(holds("loader=thread-pool"));
  EXPECT_FALSE(holds("loader=serial"));
  EXPECT_TRUE(holds("loader!=serial"));
  EXPECT_TRUE(holds("mode=full")) << "as options write it";
  EXPECT_TRUE(holds("compute=device:samples_per_second=5"));
}

TEST(Conditions, TakeTheWordsOfResultsAndOfOptions) {
  EXPECT_TRUE(holds("in_memory=off")) << "as options write it";
  EXPECT_TRUE(holds("in_memory=false"));
  EXPECT_FALSE(holds("in_memory!=off"));
  EXPECT_FALSE(holds("in_memory=on"));
}

test::Thrown refused_for_cells(const char* text) {
  Cell resident = full_cell();
  resident.mode = Mode::kSynthetic;
  resident.loader.reset();
  resident.workers = 0;
  const std::vector<Cell> cells{full_cell(), resident};
  return test::thrown_by([&] { check_any_meets("--filter", parse_conditions("--filter", text), cells); });
}

TEST(Conditions, ThatNoCellMeetsAreRefused) {
  EXPECT_EQ(refused_for_cells("mode=full loader=serail"),
            test::usage("--filter: no cell meets loader=serail; loader is thread-pool"));
  EXPECT_EQ(refused_for_cells("workers=abc"), test::usage("--filter: no cell meets workers=abc; workers is 4"));
  EXPECT_EQ(refused_for_cells("in_memory=on"), test::usage("--filter: no cell meets in_memory=on; in_memory is off"));
  EXPECT_EQ(refused_for_cells("mode=io"), test::usage("--filter: no cell meets mode=io; mode is FULL or SYNTHETIC"));
  EXPECT_EQ(refused_for_cells("prefetch>2"),
            test::usage("--filter: no cell meets prefetch>2; prefetch applies to none"));
  EXPECT_EQ(refused_for_cells("loader=thread-pool workers>2").message, "") << "one cell meets each of them";
}

TEST(Conditions, CompareNumbers) {
  EXPECT_TRUE(holds("workers>3"));
  EXPECT_FALSE(holds("workers>4"));
  EXPECT_TRUE(holds("workers>=4"));
  EXPECT_TRUE(holds("batch_size<100")) << "as numbers, not as text";
  EXPECT_FALSE(holds("batch-size<=63")) << "by the option's name too";
}

TEST(Conditions, MustAllHold) {
  EXPECT_TRUE(holds("loader=thread-pool  workers=4"));
  EXPECT_FALSE(holds("loader=thread-pool workers=5"));
}

TEST(Conditions, OnSettingsThatDoNotApplyCountAsTheCallerChooses) {
  EXPECT_FALSE(holds("prefetch>2", false));
  EXPECT_TRUE(holds("prefetch>2", true));
  EXPECT_FALSE(holds("prefetch>2 workers=5", true));
}

TEST(Conditions, OnTextHaveNoOrder) {
  EXPECT_FALSE(holds("loader>3"));
}

TEST(Conditions, ThatMakeNoSenseAreRefused) {
  EXPECT_EQ(refused_condition(""),
            test::usage("--exclude: want conditions such as loader=serial, workers=1,2 or workers>1, got ''"));
  EXPECT_EQ(refused_condition("workers"),
            test::usage("--exclude: want conditions such as loader=serial, workers=1,2 or workers>1, got 'workers'"));
  EXPECT_EQ(refused_condition("workers="), test::usage("--exclude: want a value after the sign, got 'workers='"));
  EXPECT_EQ(refused_condition("workers!4"),
            test::usage("--exclude: want one of = != < <= > >= between setting and value, got 'workers!4'"));
  EXPECT_EQ(refused_condition("workers>many"),
            test::usage("--exclude: only numbers can be ordered, got 'workers>many'"));
}

TEST(Conditions, OnUnknownSettingsNameTheNearest) {
  const test::Thrown thrown = refused_condition("worker=4");
  EXPECT_NE(thrown.message.find("--exclude: setting 'worker': want one of workload"), std::string::npos);
  EXPECT_NE(thrown.message.find("(did you mean workers?)"), std::string::npos);
}

}  // namespace
}  // namespace loadline
