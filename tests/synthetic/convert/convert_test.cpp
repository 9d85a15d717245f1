#include "synthetic/convert/convert.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <utility>
#include <vector>

#include "loaders/datasets/datasets.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/strided.h"
#include "loaders/system/memory.h"
#include "synthetic/convert/writers.h"
#include "synthetic/generate/nbody.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/samples.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Convert : public testing::Test {
 protected:
  test::Thrown refusal(const Dataset& from, const ConvertOptions& options) const {
    return test::thrown_by([&] { convert(from, home_ / "new", options); });
  }

  // Writes an image of this kind, whatever its name says.
  void put_image(const std::string& name, const char* kind) const {
    std::vector<unsigned char> bytes;
    cv::imencode(kind, cv::Mat(8, 8, CV_8UC3, cv::Scalar(10, 20, static_cast<double>(name.back()))), bytes);
    test::write(home_ / ("photos/" + name + ".jpg"), std::string(bytes.begin(), bytes.end()));
  }

  int step_ = 0;
  const test::TemporaryDirectory home_;
  const std::unique_ptr<Dataset> grey_ = test::patterned_dataset(30, {1, 4, 5});
  const std::unique_ptr<Dataset> colour_ = test::patterned_dataset(30, {3, 32, 32});
};

TEST_F(Convert, WritesTheSameSamplesInEveryFormatThatCanHoldThem) {
  for (const ConvertFormat& format : convert_formats()) {
    for (const Dataset* from : {grey_.get(), colour_.get()}) {
      if (!format.obstacle(*from).empty()) continue;
      const fs::path to = home_ / (std::string(format.name) + (from == grey_.get() ? "grey" : "colour"));
      EXPECT_EQ(convert(*from, to, {.format = format.name}), Converted::kMade);
      const auto written = open_dataset(to, {.format = std::string(format.read_as)});
      const auto pixels = written->info().encoded ? decoded(*written, {}) : nullptr;
      const Dataset* const back = pixels ? pixels.get() : written.get();
      EXPECT_EQ(content_fingerprint(*back), content_fingerprint(*from)) << to;
      EXPECT_EQ(back->info().classes, format.name == "cifar10" ? 10U : 7U);
      EXPECT_EQ(fs::is_directory(to), format.ending.empty());
    }
  }
  EXPECT_THAT(test::names_in(home_.path()), testing::SizeIs(12)) << "and nothing else";
}

TEST_F(Convert, WritesChunksPlainAndCompressed) {
  convert(*colour_, home_ / "plain.h5", {.format = "hdf5", .chunk_samples = 8});
  convert(*colour_, home_ / "gzip.h5", {.format = "hdf5", .chunk_samples = 8, .gzip_level = 9});
  for (const char* name : {"plain.h5", "gzip.h5"}) {
    const auto back = open_dataset(home_ / name, {});
    EXPECT_EQ(back->info().access, Access::kChunks);
    EXPECT_EQ(content_fingerprint(*back), content_fingerprint(*colour_));
  }
  EXPECT_LT(fs::file_size(home_ / "gzip.h5"), fs::file_size(home_ / "plain.h5"));
}

TEST_F(Convert, DividesCifarIntoBatchesOfTenThousandAsPublished) {
  const auto many = test::patterned_dataset(20'001, {3, 32, 32});
  convert(*many, home_ / "new", {.format = "cifar10"});
  EXPECT_THAT(test::names_in(home_ / "new"), ElementsAre("data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin"));
  EXPECT_EQ(fs::file_size(home_ / "new" / "data_batch_2.bin"), 10'000U * 3073U);
  EXPECT_EQ(fs::file_size(home_ / "new" / "data_batch_3.bin"), 3073U);
}

TEST_F(Convert, CopiesCifar100WithBothItsLabels) {
  const std::string bytes = test::cifar100({{3, 42}, {19, 99}, {0, 0}});
  test::write(home_ / "hundred.bin", bytes);
  const auto fine = open_dataset(home_ / "hundred.bin", {});
  EXPECT_EQ(convert(*fine, home_ / "copy", {.format = "cifar100"}), Converted::kMade);
  EXPECT_THAT(test::names_in(home_ / "copy"), ElementsAre("train.bin"));
  EXPECT_EQ(test::bytes_of(home_ / "copy/train.bin"), bytes);
  EXPECT_EQ(convert(*fine, home_ / "copy", {.format = "cifar100"}), Converted::kAlreadyThere);
  test::write(home_ / "new/train.bin", test::cifar100({{3, 42}, {18, 99}, {0, 0}}));
  EXPECT_EQ(refusal(*fine, {.format = "cifar100"}),
            test::failed("cannot convert to " + (home_ / "new").string() +
                         ": something else is there; name another place or remove it"))
      << "a coarse label differs";
}

TEST_F(Convert, RefusesCifar100ThatShrankSinceItWasOpened) {
  test::write(home_ / "hundred.bin", test::cifar100({{3, 42}, {19, 99}, {0, 0}}));
  const auto fine = open_dataset(home_ / "hundred.bin", {});
  fs::resize_file(home_ / "hundred.bin", 2 * 3074);
  EXPECT_EQ(refusal(*fine, {.format = "cifar100"}),
            test::failed(fmt::format("cannot read {}: it had 3 samples when it was opened and now has 2",
                                     (home_ / "hundred.bin").string())));
  EXPECT_THAT(test::names_in(home_.path()), ElementsAre("hundred.bin"));
}

TEST_F(Convert, RefusesCifar100WithoutBothLabels) {
  EXPECT_EQ(refusal(*colour_, {.format = "cifar100"}),
            test::usage("cannot convert to cifar100: it holds samples with a fine and a coarse label only, which only "
                        "cifar100 has"));
  test::write(home_ / "hundred.bin", test::cifar100({{3, 42}, {19, 99}}));
  EXPECT_EQ(refusal(*open_dataset(home_ / "hundred.bin", {.labels = LabelKind::kCoarse}), {.format = "cifar100"}),
            test::usage("cannot convert to cifar100: it holds both labels of each sample; leave out --labels coarse"));
}

TEST_F(Convert, WritesAnNpzThatIsMapped) {
  convert(*colour_, home_ / "new.npz", {.format = "npz"});
  const auto back = open_dataset(home_ / "new.npz", {});
  EXPECT_EQ(back->info().access, Access::kMapped);
  EXPECT_EQ(content_fingerprint(*back), content_fingerprint(*colour_));
  make_nbody(home_ / "nbody.h5", {.size = 12});
  EXPECT_EQ(refusal(*open_dataset(home_ / "nbody.h5", {}), {.format = "npz"}),
            test::usage("cannot convert to npz: it holds plain images only"));
}

TEST_F(Convert, WritesArraysWhoseExtentsTellWhichIsWhich) {
  for (const ImageShape& shape :
       {ImageShape{1, 9, 1}, ImageShape{1, 9, 4}, ImageShape{1, 3, 3}, ImageShape{3, 2, 5}, ImageShape{4, 4, 9}}) {
    const auto images = test::patterned_dataset(30, shape);
    for (const char* name : {"new", "new.npz"}) {
      EXPECT_EQ(convert(*images, home_ / name, {.format = fs::path(name).has_extension() ? "npz" : "npy"}),
                Converted::kMade);
      const auto back = open_dataset(home_ / name, {});
      EXPECT_EQ(back->info().shape, shape);
      EXPECT_EQ(content_fingerprint(*back), content_fingerprint(*images));
      fs::remove_all(home_ / name);
    }
  }
  for (const char* format : {"npy", "npz"}) {
    EXPECT_EQ(refusal(*test::patterned_dataset(30, {3, 8, 4}), {.format = format}),
              test::usage(fmt::format("cannot convert to {}: it holds images of several channels only if they are "
                                      "wider than 4 pixels, these are 3 x 8 x 4: nothing would tell channels from "
                                      "width",
                                      format)));
    EXPECT_EQ(refusal(*test::patterned_dataset(30, {5, 8, 8}), {.format = format}),
              test::usage(
                  fmt::format("cannot convert to {}: it holds images of 1 to 4 channels only, these have 5", format)));
  }
  EXPECT_THAT(test::names_in(home_.path()), ElementsAre());
}

TEST_F(Convert, WritesPlanesOfImagesWithChannelsLast) {
  const auto pixels = test::channels_last(*colour_);
  const ImageShape shape{3, 32, 32};
  for (const ConvertFormat& format : convert_formats()) {
    if (!format.obstacle(*pixels).empty()) continue;
    const fs::path to = home_ / format.name;
    EXPECT_EQ(convert(*pixels, to, {.format = format.name}), Converted::kMade);
    EXPECT_EQ(convert(*pixels, to, {.format = format.name}), Converted::kAlreadyThere);
    EXPECT_TRUE(is_converted(*colour_, to, {.format = format.name})) << "the same bytes as from planes";
    const auto written = open_dataset(to, {.format = std::string(format.read_as)});
    const auto decoded_ones = written->info().encoded ? decoded(*written, {}) : nullptr;
    const Dataset& back = decoded_ones ? *decoded_ones : *written;
    EXPECT_EQ(back.info().shape, shape);
    EXPECT_FALSE(back.info().channels_last);
    EXPECT_EQ(test::samples_of(back), test::samples_of(*colour_)) << format.name;
  }
}

TEST_F(Convert, ShowsPlanesOfImagesWithChannelsLast) {
  const auto pixels = test::channels_last(*colour_);
  const auto planes = as_planes(*pixels);
  EXPECT_FALSE(planes->info().channels_last);
  EXPECT_EQ(test::samples_of(*planes), test::samples_of(*colour_));
  EXPECT_EQ(planes->describe(3), pixels->describe(3));
  EXPECT_EQ(content_fingerprint(*planes), content_fingerprint(*pixels));
}

TEST_F(Convert, RefusesPixelsThatAnArrayCannotHoldOnceTheyAreDecoded) {
  const auto narrow = test::patterned_dataset(30, {3, 8, 4});
  convert(*narrow, home_ / "tars", {.format = "webdataset"});
  EXPECT_THAT(refusal(*open_dataset(home_ / "tars", {}), {.format = "npy"}).message,
              HasSubstr("only if they are wider than 4 pixels, these are 3 x 8 x 4"));
}

TEST_F(Convert, CreatesMissingParentsAndRemovesThemWhenItFails) {
  EXPECT_EQ(convert(*grey_, home_ / "a/b/new.h5", {.format = "hdf5"}), Converted::kMade);
  EXPECT_EQ(convert(*grey_, home_ / "c/d/new/", {.format = "npy"}), Converted::kMade);
  EXPECT_THAT(test::names_in(home_ / "c/d"), ElementsAre("new"));
  const test::FailingDataset failing(*grey_, 17);
  EXPECT_THROW(convert(failing, home_ / "e/f/new.h5", {.format = "hdf5"}), Error);
  EXPECT_THROW(convert(failing, home_ / "e/f/new", {.format = "npy"}), Error);
  EXPECT_THAT(test::names_in(home_.path()), ElementsAre("a", "c"));
}

// Two processes that convert to one place at once: the second to finish used to fail with "Directory not empty", or to
// replace the file of the first.
TEST_F(Convert, FindsTheSameSamplesThereWhereAnotherProcessWroteThemInTheMeantime) {
  for (const char* format : {"npy", "hdf5"}) {
    const fs::path to = home_ / "new";
    const auto with_other = [&](const Dataset& other) {
      bool made = false;
      return convert(*grey_, to, {.format = format}, [&](std::size_t, std::size_t) {
        if (!std::exchange(made, true)) convert(other, to, {.format = format});
      });
    };
    EXPECT_EQ(with_other(*grey_), Converted::kAlreadyThere);
    fs::remove_all(to);
    EXPECT_EQ(test::thrown_by([&] { with_other(*colour_); }),
              test::failed(fmt::format("cannot convert to {}: something else is there; name another place or remove it",
                                       to.string())));
    EXPECT_EQ(content_fingerprint(*open_converted(*colour_, to, {.format = format})), content_fingerprint(*colour_));
    EXPECT_THAT(test::names_in(home_.path()), ElementsAre("new"));
    fs::remove_all(to);
  }
}

TEST_F(Convert, KnowsItsCopyAgain) {
  EXPECT_FALSE(is_converted(*colour_, home_ / "new", {.format = "tfrecord"}));
  convert(*colour_, home_ / "new", {.format = "tfrecord"});
  EXPECT_TRUE(is_converted(*colour_, home_ / "new", {.format = "tfrecord"}));
  EXPECT_FALSE(is_converted(*colour_, home_ / "new", {.format = "webdataset"}));
  EXPECT_FALSE(is_converted(*grey_, home_ / "new", {.format = "tfrecord"}));
  const auto records = open_dataset(home_ / "new", {});
  convert(*records, home_ / "pixels", {.format = "npy"});
  EXPECT_TRUE(is_converted(*records, home_ / "pixels", {.format = "npy"}));
}

TEST_F(Convert, CountsImagesWhoseAlphaItLeavesOut) {
  put_image("a/1", ".png");
  put_image("a/2", ".jpg");
  std::vector<unsigned char> bytes;
  cv::imencode(".png", cv::Mat(8, 8, CV_8UC4, cv::Scalar(10, 20, 30, 128)), bytes);
  test::write(home_ / "photos/b/3.png", std::string(bytes.begin(), bytes.end()));
  const auto folder = open_dataset(home_ / "photos", {});
  EXPECT_EQ(images_losing_alpha(*folder, {.format = "npy"}), 1U);
  EXPECT_EQ(images_losing_alpha(*folder, {.format = "hdf5", .decode = true}), 1U);
  EXPECT_EQ(images_losing_alpha(*folder, {.format = "hdf5"}), 0U) << "it keeps them as they are";
  EXPECT_EQ(images_losing_alpha(*colour_, {.format = "npy"}), 0U);
}

TEST_F(Convert, WritesAFileUnderOneTemporaryName) {
  for (const std::string name : {"new.npz", "new.h5"}) {
    std::size_t shown = 0;
    convert(*colour_, home_ / name, {.format = format_named_by(name)}, [&](std::size_t, std::size_t) {
      ++shown;
      EXPECT_THAT(test::names_in(home_.path()), ElementsAre(fmt::format(".{}.{}-0", name, ::getpid())));
    });
    EXPECT_GT(shown, 0U);
    fs::remove(home_ / name);
  }
}

TEST_F(Convert, KnowsTheFormatsOfFilesByTheirNames) {
  EXPECT_EQ(format_named_by("a/new.h5"), "hdf5");
  EXPECT_EQ(format_named_by("new.hdf5"), "hdf5");
  EXPECT_EQ(format_named_by("new.npz"), "npz");
  EXPECT_EQ(format_named_by("new"), "");
  EXPECT_EQ(format_named_by("h5"), "");
}

TEST_F(Convert, LeavesAloneWhatAlreadyExists) {
  convert(*grey_, home_ / "new", {.format = "hdf5"});
  EXPECT_EQ(convert(*grey_, home_ / "new", {.format = "hdf5"}), Converted::kAlreadyThere);
  const std::string before = test::bytes_of(home_ / "new");
  EXPECT_EQ(refusal(*colour_, {.format = "hdf5"}),
            test::failed("cannot convert to " + (home_ / "new").string() +
                         ": something else is there; name another place or remove it"));
  EXPECT_EQ(test::bytes_of(home_ / "new"), before);
}

TEST_F(Convert, FollowsLinksAndNeverReplacesThem) {
  fs::create_symlink("target.h5", home_ / "link.h5");
  EXPECT_EQ(convert(*grey_, home_ / "link.h5", {.format = "hdf5"}), Converted::kMade);
  EXPECT_TRUE(fs::is_symlink(home_ / "link.h5"));
  EXPECT_TRUE(fs::is_regular_file(home_ / "target.h5"));
  fs::create_directory(home_ / "empty");
  fs::create_symlink("empty", home_ / "link");
  EXPECT_EQ(convert(*grey_, home_ / "link", {.format = "npy"}), Converted::kMade);
  EXPECT_TRUE(fs::exists(home_ / "empty/images.npy"));
  fs::create_symlink("new", home_ / "new");
  EXPECT_EQ(refusal(*grey_, {.format = "hdf5"}),
            test::failed("cannot write " + (home_ / "new").string() + ": Too many levels of symbolic links"));
}

TEST_F(Convert, RefusesTheSameSamplesInOtherStorage) {
  convert(*grey_, home_ / "new", {.format = "hdf5"});
  const std::string place = "cannot convert to " + (home_ / "new").string() + ": the same samples are there already, ";
  const std::string advice = "; name another place or remove it";
  EXPECT_EQ(refusal(*grey_, {.format = "hdf5", .chunk_samples = 8, .gzip_level = 3}),
            test::failed(place + "but their storage is contiguous, not in chunks of 8 samples, gzip 3" + advice));
  fs::remove(home_ / "new");
  convert(*grey_, home_ / "new", {.format = "hdf5", .chunk_samples = 8, .gzip_level = 3});
  EXPECT_EQ(convert(*grey_, home_ / "new", {.format = "hdf5", .chunk_samples = 8, .gzip_level = 3}),
            Converted::kAlreadyThere);
  EXPECT_EQ(
      refusal(*grey_, {.format = "hdf5", .chunk_samples = 8, .gzip_level = 4}),
      test::failed(place + "but their storage is in chunks of 8 samples, gzip 3, not in chunks of 8 samples, gzip 4" +
                   advice));
  EXPECT_EQ(
      refusal(*grey_, {.format = "hdf5", .chunk_samples = 1}),
      test::failed(place + "but their storage is in chunks of 8 samples, gzip 3, not in chunks of 1 sample" + advice));
  EXPECT_EQ(refusal(*grey_, {.format = "hdf5"}),
            test::failed(place + "but their storage is in chunks of 8 samples, gzip 3, not contiguous" + advice));
  fs::remove(home_ / "new");
  convert(*grey_, home_ / "new", {.format = "hdf5", .chunk_samples = 1000});
  EXPECT_EQ(convert(*grey_, home_ / "new", {.format = "hdf5", .chunk_samples = 30}), Converted::kAlreadyThere)
      << "a chunk holds at most all samples";
}

TEST_F(Convert, OpensWhatItMadeWhateverItsName) {
  convert(*grey_, home_ / "new", {.format = "hdf5"});
  EXPECT_EQ(content_fingerprint(*open_converted(*grey_, home_ / "new", {.format = "hdf5"})),
            content_fingerprint(*grey_));
  make_nbody(home_ / "nbody.h5", {.size = 12});
  const auto volume = open_dataset(home_ / "nbody.h5", {});
  convert(*volume, home_ / "copy", {.format = "hdf5"});
  EXPECT_EQ(content_fingerprint(*open_converted(*volume, home_ / "copy", {.format = "hdf5"})),
            content_fingerprint(*volume));
}

TEST_F(Convert, RefusesWhatTheFormatCannotHold) {
  EXPECT_EQ(refusal(*colour_, {.format = "idx"}),
            test::usage("cannot convert to idx: it holds samples of one channel only, these have 3"));
  EXPECT_EQ(refusal(*grey_, {.format = "cifar10"}),
            test::usage("cannot convert to cifar10: it holds samples of 3 x 32 x 32 only, these are 1 x 4 x 5"));
  EXPECT_EQ(refusal(*grey_, {.format = "idx", .chunk_samples = 4}),
            test::usage("--chunk and --gzip: idx has neither chunks nor compression, only hdf5 does"));
  EXPECT_EQ(refusal(*grey_, {.format = "idx", .shard_bytes = 4096}),
            test::usage("--shard: idx has no shards, only webdataset and tfrecord do"));
  EXPECT_EQ(refusal(*grey_, {.format = "idx", .token_bytes = 2}),
            test::usage("--to-token-type: idx has no tokens, only tokens does"));
  EXPECT_EQ(refusal(*grey_, {.format = "lines"}),
            test::usage("cannot convert to lines: it holds documents of text only"));
  EXPECT_EQ(refusal(*grey_, {.format = "hdf5", .gzip_level = 1}),
            test::usage("--gzip: only chunks are compressed, give --chunk too"));
  EXPECT_EQ(refusal(*grey_, {.format = "hdf5", .chunk_samples = 4, .gzip_level = 12}),
            test::usage("--gzip: want a level from 0 to 9, got 12"));
  const auto of_class = [](std::int32_t label, const ImageShape& shape) {
    DatasetInfo info{.format = "memory", .samples = 1, .shape = shape, .classes = static_cast<std::size_t>(label) + 1};
    return StridedDataset(std::move(info), std::vector{label}, HugeMemory(shape.elements()));
  };
  EXPECT_EQ(refusal(of_class(99, {3, 32, 32}), {.format = "cifar10"}),
            test::usage("cannot convert to cifar10: it holds at most 10 classes, these have 100"));
  EXPECT_EQ(refusal(of_class(256, {1, 4, 4}), {.format = "idx"}),
            test::usage("cannot convert to idx: it holds at most 256 classes, these have 257"));
  EXPECT_EQ(refusal(*colour_, {.format = "hdf5", .chunk_samples = 1'500'000}),
            test::usage("--chunk: 1500000 samples of 3072 bytes are more than 4 GiB"));
  EXPECT_THAT(refusal(*grey_, {.format = "hdf6"}).message, HasSubstr("did you mean hdf5?"));
  EXPECT_THAT(test::names_in(home_.path()), ElementsAre());
}

TEST_F(Convert, LeavesNothingBehindWhenInterruptedOrUnreadable) {
  std::stop_source stop;
  stop.request_stop();
  for (const ConvertFormat& format : convert_formats()) {
    const Dataset& from = format.obstacle(*grey_).empty() ? *grey_ : *colour_;
    if (!format.obstacle(from).empty()) continue;
    const fs::path to = home_ / "new";
    EXPECT_EQ(test::thrown_by([&] { convert(from, to, {.format = format.name}, {}, stop.get_token()); }).message,
              "converting to " + to.string() + " was interrupted; nothing was left behind")
        << format.name;
    const test::FailingDataset failing(from, 17);
    EXPECT_EQ(test::thrown_by([&] { convert(failing, to, {.format = format.name}); }),
              test::failed(test::FailingDataset::message(17)));
    EXPECT_THAT(test::names_in(home_.path()), ElementsAre());
  }
}

TEST_F(Convert, ConvertsAVolumeBetweenHdf5AndNumPy) {
  make_nbody(home_ / "nbody.h5", {.size = 12});
  const auto volume = open_dataset(home_ / "nbody.h5", {});
  convert(*volume, home_ / "npy", {.format = "npy"});
  EXPECT_THAT(test::names_in(home_ / "npy"), ElementsAre("Hydro.npy", "Nbody.npy"));
  const auto arrays = open_dataset(home_ / "npy", {});
  EXPECT_EQ(content_fingerprint(*arrays), content_fingerprint(*volume));
  EXPECT_EQ(convert(*arrays, home_ / "nbody.h5", {.format = "hdf5"}), Converted::kAlreadyThere);
  EXPECT_EQ(convert(*arrays, home_ / "again.h5", {.format = "hdf5"}), Converted::kMade);
  EXPECT_EQ(refusal(*volume, {.format = "hdf5", .chunk_samples = 1}),
            test::usage("--chunk: a volume is written in one piece"));
  EXPECT_EQ(refusal(*volume, {.format = "idx"}), test::usage("cannot convert to idx: it holds plain images only"));
}

TEST_F(Convert, PacksEncodedImagesIntoOneFileAndUnpacksThem) {
  const char* kinds[] = {".jpg", ".png", ".bmp", ".webp"};
  for (std::size_t i = 0; i < 4; ++i) put_image(std::string(i < 2 ? "a" : "b") + "/" + std::to_string(i), kinds[i]);
  const auto folder = open_dataset(home_ / "photos", {});
  EXPECT_EQ(convert(*folder, home_ / "packed.h5", {.format = "hdf5"}), Converted::kMade);
  const auto packed = open_dataset(home_ / "packed.h5", {});
  EXPECT_TRUE(packed->info().encoded);
  EXPECT_EQ(packed->info().samples, 4U);
  EXPECT_EQ(packed->info().classes, 2U);
  EXPECT_EQ(content_fingerprint(*packed), content_fingerprint(*folder));
  EXPECT_EQ(convert(*packed, home_ / "unpacked", {.format = "jpeg"}), Converted::kMade);
  EXPECT_EQ(content_fingerprint(*open_dataset(home_ / "unpacked", {})), content_fingerprint(*folder));
  EXPECT_THAT(test::names_in(home_ / "unpacked/class00000"), ElementsAre("0000000000.jpg", "0000000001.png"));
  EXPECT_THAT(test::names_in(home_ / "unpacked/class00001"), ElementsAre("0000000002.bmp", "0000000003.webp"));
  EXPECT_EQ(refusal(*folder, {.format = "hdf5", .chunk_samples = 1}),
            test::usage("--chunk: what is encoded is written in one piece"));
}

TEST_F(Convert, KeepsEncodedImagesUnchangedInEveryFormatThatHoldsThem) {
  const char* kinds[] = {".jpg", ".png", ".bmp", ".webp"};
  for (std::size_t i = 0; i < 4; ++i) put_image(std::string(i < 2 ? "a" : "b") + "/" + std::to_string(i), kinds[i]);
  const auto folder = open_dataset(home_ / "photos", {});
  std::unique_ptr<Dataset> last = open_dataset(home_ / "photos", {});
  for (const char* format : {"webdataset", "tfrecord", "hdf5", "tfrecord", "webdataset", "jpeg"}) {
    const fs::path to = home_ / ("step" + std::to_string(step_++) + (std::string(format) == "hdf5" ? ".h5" : ""));
    EXPECT_EQ(convert(*last, to, {.format = format}), Converted::kMade);
    EXPECT_EQ(convert(*last, to, {.format = format}), Converted::kAlreadyThere);
    last = open_dataset(to, {});
    EXPECT_EQ(content_fingerprint(*last), content_fingerprint(*folder)) << to;
  }
}

TEST_F(Convert, TellsTiffFromJpegInEveryFormatThatHoldsEncodedImages) {
  put_image("a/1", ".tiff");
  put_image("a/2", ".jpg");
  const auto folder = open_dataset(home_ / "photos", {});
  convert(*folder, home_ / "folder", {.format = "jpeg"});
  EXPECT_THAT(test::names_in(home_ / "folder/class00000"), ElementsAre("0000000000.tif", "0000000001.jpg"));
  convert(*folder, home_ / "tars", {.format = "webdataset"});
  const std::string tar = test::bytes_of(home_ / "tars/shard-000000.tar");
  EXPECT_THAT(tar, HasSubstr("0000000000.tif"));
  EXPECT_THAT(tar, HasSubstr("0000000001.jpg"));
  convert(*folder, home_ / "records", {.format = "tfrecord"});
  const std::string records = test::bytes_of(home_ / "records/shard-000000.tfrecord");
  EXPECT_THAT(records, HasSubstr("\4tiff"));
  EXPECT_THAT(records, HasSubstr("\4jpeg"));
}

TEST_F(Convert, NamesClassesInTheOrderOfTheirLabels) {
  EXPECT_EQ(class_directory(7, 100'000), "class00007");
  EXPECT_EQ(class_directory(99'999, 100'001), "class099999");
  EXPECT_EQ(class_directory(100'000, 100'001), "class100000");
}

TEST_F(Convert, DividesSamplesIntoShardsOfAboutTheRequestedSize) {
  convert(*colour_, home_ / "tars", {.format = "webdataset", .shard_bytes = 30'000});
  const auto shards = test::names_in(home_ / "tars");
  EXPECT_GT(shards.size(), 2U);
  EXPECT_EQ(*shards.begin(), "shard-000000.tar");
  for (const std::string& name : shards) EXPECT_LT(fs::file_size(home_ / "tars" / name), 32'000U);
  EXPECT_EQ(open_dataset(home_ / "tars", {})->info().samples, 30U);
}

TEST_F(Convert, StoresThePixelsOfEncodedImagesOfOneSize) {
  convert(*colour_, home_ / "records", {.format = "tfrecord"});
  const auto records = open_dataset(home_ / "records", {});
  EXPECT_EQ(convert(*records, home_ / "pixels.h5", {.format = "hdf5", .decode = true}), Converted::kMade);
  EXPECT_EQ(content_fingerprint(*open_dataset(home_ / "pixels.h5", {})), content_fingerprint(*colour_));
  EXPECT_EQ(convert(*records, home_ / "cifar", {.format = "cifar10"}), Converted::kMade);
  EXPECT_EQ(content_fingerprint(*open_dataset(home_ / "cifar", {})), content_fingerprint(*colour_));
  EXPECT_EQ(refusal(*colour_, {.format = "hdf5", .decode = true}),
            test::usage("--decode: these samples are pixels already, only encoded images can be decoded"));
}

TEST_F(Convert, RefusesToStorePixelsOfDifferentSizesOrOf16Bits) {
  put_image("a/1", ".png");
  std::vector<unsigned char> bytes;
  cv::imencode(".png", cv::Mat(9, 8, CV_8UC3), bytes);
  test::write(home_ / "photos/b/2.png", std::string(bytes.begin(), bytes.end()));
  const auto folder = open_dataset(home_ / "photos", {});
  EXPECT_EQ(refusal(*folder, {.format = "hdf5", .decode = true}),
            test::failed("cannot store pixels: all images must have one size, " + (home_ / "photos/a/1.jpg").string() +
                         " has 8 x 8 and " + (home_ / "photos/b/2.png").string() + " has 8 x 9"));
  cv::imencode(".png", cv::Mat(8, 8, CV_16UC3), bytes);
  test::write(home_ / "photos/b/2.png", std::string(bytes.begin(), bytes.end()));
  EXPECT_THAT(refusal(*folder, {.format = "hdf5", .decode = true}).message,
              HasSubstr("it has 16 bits per value, and only 8 can be stored as pixels"));
}

TEST_F(Convert, KeepsPlainImagesInFoldersAsPngInTheOrderOfTheirClasses) {
  const auto one = test::patterned_dataset(7, {1, 4, 5});  // one of each class, 0 to 6
  EXPECT_EQ(convert(*one, home_ / "folder", {.format = "jpeg"}), Converted::kMade);
  EXPECT_THAT(test::names_in(home_ / "folder/class00003"), ElementsAre("0000000003.png"));
  EXPECT_EQ(content_fingerprint(*decoded(*open_dataset(home_ / "folder", {}), {})), content_fingerprint(*one));
  EXPECT_EQ(refusal(*grey_, {.format = "jpeg"}),
            test::usage("cannot convert to jpeg: it holds samples in the order of their classes only, these are in "
                        "another order"));
  DatasetInfo info{.format = "memory", .samples = 2, .shape = {1, 1, 1}, .classes = 3};
  const StridedDataset gap(std::move(info), std::vector<std::int32_t>{0, 2}, HugeMemory(2));
  EXPECT_EQ(refusal(gap, {.format = "jpeg"}),
            test::usage("cannot convert to jpeg: it holds classes with samples only, class 1 of these has none"));
  DatasetInfo fewer{.format = "memory", .samples = 2, .shape = {1, 1, 1}, .classes = 3};
  const StridedDataset end(std::move(fewer), std::vector<std::int32_t>{0, 1}, HugeMemory(2));
  EXPECT_EQ(refusal(end, {.format = "jpeg"}),
            test::usage("cannot convert to jpeg: it holds classes with samples only, class 2 of these has none"));
}

TEST_F(Convert, RefusesAStoredLabelOutOfRangeOfImagesThatItDecodes) {
  put_image("a/1", ".png");
  put_image("b/2", ".png");
  const auto folder = open_dataset(home_ / "photos", {});
  const auto labels = std::make_shared<const MappedFile>(test::write(home_ / "labels", std::string("\0\2", 2)));
  const test::StoredLabelsDataset images(*folder, labels);
  EXPECT_EQ(test::thrown_by([&] { decoded(images, {}); }),
            test::failed("cannot read " + (home_ / "photos/b/2.jpg").string() +
                         ": its label 2 is out of range, want 0 to 1"));
}

TEST_F(Convert, LeavesNothingIfASampleCannotBeDecoded) {
  put_image("a/1", ".jpg");
  test::write(home_ / "photos/a/2.jpg", "a text");
  put_image("b/3", ".png");
  const auto folder = open_dataset(home_ / "photos", {});
  for (const char* format : {"hdf5", "jpeg"}) {
    EXPECT_EQ(refusal(*folder, {.format = format}),
              test::failed("cannot convert to " + (home_ / "new").string() +
                           ": 1 of 3 samples cannot be decoded, the first is " + (home_ / "photos/a/2.jpg").string() +
                           "; `loadline data verify` names them all"));
    EXPECT_THAT(test::names_in(home_.path()), ElementsAre("photos"));
  }
}

TEST_F(Convert, ReportsItsProgress) {
  const auto many = test::patterned_dataset(700, {3, 32, 32});
  std::vector<std::size_t> told;
  convert(*many, home_ / "new", {.format = "hdf5"}, [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 700U);
    told.push_back(done);
  });
  EXPECT_THAT(told, ElementsAre(341, 682, 700));  // 1 MiB at a time
}

}  // namespace
}  // namespace loadline
