// Options that do not apply to the data.
#include <fmt/format.h>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;

class DataRefusals : public CommandLine {};

TEST_F(DataRefusals, RefusesOptionsThatDoNotApplyToAVolume) {
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

TEST_F(DataRefusals, RefusesOptionsThatDoNotApplyToTokens) {
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

TEST_F(DataRefusals, RefusesImagesForVolumesAndTheReverse) {
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

TEST_F(DataRefusals, RefusesTheFormatOfAnotherWorkload) {
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

TEST_F(DataRefusals, RefusesOptionsForOtherData) {
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

}  // namespace
}  // namespace loadline::test
