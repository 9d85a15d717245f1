#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;

class Train : public CommandLine {
 protected:
  void SetUp() override {
    if (run({"list"}).out.find("\n  cnn ") == std::string::npos) GTEST_SKIP() << "built without oneDNN";
    write_split("train");
    write_split("t10k");
  }

  // Images of 12 x 12 in two classes.
  void write_split(const std::string& prefix, unsigned samples = 48) const {
    std::string images = idx_header({samples, 12, 12});
    std::string labels = idx_header({samples});
    for (unsigned i = 0; i < samples; ++i) {
      images.append(144, static_cast<char>(i % 2 == 0 ? 10 : 240));
      labels += static_cast<char>(i % 2);
    }
    write(home_ / "images" / (prefix + "-images-idx3-ubyte"), images);
    write(home_ / "images" / (prefix + "-labels-idx1-ubyte"), labels);
  }

  Outcome train(const Words& words) const {
    return run(Words{"train", "--workload", "mnist", "--data", "images", "--batch-size", "16"} + words);
  }
};

TEST_F(Train, ShowsEveryEpochAndWritesTheRequestedFile) {
  const Outcome outcome = train({"--epochs", "2", "--workers", "1", "--output", "training.json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("mnist, thread-pool x 1: lenet, "));
  EXPECT_THAT(outcome.out, HasSubstr("\n    2  "));
  EXPECT_THAT(outcome.err, HasSubstr("epoch 1: "));
  const auto json = nlohmann::json::parse(bytes_of(home_ / "training.json"));
  EXPECT_EQ(json["status"], "complete");
  EXPECT_EQ(json["epochs"].size(), 2U);
  EXPECT_EQ(json["epochs"][1]["training"]["samples"], 48);
  EXPECT_EQ(json["epochs"][1]["validation"]["samples"], 48);
  EXPECT_EQ(json["cell"]["compute"], "cnn");
}

TEST_F(Train, LearnsALanguageFromTokens) {
  ASSERT_EQ(run({"data", "make", "tokens", "tokens", "--size", "40960", "-q"}).exit_code, 0);
  const Outcome outcome = run({"train", "--workload", "tokens", "--data", "tokens", "--workers", "1", "--epochs", "2",
                               "--sequence-length", "32", "--batch-size", "32", "--compute-threads", "1", "--compute",
                               "gpt:layers=1,width=32,learning_rate=0.01", "-o", "result.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(bytes_of(home_ / "result.json"));
  EXPECT_EQ(json["cell"]["dtype"], "i32");
  EXPECT_LT(json["epochs"][1]["training"]["loss"].get<double>(), json["epochs"][0]["training"]["loss"].get<double>());
  EXPECT_LT(json["epochs"][1]["validation"]["loss"].get<double>(), 4.5) << "5.5 is what knowing nothing costs";
  EXPECT_TRUE(json["epochs"][1]["validation"]["accuracy"].is_null());
}

TEST_F(Train, WritesEveryEpochForTensorBoard) {
  const Outcome outcome = train({"--epochs", "2", "--workers", "1", "--quiet", "--tensorboard", "runs"});
  if (outcome.err.find("built without protobuf") != std::string::npos) GTEST_SKIP() << outcome.err;
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(home_ / "runs")) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  ASSERT_EQ(files.size(), 1U);
  EXPECT_THAT(files[0].filename(), testing::StartsWith("events.out.tfevents."));
  const std::string bytes = bytes_of(files[0]);
  std::size_t epochs = 0;
  for (std::size_t at = bytes.find("loss/training"); at != std::string::npos;
       at = bytes.find("loss/training", at + 1)) {
    ++epochs;
  }
  EXPECT_EQ(epochs, 2U);
  EXPECT_NE(bytes.find("_hparams_/session_end_info"), std::string::npos);
}

// The training is worth more than its events: it continues, and reports the failure at its end.
TEST_F(Train, EndsWithASentenceIfEventsCannotBeWritten) {
  expect_refusal(train({"--tensorboard", "images/train-images-idx3-ubyte"}), 1,
                 "cannot make the directory images/train-images-idx3-ubyte: File exists");
  world_.most_file_bytes = 3000;  // enough until the first epoch, but not for all nine
  const Outcome outcome = train({"--epochs", "9", "--workers", "1", "--tensorboard", "runs"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("\n    9  "));
  ASSERT_EQ(refusals(outcome).size(), 1U);
  EXPECT_THAT(refusals(outcome)[0],
              testing::AllOf(testing::StartsWith("cannot write runs/"), testing::EndsWith(": File too large")));
}

TEST_F(Train, IsReported) {
  for (const char* name : {"a.json", "b.json"}) {
    ASSERT_EQ(train({"--epochs", "2", "--workers", "1", "--quiet", "-o", name}).exit_code, 0);
  }
  EXPECT_EQ(run({"report", "a.json", "b.json", "-o", "report.html"}).err, "");
  EXPECT_THAT(bytes_of(home_ / "report.html"), HasSubstr("<h3>B: "));
  EXPECT_THAT(run({"report", "a.json", "--format", "text"}).out, HasSubstr("\n    2  "));
  EXPECT_THAT(run({"report", "a.json", "--format", "csv"}).out, HasSubstr(",training_loss,"));
  EXPECT_THAT(run({"report", "a.json", "--format", "markdown"}).out, HasSubstr("\n## Loss\n"));
  expect_refusal(run({"report", "a.json", "a.json", "--format", "csv"}), 2,
                 "report: a.json comes from run " +
                     nlohmann::json::parse(bytes_of(home_ / "a.json"))["run_id"].get<std::string>() +
                     ", and so does another of the files");
  write(home_ / "other.json", "{}");
  expect_refusal(run({"report", "a.json", "other.json", "--format", "csv"}), 2,
                 "report: a.json is a training run, and can only be overlaid on other training runs");
}

TEST_F(Train, EndsWhenItsDataChangesAndKeepsTheEarlierEpochs) {
  Tool tool({"train", "--workload", "mnist", "--data", "images", "--batch-size", "16", "--epochs", "100000",
             "--workers", "1", "-o", "training.json"},
            world_);
  ASSERT_TRUE(tool.wait_until_err_says("epoch 1: "));
  std::filesystem::last_write_time(home_ / "images/train-labels-idx1-ubyte", {});
  const Outcome outcome = tool.finish();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(refusals(outcome),
            Words{"cannot measure images/train-labels-idx1-ubyte: it was written to while it was measured"});
  const auto json = nlohmann::json::parse(bytes_of(home_ / "training.json"));
  EXPECT_EQ(json["status"], "partial");
  EXPECT_GE(json["epochs"].size(), 1U);
}

TEST_F(Train, KeepsDataAndTextApart) {
  const Outcome outcome = train({"--epochs", "1", "--workers", "1", "-o", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["epochs"].size(), 1U);
  EXPECT_THAT(outcome.err, HasSubstr("training loss"));
  EXPECT_EQ(train({"--epochs", "1", "--workers", "1", "--quiet"}).out, "");
}

TEST_F(Train, RefusesImpossibleRequestsInASentence) {
  expect_refusal(train({"--epochs", "0"}), 2, "--epochs 0: want at least 1");
  expect_refusal(train({"--workers", "1,2"}), 2, "--workers: training takes one value, but 2 are given");
  expect_refusal(train({"--compute", "cnn:network=unet3d"}), 2,
                 "network unet3d: want volumes, the samples are 1x12x12");
  expect_refusal(train({"--compute", "cnn:network=lenet5"}), 2,
                 "compute cnn: network 'lenet5': want one of auto, lenet, resnet20, unet3d (did you mean lenet?)");
  expect_refusal(train({"--precision", "f16"}), 2, "--precision 'f16': want one of f32, bf16 (did you mean bf16?)");
  expect_refusal(train({"--output", "nowhere/training.json"}), 1,
                 "cannot write nowhere/training.json: No such file or directory");
  write_split("t10k", 15);
  expect_refusal(train({}), 2, "--batch-size 16: the split for validation has only 15 samples");
}

TEST_F(Train, WritesToADeviceWithoutReplacingIt) {
  const Outcome outcome = train({"--epochs", "1", "--workers", "1", "--quiet", "--output", "/dev/full"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(refusals(outcome), Words{"cannot write /dev/full: No space left on device"});
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(Train, EndsWithASentenceIfTheLossIsNotFinite) {
  const Outcome outcome = train({"--compute", "cnn:learning_rate=1e30", "--workers", "1", "--output", "training.json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(refusals(outcome),
            Words{"compute cnn: the loss is not finite in batch 1 of the run, epoch 0: lower learning_rate"});
  EXPECT_FALSE(std::filesystem::exists(home_ / "training.json"));
}

}  // namespace
}  // namespace loadline::test
