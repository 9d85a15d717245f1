#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"
#include "loaders/names.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/samples.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::cifar10;
using test::cifar100;
using test::sample_of;
using testing::ElementsAre;

class Cifar : public testing::Test {
 protected:
  fs::path write(std::string_view name, std::string_view bytes) { return test::write(home_ / name, bytes); }

  std::unique_ptr<Dataset> open(std::string_view name, const DatasetOptions& options = {}) const {
    return open_dataset(name.empty() ? home_.path() : home_ / name, options);
  }

  test::Thrown refusal(std::string_view name, const DatasetOptions& options = {}) const {
    return test::thrown_by([&] { open(name, options); });
  }

  test::Thrown refused(std::string_view name, const std::string& reason) const {
    return test::failed("cannot open " + (home_ / name).string() + ": " + reason);
  }

  static constexpr std::string_view kDirectory{};

  const test::TemporaryDirectory home_;
};

using Cifar10 = Cifar;
using Cifar100 = Cifar;

TEST_F(Cifar10, ReadsTheTrainingBatchesOfADirectoryInNumericOrder) {
  write("data_batch_1.bin", cifar10({1, 2}));
  for (int i = 2; i < 10; ++i) write("data_batch_" + std::to_string(i) + ".bin", cifar10({3}));
  write("data_batch_10.bin", cifar10({9, 8, 7}));
  write("test_batch.bin", cifar10({0}));
  write("batches.meta.txt", "airplane\n");
  const auto dataset = open(kDirectory);
  EXPECT_EQ(dataset->info().format, "cifar10");
  EXPECT_EQ(dataset->info().samples, 13U);
  EXPECT_EQ(dataset->info().shape, (ImageShape{3, 32, 32}));
  EXPECT_EQ(dataset->info().classes, 10U);
  EXPECT_EQ(dataset->info().stored_bytes, 13U * 3073);
  EXPECT_EQ(dataset->info().access, Access::kMapped);
  ASSERT_EQ(dataset->info().files.size(), 10U);
  EXPECT_EQ(dataset->info().files[1], home_ / "data_batch_2.bin");
  EXPECT_EQ(dataset->info().files[9], home_ / "data_batch_10.bin");
  EXPECT_THAT(dataset->labels(), ElementsAre(1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 9, 8, 7));
  std::vector<int> first_bytes;
  for (const SampleIndex i : {0U, 1U, 2U, 9U, 10U, 11U, 12U}) first_bytes.push_back(sample_of(*dataset, i)[0]);
  EXPECT_THAT(first_bytes, ElementsAre(0, 10, 0, 0, 0, 10, 20));
  EXPECT_EQ(sample_of(*dataset, 12)[3071], (20 + 3071) % 256);
  dataset->check_intact();
}

TEST_F(Cifar10, RefusesADirectoryThatLacksABatch) {
  for (const char* name : {"data_batch_1.bin", "data_batch_2.bin", "data_batch_4.bin", "data_batch_5.bin"}) {
    write(name, cifar10({1, 2}));
  }
  const std::string start = "cannot open " + home_.path().string() + ": ";
  EXPECT_EQ(refusal(kDirectory), test::failed(start + "it has data_batch_4.bin but no data_batch_3.bin"));
  write("data_batch_3.bin", cifar10({1, 2}));
  EXPECT_EQ(open(kDirectory)->info().samples, 10U);
  write("data_batch_3-copy.bin", cifar10({1, 2}));
  EXPECT_EQ(refusal(kDirectory), test::failed(start + "it has data_batch_3-copy.bin but no data_batch_6.bin"));
}

TEST_F(Cifar10, ReadsTheTestBatchOfADirectory) {
  write("data_batch_1.bin", cifar10({1, 2}));
  write("test_batch.bin", cifar10({0}));
  EXPECT_THAT(open(kDirectory, {.split = Split::kTest})->labels(), ElementsAre(0));
}

TEST_F(Cifar10, ReadsOneFile) {
  write("whatever.bin", cifar10({5, 6}));
  const auto dataset = open("whatever.bin");
  EXPECT_EQ(dataset->info().format, "cifar10");
  EXPECT_THAT(dataset->labels(), ElementsAre(5, 6));
}

TEST_F(Cifar10, NamesAMissingSplit) {
  write("test_batch.bin", cifar10({0}));
  EXPECT_EQ(refusal(kDirectory), test::failed("cannot open " + home_.path().string() + ": no data_batch_*.bin in it"));
  fs::rename(home_ / "test_batch.bin", home_ / "data_batch_1.bin");
  EXPECT_EQ(refusal(kDirectory, {.split = Split::kTest}), refused("test_batch.bin", "no such file"));
}

TEST_F(Cifar10, RefusesATruncatedBatch) {
  write("data_batch_1.bin", test::TruncatedCifar().bytes);
  EXPECT_EQ(refusal(kDirectory),
            refused("data_batch_1.bin",
                    "9218 bytes are not a whole number of cifar10 records of 3073 bytes (3072 bytes over)"));
}

TEST_F(Cifar10, RefusesAnOversizedBatch) {
  write("data_batch_1.bin", cifar10({1}));
  write("data_batch_2.bin", test::OversizedCifar().bytes);
  EXPECT_EQ(
      refusal(kDirectory),
      refused("data_batch_2.bin", "9221 bytes are not a whole number of cifar10 records of 3073 bytes (2 bytes over)"));
}

TEST_F(Cifar10, RefusesAnEmptyBatch) {
  write("data_batch_1.bin", "");
  EXPECT_EQ(refusal(kDirectory), refused("data_batch_1.bin", "it holds no samples"));
}

TEST_F(Cifar10, RefusesALabelOutOfRange) {
  write("data_batch_1.bin", cifar10({1, 9}));
  write("data_batch_2.bin", cifar10({0, 1, 10}));
  EXPECT_EQ(refusal(kDirectory), refused("data_batch_2.bin", "label 10 of sample 2 is out of range, want 0 to 9"));
}

TEST_F(Cifar10, RefusesCoarseLabels) {
  write("data_batch_1.bin", cifar10({1}));
  EXPECT_EQ(refusal(kDirectory, {.labels = LabelKind::kCoarse}),
            test::usage("coarse labels: " + home_.path().string() + " has none, only cifar100 does"));
}

TEST_F(Cifar10, NamesTheBatchTruncatedAfterItWasOpened) {
  write("data_batch_1.bin", cifar10({1, 2, 3, 4}));
  write("data_batch_2.bin", cifar10({1, 2, 3, 4}));
  const auto dataset = open(kDirectory);
  fs::resize_file(home_ / "data_batch_2.bin", 0);
  sample_of(*dataset, 3);
  dataset->check_intact();
  sample_of(*dataset, 7);
  EXPECT_THAT(test::thrown_by([&] { dataset->check_intact(); }).message,
              testing::StartsWith("cannot read " + (home_ / "data_batch_2.bin").string() + ": the page at byte "));
}

TEST_F(Cifar100, ReadsFineAndCoarseLabels) {
  write("train.bin", cifar100({{19, 99}, {0, 41}}));
  write("test.bin", cifar100({{3, 7}}));
  const auto fine = open(kDirectory);
  EXPECT_EQ(fine->info().format, "cifar100");
  EXPECT_EQ(fine->info().classes, 100U);
  EXPECT_THAT(fine->labels(), ElementsAre(99, 41));
  EXPECT_EQ(sample_of(*fine, 1)[0], 10);
  const auto coarse = open(kDirectory, {.labels = LabelKind::kCoarse});
  EXPECT_EQ(coarse->info().classes, 20U);
  EXPECT_THAT(coarse->labels(), ElementsAre(19, 0));
  EXPECT_THAT(open(kDirectory, {.split = Split::kTest})->labels(), ElementsAre(7));
}

TEST_F(Cifar100, ReadsOneFile) {
  write("whatever.bin", cifar100({{1, 2}, {3, 4}}));
  const auto dataset = open("whatever.bin");
  EXPECT_EQ(dataset->info().format, "cifar100");
  EXPECT_THAT(dataset->labels(), ElementsAre(2, 4));
}

TEST_F(Cifar100, RefusesAFineLabelOutOfRange) {
  write("train.bin", cifar100({{1, 2}, {3, 100}}));
  EXPECT_EQ(refusal(kDirectory), refused("train.bin", "fine label 100 of sample 1 is out of range, want 0 to 99"));
}

TEST_F(Cifar100, RefusesACoarseLabelOutOfRangeEvenIfFineOnesAreRead) {
  write("train.bin", cifar100({{20, 2}}));
  EXPECT_EQ(refusal(kDirectory), refused("train.bin", "coarse label 20 of sample 0 is out of range, want 0 to 19"));
}

TEST_F(Cifar100, NamesAMissingSplit) {
  write("train.bin", cifar100({{1, 2}}));
  EXPECT_EQ(refusal(kDirectory, {.split = Split::kTest}), refused("test.bin", "no such file"));
}

TEST_F(Cifar, GuessesNothingFromASizeThatFitsBothFormats) {
  write("both.bin", "");
  fs::resize_file(home_ / "both.bin", 3073 * 3074);
  EXPECT_EQ(refusal("both.bin"), refused("both.bin",
                                         "no known dataset in it; if it holds tokens, add --format tokens (`data "
                                         "convert`: --from-format tokens), otherwise name its format (" +
                                             list_of(names_of(dataset_formats())) + ")"));
  EXPECT_EQ(open("both.bin", {.format = "cifar10"})->info().samples, 3074U);
  EXPECT_EQ(open("both.bin", {.format = "cifar100"})->info().samples, 3073U);
}

TEST_F(Cifar, ReadsAFileInTheNamedFormat) {
  write("data.bin", cifar10({1, 2}));
  EXPECT_EQ(refusal("data.bin", {.format = "cifar100"}),
            refused("data.bin",
                    "6146 bytes are not a whole number of cifar100 records of 3074 bytes (3072 bytes "
                    "over)"));
  write("noextension", cifar10({1, 2}));
  EXPECT_THAT(open("noextension", {.format = "cifar10"})->labels(), ElementsAre(1, 2));
}

}  // namespace
}  // namespace loadline
