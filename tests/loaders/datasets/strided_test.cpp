#include "loaders/datasets/strided.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/samples.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using testing::ElementsAre;

DatasetInfo pairs() {
  return {.format = "pairs", .samples = 2, .shape = {1, 1, 2}, .classes = 9};
}

Labels eight_and_seven() {
  return std::vector<std::int32_t>{8, 7};
}

TEST(StridedDataset, HoldsItsSamplesBackToBackInMemory) {
  for (const std::size_t offset : {0U, 3U}) {
    HugeMemory memory(offset + 4);
    for (std::size_t i = 0; i < 4; ++i) memory.bytes()[offset + i] = static_cast<std::byte>(i + 1);
    const StridedDataset dataset(pairs(), eight_and_seven(), std::move(memory), offset);
    EXPECT_EQ(dataset.info().access, Access::kResident);
    EXPECT_THAT(dataset.labels(), ElementsAre(8, 7));
    EXPECT_THAT(test::samples_of(dataset),
                ElementsAre(std::vector<std::uint8_t>{1, 2}, std::vector<std::uint8_t>{3, 4}));
    EXPECT_THAT(dataset.mapped_files(), testing::IsEmpty());
    ASSERT_EQ(dataset.memory().size(), 1U);
    EXPECT_EQ(dataset.memory()[0].size(), offset + 4);
    dataset.check_intact();
    dataset.check_files();
  }
}

TEST(StridedDataset, FindsItsSamplesBackToBackInAMappedFile) {
  const test::TemporaryDirectory home;
  const auto path = test::write(home / "pairs.bin", std::string("head\1\2\3\4", 8));
  auto file = std::make_shared<const MappedFile>(path);
  const std::byte* first = file->bytes().data() + 4;
  const StridedDataset dataset(pairs(), eight_and_seven(), std::move(file), first);
  EXPECT_EQ(dataset.info().access, Access::kMapped);
  EXPECT_THAT(test::samples_of(dataset), ElementsAre(std::vector<std::uint8_t>{1, 2}, std::vector<std::uint8_t>{3, 4}));
  EXPECT_THAT(dataset.memory(), testing::IsEmpty());
  ASSERT_EQ(dataset.mapped_files().size(), 1U);
  std::filesystem::resize_file(path, 7);
  EXPECT_NE(test::thrown_by([&] { dataset.check_files(); }).message, "");
}

}  // namespace
}  // namespace loadline
