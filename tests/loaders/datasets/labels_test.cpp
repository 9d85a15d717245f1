#include "loaders/datasets/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/loaders/support/files.h"

namespace loadline {
namespace {

using testing::ElementsAre;

class StoredLabels : public testing::Test {
 protected:
  std::shared_ptr<const MappedFile> file(const std::string& bytes) const {
    return std::make_shared<const MappedFile>(test::write(home_ / "labels", bytes));
  }

  const test::TemporaryDirectory home_;
};

TEST(Labels, AreAsGivenIfInMemory) {
  const Labels labels(std::vector<std::int32_t>{3, 1, 2});
  EXPECT_THAT(labels, ElementsAre(3, 1, 2));
  EXPECT_FALSE(labels.stored());
  EXPECT_TRUE(Labels().empty());
}

TEST(Labels, FollowFromWhereEachClassBegins) {
  const Labels labels = Labels::of_classes({0, 2, 5}, 6);
  EXPECT_THAT(labels, ElementsAre(0, 0, 1, 1, 1, 2));
  EXPECT_FALSE(labels.stored());
}

TEST(Labels, NeedOneClassMoreThanTheHighest) {
  EXPECT_EQ(class_count(std::vector<std::int32_t>{3, 1, 2}), 4U);
  EXPECT_EQ(class_count(std::vector<std::int32_t>{0}), 1U);
}

TEST_F(StoredLabels, AreReadInPlaceFromSeveralParts) {
  const auto storage = file("1.a2.b3.c4.d");
  const std::byte* at = storage->bytes().data();
  const Labels labels({{.first = 0, .at = at}, {.first = 2, .at = at + 6}}, {.stride = 3}, 4, {storage});
  EXPECT_THAT(labels, ElementsAre('1', '2', '3', '4'));
  EXPECT_TRUE(labels.stored());
  EXPECT_THAT(labels.all(), ElementsAre('1', '2', '3', '4'));
}

TEST_F(StoredLabels, MayTakeSeveralBytesAndAreMinusOneIfTheyFitNoClass) {
  const auto storage = file(std::string("\x02\x01\x00\x00\xff\xff\xff\xff", 8));
  const std::byte* at = storage->bytes().data();
  EXPECT_THAT(Labels({{0, at}}, {.bytes = 4, .stride = 4, .is_signed = true}, 2, {storage}), ElementsAre(258, -1));
  EXPECT_THAT(Labels({{0, at}}, {.bytes = 4, .stride = 4}, 2, {storage}), ElementsAre(258, -1));
  EXPECT_THAT(Labels({{0, at}}, {.bytes = 2, .stride = 2, .is_signed = true}, 4, {storage}),
              ElementsAre(258, 0, -1, -1));
  EXPECT_THAT(Labels({{0, at}}, {.bytes = 2, .stride = 2}, 4, {storage}), ElementsAre(258, 0, 65'535, 65'535));
  EXPECT_THAT(Labels({{0, at}}, {.bytes = 8, .stride = 8}, 1, {storage}), ElementsAre(-1));
}

}  // namespace
}  // namespace loadline
