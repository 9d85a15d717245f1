#include "harness/plan/data_kinds.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/plan/options.h"
#include "harness/plan/plan.h"
#include "harness/plan/refusals.h"
#include "loaders/names.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using Given = std::vector<std::pair<std::string_view, std::string_view>>;

RunOptions asked_for(const Given& given) {
  RunOptions options;
  for (const auto& [name, text] : given) write_option(options, row_named(run_options(), "option", name), text);
  return options;
}

test::Thrown planned(const RunOptions& options) {
  return test::thrown_by([&] {
    make_plan(options, {.threads_in_force = 4, .cpus = {0, 1, 2, 3}, .data_directory = "/data"});
  });
}

TEST(DataKinds, FollowFromADataset) {
  EXPECT_EQ(kinds_of(DatasetInfo{.format = "idx"}), kImageData);
  EXPECT_EQ(kinds_of(DatasetInfo{.format = "tfrecord", .encoded = true}), kPhotoData);
  EXPECT_EQ(kinds_of(DatasetInfo{.format = "volume", .volume = VolumeShape()}), kVolumeData);
  EXPECT_EQ(kinds_of(DatasetInfo{.format = "tokens", .tokens = TokenShape()}), kTokenData);
  EXPECT_EQ(kinds_of(DatasetInfo{.format = "text", .text = TextShape()}), kTextData);
  EXPECT_EQ(kinds_of(DatasetInfo{.format = "python"}), kOutsideData) << "what a program's own loader reads";
  EXPECT_EQ(words_of(kTokenData | kTextData), "tokens and text");
  EXPECT_EQ(words_of(kImageData | kPhotoData | kVolumeData), "images of one size, photographs and volumes");
  EXPECT_EQ(words_of(kOwnData), "data that loadline reads itself");
  EXPECT_EQ(holding("/data/a", {.format = "idx"}), "/data/a, which holds images of one size");
  EXPECT_EQ(holding("/job/train.py", {.format = "python"}), "loaders in /job/train.py");
}

TEST(DataKinds, OfAnOptionAreThoseThatItsHelpNames) {
  for (const OptionRow& row : run_options()) {
    if (row.data == kAnyData || row.data == kOwnData) continue;
    EXPECT_EQ(row.help.starts_with("photographs: "), row.data == kPhotoData) << row.name;
    EXPECT_EQ(row.help.starts_with("volumes: "), row.data == kVolumeData) << row.name;
    EXPECT_EQ(row.help.starts_with("tokens: "), (row.data & kTokenData) != 0) << row.name;
    EXPECT_EQ(row.help.starts_with("text: ") || row.help.starts_with("padded text: "), row.data == kTextData)
        << row.name;
  }
}

TEST(DataKinds, OfAnOptionMustMatchAWorkload) {
  const std::vector<std::pair<Given, std::string>> cases{
      {{{"workload", "cifar10"}, {"sequence-length", "128"}},
       "--sequence-length: it applies to tokens and text, not to workload cifar10"},
      {{{"workload", "cifar10"}, {"sequence-length", "256"}},
       "--sequence-length: it applies to tokens and text, not to workload cifar10"},
      {{{"workload", "photos,mnist"}, {"sequences", "random,documents"}},
       "--sequences: it applies to tokens and text, not to workloads photos, mnist"},
      {{{"workload", "tokens"}, {"tokenizer", "bytes"}}, "--tokenizer: it applies to text, not to workload tokens"},
      {{{"workload", "text"}, {"token-type", "u32"}}, "--token-type: it applies to tokens, not to workload text"},
      {{{"workload", "tokens,text"}, {"crops", "5"}}, "--crops: it applies to volumes, not to workloads tokens, text"},
      {{{"workload", "tokens"}, {"image-size", "64"}},
       "--image-size: it applies to photographs, not to workload tokens"},
      {{{"workload", "nbody"}, {"image-size", "64"}}, "--image-size: it applies to photographs, not to workload nbody"},
  };
  for (const auto& [given, sentence] : cases) EXPECT_EQ(planned(asked_for(given)), test::usage(sentence));
}

// A function in Python gets the number of workers, the batch size, its rank and the seed, and does the rest itself.
TEST(DataKinds, OfOptionsThatOnlyLoadlinesOwnLoadersHeedAreNotThoseOfALoaderInPython) {
  const std::vector<std::pair<std::string_view, std::string_view>> unheeded{
      {"in-memory", "true"}, {"order", "sequential"}, {"page-samples", "8"}, {"drop-last", "true"}, {"dtype", "u8"},
      {"layout", "nhwc"},    {"read", "mmap"},        {"split", "test"},     {"format", "idx"},     {"flip", "on"}};
  for (const auto& [name, text] : unheeded) {
    EXPECT_EQ(
        planned(asked_for({{"workload", "python"}, {name, text}})),
        test::usage(fmt::format("--{}: it applies to data that loadline reads itself, not to workload python", name)));
  }
}

TEST(DataKinds, OfAnOptionNeedMatchOnlyOneWorkload) {
  for (const Given& given :
       std::vector<Given>{{{"workload", "cifar10,tokens"}, {"sequence-length", "128"}},
                          {{"workload", "photos,text"}, {"on-corrupt", "skip"}},
                          {{"workload", "cifar10"}, {"image-size", "64"}},
                          {{"workload", "python"}, {"data", "/data/mnist"}, {"order", "sequential"}},
                          {{"workload", "nbody"}, {"crop-edge", "8,16"}}})
    EXPECT_EQ(planned(asked_for(given)), test::Thrown());
}

TEST(DataKinds, DoNotMatterForOptionsThatWereNotGiven) {
  const RunOptions from_a_file{.workloads = {"cifar10"}, .crops = 5, .sequence_length = 128};
  EXPECT_EQ(planned(from_a_file), test::Thrown());
  EXPECT_EQ(test::thrown_by([&] { check_heeded(from_a_file, kImageData, "it"); }), test::Thrown());
}

}  // namespace
}  // namespace loadline
