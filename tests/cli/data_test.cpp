// `loadline data`.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <regex>
#include <string_view>

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

// One pixel of red, green, blue and alpha.
constexpr std::string_view kPngWithAlpha{
    "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\x08"
    "\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\x0d\x49\x44\x41\x54\x78\xda\x63\xe0\x12\x91\x6b\x00\x00"
    "\x01\x25\x00\xbd\x31\x18\x2b\x0e\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82",
    70};

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

TEST_F(Data, MakesWhatTheWorkloadMeasures) {
  const Outcome made = run({"data", "make", "mnist", "new", "--samples", "60"});
  EXPECT_EQ(made.exit_code, 0);
  EXPECT_EQ(made.err, "new: made\n");
  EXPECT_EQ(run({"data", "verify", "new"}).exit_code, 0);
  EXPECT_EQ(run({"data", "verify", "new", "--split", "test"}).exit_code, 0);
  EXPECT_EQ(run(short_run("new") + Words{"-q"}).exit_code, 0);
}

TEST_F(Data, IsNotMadeTwice) {
  const Words words{"data", "make", "cifar10", "new", "--samples", "20"};
  ASSERT_EQ(run(words).exit_code, 0);
  const Outcome again = run(words);
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.err, "new: already there, nothing changed\n");
}

TEST_F(Data, ConvertsForTheLoadersThatReadHdf5) {
  const std::string data = mnist();
  const Outcome missing = run(short_run(data) + Words{"--loader", "hdf5-mmap"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("get it with `loadline data convert " + data + " " + data + ".h5`"));
  const Outcome made = run({"data", "convert", data, data + ".h5"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr(".h5: made, 64 samples, fingerprint "));
  EXPECT_THAT(run({"data", "convert", data, data + ".h5"}).err, HasSubstr("already there, nothing changed"));
  ASSERT_EQ(run({"data", "convert", data, data + "-chunks.h5", "--chunk", "16", "--gzip", "1"}).exit_code, 0);
  const Outcome all = run(short_run(data) + Words{"--loader", "serial,hdf5-mmap,hdf5,hdf5-block,hdf5-chunk"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.err, Not(HasSubstr("samples-differ")));
  for (const char* access : {"mapped", "hdf5-rows", "hdf5-blocks", "hdf5-chunks"})
    EXPECT_THAT(all.out, HasSubstr(access));
}

TEST_F(Data, SpeaksOfOneSampleInTheSingular) {
  EXPECT_EQ(run({"data", "make", "mnist", "shards", "--samples", "10", "--as", "webdataset"}).err,
            "shards: made, 10 samples in train and 1 sample in val\n");
  EXPECT_THAT(run({"data", "verify", "shards/val"}).out, HasSubstr("ok, 1 sample and label read and decoded"));
  EXPECT_THAT(run({"data", "convert", "shards/val", "one.h5"}).err, HasSubstr("one.h5: made, 1 sample, fingerprint "));
}

TEST_F(Data, MakesMeasuresAndConvertsShards) {
  for (const std::string format : {"webdataset", "tfrecord"}) {
    const Outcome made = run({"data", "make", "cifar10", format, "--samples", "40", "--as", format});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.err, format + ": made, 40 samples in train and 8 samples in val\n");
    EXPECT_THAT(run({"data", "verify", format, "--split", "test"}).out,
                HasSubstr(format + ": ok, 8 samples and labels read and decoded, fingerprint "));
    const Outcome measured =
        run(Words{"run", "--workload", "photos", "--data", format, "--mode", "io", "--batch-size", "8", "--loader",
                  "serial,thread-pool", "--image-size", "32", "-o", "result.json", "--overwrite"} +
            kShort);
    EXPECT_EQ(measured.exit_code, 0) << measured.err;
    EXPECT_THAT(measured.out, HasSubstr("(" + format + ", 40 samples"));
    ASSERT_EQ(run({"data", "convert", format, format + "-cifar", "--format", "cifar10", "-q"}).exit_code, 0);
    ASSERT_EQ(run({"data", "convert", format, format + ".h5", "--decode", "-q"}).exit_code, 0);
    EXPECT_THAT(run({"data", "info", format + ".h5"}).out, HasSubstr("shape        3x32x32"));
  }
  EXPECT_EQ(files(), (std::set<std::string>{"result.json", "tfrecord", "tfrecord-cifar", "tfrecord.h5", "webdataset",
                                            "webdataset-cifar", "webdataset.h5"}));
  expect_refusal(run({"data", "make", "cifar10", "webdataset", "--samples", "40", "--as", "tfrecord"}), 1,
                 "cannot make webdataset: something else is there (train differs in content); name another directory "
                 "or remove this one");
  EXPECT_EQ(run({"data", "make", "cifar10", "new", "--as", "zip"}).exit_code, 2);
  EXPECT_EQ(run({"data", "convert", "tfrecord", "new", "--format", "webdataset", "--shard", "0"}).exit_code, 2);
}

TEST_F(Data, MakesImagesInEveryFormatThatCanHoldThem) {
  const std::pair<std::string, std::string> cases[] = {{"hdf5", ".h5"}, {"npy", ""},        {"npz", ".npz"},
                                                       {"jpeg", ""},    {"webdataset", ""}, {"tfrecord", ""}};
  for (const auto& [format, ending] : cases) {
    const Outcome made = run({"data", "make", "cifar10", format, "--samples", "50", "--as", format});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.err, fmt::format("{0}: made, 50 samples in train{1} and 10 samples in val{1}\n", format, ending));
    EXPECT_THAT(run({"data", "verify", fmt::format("{}/train{}", format, ending)}).out,
                HasSubstr(": ok, 50 samples and labels read"));
    EXPECT_THAT(run({"data", "verify", fmt::format("{}/val{}", format, ending)}).out,
                HasSubstr(": ok, 10 samples and labels read"));
  }
  EXPECT_THAT(run({"data", "info", "jpeg", "--split", "test"}).out, HasSubstr("\nformat       image-folder\n"));
  expect_refusal(run({"data", "info", "npz"}), 1,
                 "cannot open npz: it is no dataset itself; give the path of one in it: npz/train.npz or "
                 "npz/val.npz");
  EXPECT_EQ(run({"data", "make", "mnist", "idx", "--samples", "20", "--as", "idx"}).err, "idx: made\n");
  const Outcome measured = run(Words{"run", "--workload", "cifar10", "--data", "npz/train.npz", "--mode", "io",
                                     "--batch-size", "8", "--loader", "serial", "-o", "result.json"} +
                               kShort);
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_EQ(files(),
            (std::set<std::string>{"hdf5", "idx", "jpeg", "npy", "npz", "result.json", "tfrecord", "webdataset"}));
}

TEST_F(Data, MakesWhatIsNoSetOfSmallImagesInOtherFormatsToo) {
  write(home_ / "from/one.ppm", "P6\n64 48\n255\n" + std::string(std::size_t{64} * 48 * 3, 'x'));
  EXPECT_EQ(
      run({"data", "make", "photos", "photos", "--from", "from", "--samples", "2", "--size", "32", "--as", "npz"}).err,
      "photos: made, 2 samples in train.npz and 1 sample in val.npz\n");
  EXPECT_THAT(run({"data", "info", "photos/train.npz"}).out, HasSubstr("shape        3x24x32 "));
  EXPECT_EQ(run({"data", "make", "nbody", "cube", "--size", "8", "--as", "npy"}).err, "cube: made\n");
  EXPECT_THAT(run({"data", "verify", "cube"}).out, testing::StartsWith("cube: ok, all values read, fingerprint "));
  EXPECT_THAT(run({"data", "make", "text", "tokens", "--size", "20000", "--as", "tokens"}).err,
              testing::MatchesRegex("tokens: made, [0-9]+ documents in train and [0-9]+ documents in val\n"));
  EXPECT_THAT(run({"data", "info", "tokens/val"}).out, HasSubstr("\nformat       tokens\n"));
}

// With 20 samples, a batch of CIFAR-10 has 12,292 bytes and train.npz more than 61,440.
TEST_F(Data, LeavesNothingOfAnotherFormatThatCannotBeMade) {
  const Words words{"data", "make", "cifar10", "a/b/new", "--samples", "20", "--as", "npz"};
  world_.most_file_bytes = 4096;
  expect_refusal(run(words), 1, "cannot write a/b/new: File too large");
  EXPECT_EQ(files(), std::set<std::string>());
  world_.most_file_bytes = 30'000;
  expect_refusal(run(words), 1, "cannot write a/b/new/train.npz: File too large");
  EXPECT_EQ(files(), std::set<std::string>());
}

TEST_F(Data, RefusesAtOnceToMakeAnotherFormatWhereSomethingIs) {
  write(home_ / "empty", "");
  const auto sentence = [](const std::string& place, const std::string& what) {
    return fmt::format("cannot make {}: something else is there ({}); name another directory or remove this one", place,
                       what);
  };
  expect_refusal(run({"data", "make", "cifar10", "empty", "--samples", "20", "--as", "npz"}), 1,
                 sentence("empty", "not a directory"));
  expect_refusal(run({"data", "make", "nbody", "empty", "--size", "8", "--as", "npy"}), 1,
                 sentence("empty", "not a directory"));
  const Words words{"data", "make", "cifar10", "npz", "--samples", "20", "--as", "npz"};
  write(home_ / "npz/train.npz", "no archive");
  expect_refusal(run(words), 1, sentence("npz", "without val.npz"));
  write(home_ / "npz/val.npz", "no archive");
  write(home_ / "npz/notes.txt", "mine");
  expect_refusal(run(words), 1, sentence("npz", "holding notes.txt"));
  EXPECT_EQ(names_in(home_ / "npz"), (std::set<std::string>{"notes.txt", "train.npz", "val.npz"}));
  write(home_ / "new.making/thesis.tex", "years of work");
  EXPECT_EQ(run({"data", "make", "nbody", "new", "--size", "8", "--as", "npy"}).err, "new: made\n");
  EXPECT_EQ(names_in(home_ / "new.making"), std::set<std::string>{"thesis.tex"}) << "whatever is beside it";
}

TEST_F(Data, FindsWhatItMadeInAnotherFormatAlreadyThere) {
  for (const std::string format : {"hdf5", "npy", "npz", "jpeg", "webdataset", "tfrecord"}) {
    const Words words{"data", "make", "cifar10", format, "--samples", "50", "--as", format};
    ASSERT_EQ(run(words + Words{"-q"}).exit_code, 0);
    const Outcome again = run(words);
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_EQ(again.err, fmt::format("{}: already there, nothing changed\n", format));
    const std::string train = format == "hdf5" ? "train.h5" : format == "npz" ? "train.npz" : "train";
    expect_refusal(run(words + Words{"--seed", "2"}), 1,
                   fmt::format("cannot make {}: something else is there ({} differs in content); name another "
                               "directory or remove this one",
                               format, train));
  }
  EXPECT_EQ(files(), (std::set<std::string>{"hdf5", "jpeg", "npy", "npz", "tfrecord", "webdataset"}));
}

TEST_F(Data, FindsAlreadyThereWhateverItMadeBefore) {
  std::string ramp = "P6\n64 48\n255\n";
  for (int i = 0; i < 64 * 48 * 3; ++i) ramp += static_cast<char>(i / 40);
  write(home_ / "from/one.ppm", ramp);
  const Words photos{"--from", "from", "--samples", "2", "--size", "32"};
  const std::pair<std::string, Words> cases[] = {
      {"nbody", {"--size", "8", "--as", "npy"}},      {"text", {"--size", "20000", "--as", "tokens"}},
      {"text", {"--size", "20000", "--as", "files"}}, {"photos", photos},
      {"photos", photos + Words{"--as", "hdf5"}},     {"photos", photos + Words{"--as", "npz"}}};
  for (const auto& [kind, options] : cases) {
    const Words words = Words{"data", "make", kind, "a/new"} + options;
    EXPECT_EQ(run(words + Words{"-q"}).err, "");
    const Outcome again = run(words);
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_EQ(again.err, "a/new: already there, nothing changed\n");
    const Outcome other = run(words + Words{"--seed", "2"});
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_THAT(other.err, testing::StartsWith("loadline: cannot make a/new: something else is there ("));
    EXPECT_EQ(names_in(home_ / "a"), std::set<std::string>{"new"});
    std::filesystem::remove_all(home_ / "a");
  }
}

TEST_F(Data, CreatesMissingParents) {
  const std::string data = mnist();
  for (const Words& words : {Words{"data", "make", "mnist", "a/b/new", "--samples", "20"},
                             Words{"data", "make", "mnist", "a/b/new", "--samples", "20", "--as", "npz"},
                             Words{"data", "make", "nbody", "a/b/new", "--size", "8"},
                             Words{"data", "convert", data, "a/b/new", "--format", "npy"},
                             Words{"data", "convert", data, "a/b/new", "--format", "hdf5"}}) {
    const Outcome made = run(words);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(names_in(home_ / "a/b"), std::set<std::string>{"new"});
    std::filesystem::remove_all(home_ / "a");
  }
  write(home_ / "file", "");
  for (const Words& words : {Words{"data", "make", "mnist", "file/b/new", "--samples", "20", "-q"},
                             Words{"data", "make", "mnist", "file/b/new", "--samples", "20", "--as", "npz", "-q"},
                             Words{"data", "make", "nbody", "file/b/new", "--size", "8", "-q"},
                             Words{"data", "convert", data, "file/b/new", "--format", "npy", "-q"}}) {
    expect_refusal(run(words), 1, "cannot create file/b: Not a directory");
  }
}

TEST_F(Data, ConvertsIntoTheDirectoryWhereItRuns) {
  const std::string data = mnist();
  std::filesystem::create_directory(home_ / "here");
  world_.directory = home_ / "here";
  const Outcome made = run({"data", "convert", data, ".", "--format", "npy"});
  EXPECT_THAT(made.err, testing::StartsWith(".: made, 64 samples, fingerprint "));
  EXPECT_EQ(names_in(home_ / "here"), (std::set<std::string>{"images.npy", "labels.npy"}));
}

TEST_F(Data, SaysOfHowManyImagesItLeavesOutTheAlphaChannel) {
  write(home_ / "photos/a/1.png", kPngWithAlpha);
  write(home_ / "photos/a/2.ppm", "P6\n1 1\n255\nxyz");
  const Outcome pixels = run({"data", "convert", "photos", "pixels.h5", "--decode"});
  EXPECT_EQ(pixels.exit_code, 0);
  EXPECT_THAT(pixels.err, testing::MatchesRegex("pixels.h5: made, 2 samples, fingerprint [0-9a-f]+, without the alpha "
                                                "channel of 1 image\n"));
  EXPECT_THAT(run({"data", "convert", "photos", "packed.h5"}).err,
              testing::MatchesRegex("packed.h5: made, 2 samples, fingerprint [0-9a-f]+\n"));
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

TEST_F(Data, MakesAnotherFormatInAnEmptyDirectory) {
  for (const char* place : {"new", "link"}) {
    std::filesystem::create_directory(home_ / "new");
    if (!std::filesystem::is_symlink(home_ / "link")) std::filesystem::create_symlink("new", home_ / "link");
    EXPECT_EQ(run({"data", "make", "cifar10", place, "--samples", "20", "--as", "npz", "-q"}).exit_code, 0);
    EXPECT_EQ(names_in(home_ / "new"), (std::set<std::string>{"train.npz", "val.npz"}));
    EXPECT_EQ(files(), (std::set<std::string>{"link", "new"}));
    std::filesystem::remove_all(home_ / "new");
  }
}

TEST_F(Data, MakesAnotherFormatInTheDirectoryWhereItRuns) {
  const Outcome made = run({"data", "make", "cifar10", ".", "--samples", "20", "--as", "npz"});
  EXPECT_EQ(made.err, ".: made, 20 samples in train.npz and 4 samples in val.npz\n");
  EXPECT_EQ(files(), (std::set<std::string>{"train.npz", "val.npz"}));
}

TEST_F(Data, RefusesTooFewSamplesForAFolderOfEachClass) {
  const std::pair<std::string, std::size_t> cases[] = {{"cifar10", 50}, {"cifar100", 500}, {"mnist", 60}};
  for (const auto& [kind, least] : cases) {
    const std::string few = std::to_string(least - 1);
    expect_refusal(
        run({"data", "make", kind, "new", "--samples", few, "--as", "jpeg"}), 2,
        fmt::format("--samples {}: want at least {} for --as jpeg, so that val has every class", few, least));
  }
  EXPECT_EQ(files(), std::set<std::string>());
  EXPECT_EQ(run({"data", "make", "mnist", "new", "--samples", "60", "--as", "jpeg"}).err,
            "new: made, 60 samples in train and 10 samples in val\n");
}

TEST_F(Data, WaitsForStorageOnceWhenItWritesManyFiles) {
  write(home_ / "lines.txt", "one\ntwo\n");
  world_.refused_calls = {SYS_fsync};
  expect_refusal(run({"data", "convert", "lines.txt", "new", "--format", "files", "-q"}), 1,
                 "cannot commit the name of new to disk: Operation not permitted");
  write(home_ / "from/one.ppm", "P6\n64 48\n255\n" + std::string(std::size_t{64} * 48 * 3, 'x'));
  const Words photos{"data", "make", "photos", "photos", "--from", "from", "--samples", "2", "--size", "32", "-q"};
  expect_refusal(run(photos), 1, "cannot commit the name of photos to disk: Operation not permitted");
  const Words text{"data", "make", "text", "text", "--size", "20000", "--as", "files", "-q"};
  expect_refusal(run(text), 1, "cannot commit the name of text to disk: Operation not permitted");
  world_.refused_calls = {SYS_syncfs};
  EXPECT_EQ(run(text).exit_code, 0) << "it is there already";
  std::filesystem::remove_all(home_ / "text");
  expect_refusal(run(text), 1, "cannot write text: Operation not permitted");
  expect_refusal(run({"data", "convert", "lines.txt", "again", "--format", "files", "-q"}), 1,
                 "cannot write again: Operation not permitted");
  EXPECT_EQ(files(), (std::set<std::string>{"from", "lines.txt", "new", "photos"}));
}

TEST_F(Data, ReadsConvertedTokensByTheirWidthWithoutAnIndexOfTheirSource) {
  write(home_ / "one.bin", counting_tokens<std::uint16_t>(4096));
  ASSERT_EQ(run({"data", "convert", "one.bin", "wide", "--from-format", "tokens", "--format", "tokens",
                 "--to-token-type", "u32", "-q"})
                .exit_code,
            0);
  const Outcome info = run({"data", "info", "wide"});
  EXPECT_THAT(info.out, HasSubstr("\nformat       tokens\n"));
  EXPECT_THAT(info.out, HasSubstr("\ntokens       4096\ndocuments    1\ndtype        u32\n"));
}

TEST_F(Data, MakesAndMeasuresAVolume) {
  const Outcome made = run({"data", "make", "nbody", "nbody.h5", "--size", "24"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.err, "nbody.h5: made\n");
  const Outcome info = run({"data", "info", "nbody.h5"});
  EXPECT_THAT(info.out, HasSubstr("shape        4 + 5 channels of 24x24x24 (input + target)\ndtype        f32\n"));
  EXPECT_THAT(info.out, Not(HasSubstr("labels")));
  const Words words = Words{"run",     "--workload", "nbody",  "--data", "nbody.h5", "--crop-edge", "16",
                            "--crops", "12",         "--mode", "io",     "-o",       "result.json"} +
                      kShort;
  const Outcome all = run(words + Words{"--loader", "serial,thread-pool,flow-graph,hdf5-mmap,hdf5", "--workers", "2"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("(volume, 12 samples out of 4 + 5 channels of 24^3 f32, hdf5-rows, fingerprint "));
  EXPECT_EQ(result()["datasets"][0]["volume"]["edge"], 24);
  ASSERT_EQ(run({"data", "convert", "nbody.h5", "npy", "--format", "npy"}).exit_code, 0);
  EXPECT_EQ(run({"data", "verify", "npy"}).exit_code, 0);
}

TEST_F(Data, RefusesOptionsThatDoNotApplyToAVolume) {
  ASSERT_EQ(run({"data", "make", "nbody", "nbody.h5", "--size", "24", "-q"}).exit_code, 0);
  const Words words = Words{"run", "--workload", "nbody", "--data", "nbody.h5", "-o", "result.json"} + kShort;
  const std::string place = "cannot use nbody.h5 for workload nbody: ";
  const std::pair<Words, std::string> cases[] = {
      {{}, "--crop-edge 64: nbody.h5 has 24 values along each side; want an edge from 1 to that"},
      {{"--crop-edge", "16", "--dtype", "u8"}, place + "--dtype u8: the values of a volume are f32, want f32 or bf16"},
      {{"--crop-edge", "16", "--flip", "on"}, place + "--flip on: it applies to images, not to crops of a volume"},
      {{"--crop-edge", "16", "--layout", "nhwc"},
       place + "--layout nhwc: it applies to images, not to crops of a volume"},
      {{"--crop-edge", "16", "--mean", "1"}, place + "--mean, --std: it applies to images, not to crops of a volume"},
  };
  for (const auto& [extra, sentence] : cases) {
    const Outcome outcome = run(words + extra);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, "loadline: " + sentence + "\n");
  }
  EXPECT_EQ(run({"data", "make", "nbody", "new.h5", "--samples", "9"}).err,
            "loadline: --samples: nbody is one volume with --size values along each side\n");
  EXPECT_EQ(run({"data", "make", "mnist", "new", "--size", "9"}).err,
            "loadline: --size: mnist has a fixed image size; nbody, photos, tokens and text accept any\n");
  EXPECT_EQ(run({"data", "make", "nbody", "new.h5", "--size", "4"}).exit_code, 2);
}

TEST_F(Data, MakesAndMeasuresTokens) {
  const Outcome made = run({"data", "make", "tokens", "tokens", "--size", "40000"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.err, "tokens: made\n");
  const Outcome info = run({"data", "info", "tokens"});
  EXPECT_THAT(info.out, HasSubstr("format       tokens\ntokens       40960\ndocuments    "));
  EXPECT_THAT(info.out, HasSubstr("\ndtype        u16\nstored "));
  EXPECT_THAT(info.out, Not(HasSubstr("labels")));
  EXPECT_THAT(run({"data", "verify", "tokens/train.bin"}).out, HasSubstr("ok, 40960 tokens read, fingerprint "));
  const Words words = Words{"run", "--workload",   "tokens", "--data", "tokens",     "--sequence-length",
                            "64",  "--batch-size", "8",      "-o",     "result.json"} +
                      kShort;
  const Outcome all = run(
      words + Words{"--loader", "serial,thread-pool,flow-graph", "--workers", "2", "--sequences", "random,documents"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("samples out of 40960 tokens of u16, mapped, fingerprint "));
  EXPECT_THAT(all.out, HasSubstr("\ntokens/s: tokens that samples predict; length: tokens per sample; padding: "));
  EXPECT_THAT(all.out, HasSubstr("  0.0 %\n"));
  const auto json = result();
  for (const auto& cell : json["cells"]) {
    if (cell["mode"] == "OVERHEAD") continue;
    EXPECT_EQ(cell["sequence_length"], 64);
    EXPECT_EQ(cell["dtype"], "i32");
    const auto& trial = cell["trials"][0];
    const std::size_t tokens = trial["tokens"];
    const std::size_t padding = trial["padding"];
    EXPECT_EQ(tokens + padding, trial["samples"].get<std::size_t>() * 64);
    EXPECT_EQ(padding > 0, cell["sequences"] == "documents");
    EXPECT_EQ(cell["padding_share"] > 0.0, cell["sequences"] == "documents");
    const bool repeats_documents = cell["mode"] == "SYNTHETIC" && cell["sequences"] == "documents";
    EXPECT_EQ(cell.contains("tokens_per_second"), !repeats_documents);
    if (!repeats_documents) {
      EXPECT_GT(cell["tokens_per_second"]["mean"], 0.0);
    }
  }
  EXPECT_EQ(json["datasets"][0]["tokens"]["tokens"], 40960);
  EXPECT_EQ(json["datasets"][0]["dtype"], "u16");
  // The result can be read back and reported.
  const Outcome csv = run({"report", "result.json", "--format", "csv"});
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_THAT(csv.out, HasSubstr(",tokens_per_second,padding_tokens,"));
  EXPECT_EQ(run({"report", "result.json", "-o", "report.html"}).exit_code, 0);
}

TEST_F(Data, RefusesOptionsThatDoNotApplyToTokens) {
  ASSERT_EQ(run({"data", "make", "tokens", "tokens", "--size", "4096", "-q"}).exit_code, 0);
  const Words words = Words{"run", "--workload", "tokens", "--data", "tokens", "-o", "result.json"} + kShort;
  const std::string place = "cannot use tokens for workload tokens: ";
  const std::pair<Words, std::string> cases[] = {
      {{"--sequence-length", "4096"},
       "--sequence-length 4096: tokens/train.bin has only 4096 tokens; use a shorter length"},
      {{"--token-type", "u32"}, "--token-type: tokens/train.idx says that tokens have 2 bytes"},
      {{"--dtype", "u8"}, place + "--dtype u8: tokens are i32 in a batch"},
      {{"--flip", "on"}, place + "--flip on: it applies to images, not to sequences of tokens"},
      {{"--layout", "nhwc"}, place + "--layout nhwc: it applies to images, not to sequences of tokens"},
      {{"--loader", "hdf5"}, "--loader hdf5: it reads HDF5, but tokens and text have files of their own"},
      {{"--compute", "cnn", "--batch-size", "8"}, "compute cnn: the samples are tokens; use --compute gpt"},
  };
  for (const auto& [extra, sentence] : cases) {
    const Outcome outcome = run(words + extra);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, testing::AnyOf("loadline: " + sentence + "\n", HasSubstr("built without oneDNN")));
  }
  const Words images{"run", "--workload", "mnist", "--data", "tokens", "-o", "result.json"};
  EXPECT_EQ(run(images + kShort).err,
            "loadline: cannot use tokens for workload mnist: it holds tokens; use --workload tokens\n");
  const std::string pictures = mnist();
  const Outcome no_tokens = run(Words{"run", "--workload", "tokens", "--data", pictures, "-o", "result.json"} + kShort);
  EXPECT_THAT(no_tokens.err, HasSubstr("for workload tokens: it holds neither tokens nor text\n"));
  EXPECT_EQ(run({"data", "make", "tokens", "new", "--samples", "9"}).err,
            "loadline: --samples: tokens are one row of --size tokens\n");
  EXPECT_EQ(run({"data", "convert", "tokens", "new.h5"}).err,
            "loadline: cannot convert to hdf5: it holds images and volumes, not tokens\n");
  const Outcome plugin = run({"check", "thread-pool", "--workload", "tokens", "--data", "tokens", "--batch-size", "4"});
  EXPECT_EQ(plugin.exit_code, 0) << plugin.err;
}

TEST_F(Data, ConvertsTokensToTheOtherWidth) {
  ASSERT_EQ(run({"data", "make", "tokens", "tokens", "--size", "4096", "-q"}).exit_code, 0);
  EXPECT_THAT(run({"data", "convert", "tokens", "wide", "--format", "tokens", "--to-token-type", "u32"}).err,
              testing::StartsWith("wide: made, fingerprint "));
  const std::string narrow = run({"data", "info", "tokens"}).out;
  const std::string wide = run({"data", "info", "wide"}).out;
  EXPECT_THAT(wide, HasSubstr("\ndtype        u32\n"));
  for (const char* line : {"\ntokens ", "\ndocuments ", "\nfingerprint "}) {
    const auto of = [&](const std::string& info) {
      const auto begin = info.find(line);
      return info.substr(begin, info.find('\n', begin + 1) - begin);
    };
    EXPECT_EQ(of(wide), of(narrow)) << line;
  }
}

TEST_F(Data, ConvertsToAnyName) {
  const std::string data = mnist();
  for (const std::string name : {"new", "./-"}) {
    const Outcome made = run({"data", "convert", data, name, "--format", "hdf5"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_THAT(made.err, HasSubstr(name + ": made, 64 samples, fingerprint "));
  }
  EXPECT_EQ(run({"data", "convert", data, "-", "--format", "hdf5"}).err,
            "loadline: data convert: want a file or a directory to write, got '-'\n");
  EXPECT_THAT(run({"data", "info", "new"}).out, HasSubstr("\nformat       hdf5\nsamples      64\n"));
  ASSERT_EQ(run({"data", "make", "nbody", "nbody.h5", "--size", "8", "-q"}).exit_code, 0);
  ASSERT_EQ(run({"data", "convert", "nbody.h5", "cube", "--format", "hdf5", "-q"}).exit_code, 0);
  EXPECT_THAT(run({"data", "info", "cube"}).out, HasSubstr("\nformat       volume\n"));
}

TEST_F(Data, SaysFirstThatTheFormatCannotHoldTheImages) {
  for (int i = 0; i < 11; ++i) write(home_ / "photos" / fmt::format("{:02}", i) / "1.jpg", "no photograph");
  const std::pair<std::string, std::string> cases[] = {{"tokens", "tokens, which are made only from text"},
                                                       {"cifar10", "at most 10 classes, these have 11"}};
  for (const auto& [format, why] : cases) {
    expect_refusal(run({"data", "convert", "photos", "new", "--format", format, "-q"}), 2,
                   fmt::format("cannot convert to {}: it holds {}", format, why));
  }
  expect_refusal(run({"data", "convert", "photos", "new", "--format", "npy", "-q"}), 1,
                 "cannot convert to new: 11 of 11 samples cannot be decoded, the first is photos/00/1.jpg; `loadline "
                 "data verify` names them all");
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

TEST_F(Data, RefusesToConvertToOtherStorageThanIsThere) {
  const std::string data = mnist();
  ASSERT_EQ(run({"data", "convert", data, "new.h5", "-q"}).exit_code, 0);
  expect_refusal(
      run({"data", "convert", data, "new.h5", "--chunk", "32", "--gzip", "3", "-q"}), 1,
      "cannot convert to new.h5: the same samples are there already, but their storage is contiguous, not in chunks "
      "of 32 samples, gzip 3; name another place or remove it");
}

TEST_F(Data, RefusesImagesForVolumesAndTheReverse) {
  ASSERT_EQ(run({"data", "make", "cifar10", "cifar", "--samples", "20", "-q"}).exit_code, 0);
  ASSERT_EQ(run({"data", "make", "nbody", "nbody.h5", "--size", "64", "-q"}).exit_code, 0);
  expect_refusal(run(Words{"run", "--workload", "nbody", "--data", "cifar", "-o", "result.json"} + kShort), 2,
                 "cannot use cifar for workload nbody: it holds images, not volumes; use --workload cifar10");
  for (const char* workload : {"cifar10", "mnist", "photos"}) {
    expect_refusal(
        run(Words{"run", "--workload", workload, "--data", "nbody.h5", "--batch-size", "4", "-o", "result.json"} +
            kShort),
        2, fmt::format("cannot use nbody.h5 for workload {}: it holds volumes; use --workload nbody", workload));
  }
}

TEST_F(Data, RefusesTheFormatOfAnotherWorkload) {
  ASSERT_EQ(run({"data", "make", "cifar10", "cifar", "--samples", "20", "-q"}).exit_code, 0);
  const Words rest = Words{"--data", "cifar", "--dtype", "u8", "--batch-size", "4", "-o", "result.json"} + kShort;
  for (const char* workload : {"photos", "cifar100", "mnist"}) {
    expect_refusal(
        run(Words{"run", "--workload", workload} + rest), 2,
        fmt::format("cannot use cifar for workload {}: its format is cifar10; use --workload cifar10", workload));
  }
  ASSERT_EQ(run({"data", "convert", "cifar", "cifar.h5", "-q"}).exit_code, 0);
  expect_refusal(
      run(Words{"run", "--workload", "cifar100", "--data", "cifar.h5", "--batch-size", "4", "-o", "result.json"} +
          kShort),
      2, "cannot use cifar.h5 for workload cifar100: it has 10 classes, not 100; use --workload cifar10");
  const Outcome images = run(Words{"run", "--workload", "fashion-mnist", "--data", mnist(), "--batch-size", "8",
                                   "--loader", "serial", "-o", "result.json"} +
                             kShort);
  EXPECT_EQ(images.exit_code, 0) << images.err;
}

TEST_F(Data, RefusesOptionsForOtherData) {
  const std::string images = mnist();
  const std::pair<std::string, std::string> of_text[] = {
      {"--text-key", "body"}, {"--tokenizer", "bytes"}, {"--documents", "lines"}};
  for (const auto& [option, value] : of_text) {
    const std::string sentence =
        fmt::format("{}: it applies to text, not to {}, which holds images of one size", option, images);
    expect_refusal(run({"data", "info", images, option, value}), 2, sentence);
    expect_refusal(run({"data", "verify", images, option, value}), 2, sentence);
    expect_refusal(run({"data", "convert", images, "new.h5", option, value, "-q"}), 2, sentence);
  }
  ASSERT_EQ(run({"data", "make", "nbody", "nbody.h5", "--size", "8", "-q"}).exit_code, 0);
  expect_refusal(run({"data", "info", "nbody.h5", "--tokenizer", "bytes"}), 2,
                 "--tokenizer: it applies to text, not to nbody.h5, which holds volumes");
  expect_refusal(run({"data", "convert", images, "new.h5", "--shard", "8", "-q"}), 2,
                 "--shard: hdf5 has no shards, only webdataset and tfrecord do");
  write(home_ / "lines.jsonl", "{\"body\": \"abc\"}\n");
  EXPECT_EQ(run({"data", "info", "lines.jsonl", "--text-key", "body", "--tokenizer", "bytes"}).exit_code, 0);
  EXPECT_EQ(files(), (std::set<std::string>{"lines.jsonl", "mnist", "nbody.h5"}));
}

TEST_F(Data, RefusesImpossibleConversions) {
  const std::string data = mnist();
  const Outcome unnamed = run({"data", "convert", data, "somewhere"});
  EXPECT_EQ(unnamed.exit_code, 2);
  EXPECT_THAT(unnamed.err, HasSubstr("--format: somewhere does not say what to convert to; want one of hdf5, idx"));
  const Outcome level = run({"data", "convert", data, "new.h5", "--chunk", "4", "--gzip", "11"});
  EXPECT_EQ(level.exit_code, 2);
  EXPECT_THAT(level.err, HasSubstr("--gzip: want a level from 0 to 9, got 11"));
  expect_refusal(run({"data", "convert", data, "folder", "--format", "jpeg", "-q"}), 2,
                 "cannot convert to jpeg: it holds samples in the order of their classes only, these are in another "
                 "order");
  EXPECT_EQ(run({"data", "convert", data, "/dev/null/new.h5"}).exit_code, 1);
  EXPECT_EQ(run({"data", "convert", data}).exit_code, 2);
}

TEST_F(Data, RefusesToReplaceSomethingElse) {
  write(home_ / "new" / "thesis.tex", "years of work");
  const Outcome outcome = run({"data", "make", "cifar10", "new", "--samples", "20"});
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(refusals(outcome).size(), 1U);
  EXPECT_THAT(refusals(outcome)[0], HasSubstr("cannot make new: something else is there"));
  EXPECT_EQ(names_in(home_ / "new"), std::set<std::string>{"thesis.tex"});
  EXPECT_EQ(bytes_of(home_ / "new" / "thesis.tex"), "years of work");
}

TEST_F(Data, RefusesToReplaceDataOfAnotherSeed) {
  ASSERT_EQ(run({"data", "make", "mnist", "new", "--samples", "20", "--quiet"}).err, "");
  const Outcome outcome = run({"data", "make", "mnist", "new", "--samples", "20", "--seed", "2"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("differs in content"));
}

TEST_F(Data, LeavesNothingOnAFullDisk) {
  world_.most_file_bytes = 4096;
  const Outcome outcome = run({"data", "make", "cifar10", "new", "--samples", "100"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(refusals(outcome), Words{"cannot write new/data_batch_1.bin: File too large"});
  EXPECT_EQ(files(), std::set<std::string>());
}

TEST_F(Data, NamesTheDestinationOfACopyOnAFullDisk) {
  ASSERT_EQ(run({"data", "make", "cifar10", "cifar", "--samples", "100", "-q"}).exit_code, 0);
  world_.most_file_bytes = 4096;
  const std::pair<std::string, std::string> cases[] = {{"cifar10", "data_batch_1.bin"},
                                                       {"npy", "images.npy"},
                                                       {"webdataset", "shard-000000.tar"},
                                                       {"tfrecord", "shard-000000.tfrecord"}};
  for (const auto& [format, file] : cases) {
    expect_refusal(run({"data", "convert", "cifar", "new/", "--format", format, "-q"}), 1,
                   fmt::format("cannot write new/{}: File too large", file));
  }
  expect_refusal(run({"data", "convert", "cifar", "new.npz", "-q"}), 1, "cannot write new.npz: File too large");
  EXPECT_EQ(files(), std::set<std::string>{"cifar"});
}

TEST_F(Data, LeavesNothingWhenInterrupted) {
  for (const Words& as : {Words{}, Words{"--as", "npz"}}) {
    const int watch = ::inotify_init1(IN_CLOEXEC);
    ASSERT_GE(::inotify_add_watch(watch, home_.path().c_str(), IN_CREATE), 0);
    Tool tool(Words{"data", "make", "cifar10", "new", "--samples", "50000000"} + as, world_);
    pollfd begun{watch, POLLIN, 0};
    EXPECT_EQ(::poll(&begun, 1, 60'000), 1) << "it has begun to write";
    ::close(watch);
    tool.send(SIGINT);
    const Outcome outcome = tool.finish();
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(refusals(outcome), Words{"making new was interrupted; nothing was left behind"});
    EXPECT_EQ(files(), std::set<std::string>());
  }
}

}  // namespace
}  // namespace loadline::test
