#include "loaders/datasets/file_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace loadline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

FileNames folder_of_three() {
  auto folder = std::make_shared<FolderNames>("/data/train");
  folder->begin_directory("sea");
  folder->add("1.jpg");
  folder->add("22.jpg");
  folder->begin_directory("sky");
  folder->add("333.jpg");
  return FileNames(std::move(folder));
}

TEST(FileNames, BuildThePathsOfAFolder) {
  const FileNames names = folder_of_three();
  EXPECT_THAT(names, ElementsAre("/data/train/sea/1.jpg", "/data/train/sea/22.jpg", "/data/train/sky/333.jpg"));
  EXPECT_EQ(names.front(), "/data/train/sea/1.jpg");
  EXPECT_EQ(names.folder()->directory_of(2), 1U);
  EXPECT_EQ(names.folder()->first_of(1), 2U);
  EXPECT_EQ(names.folder()->name(1), "22.jpg");
}

TEST(FileNames, KeepAPlainListOfPaths) {
  FileNames names{"/data/a"};
  names.push_back("/data/b");
  EXPECT_EQ(names, (std::vector<fs::path>{"/data/a", "/data/b"}));
  EXPECT_EQ(names.folder(), nullptr);
  EXPECT_TRUE(FileNames().empty());
}

TEST(FileNames, AreEqualIfTheirPathsAre) {
  EXPECT_EQ(folder_of_three(), folder_of_three());
  EXPECT_NE(folder_of_three(), FileNames{"/data/train/sea/1.jpg"});
}

TEST(FileNames, TakeAFewBytesPerFile) {
  FolderNames folder("/data/train");
  folder.begin_directory("n01440764");
  for (int i = 10'000; i < 30'000; ++i) folder.add("n01440764_" + std::to_string(i) + ".JPEG");  // 20 letters each
  EXPECT_LT(folder.memory_bytes(), 20'000U * 2 * (20 + 4));
}

TEST(FileNames, AreSampledEvenlyFromAFolder) {
  FolderNames folder("/data");
  folder.begin_directory("a");
  for (int i = 0; i < 1000; ++i) folder.add(std::to_string(i));
  const FileNames names(std::make_shared<FolderNames>(std::move(folder)));
  EXPECT_THAT(evenly_spread(names, 4), ElementsAre("/data/a/0", "/data/a/250", "/data/a/500", "/data/a/750"));
  EXPECT_EQ(evenly_spread(names, 2000).size(), 1000U);
}

}  // namespace
}  // namespace loadline
