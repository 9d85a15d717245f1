#include "loaders/datasets/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loaders/datasets/datasets.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/samples.h"
#include "tests/loaders/support/shard_files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

TEST(CopyToMemory, CopiesInfoLabelsAndBytes) {
  const auto original = test::patterned_dataset(20, {3, 5, 7});
  const auto copy = copy_to_memory(*original);
  EXPECT_EQ(copy->info().format, "patterned");
  EXPECT_EQ(copy->info().shape, (ImageShape{3, 5, 7}));
  EXPECT_EQ(copy->info().classes, 7U);
  EXPECT_EQ(copy->info().access, Access::kResident);
  EXPECT_EQ(test::samples_of(*copy), test::samples_of(*original));
  EXPECT_TRUE(std::ranges::equal(copy->labels(), original->labels()));
}

TEST(CopyToMemory, CopiesOnlyTheFirstSamplesIfAllWouldBeTooMuch) {
  const auto original = test::patterned_dataset(20, {3, 5, 7});
  const auto copy = copy_to_memory(*original, 4 * 105 + 104);
  EXPECT_EQ(copy->info().samples, 4U);
  EXPECT_EQ(copy->labels().size(), 4U);
  for (SampleIndex i = 0; i < 4; ++i) EXPECT_EQ(test::sample_of(*copy, i), test::sample_of(*original, i));
  EXPECT_EQ(copy_to_memory(*original, 20 * 105)->info().samples, 20U);
}

TEST(CopyToMemory, CopiesOnlyTheFirstEncodedSamplesToo) {
  const test::TemporaryDirectory home;
  for (const char* name : {"a/1.jpg", "a/2.jpg", "b/3.jpg"}) test::write(home / name, "0123456789");
  const auto original = open_dataset(home.path(), {});
  const auto copy = copy_to_memory(*original, 29);
  EXPECT_EQ(copy->info().samples, 2U);
  EXPECT_EQ(test::sample_of(*copy, 1).size(), 10U);
  EXPECT_EQ(copy_to_memory(*original, 30)->info().samples, 3U);
  EXPECT_EQ(test::thrown_by([&] { copy_to_memory(*original, 9); }),
            test::failed("cannot copy " + (home / "a/1.jpg").string() + ": its first sample takes more than 9 bytes"));
}

TEST(CopyToMemory, RemembersWhichSamplesFailTheirChecksum) {
  const test::TemporaryDirectory home;
  std::string shard;
  for (const char* image : {"first", "second", "third"}) shard += test::tfrecord_of(test::example_of(image, 1));
  shard[shard.find("second")] = 'S';
  const auto original = open_dataset(test::write(home / "a.tfrecord", shard), {});
  const auto copy = copy_to_memory(*original);
  EXPECT_EQ(copy->info().samples, 3U);
  const auto reader = copy->make_reader(1);
  reader->check(0);
  EXPECT_EQ(test::thrown_by([&] { reader->check(1); }), test::failed("the checksum of its record is wrong (corrupt)"));
  reader->check(2);
}

TEST(CopyToMemory, RefusesAStoredLabelOutOfRange) {
  const test::TemporaryDirectory home;
  const auto images = test::patterned_dataset(5000, {1, 1, 1});
  std::string labels(5000, '\6');
  labels[4998] = '\7';
  const auto file = std::make_shared<const MappedFile>(test::write(home / "labels", labels));
  const test::StoredLabelsDataset original(*images, file);
  EXPECT_EQ(test::thrown_by([&] { copy_to_memory(original); }),
            test::failed("cannot read sample 4998 of patterned: its label 7 is out of range, want 0 to 6"));
  const auto first = copy_to_memory(original, 4998);
  EXPECT_THAT(first->labels().all(), testing::AllOf(testing::SizeIs(4998), testing::Each(6)));
}

TEST(CopyToMemory, PassesOnTheFaultOfItsSource) {
  const auto sound = test::patterned_dataset(20);
  const test::VanishingDataset vanishing(*sound, 7);
  EXPECT_EQ(test::thrown_by([&] { copy_to_memory(vanishing); }),
            test::failed("cannot read shard.bin: the page at byte 4096 is gone"));
}

}  // namespace
}  // namespace loadline
