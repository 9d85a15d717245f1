#include "loaders/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loaders/datasets/datasets.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/hdf5_files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/jpegs.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Verify : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& bytes) const { test::write(home_ / name, bytes); }
  static std::string jpeg(std::uint64_t seed) {
    const auto bytes = test::jpeg_of(test::photo({.height = 40, .width = 50}, 3, seed));
    return {bytes.begin(), bytes.end()};
  }
  Verification found() const { return *verify(*open_dataset(home_.path(), {})); }
  static std::vector<std::string> reasons(const Verification& found) {
    std::vector<std::string> texts;
    for (const SampleFault& fault : found.faults) texts.push_back(fault.reason);
    return texts;
  }
  std::string path(const std::string& name) const { return (home_ / name).string(); }

  const test::TemporaryDirectory home_;
};

TEST_F(Verify, FindsNothingWrongWithSoundImages) {
  for (int i = 0; i < 40; ++i) put("a/" + std::to_string(i) + ".jpg", jpeg(static_cast<std::uint64_t>(i)));
  put("b/pixels.ppm", "P6\n4 4\n255\n" + std::string(48, 'x'));
  const Verification verified = found();
  EXPECT_THAT(reasons(verified), IsEmpty());
  EXPECT_THAT(verified.duplicates, IsEmpty());
  EXPECT_THAT(verified.empty_classes, IsEmpty());
}

TEST_F(Verify, NamesEveryInvalidImage) {
  put("a/1-sound.jpg", jpeg(1));
  put("a/2-cut.jpg", jpeg(2).substr(0, 700));
  put("a/3-empty.jpg", "");
  put("a/4-text.jpg", "this is no photograph");
  put("a/5-cut.ppm", "P6\n4 4\n255\n" + std::string(20, 'x'));
  EXPECT_THAT(reasons(found()),
              ElementsAre(path("a/2-cut.jpg") + ": cannot decode JPEG: truncated: its end-of-image marker is missing",
                          path("a/3-empty.jpg") + ": cannot decode image: 0 bytes",
                          path("a/4-text.jpg") + ": cannot decode image: damaged, or of a format unknown to OpenCV",
                          HasSubstr(path("a/5-cut.ppm") + ": cannot decode image: ")));
}

TEST_F(Verify, FindsDamageBelowTheFirstRows) {
  std::string damaged = jpeg(1);
  put("a/1.jpg", damaged.erase(damaged.size() - 202, 200));
  EXPECT_THAT(reasons(found()), ElementsAre(HasSubstr("cannot decode JPEG: ")));
}

TEST_F(Verify, NamesDuplicateImages) {
  put("a/1.jpg", jpeg(1));
  put("a/2.jpg", jpeg(2));
  put("b/3.jpg", jpeg(1));
  const Verification verified = found();
  ASSERT_EQ(verified.duplicates.size(), 1U);
  EXPECT_EQ(verified.duplicates[0].name, path("b/3.jpg"));
  EXPECT_EQ(verified.duplicates[0].same_as, path("a/1.jpg"));
}

TEST_F(Verify, NamesDuplicateFiles) {
  put("data_batch_1.bin", test::cifar10({1, 2}));
  put("data_batch_2.bin", test::cifar10({2, 1}));
  put("data_batch_3.bin", test::cifar10({1, 2}));
  const Verification verified = found();
  ASSERT_EQ(verified.duplicates.size(), 1U);
  EXPECT_EQ(verified.duplicates[0].name, path("data_batch_3.bin"));
  EXPECT_EQ(verified.duplicates[0].same_as, path("data_batch_1.bin"));
  EXPECT_THAT(verified.empty_classes, ElementsAre(0, 3, 4, 5, 6, 7, 8, 9));
}

TEST_F(Verify, DecodesImagesPackedIntoOneFile) {
  put("photos/a/1.jpg", jpeg(1));
  put("photos/b/2.jpg", "none");
  test::write_packed(home_ / "packed.h5", *open_dataset(home_ / "photos", {}));
  const auto verified = verify(*open_dataset(home_ / "packed.h5", {}));
  EXPECT_THAT(reasons(*verified), ElementsAre("sample 1 of " + path("packed.h5") +
                                              ": cannot decode image: damaged, or of a format unknown to OpenCV"));
}

TEST_F(Verify, StopsWhenAskedTo) {
  put("a/1.jpg", jpeg(1));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(verify(*open_dataset(home_.path(), {}), {}, stop.get_token()));
}

}  // namespace
}  // namespace loadline
