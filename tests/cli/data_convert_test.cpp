// `loadline data convert`.
#include <fmt/format.h>

#include <string_view>

#include "tests/cli/fixture.h"
#include "tests/loaders/support/token_files.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class DataConvert : public CommandLine {};

// One pixel of red, green, blue and alpha.
constexpr std::string_view kPngWithAlpha{
    "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\x08"
    "\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\x0d\x49\x44\x41\x54\x78\xda\x63\xe0\x12\x91\x6b\x00\x00"
    "\x01\x25\x00\xbd\x31\x18\x2b\x0e\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82",
    70};

TEST_F(DataConvert, ConvertsForTheLoadersThatReadHdf5) {
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

TEST_F(DataConvert, ConvertsIntoTheDirectoryWhereItRuns) {
  const std::string data = mnist();
  std::filesystem::create_directory(home_ / "here");
  world_.directory = home_ / "here";
  const Outcome made = run({"data", "convert", data, ".", "--format", "npy"});
  EXPECT_THAT(made.err, testing::StartsWith(".: made, 64 samples, fingerprint "));
  EXPECT_EQ(names_in(home_ / "here"), (std::set<std::string>{"images.npy", "labels.npy"}));
}

TEST_F(DataConvert, SaysOfHowManyImagesItLeavesOutTheAlphaChannel) {
  write(home_ / "photos/a/1.png", kPngWithAlpha);
  write(home_ / "photos/a/2.ppm", "P6\n1 1\n255\nxyz");
  const Outcome pixels = run({"data", "convert", "photos", "pixels.h5", "--decode"});
  EXPECT_EQ(pixels.exit_code, 0);
  EXPECT_THAT(pixels.err, testing::MatchesRegex("pixels.h5: made, 2 samples, fingerprint [0-9a-f]+, without the alpha "
                                                "channel of 1 image\n"));
  EXPECT_THAT(run({"data", "convert", "photos", "packed.h5"}).err,
              testing::MatchesRegex("packed.h5: made, 2 samples, fingerprint [0-9a-f]+\n"));
}

TEST_F(DataConvert, ReadsConvertedTokensByTheirWidthWithoutAnIndexOfTheirSource) {
  write(home_ / "one.bin", counting_tokens<std::uint16_t>(4096));
  ASSERT_EQ(run({"data", "convert", "one.bin", "wide", "--from-format", "tokens", "--format", "tokens",
                 "--to-token-type", "u32", "-q"})
                .exit_code,
            0);
  const Outcome info = run({"data", "info", "wide"});
  EXPECT_THAT(info.out, HasSubstr("\nformat       tokens\n"));
  EXPECT_THAT(info.out, HasSubstr("\ntokens       4096\ndocuments    1\ndtype        u32\n"));
}

TEST_F(DataConvert, ConvertsTokensToTheOtherWidth) {
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

TEST_F(DataConvert, ConvertsToAnyName) {
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

TEST_F(DataConvert, SaysFirstThatTheFormatCannotHoldTheImages) {
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

TEST_F(DataConvert, RefusesToConvertToOtherStorageThanIsThere) {
  const std::string data = mnist();
  ASSERT_EQ(run({"data", "convert", data, "new.h5", "-q"}).exit_code, 0);
  expect_refusal(
      run({"data", "convert", data, "new.h5", "--chunk", "32", "--gzip", "3", "-q"}), 1,
      "cannot convert to new.h5: the same samples are there already, but their storage is contiguous, not in chunks "
      "of 32 samples, gzip 3; name another place or remove it");
}

TEST_F(DataConvert, RefusesImpossibleConversions) {
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

TEST_F(DataConvert, NamesTheDestinationOfACopyOnAFullDisk) {
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

}  // namespace
}  // namespace loadline::test
