#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/formats.h"
#include "loaders/verify.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/samples.h"
#include "tests/loaders/support/shard_files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::example_of;
using test::proto_feature;
using test::proto_field;
using test::proto_number;
using test::proto_varint;
using test::tfrecord_of;
using testing::ElementsAre;
using testing::HasSubstr;

class TfRecordFormat : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& bytes) const { test::write(home_ / name, bytes); }
  std::unique_ptr<Dataset> open(const DatasetOptions& options = {}) const {
    return open_dataset(home_.path(), options);
  }
  std::string refusal() const {
    return test::thrown_by([&] { open(); }).message;
  }
  // Returns the refusal of a directory with only this shard.
  std::string refusal_of(const std::string& shard) const {
    put("a.tfrecord", shard);
    return refusal();
  }
  std::string text(const Dataset& dataset, SampleIndex index) const {
    const auto reader = dataset.make_reader(1);
    StoredSample sample;
    reader->read({&index, 1}, {&sample, 1});
    reader->check(index);
    return {reinterpret_cast<const char*>(sample.data()), sample.size()};
  }

  const test::TemporaryDirectory home_;
};

TEST_F(TfRecordFormat, ReadsImagesAndLabelsOfAllShardsInOrder) {
  const std::string large(5000, 'x');
  put("b.tfrecord", tfrecord_of(example_of("third", 1000)));
  put("a.tfrecord", tfrecord_of(example_of("first", 1)) + tfrecord_of(example_of(large, 300)));
  const auto dataset = open();
  const DatasetInfo& info = dataset->info();
  EXPECT_EQ(info.format, "tfrecord");
  EXPECT_TRUE(info.encoded);
  EXPECT_EQ(info.access, Access::kMapped);
  EXPECT_EQ(info.classes, 1001U);
  EXPECT_THAT(dataset->labels(), ElementsAre(1, 300, 1000));
  EXPECT_EQ(text(*dataset, 2), "third");
  EXPECT_EQ(text(*dataset, 1), large);
  EXPECT_EQ(text(*dataset, 0), "first");
  EXPECT_EQ(dataset->describe(2), (home_ / "b.tfrecord").string() + ": record at byte 0");
  EXPECT_EQ(content_fingerprint(*open({.in_memory = true})), content_fingerprint(*dataset));
}

TEST_F(TfRecordFormat, ReadsAnExampleHoweverItsWriterOrdersItsFields) {
  // A value before its name, an unpacked list of numbers, unknown fields, and other features.
  const std::string label =
      proto_field(1, proto_field(2, proto_field(3, proto_number(1, 7))) + proto_field(1, "label"));
  const std::string image =
      proto_number(9, 5) +
      proto_field(1, proto_field(1, "image") + proto_field(2, proto_field(1, proto_field(1, "bytes"))));
  const std::string floats = proto_feature("weight", 2, proto_field(1, "1234"));
  const std::string fixed = proto_varint(7 * 8 + 5) + "abcd" + proto_varint(8 * 8 + 1) + "abcdefgh";
  put("a.tfrecord", tfrecord_of(fixed + proto_field(1, floats + label + image)));
  const auto dataset = open();
  EXPECT_THAT(dataset->labels(), ElementsAre(7));
  EXPECT_EQ(text(*dataset, 0), "bytes");
}

TEST_F(TfRecordFormat, PrefersTheFeatureNamesOfTensorFlowsModels) {
  const std::string image = proto_feature("image/encoded", 1, proto_field(1, "right"));
  const std::string other = proto_feature("image", 1, proto_field(1, "wrong"));
  put("a.tfrecord", tfrecord_of(proto_field(1, image + other)) + tfrecord_of(proto_field(1, other + image)));
  const auto dataset = open();
  EXPECT_EQ(text(*dataset, 0), "right");
  EXPECT_EQ(text(*dataset, 1), "right");
  EXPECT_THAT(dataset->labels(), ElementsAre(0, 0)) << "none has one";
}

TEST_F(TfRecordFormat, FindsACorruptRecordByItsChecksumWhenItIsRead) {
  std::string shard = tfrecord_of(example_of("first", 1)) + tfrecord_of(example_of("second", 2));
  const std::size_t at = shard.find("second");
  shard[at] = 'S';
  put("a.tfrecord", shard);
  const auto dataset = open();
  EXPECT_EQ(text(*dataset, 0), "first");
  EXPECT_EQ(test::thrown_by([&] { text(*dataset, 1); }).message, "the checksum of its record is wrong (corrupt)");
  const std::string place = dataset->describe(1);
  EXPECT_EQ(test::thrown_by([&] { content_fingerprint(*dataset); }), test::Thrown()) << "the others can be used";
  const auto found = verify(*dataset);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->faults.back().reason, place + ": the checksum of its record is wrong (corrupt)");
}

TEST_F(TfRecordFormat, OpensWithDamagedRecordsThatCannotBeParsed) {
  // Each damage hits a part that the scan reads, so without its checksum the record would be a wrong one.
  const auto damaged = [](const std::string& part, std::size_t beyond, char byte) {
    std::string record = tfrecord_of(example_of("damaged", 2));
    record[record.find(part) + beyond] = byte;
    return record;
  };
  const std::vector<std::string> records{
      damaged("image/class/label", 18, '\x7f'),  // the length of the label's feature
      damaged("image/encoded", 0, 'X'),          // no image
      damaged("image/class/label", 0, 'X'),      // no label
      damaged("image/class/label", 23, '\x82'),  // a label without an end
      tfrecord_of("").replace(12, 4, "abcd"),    // nothing but a wrong checksum
  };
  for (const std::string& record : records) {
    const std::string sound = tfrecord_of(example_of("first", 1));
    put("a.tfrecord", sound + record + tfrecord_of(example_of("third", 3)));
    const auto dataset = open();
    EXPECT_EQ(dataset->info().samples, 3U);
    EXPECT_THAT(dataset->labels(), ElementsAre(1, 0, 3));
    EXPECT_EQ(text(*dataset, 2), "third");
    EXPECT_EQ(dataset->describe(1),
              fmt::format("{}: record at byte {}", (home_ / "a.tfrecord").string(), sound.size()));
    EXPECT_EQ(test::thrown_by([&] { text(*dataset, 1); }).message, "the checksum of its record is wrong (corrupt)");
  }
}

TEST_F(TfRecordFormat, NeedsNoLabelsForDamagedRecords) {
  const std::string sound = tfrecord_of(proto_field(1, proto_feature("image", 1, proto_field(1, "bytes"))));
  std::string broken = sound;
  broken[12] = '\x7f';
  put("a.tfrecord", broken + sound);
  EXPECT_THAT(open()->labels(), ElementsAre(0, 0));
  put("a.tfrecord", broken + broken);
  EXPECT_THAT(open()->labels(), ElementsAre(0, 0));
}

TEST_F(TfRecordFormat, NeedsNoLabelsForAShardOfWhichEveryRecordIsDamaged) {
  const std::string unlabelled = tfrecord_of(proto_field(1, proto_feature("image", 1, proto_field(1, "bytes"))));
  std::string broken = unlabelled;
  broken[12] = '\x7f';
  put("a.tfrecord", broken + broken);
  put("b.tfrecord", unlabelled);
  EXPECT_THAT(open()->labels(), ElementsAre(0, 0, 0));
  put("b.tfrecord", tfrecord_of(example_of("third", 3)));
  EXPECT_THAT(open()->labels(), ElementsAre(0, 0, 3));
}

TEST_F(TfRecordFormat, RefusesASoundRecordWithoutALabelAmongOthersThatHaveOne) {
  const std::string without = tfrecord_of(proto_field(1, proto_feature("image", 1, proto_field(1, "bytes"))));
  EXPECT_THAT(refusal_of(tfrecord_of(example_of("first", 1)) + without),
              HasSubstr("a.tfrecord: the sample at byte 126 has no label, but others do"));
}

TEST_F(TfRecordFormat, NamesAMissingShardOfASeries) {
  for (const char* name : {"train-00000-of-00003", "train-00002-of-00003", "validation-00000-of-00001"}) {
    put(name, tfrecord_of(example_of("x", 1)));
  }
  EXPECT_EQ(refusal(), "cannot open " + home_.path().string() + ": it has 2 of its 3 shards; number 1 is missing");
  EXPECT_EQ(open({.split = Split::kTest})->info().samples, 1U);
  put("train-00001-of-00003", tfrecord_of(example_of("x", 1)));
  EXPECT_EQ(open()->info().samples, 3U);
}

TEST_F(TfRecordFormat, RefusesCompressedShards) {
  put("a.tfrecord.gz", "");
  EXPECT_THAT(refusal(), HasSubstr("a.tfrecord.gz: it is compressed, so single samples cannot be read"));
  std::filesystem::remove(home_ / "a.tfrecord.gz");
  EXPECT_THAT(refusal_of(test::gzip_of(tfrecord_of(example_of("x", 1)))), HasSubstr("it is compressed by gzip"));
}

TEST_F(TfRecordFormat, RefusesDamageAndNamesTheRecord) {
  const std::string place = "cannot open " + (home_ / "a.tfrecord").string() + ": the record at byte ";
  const std::string sound = tfrecord_of(example_of("first", 1));
  EXPECT_EQ(refusal_of(std::string(100, 'x')),
            place + "0 has a wrong length checksum: not a TFRecord file, or corrupt");
  const std::string second = std::to_string(sound.size());
  EXPECT_EQ(refusal_of(sound + "abc"), place + second + " is cut off: the file ends within its head (truncated)");
  EXPECT_EQ(refusal_of(sound + std::string(16, '\1')), place + second + " has a wrong length checksum (corrupt)");
  EXPECT_THAT(refusal_of(sound + sound.substr(0, sound.size() - 1)), HasSubstr(place + second + " has "));
  EXPECT_EQ(refusal_of(tfrecord_of("")),
            place + "0 has no feature 'image/encoded' or 'image' of bytes; it has none at all");
  EXPECT_EQ(refusal_of(tfrecord_of(proto_field(1, proto_feature("text", 1, proto_field(1, "a"))))),
            place + "0 has no feature 'image/encoded' or 'image' of bytes; it has 'text'");
  for (const std::string& broken : {std::string("\xff\xff"), proto_varint(1 * 8 + 2) + "\x7f" + "abc",
                                    proto_varint(8 + 3), proto_field(1, proto_field(1, "\x0a\x20"))}) {
    EXPECT_EQ(refusal_of(tfrecord_of(broken)), place + "0 is not a tf.train.Example");
  }
  const auto labelled = [](std::uint64_t label) {
    return tfrecord_of(proto_field(1, proto_feature("label", 3, proto_field(1, proto_varint(label)))));
  };
  EXPECT_EQ(refusal_of(labelled(~std::uint64_t{0})), place + "0 has label -1 in 'label', want from 0 to 16777215");
  EXPECT_EQ(
      refusal_of(tfrecord_of(proto_field(1, proto_feature("image", 1, proto_field(1, "a") + proto_field(1, "b"))))),
      place + "0 has several images in one feature");
}

}  // namespace
}  // namespace loadline
