// `loadline data`: what it says of data, and of data that is measured as it is.
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "loaders/datasets/datasets.h"
#include "loaders/names.h"
#include "loaders/storage/hdf5.h"
#include "tests/cli/fixture.h"
#include "tests/loaders/support/npy_files.h"
#include "tests/loaders/support/shard_files.h"
#include "tests/loaders/support/token_files.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Data : public CommandLine {};

TEST_F(Data, InfoShowsWhatIsThere) {
  const std::string data = mnist("with space \xff");
  const Outcome outcome = run({"data", "info", data});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const std::string& line :
       Words{"path         " + data.substr(0, data.size() - 1) + R"(\xff)", "format       idx", "samples      64",
             "shape        1x4x4 (channels x height x width)", "dtype        u8", "classes      10",
             "labels       0:7 1:7 2:7 3:7 4:6 5:6 6:6 7:6 8:6 9:6", "stored       1112 bytes in 2 files",
             "access       mapped; all of it takes 1024 bytes in memory", "page cache   2 of 2 pages", "fingerprint  "})
    EXPECT_THAT(outcome.out, HasSubstr(line));
}

TEST_F(Data, SaysThatChannelsAreStoredLast) {
  write(home_ / "set/images.npy", npy_of("|u1", "6, 8, 6, 3", std::string(864, '\7')));
  write(home_ / "set/labels.npy", npy_of("|u1", "6,", std::string("\0\1\2\0\1\2", 6)));
  EXPECT_THAT(run({"data", "info", "set"}).out,
              HasSubstr("shape        3x8x6 (channels x height x width), stored with channels last\n"));
  EXPECT_THAT(run({"data", "verify", "set"}).out,
              HasSubstr("set: ok, 6 samples and labels read, stored with channels last, fingerprint "));
  ASSERT_EQ(run({"data", "convert", "set", "planes.h5", "-q"}).exit_code, 0);
  EXPECT_THAT(run({"data", "info", "planes.h5"}).out, HasSubstr("shape        3x8x6 (channels x height x width)\n"));
}

TEST_F(Data, InfoNamesTheClassesOfAnImageFolder) {
  const std::string image = "P6\n4 4\n255\n" + std::string(48, 'x');
  for (const char* file : {"cats/old/1.ppm", "cats/young/2.ppm", "dogs/3.ppm"}) write(home_ / "photos" / file, image);
  const Outcome outcome = run({"data", "info", "photos"});
  EXPECT_THAT(outcome.out, HasSubstr("labels       cats:2 dogs:1\n"));
  EXPECT_THAT(
      outcome.out,
      HasSubstr("access       each file is read when its sample is needed; all of it takes 177 bytes in memory\n"));
}

TEST_F(Data, VerifyReadsEverySample) {
  const Outcome outcome = run({"data", "verify", mnist()});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("mnist: ok, 64 samples and labels read, fingerprint "));
}

TEST_F(Data, VerifyDecodesImagesAndNamesThoseItCannotDecode) {
  const std::string sound = "P6\n4 4\n255\n";
  for (int i = 0; i < 6; ++i) {
    write(home_ / "photos" / (i < 3 ? "a" : "b") / fmt::format("{}.ppm", i),
          sound + std::string(48, static_cast<char>(i)));
  }
  const Outcome all = run({"data", "verify", "photos"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, testing::StartsWith("photos: ok, 6 samples and labels read and decoded, fingerprint "));
  write(home_ / "photos/a/1.ppm", sound + "short");
  write(home_ / "photos/b/4.ppm", "");
  write(home_ / "photos/b/text.jpg", "no photograph");
  const Outcome outcome = run({"data", "verify", "photos"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "loadline: photos: 3 of 7 samples cannot be decoded\n");
  for (const char* file : {"\nphotos/b/4.ppm: cannot decode image: 0 bytes\n",
                           "\nphotos/b/text.jpg: cannot decode image: damaged, or of a format unknown to OpenCV\n"}) {
    EXPECT_THAT(outcome.out, HasSubstr(file));
  }
  EXPECT_THAT(outcome.out, testing::StartsWith("photos/a/1.ppm: cannot decode image: "));
  EXPECT_THAT(outcome.out, Not(HasSubstr("ok")));
  expect_refusal(run({"data", "convert", "photos", "photos.h5", "-q"}), 1,
                 "cannot convert to photos.h5: 3 of 7 samples cannot be decoded, the first is photos/a/1.ppm; "
                 "`loadline data verify` names them all");
  EXPECT_EQ(files(), (std::set<std::string>{"photos"}));
}

TEST_F(Data, VerifyNamesEveryCorruptChunkOnce) {
  ASSERT_EQ(run({"data", "convert", mnist(), "chunks.h5", "--chunk", "16", "--gzip", "6", "-q"}).exit_code, 0);
  std::string bytes = bytes_of(home_ / "chunks.h5");
  for (const std::uint64_t first : {0U, 32U}) {
    const auto place = Hdf5Dataset(home_ / "chunks.h5", "images").find_chunk(first);
    bytes.replace(static_cast<std::size_t>(place.offset_bytes), place.bytes, place.bytes, '\xff');
  }
  write(home_ / "chunks.h5", bytes);
  const Outcome outcome = run({"data", "verify", "chunks.h5"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, testing::StartsWith("cannot read chunks.h5: the chunk at sample 0 is corrupt\n"
                                               "cannot read chunks.h5: the chunk at sample 32 is corrupt\n"));
  EXPECT_EQ(outcome.err, "loadline: chunks.h5: 32 of 64 samples cannot be read\n");
}

TEST_F(Data, VerifyAndConvertRefuseAnArchiveThatDiffersFromItsChecksum) {
  ASSERT_EQ(run({"data", "make", "mnist", "made", "--samples", "20", "-q"}).exit_code, 0);
  ASSERT_EQ(run({"data", "convert", "made", "one.npz", "-q"}).exit_code, 0);
  EXPECT_THAT(run({"data", "verify", "one.npz"}).out, HasSubstr("one.npz: ok, 20 samples and labels read"));
  std::string bytes = bytes_of(home_ / "one.npz");
  bytes[600] = static_cast<char>(bytes[600] ^ 1);  // among the pixels
  write(home_ / "one.npz", bytes);
  const std::string sentence = "cannot open one.npz: 'images.npy' in it is corrupt";
  expect_refusal(run({"data", "verify", "one.npz"}), 1, sentence);
  expect_refusal(run({"data", "convert", "one.npz", "copy.h5", "-q"}), 1, sentence);
  EXPECT_EQ(files(), (std::set<std::string>{"made", "one.npz"}));
}

TEST_F(Data, InfoGivesTheSizeOfImagesInShardsWithoutTheirHeaders) {
  const std::string image = "P6\n4 4\n255\n" + std::string(48, 'x');
  write(home_ / "a.tar", tar_file("1.ppm", image) + tar_file("2.ppm", image + "aa") + tar_end());
  EXPECT_THAT(run({"data", "info", "a.tar"}).out, HasSubstr("shape        that of each image, 60 bytes on average\n"));
}

TEST_F(Data, ACorruptRecordDoesNotMakeTheOthersUnusable) {
  ASSERT_EQ(run({"data", "make", "cifar10", "made", "--samples", "40", "--as", "tfrecord", "-q"}).exit_code, 0);
  std::string shard = bytes_of(home_ / "made" / "train" / "shard-000000.tfrecord");
  shard.back() = static_cast<char>(shard.back() ^ 1);  // of the checksum of the last record
  write(home_ / "one.tfrecord", shard);
  EXPECT_THAT(run({"data", "info", "one.tfrecord"}).out, HasSubstr("\nsamples      40\n"));
  EXPECT_EQ(run({"data", "verify", "one.tfrecord"}).err, "loadline: one.tfrecord: 1 of 40 samples cannot be decoded\n");
  const Words words = Words{"run", "--workload",   "photos", "--data",   "one.tfrecord", "--mode",
                            "io",  "--batch-size", "40",     "--loader", "serial",       "--image-size",
                            "32",  "--in-memory",  "off,on", "-o",       "result.json",  "--overwrite"} +
                      kShort;
  EXPECT_THAT(run(words).err, HasSubstr("the checksum of its record is wrong (corrupt)"));
  const Outcome skipped = run(words + Words{"--on-corrupt", "skip"});
  EXPECT_EQ(skipped.exit_code, 0) << skipped.err;
  for (const std::size_t cell : {0U, 1U}) EXPECT_EQ(result()["cells"][cell]["skipped"]["count"], 1) << cell;
}

TEST_F(Data, VerifyCountsDuplicatesAndClassesWithoutSamples) {
  write(home_ / "cifar" / "data_batch_1.bin", cifar10({1, 2}));
  write(home_ / "cifar" / "data_batch_2.bin", cifar10({1, 2}));
  const Outcome outcome = run({"data", "verify", "cifar"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              testing::StartsWith(
                  "cifar: 2 of 4 samples repeat an earlier one: sample 2 of cifar/data_batch_1.bin is the same as "
                  "sample 0 of cifar/data_batch_1.bin, sample 3 of cifar/data_batch_1.bin is the same as sample 1 of "
                  "cifar/data_batch_1.bin\n"
                  "cifar: 1 of 2 files repeats an earlier one: cifar/data_batch_2.bin is the same as "
                  "cifar/data_batch_1.bin\n"
                  "cifar: 8 of 10 classes have no samples: 0, 3, 4, 5, 6, ... (3 more)\n"
                  "cifar: ok, 4 samples and labels read, fingerprint "));
}

TEST_F(Data, RefusesCifarThatLacksABatch) {
  for (const char* name : {"data_batch_1.bin", "data_batch_2.bin", "data_batch_4.bin"}) {
    write(home_ / "cifar" / name, cifar10({1, 2}));
  }
  expect_refusal(run({"data", "verify", "cifar"}), 1,
                 "cannot open cifar: it has data_batch_4.bin but no data_batch_3.bin");
}

TEST_F(Data, ListsTheFormatsThatItReads) {
  const std::string names = list_of(names_of(dataset_formats()));
  for (const Words& verb : {Words{"data", "info"}, Words{"data", "convert"}}) {
    std::string help = run(verb + Words{"--help"}).out;
    std::ranges::replace(help, '\n', ' ');
    help = std::regex_replace(help, std::regex(" +"), " ");
    EXPECT_THAT(help, HasSubstr(fmt::format("format of the data: auto, {} [auto]", names)));
  }
  expect_refusal(run({"data", "info", mnist(), "--format", "zip"}), 2,
                 fmt::format("format 'zip': want one of {}", names));
}

TEST_F(Data, ReadsImagesBelowAClassAndCountsThoseBesideTheClasses) {
  for (int i = 0; i < 6; ++i) {
    const std::string places[] = {"a", "a/deep", "a/deep", "a/deep", "b", "."};
    write(home_ / "nest" / places[i] / fmt::format("{}.ppm", i),
          "P6\n4 4\n255\n" + std::string(48, static_cast<char>(i)));
  }
  const Outcome info = run({"data", "info", "nest"});
  EXPECT_THAT(info.out, HasSubstr("\nsamples      5\n"));
  EXPECT_THAT(info.out, HasSubstr("\nlabels       a:4 b:1\nnot read     1 image beside the classes\nstored "));
  EXPECT_THAT(run({"data", "verify", "nest"}).out,
              testing::StartsWith("nest: not read: 1 image beside the classes\n"
                                  "nest: ok, 5 samples and labels read and decoded, fingerprint "));
  std::filesystem::create_directory(home_ / "nest" / "empty");
  expect_refusal(run({"data", "verify", "nest"}), 1,
                 "cannot open nest/empty: this class has no image; remove the directory or add an image");
}

TEST_F(Data, TakesTheTypeOfTokensWithoutAnIndex) {
  write(home_ / "u32.bin", counting_tokens<std::uint32_t>(4096));
  const Words tokens{"--format", "tokens"};
  const Outcome assumed = run(Words{"data", "info", "u32.bin"} + tokens);
  EXPECT_THAT(assumed.out, HasSubstr("\ntokens       8192\n"));
  EXPECT_THAT(assumed.out, HasSubstr("\ndtype        u16, assumed: it has no index; --token-type names another\n"));
  const std::string notice = "u32.bin: dtype u16, assumed: it has no index; --token-type names another\n";
  EXPECT_THAT(run(Words{"data", "verify", "u32.bin"} + tokens).out,
              testing::StartsWith(notice + "u32.bin: ok, 8192 tokens read, fingerprint "));
  const Words convert{"data", "convert", "u32.bin", "copy", "--from-format", "tokens", "--format", "tokens"};
  EXPECT_THAT(run(convert).err, testing::StartsWith(notice + "copy: made, fingerprint "));
  EXPECT_EQ(run(convert + Words{"--token-type", "u16", "-q"}).err, "");
  const Words typed = tokens + Words{"--token-type", "u32"};
  const Outcome info = run(Words{"data", "info", "u32.bin"} + typed);
  EXPECT_THAT(info.out, HasSubstr("\ntokens       4096\n"));
  EXPECT_THAT(info.out, HasSubstr("\ndtype        u32\n"));
  EXPECT_THAT(run(Words{"data", "info", "u32.bin"} + tokens + Words{"--token-type", "u16"}).out,
              HasSubstr("\ndtype        u16\n"));
  EXPECT_THAT(run(Words{"data", "verify", "u32.bin"} + typed).out,
              testing::StartsWith("u32.bin: ok, 4096 tokens read"));
  EXPECT_THAT(run({"data", "info", "u32.bin", "--token-type", "u64"}).err,
              HasSubstr("--token-type 'u64': want one of auto, u16, u32"));
  const std::string images = mnist();
  for (const Words& verb : {Words{"data", "info", images}, Words{"data", "convert", images, "new.h5", "-q"}}) {
    expect_refusal(
        run(verb + Words{"--token-type", "u32"}), 2,
        fmt::format("--token-type: it applies to tokens, not to {}, which holds images of one size", images));
  }
}

TEST_F(Data, MeasuresOneFileOfTokensByItsPath) {
  write(home_ / "mine.bin", counting_tokens<std::uint16_t>(4096));
  expect_refusal(run({"data", "info", "mine.bin"}), 1,
                 fmt::format("cannot open mine.bin: no known dataset in it; if it holds tokens, add --format tokens "
                             "(`data convert`: --from-format tokens), otherwise name its format ({})",
                             list_of(names_of(dataset_formats()))));
  const Outcome measured = run(Words{"run", "--workload", "tokens", "--data", "mine.bin", "--sequence-length", "64",
                                     "--batch-size", "8", "--mode", "io", "--loader", "serial", "-o", "result.json"} +
                               kShort);
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_THAT(measured.out, HasSubstr("samples out of 4096 tokens of u16, mapped, fingerprint "));
}

}  // namespace
}  // namespace loadline::test
