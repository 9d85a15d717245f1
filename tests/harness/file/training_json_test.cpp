#include "harness/file/training_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/harness/support/trainings.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::failed;
using test::thrown_by;
using test::training;

TEST(TrainingJson, HasEveryEpoch) {
  const nlohmann::json document = nlohmann::json::parse(training_json(training()));
  EXPECT_EQ(document["training_version"], 1);
  EXPECT_EQ(document["cell"]["name"], "mnist/FULL/thread-pool/workers:2/batch:100");
  ASSERT_EQ(document["epochs"].size(), 3U);
  const nlohmann::json& second = document["epochs"][1];
  EXPECT_EQ(second["wall_seconds"], 2);
  EXPECT_EQ(second["samples_per_second"], 50);
  EXPECT_EQ(second["training"]["loss"], 1.5);
  EXPECT_EQ(second["training"]["accuracy"], 0.5);
  EXPECT_EQ(second["validation"]["accuracy"], 0.4);
  EXPECT_EQ(second["stages"][1]["name"], "forward");
  EXPECT_EQ(second["stages"][1]["total_seconds"], 1);
}

TEST(TrainingJson, IsReadBackAsItWas) {
  TrainingResult given = training();
  const TrainingResult read = parse_training(training_json(given), "t.json");
  EXPECT_EQ(read.run_id, given.run_id);
  EXPECT_EQ(read.started, given.started);
  EXPECT_EQ(read.finished, given.finished);
  EXPECT_EQ(read.status, Status::kComplete);
  EXPECT_EQ(read.arguments, given.arguments);
  EXPECT_EQ(read.environment.machine.hostname, "node1");
  EXPECT_EQ(read.cell.cell.name(), given.cell.cell.name());
  EXPECT_EQ(read.dataset.samples, 100U);
  EXPECT_TRUE(read.classifies);
  EXPECT_EQ(read.validation_data, "/data/mnist");
  ASSERT_EQ(read.epochs.size(), 3U);
  EXPECT_EQ(read.epochs[2].training.correct, 75U);
  EXPECT_EQ(read.epochs[2].training.loss(), 1);
  EXPECT_EQ(read.epochs[2].validation->correct, 4U);
  EXPECT_EQ(read.epochs[0].stages[0].name, "set-up");
  given.options = read.options;
  EXPECT_EQ(training_json(read), training_json(given));
}

TEST(TrainingJson, IsReadBackWithoutOptionalFields) {
  TrainingResult given = training();
  given.classifies = false;
  given.validation_data.clear();
  given.finished.reset();
  for (EpochResult& epoch : given.epochs) {
    epoch.validation.reset();
    epoch.stages.clear();
  }
  const std::string text = training_json(given);
  EXPECT_FALSE(nlohmann::json::parse(text)["epochs"][0].contains("stages"));
  const TrainingResult read = parse_training(text, "t.json");
  EXPECT_FALSE(read.classifies);
  EXPECT_FALSE(read.epochs[0].validation.has_value());
  EXPECT_EQ(read.validation_data, "");
  EXPECT_FALSE(read.finished.has_value());
}

TEST(TrainingJson, IsToldFromOtherDocuments) {
  EXPECT_TRUE(is_training(training_json(training())));
  EXPECT_FALSE(is_training(R"({"schema_version": 4})"));
  EXPECT_FALSE(is_training(R"({"a": "\"training_version\""})"));
  EXPECT_FALSE(is_training(R"({"training_version": 1)")) << "which is cut short";
}

TEST(TrainingJson, IsRefusedWithThePlaceOfTheError) {
  const auto refusal = [](const auto& change) {
    nlohmann::json document = nlohmann::json::parse(training_json(training()));
    change(document);
    return thrown_by([&] { parse_training(document.dump(), "t.json"); });
  };
  EXPECT_EQ(
      refusal([](nlohmann::json& document) { document["training_version"] = 2; }),
      failed("t.json: a training run of schema version 2, but this loadline reads 1: use the version that wrote it"));
  EXPECT_EQ(refusal([](nlohmann::json& document) { document["epochs"][1]["wall_seconds"] = 0; }),
            failed("t.json: epochs[1].wall_seconds: want a number above 0, got 0"));
  EXPECT_EQ(refusal([](nlohmann::json& document) { document["epochs"][0].erase("wait_seconds"); }),
            failed("t.json: epochs[0]: 'wait_seconds' is missing"));
  EXPECT_EQ(refusal([](nlohmann::json& document) { document["epochs"][0]["training"] = nullptr; }),
            failed("t.json: epochs[0]: want a samples_per_second above 0, the other fields make it 0"));
  EXPECT_EQ(refusal([](nlohmann::json& document) { document["cell"]["mode"] = "HALF"; }),
            failed("t.json: cell.mode: want one of IO, SYNTHETIC, FULL, OVERHEAD, got 'HALF'"));
}

}  // namespace
}  // namespace loadline
