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
            test::usage("--exclude: want conditions such as loader=serial or workers>1, got ''"));
  EXPECT_EQ(refused_condition("workers"),
            test::usage("--exclude: want conditions such as loader=serial or workers>1, got 'workers'"));
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
