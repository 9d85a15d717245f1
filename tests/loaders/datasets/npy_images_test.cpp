#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/formats.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/npy_files.h"
#include "tests/loaders/support/samples.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::npy_of;
using testing::ElementsAre;
using testing::HasSubstr;

class NpyImages : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& bytes) const { test::write(home_ / name, bytes); }
  std::unique_ptr<Dataset> open(const DatasetOptions& options = {}) const {
    return open_dataset(home_.path(), options);
  }
  std::string refusal(const std::string& images, const std::string& labels) const {
    put("images.npy", images);
    put("labels.npy", labels);
    return test::thrown_by([&] { open(); }).message;
  }
  std::vector<int> sample(const Dataset& dataset, SampleIndex index) const {
    StoredSample sample;
    const auto reader = dataset.make_reader(1);
    reader->read({&index, 1}, {&sample, 1});
    std::vector<int> values;
    for (const std::byte byte : sample) values.push_back(std::to_integer<int>(byte));
    return values;
  }

  const test::TemporaryDirectory home_;
  const std::string labels_ = npy_of("<i4", "2,", std::string("\3\0\0\0\1\0\0\0", 8));
  const std::string place_ = "cannot open " + (home_ / "images.npy").string() + ": ";
  const std::string labels_place_ = "cannot open " + (home_ / "labels.npy").string() + ": ";
};

TEST_F(NpyImages, AreMappedWithChannelsFirstOrNoChannels) {
  put("images.npy", npy_of("|u1", "2, 1, 1, 5", "abcdefghij"));
  put("labels.npy", labels_);
  const auto first = open();
  EXPECT_EQ(first->info().format, "npy");
  EXPECT_EQ(first->info().access, Access::kMapped);
  EXPECT_EQ(first->info().shape, (ImageShape{1, 1, 5}));
  EXPECT_EQ(first->info().classes, 4U);
  EXPECT_THAT(first->labels(), ElementsAre(3, 1));
  EXPECT_THAT(sample(*first, 1), ElementsAre('f', 'g', 'h', 'i', 'j'));
  const std::uint64_t fingerprint = content_fingerprint(*first);
  put("images.npy", npy_of("|u1", "2, 1, 5", "abcdefghij"));
  EXPECT_EQ(content_fingerprint(*open()), fingerprint);
  EXPECT_EQ(content_fingerprint(*open_dataset(home_ / "images.npy", {})), fingerprint);
  EXPECT_EQ(content_fingerprint(*open({.in_memory = true})), fingerprint);
}

TEST_F(NpyImages, AreMappedAsStoredIfChannelsComeLast) {
  put("images.npy", npy_of("|u1", "2, 5, 1, 2", std::string("aAbBcCdDeEfFgGhHiIjJ")));
  put("labels.npy", npy_of("|u1", "2, 1", "\1\2"));
  const auto dataset = open();
  EXPECT_EQ(dataset->info().shape, (ImageShape{2, 5, 1}));
  EXPECT_TRUE(dataset->info().channels_last);
  EXPECT_EQ(dataset->info().access, Access::kMapped);
  EXPECT_THAT(dataset->labels(), ElementsAre(1, 2));
  EXPECT_THAT(sample(*dataset, 0), ElementsAre('a', 'A', 'b', 'B', 'c', 'C', 'd', 'D', 'e', 'E'));
  const std::uint64_t fingerprint = content_fingerprint(*dataset);
  EXPECT_EQ(content_fingerprint(*open({.in_memory = true})), fingerprint);
  put("images.npy", npy_of("|u1", "2, 2, 5, 1", std::string("abcdeABCDEfghijFGHIJ")));
  EXPECT_TRUE(test::thrown_by([&] { open(); }).message.find("nothing says which") != std::string::npos);
  put("images.npy", npy_of("|u1", "2, 2, 1, 5", std::string("abcdeABCDEfghijFGHIJ")));
  EXPECT_FALSE(open()->info().channels_last);
}

TEST_F(NpyImages, HaveTheSameFingerprintInBothOrders) {
  for (const std::size_t channels : {2U, 3U, 4U}) {
    const auto planes = test::patterned_dataset(2, {channels, 7, 5});
    const auto pixels = test::channels_last(*planes);
    const auto write = [&](const Dataset& dataset, const std::string& shape) {
      std::string values;
      for (const auto& one : test::samples_of(dataset)) values.append(one.begin(), one.end());
      put("images.npy", npy_of("|u1", shape, values));
      put("labels.npy", npy_of("|u1", "2,", std::string("\0\6", 2)));
      return content_fingerprint(*open());
    };
    const std::string count = std::to_string(channels);
    EXPECT_EQ(write(*pixels, "2, 7, 5, " + count), write(*planes, "2, " + count + ", 7, 5")) << channels;
  }
}

TEST_F(NpyImages, HaveOneChannelAsItIsFirstOrLast) {
  put("images.npy", npy_of("|u1", "2, 5, 1, 1", "abcdefghij"));
  put("labels.npy", labels_);
  EXPECT_EQ(open()->info().shape, (ImageShape{1, 5, 1}));
  EXPECT_FALSE(open()->info().channels_last);
}

TEST_F(NpyImages, AreMappedFromAStoredArchiveAndInflatedFromADeflatedOne) {
  put("stored.npz", test::npz_of("x_train", "y_train", false));
  put("deflated.npz", test::npz_of("train_images", "train_labels", true));
  const auto stored = open_dataset(home_ / "stored.npz", {});
  const auto deflated = open_dataset(home_ / "deflated.npz", {});
  EXPECT_EQ(stored->info().access, Access::kMapped);
  EXPECT_EQ(deflated->info().access, Access::kResident);
  EXPECT_EQ(stored->info().shape, (ImageShape{3, 6, 2}));
  EXPECT_THAT(stored->labels(), ElementsAre(1, 4));
  EXPECT_TRUE(stored->info().channels_last);
  EXPECT_TRUE(deflated->info().channels_last);
  EXPECT_EQ(sample(*stored, 1)[1], 37);
  EXPECT_EQ(sample(*deflated, 1)[1], 37);
  EXPECT_EQ(content_fingerprint(*deflated), content_fingerprint(*stored));
  EXPECT_EQ(resident_bytes(home_ / "stored.npz", {}), 0U);
  EXPECT_GT(resident_bytes(home_ / "deflated.npz", {}), 72U);
  EXPECT_THAT(test::thrown_by([&] { open_dataset(home_ / "stored.npz", {.split = Split::kTest}); }).message,
              HasSubstr("stored.npz: it contains none of test_images.npy, x_test.npy"));
}

TEST_F(NpyImages, AreInAnArchiveWhateverItsName) {
  put("named.npz", test::npz_of("images", "labels", false));
  put("unnamed", test::npz_of("images", "labels", false));
  put("deflated", test::npz_of("images", "labels", true));
  const auto named = open_dataset(home_ / "named.npz", {});
  const auto unnamed = open_dataset(home_ / "unnamed", {});
  EXPECT_EQ(unnamed->info().format, "npy");
  EXPECT_EQ(content_fingerprint(*unnamed), content_fingerprint(*named));
  EXPECT_GT(resident_bytes(home_ / "deflated", {}), 72U);
  EXPECT_EQ(test::thrown_by([&] { open_dataset(home_ / "unnamed", {.split = Split::kTest}); }).message,
            "cannot open " + (home_ / "unnamed").string() +
                ": it contains none of test_images.npy, x_test.npy, only images.npy and labels.npy");
}

// What users call their own arrays used to be called "no known dataset", or only missed.
TEST_F(NpyImages, OfOtherNamesAreRefusedWithTheNamesThatTheyWant) {
  const auto refused = [&](const char* name) {
    return test::thrown_by([&] { open_dataset(home_ / name, {}); }).message;
  };
  put("own.npz", test::npz_of("X", "y", false));
  put("faces.npy", npy_of("|u1", "2, 1, 5", "abcdefghij"));
  put("arrays/data.npy", npy_of("|u1", "2, 1, 5", "abcdefghij"));
  put("arrays/classes.npy", labels_);
  put("arrays/notes.md", "hello");
  const auto place = [&](const char* name) { return "cannot open " + (home_ / name).string() + ": "; };
  EXPECT_EQ(refused("own.npz"), place("own.npz") +
                                    "it contains none of images.npy, train_images.npy, x_train.npy, "
                                    "only X.npy and y.npy");
  EXPECT_EQ(refused("arrays"), place("arrays") +
                                   "it contains none of images.npy, train_images.npy, x_train.npy, "
                                   "only classes.npy and data.npy");
  EXPECT_EQ(refused("faces.npy"), place("faces.npy") +
                                      "want a directory, an .npz or a file of images: images.npy, train_images.npy, "
                                      "x_train.npy, test_images.npy or x_test.npy, with its labels next to it");
}

TEST_F(NpyImages, AreInADirectoryWhateverItsName) {
  put("set.npz/images.npy", npy_of("|u1", "2, 1, 5", "abcdefghij"));
  put("set.npz/labels.npy", labels_);
  EXPECT_FALSE(is_npz(home_ / "set.npz"));
  const auto dataset = open_dataset(home_ / "set.npz", {});
  EXPECT_EQ(dataset->info().format, "npy");
  EXPECT_THAT(dataset->labels(), ElementsAre(3, 1));
}

TEST_F(NpyImages, AreThoseOfTheNamedFileWhateverIsBesideIt) {
  put("images.npy", npy_of("|u1", "2, 1, 1", "ab"));
  put("labels.npy", labels_);
  put("x_train.npy", npy_of("|u1", "1, 1, 1", "c"));
  put("y_train.npy", npy_of("|u1", "1,", "\7"));
  put("x_test.npy", npy_of("|u1", "1, 1, 1", "d"));
  EXPECT_THAT(open_dataset(home_ / "images.npy", {})->labels(), ElementsAre(3, 1));
  EXPECT_THAT(open_dataset(home_ / "x_train.npy", {})->labels(), ElementsAre(7));
  const auto refused = [&](const char* name, const DatasetOptions& options) {
    return test::thrown_by([&] { open_dataset(home_ / name, options); }).message;
  };
  EXPECT_EQ(refused("x_test.npy", {}),
            "cannot open " + (home_ / "x_test.npy").string() + ": its labels are missing, want y_test.npy");
  EXPECT_EQ(refused("labels.npy", {.format = "npy"}),
            "cannot open " + (home_ / "labels.npy").string() +
                ": want a directory, an .npz or a file of images: images.npy, train_images.npy, x_train.npy, "
                "test_images.npy or x_test.npy, with its labels next to it");
  EXPECT_EQ(refused("images.npy", {.split = Split::kTest}),
            "split test: " + (home_ / "images.npy").string() + " is one file, so it has one split only");
}

TEST_F(NpyImages, RefuseArraysThatAreNotImages) {
  EXPECT_EQ(refusal(npy_of("<f4", "2, 1, 1", std::string(8, '\0')), labels_),
            place_ + "its values are '<f4', want '|u1' (u8)");
  EXPECT_EQ(refusal(npy_of("|u1", "2, 5", std::string(10, '\0')), labels_),
            place_ + "its array has extents 2 x 5, want N x H x W x C, N x C x H x W or N x H x W");
  EXPECT_EQ(refusal(npy_of("|u1", "2, 3, 5, 3", std::string(90, '\0')), labels_),
            place_ + "its array has extents 2 x 3 x 5 x 3: channels may come first or last, and nothing says which");
  EXPECT_EQ(
      refusal(npy_of("|u1", "2, 5, 5, 5", std::string(250, '\0')), labels_),
      place_ +
          "its array has extents 2 x 5 x 5 x 5: neither the second nor the last is a number of channels from 1 to 4");
  EXPECT_EQ(refusal(npy_of("|u1", "2, 1, 5", std::string(9, '\0')), labels_),
            place_ + "its array has extents 2 x 1 x 5 = 10 bytes, the file has 9 (truncated or corrupt)");
  EXPECT_EQ(refusal(npy_of("|u1", "0, 1, 5", ""), labels_),
            place_ + "its array has extents 0 x 1 x 5: it holds no samples");
  EXPECT_THAT(refusal(npy_of("|u1", "4294967295, 4294967295, 4294967295", ""), labels_),
              HasSubstr("more than loadline can read"));
  EXPECT_THAT(refusal(npy_of("|u1", "2, 1, 5", std::string(10, '\0'), "True"), labels_), HasSubstr("column-major"));
  EXPECT_THAT(refusal("no array at all", labels_), HasSubstr("not a NumPy array"));
}

TEST_F(NpyImages, RefuseInvalidLabels) {
  const std::string images = npy_of("|u1", "2, 1, 5", std::string(10, '\0'));
  EXPECT_EQ(refusal(images, npy_of("<i4", "3,", std::string(12, '\0'))),
            labels_place_ + "its array has extents 3, want one label for each of the 2 images");
  EXPECT_EQ(refusal(images, npy_of(">i4", "2,", std::string(8, '\0'))),
            labels_place_ + "its values are '>i4', want whole numbers, little-endian");
  EXPECT_EQ(refusal(images, npy_of("<i4", "2,", std::string(7, '\0'))),
            labels_place_ + "it has 7 bytes of labels, want 8 (truncated or corrupt)");
  EXPECT_EQ(refusal(images, npy_of("|i1", "2,", std::string("\0\xff", 2))),
            labels_place_ + "label -1 of sample 1 is out of range, want 0 to 16777215");
  EXPECT_EQ(refusal(images, npy_of("<i8", "2,", std::string(8, '\0') + "\xf6" + std::string(7, '\xff'))),
            labels_place_ + "label -10 of sample 1 is out of range, want 0 to 16777215");
  EXPECT_EQ(refusal(images, npy_of("<u4", "2,", std::string("\0\0\0\1\0\0\0\0", 8))),
            labels_place_ + "label 16777216 of sample 0 is out of range, want 0 to 16777215");
  std::filesystem::remove(home_ / "labels.npy");
  EXPECT_EQ(test::thrown_by([&] { open(); }).message,
            "cannot open " + home_.path().string() + ": it contains images.npy but not the labels, labels.npy");
}

TEST_F(NpyImages, RefuseDamagedArchives) {
  const auto refused = [&](const std::string& bytes) {
    put("a.npz", bytes);
    return test::thrown_by([&] { content_fingerprint(*open_dataset(home_ / "a.npz", {})); }).message;
  };
  const std::string sound = test::npz_of("images", "labels", true);
  const std::string place = "cannot open " + (home_ / "a.npz").string() + ": ";
  EXPECT_EQ(refused("short"), place + "not a zip archive: it is too short");
  EXPECT_EQ(refused(std::string(100, 'x')), place + "not a zip archive, or truncated: its end is missing");
  EXPECT_EQ(refused(sound.substr(0, sound.size() - 1)), place + "not a zip archive, or truncated: its end is missing");
  EXPECT_EQ(refused(sound.substr(40)), place + "its directory is corrupt");
  std::string flipped = sound;
  flipped[45] = static_cast<char>(flipped[45] ^ 0x55);
  EXPECT_EQ(refused(flipped), place + "'images.npy' in it is corrupt");
  const std::string plain = test::npz_of("images", "labels", false);
  std::string method = plain;
  const std::size_t directory = method.find("PK\1\2");
  method[directory + 10] = 12;
  EXPECT_EQ(refused(method), place + "'images.npy' in it is compressed by method 12, want deflate or none");
  std::string encrypted = plain;
  encrypted[directory + 8] = 1;
  EXPECT_EQ(refused(encrypted), place + "'images.npy' in it is encrypted");
}

TEST_F(NpyImages, RefuseStoredArraysThatDifferFromTheirChecksumIfAsked) {
  const std::string sound = test::npz_of("images", "labels", false);
  const auto refused = [&](const std::string& bytes) {
    put("a.npz", bytes);
    return test::thrown_by([&] { open_dataset(home_ / "a.npz", {.verify_checksums = true}); });
  };
  const std::string place = "cannot open " + (home_ / "a.npz").string() + ": ";
  put("sound.npz", sound);
  EXPECT_EQ(open_dataset(home_ / "sound.npz", {.verify_checksums = true})->info().samples, 2U);
  std::string pixel = sound;
  pixel[sound.find("\1\2\3\4\5")] = 'x';
  EXPECT_EQ(refused(pixel), test::failed(place + "'images.npy' in it is corrupt"));
  EXPECT_EQ(open_dataset(home_ / "a.npz", {})->info().samples, 2U) << "a run reads only what it needs";
  std::string label = sound;
  label[sound.find("PK\1\2") - 8] = '\5';
  EXPECT_EQ(refused(label), test::failed(place + "'labels.npy' in it is corrupt"));
}

}  // namespace
}  // namespace loadline
