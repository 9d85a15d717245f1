#include "loaders/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using namespace std::string_view_literals;
using testing::ElementsAre;
using testing::IsEmpty;

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

TEST(NamesLike, AreAFewLettersAway) {
  EXPECT_THAT(names_like("thread-poll", kAnimals), ElementsAre("thread-pool"));
  EXPECT_THAT(names_like("threadpool", kAnimals), ElementsAre("thread-pool"));
  EXPECT_THAT(names_like("Serial", kAnimals), ElementsAre("serial"));
  EXPECT_THAT(names_like("serail", kAnimals), ElementsAre("serial"));
}

TEST(NamesLike, AreTheCloserOnes) {
  constexpr std::array kDTypes{"u8"sv, "f32"sv, "bf16"sv};
  EXPECT_THAT(names_like("bf1", kDTypes), ElementsAre("bf16"));
  EXPECT_THAT(names_like("f3", kDTypes), ElementsAre("f32"));
}

// `--normalise of` used to suggest `on`.
TEST(NamesLike, BeginWithTheWordRatherThanDifferInALetter) {
  EXPECT_THAT(names_like("of", std::array{"auto"sv, "on"sv, "off"sv}), ElementsAre("off"));
}

TEST(NamesLike, TakeTwoLettersInTheWrongOrderForOneSlip) {
  EXPECT_THAT(names_like("form", std::array{"worm"sv, "from"sv}), ElementsAre("worm", "from"));
  EXPECT_THAT(names_like("fomr", std::array{"fo"sv, "form"sv}), ElementsAre("form"));
}

// `--layout NHWC`, `--mode IO` and `--workload CIFAR10` used to suggest nothing.
TEST(NamesLike, TakeCapitalsAndUnderscoresForNoSlips) {
  constexpr std::array kWords{"nchw"sv, "nhwc"sv, "io"sv, "random-resized"sv, "worker_cpus"sv};
  EXPECT_THAT(names_like("NHWC", kWords), ElementsAre("nhwc"));
  EXPECT_THAT(names_like("IO", kWords), ElementsAre("io"));
  EXPECT_THAT(names_like("CIFAR10", std::array{"cifar10"sv, "cifar100"sv}), ElementsAre("cifar10"));
  EXPECT_THAT(names_like("RANDOM_RESIZED", kWords), ElementsAre("random-resized"));
  EXPECT_THAT(names_like("Random", kWords), ElementsAre("random-resized")) << "of which it is the beginning";
  EXPECT_THAT(names_like("worker-cpus", kWords), ElementsAre("worker_cpus"));
  EXPECT_THAT(names_like("U8", std::array{"u8"sv, "f8"sv}), ElementsAre("u8"));
}

// The first used to be suggested.
TEST(NamesLike, AreAllThatAreEquallyNearIfTheyAreFew) {
  constexpr std::array kRhymes{"cat"sv, "bat"sv, "hat"sv, "dog"sv};
  EXPECT_THAT(names_like("rat", kRhymes), ElementsAre("cat", "bat", "hat"));
  EXPECT_THAT(names_like("rat", std::array{"cat"sv, "bat"sv, "hat"sv, "mat"sv}), IsEmpty());
  EXPECT_THAT(names_like("rat", std::array{"cat"sv, "dog"sv, "cat"sv}), ElementsAre("cat")) << "each once";
}

TEST(NamesLike, AreNoneForAnUnrelatedWord) {
  EXPECT_THAT(names_like("elephant", kAnimals), IsEmpty());
  EXPECT_THAT(names_like("", kAnimals), IsEmpty());
  EXPECT_THAT(names_like("serial", {}), IsEmpty());
  EXPECT_THAT(names_like("none", std::array{"on"sv, "off"sv}), IsEmpty()) << "no letter of `on` is in its place";
}

TEST(NamesLike, AreNoneForAShortWordOfWhichHalfDiffers) {
  EXPECT_THAT(names_like("nope", std::array{"npy"sv, "npz"sv, "hdf5"sv}), IsEmpty());
}

// Both used to suggest nothing, or options that only look alike.
TEST(NamesLike, AreThoseOfSeveralWordsOfWhichTheGivenIsOne) {
  EXPECT_THAT(names_like("mmap", std::array{"hdf5"sv, "hdf5-mmap"sv, "hdf5-block"sv}), ElementsAre("hdf5-mmap"));
  EXPECT_THAT(names_like("--threads", std::array{"--trials"sv, "--read"sv, "--compute-threads"sv}),
              ElementsAre("--compute-threads"));
  EXPECT_THAT(names_like("5", std::array{"hdf-5"sv}), IsEmpty()) << "too short to tell";
}

constexpr std::array kOptions{"--workload"sv, "--mode"sv, "--workers"sv, "--batch-size"sv};

TEST(NamesLike, DoNotCountTheDashesOfOptionsAsLetters) {
  EXPECT_THAT(names_like("--word", kOptions), IsEmpty()) << "not --mode, of whose four letters two are others";
  EXPECT_THAT(names_like("--mod", kOptions), ElementsAre("--mode"));
}

TEST(Hint, CompletesAPrefix) {
  EXPECT_EQ(hint_of("--work", kOptions), " (did you mean --workload or --workers?)");
  EXPECT_EQ(hint_of("--batch", kOptions), " (did you mean --batch-size?)");
}

TEST(Hint, NamesTheNearestOrNothing) {
  constexpr std::array kSettings{"workers"sv, "worker_cpus"sv};
  EXPECT_EQ(hint_of("worker", kSettings), " (did you mean workers?)") << "though both begin so";
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
