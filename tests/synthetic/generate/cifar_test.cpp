#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "synthetic/generate/generate.h"
#include "synthetic/generate/layout.h"
#include "tests/synthetic/generate/generated.h"

namespace loadline {
namespace {

using Sizes = std::map<std::string, std::size_t>;
using Sums = std::map<std::string, std::uint64_t>;

// The published coarse label of each fine label of CIFAR-100.
constexpr std::array<int, 100> kPublishedCoarse{
    4,  1,  14, 8,  0,  6,  7,  7, 18, 3,  3,  14, 9, 18, 7,  11, 3,  9, 7,  11, 6,  11, 5,  10, 7,
    6,  13, 15, 3,  15, 0,  11, 1, 10, 12, 14, 16, 9, 11, 5,  5,  19, 8, 8,  15, 13, 14, 17, 18, 10,
    16, 4,  17, 4,  2,  0,  17, 4, 18, 17, 10, 3,  2, 12, 12, 16, 12, 1, 9,  19, 2,  10, 0,  1,  16,
    12, 9,  13, 15, 13, 16, 19, 2, 4,  6,  19, 5,  5, 8,  19, 18, 1,  2, 15, 6,  0,  17, 8,  14, 13};

std::vector<test::Picture> pictures(const PlannedFile& file, std::size_t label_at) {
  const auto first_pixel = static_cast<std::ptrdiff_t>(label_at) + 1;
  std::vector<test::Picture> out;
  std::vector<std::uint8_t> record(file.record_bytes);
  for (std::size_t i = 0; i < file.records; ++i) {
    file.fill(file.first + i, record);
    out.push_back({record[label_at], std::vector<float>(record.begin() + first_pixel, record.end())});
  }
  return out;
}

TEST(Cifar10, HasThePublishedFilesWithTheSamplesSpreadEvenly) {
  const test::TemporaryDirectory home;
  generate("cifar10", home / "data", {.samples = 52});
  EXPECT_EQ(test::sizes_in(home / "data"), (Sizes{{"batches.meta.txt", 60},
                                                  {"data_batch_1.bin", 11 * 3073},
                                                  {"data_batch_2.bin", 11 * 3073},
                                                  {"data_batch_3.bin", 10 * 3073},
                                                  {"data_batch_4.bin", 10 * 3073},
                                                  {"data_batch_5.bin", 10 * 3073},
                                                  {"test_batch.bin", 10 * 3073}}));
  EXPECT_EQ(test::bytes_of(home / "data" / "batches.meta.txt"),
            "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n");
}

TEST(Cifar10, IsTheSameBytesOnEveryMachine) {
  const test::TemporaryDirectory home;
  generate("cifar10", home / "data", {.samples = 52});
  EXPECT_EQ(test::checksums_in(home / "data"), (Sums{{"batches.meta.txt", 0xee2acbe62a358d1dULL},
                                                     {"data_batch_1.bin", 0xa42c9a61bbe1f62ULL},
                                                     {"data_batch_2.bin", 0x6e4b4b70e1c69b1eULL},
                                                     {"data_batch_3.bin", 0x6311825e66e08201ULL},
                                                     {"data_batch_4.bin", 0x31a13bfbba7e7621ULL},
                                                     {"data_batch_5.bin", 0xa9f0b0d86586ec58ULL},
                                                     {"test_batch.bin", 0xb2c791db79bda778ULL}}));
}

TEST(Cifar10, NumbersItsSamplesAcrossFiles) {
  const auto files = cifar10_files(1, {.key = 1, .samples = 52}, {.key = 2, .samples = 10});
  const std::array<std::size_t, 6> firsts{0, 11, 22, 32, 42, 0};
  for (std::size_t file = 0; file < firsts.size(); ++file) EXPECT_EQ(files[file].first, firsts[file]) << file;
}

TEST(Cifar10, IsLearntByASimpleClassifierOnlyInPart) {
  const auto files = cifar10_files(1, {.key = 1, .samples = 2000}, {.key = 2, .samples = 500});
  std::vector<test::Picture> known;
  for (std::size_t file = 0; file < 5; ++file) std::ranges::move(pictures(files[file], 0), std::back_inserter(known));
  const double accuracy = test::nearest_mean_accuracy(known, pictures(files[5], 0), 10);
  EXPECT_GE(accuracy, 0.35);  // chance: 0.10
  EXPECT_LE(accuracy, 0.75);
}

TEST(Cifar100, HasThePublishedFiles) {
  const test::TemporaryDirectory home;
  generate("cifar100", home / "data", {.samples = 100});
  EXPECT_EQ(test::sizes_in(home / "data"), (Sizes{{"coarse_label_names.txt", 328},
                                                  {"fine_label_names.txt", 725},
                                                  {"test.bin", 20 * 3074},
                                                  {"train.bin", 100 * 3074}}));
}

TEST(Cifar100, IsTheSameBytesOnEveryMachine) {
  const test::TemporaryDirectory home;
  generate("cifar100", home / "data", {.samples = 100});
  EXPECT_EQ(test::checksums_in(home / "data"), (Sums{{"coarse_label_names.txt", 0x758442e832199068ULL},
                                                     {"fine_label_names.txt", 0x14ad19eb2a011e6bULL},
                                                     {"test.bin", 0x24d8739d519415faULL},
                                                     {"train.bin", 0x47673eb7ffaa7e51ULL}}));
}

TEST(Cifar100, PutsEveryFineClassIntoItsPublishedCoarseClass) {
  const auto files = cifar100_files(1, {.key = 1, .samples = 100}, {.key = 2, .samples = 20});
  std::vector<std::uint8_t> record(files[0].record_bytes);
  std::array<int, 100> coarse{};
  for (std::size_t i = 0; i < 100; ++i) {
    files[0].fill(i, record);
    coarse[record[1]] = record[0];
  }
  EXPECT_EQ(coarse, kPublishedCoarse);
}

TEST(Cifar100, NamesTheFineClassesInAlphabeticalOrder) {
  const auto files = cifar100_files(1, {.key = 1, .samples = 100}, {.key = 2, .samples = 20});
  std::vector<std::string> names;
  std::istringstream lines(files[2].header);
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  EXPECT_EQ(names.size(), 100);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(names[19], "cattle");
  EXPECT_EQ(std::ranges::count(files[3].header, '\n'), 20);
}

TEST(Cifar100, MakesTheFirstSamplesTheSameHoweverManyFollow) {
  const test::TemporaryDirectory home;
  generate("cifar100", home / "few", {.samples = 100});
  generate("cifar100", home / "many", {.samples = 150});
  const std::string few = test::bytes_of(home / "few" / "train.bin");
  EXPECT_EQ(few, test::bytes_of(home / "many" / "train.bin").substr(0, few.size()));
}

TEST(Cifar100, IsLearntByASimpleClassifierOnlyInPart) {
  const auto files = cifar100_files(1, {.key = 1, .samples = 2000}, {.key = 2, .samples = 500});
  const double accuracy = test::nearest_mean_accuracy(pictures(files[0], 1), pictures(files[1], 1), 100);
  EXPECT_GE(accuracy, 0.08);  // chance: 0.01
  EXPECT_LE(accuracy, 0.50);
}

}  // namespace
}  // namespace loadline
