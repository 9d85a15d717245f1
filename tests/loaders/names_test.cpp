#include "loaders/names.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using namespace std::string_view_literals;

constexpr std::array kAnimals{"serial"sv, "thread-pool"sv, "flow-graph"sv};

struct Row {
  std::string_view name;
  int legs;
};
constexpr std::array kTable{Row{"spider", 8}, Row{"beetle", 6}};

TEST(Names, AreListedWithCommas) {
  EXPECT_EQ(list_of(kAnimals), "serial, thread-pool, flow-graph");
  EXPECT_EQ(list_of(std::span(kAnimals).first(1)), "serial");
  EXPECT_EQ(list_of({}), "");
}

TEST(NearestName, IsTheOneAFewLettersAway) {
  EXPECT_EQ(nearest_name("thread-poll", kAnimals), "thread-pool");
  EXPECT_EQ(nearest_name("threadpool", kAnimals), "thread-pool");
  EXPECT_EQ(nearest_name("Serial", kAnimals), "serial");
  EXPECT_EQ(nearest_name("serail", kAnimals), "serial");
}

TEST(NearestName, IsTheCloserOfTwo) {
  constexpr std::array names{"u8"sv, "f32"sv, "bf16"sv};
  EXPECT_EQ(nearest_name("bf1", names), "bf16");
  EXPECT_EQ(nearest_name("f3", names), "f32");
}

TEST(NearestName, IsAbsentForAnUnrelatedWord) {
  EXPECT_EQ(nearest_name("elephant", kAnimals), std::nullopt);
  EXPECT_EQ(nearest_name("", kAnimals), std::nullopt);
  EXPECT_EQ(nearest_name("serial", {}), std::nullopt);
  EXPECT_EQ(nearest_name("none", std::array{"on"sv, "off"sv}), std::nullopt) << "no letter of `on` is in its place";
}

constexpr std::array kOptions{"--workload"sv, "--mode"sv, "--workers"sv, "--batch-size"sv};

TEST(NearestName, DoesNotCountTheDashesOfOptionsAsLetters) {
  EXPECT_EQ(nearest_name("--word", kOptions), std::nullopt) << "not --mode, of whose four letters two are others";
  EXPECT_EQ(nearest_name("--mod", kOptions), "--mode");
}

TEST(Hint, CompletesAPrefix) {
  EXPECT_EQ(hint_of("--work", kOptions), " (did you mean --workload or --workers?)");
  EXPECT_EQ(hint_of("--batch", kOptions), " (did you mean --batch-size?)");
}

TEST(Hint, IsTheNearestNameOrNothing) {
  constexpr std::array settings{"workers"sv, "worker_cpus"sv};
  EXPECT_EQ(hint_of("worker", settings), " (did you mean workers?)") << "though both begin so";
  EXPECT_EQ(hint_of("--wrokers", kOptions), " (did you mean --workers?)");
  EXPECT_EQ(hint_of("--elephant", kOptions), "");
  EXPECT_EQ(hint_of("--", kOptions), "") << "which every option begins with";
}

TEST(UnknownName, ListsTheValidNamesAndSuggestsTheNearest) {
  EXPECT_EQ(test::thrown_by([] { throw unknown_name("loader", "thread-poll", kAnimals); }),
            test::usage("loader 'thread-poll': want one of serial, thread-pool, flow-graph (did you mean "
                        "thread-pool?)"));
  EXPECT_EQ(test::thrown_by([] { throw unknown_name("loader", "elephant", kAnimals); }),
            test::usage("loader 'elephant': want one of serial, thread-pool, flow-graph"));
  EXPECT_EQ(test::thrown_by([] { throw unknown_name("format", "yaml", std::array{"json"sv}); }),
            test::usage("format 'yaml': want json"));
}

TEST(RowNamed, FindsTheRow) {
  EXPECT_EQ(row_named(kTable, "animal", "beetle").legs, 6);
}

TEST(RowNamed, RefusesAnUnknownName) {
  EXPECT_EQ(test::thrown_by([] { row_named(kTable, "animal", "beatle"); }),
            test::usage("animal 'beatle': want one of spider, beetle (did you mean beetle?)"));
}

}  // namespace
}  // namespace loadline
