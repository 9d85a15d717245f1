#include "harness/measure/train.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "loaders/names.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::thrown_by;
using test::usage;

bool has_cnn() {
  return std::ranges::any_of(computes(), [](const ComputeKind& kind) { return kind.name == "cnn"; });
}

RunOptions training_options() {
  RunOptions options;
  options.workloads = {"mnist"};
  options.loaders = {"thread-pool"};
  options.compute = "cnn";
  return options;
}

PlanContext two_cpus() {
  return {.threads_in_force = 2, .cpus = {0, 1}, .data_directory = "/data"};
}

class TrainingPlanTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_cnn()) GTEST_SKIP() << "built without oneDNN";
  }
};

TEST_F(TrainingPlanTest, TakesOneCellWithAllWorkersUnlessToldOtherwise) {
  RunOptions options = training_options();
  const TrainingPlan plan = plan_training(options, 3, two_cpus());
  EXPECT_EQ(plan.cell.name(), "mnist/FULL/thread-pool/workers:2/batch:512");
  EXPECT_EQ(plan.epochs, 3U);
  options.workers = {1};
  EXPECT_EQ(plan_training(options, 3, two_cpus()).cell.workers, 1U);
}

TEST_F(TrainingPlanTest, ValidatesOnTheTestSplitInOrderWithoutAugmentation) {
  RunOptions options = training_options();
  options.workloads = {"cifar10"};
  const TrainingPlan plan = plan_training(options, 1, two_cpus());
  EXPECT_EQ(plan.cell.transform.crop_padding, 4U);
  EXPECT_TRUE(plan.cell.transform.flip);
  ASSERT_TRUE(plan.validation.has_value());
  EXPECT_EQ(plan.validation->dataset.split, Split::kTest);
  EXPECT_EQ(plan.validation->sampler.order, Order::kSequential);
  EXPECT_EQ(plan.validation->transform.crop_padding, 0U);
  EXPECT_FALSE(plan.validation->transform.flip);
}

TEST_F(TrainingPlanTest, RefusesOptionsThatDoNotMakeOneTraining) {
  const auto refusal = [](const auto& change) {
    RunOptions options = training_options();
    change(options);
    return thrown_by([&] { plan_training(options, 1, two_cpus()); });
  };
  EXPECT_EQ(refusal([](RunOptions& options) {
              options.workers = {1, 2};
            }),
            usage("--workers: training takes one value, but 2 are given"));
  EXPECT_EQ(refusal([](RunOptions& options) {
              options.loaders = {"serial", "thread-pool"};
            }),
            usage("--loader: training takes one value, but 2 are given"));
  EXPECT_EQ(refusal([](RunOptions& options) { options.compute = "device:samples_per_second=5"; }),
            usage("--compute device: it does not learn; cnn and gpt do"));
  EXPECT_EQ(refusal([](RunOptions& options) { options.cache = "cold"; }),
            usage("--cache cold: train uses the page cache as it is; only run has cold trials"));
  EXPECT_EQ(refusal([](RunOptions& options) { options.split = "test"; }),
            usage("--split test: training uses the other split"));
}

// 48 images of 12 x 12: those of class 0 are dark, those of class 1 bright.
void write_images(const std::filesystem::path& directory, const std::string& prefix) {
  std::string images = test::idx_header({48, 12, 12});
  std::string labels = test::idx_header({48});
  for (int i = 0; i < 48; ++i) {
    images.append(144, static_cast<char>(i % 2 == 0 ? 10 + i % 5 : 240 - i % 5));
    labels += static_cast<char>(i % 2);
  }
  test::write(directory / (prefix + "-images-idx3-ubyte"), images);
  test::write(directory / (prefix + "-labels-idx1-ubyte"), labels);
}

class TrainTest : public TrainingPlanTest, public TrainingObserver {
 protected:
  void on_epoch(const TrainingResult& result) override {
    seen_.push_back(result.epochs.size());
    if (seen_.size() == stop_after_) stop_.request_stop();
  }

  TrainingResult train(std::size_t epochs) {
    RunOptions options = training_options();
    options.data = home_.path().string();
    options.batch_sizes = {20};  // two whole batches and a short one
    options.workers = {1};
    options.compute = "cnn:learning_rate=0.05";  // makes up for the few steps
    TrainingResult result;
    result.options = options;
    result.environment.machine.memory_available_bytes = std::uint64_t{1} << 30;
    run_training(plan_training(options, epochs, two_cpus()), result, clock_, stop_.get_token(), *this);
    return result;
  }

  test::TemporaryDirectory home_;
  SteadyClock clock_;
  std::stop_source stop_;
  std::vector<std::size_t> seen_;
  std::size_t stop_after_ = 0;
};

TEST_F(TrainTest, LearnsFromAllSamplesInEveryEpochButNotFromValidation) {
  write_images(home_.path(), "train");
  write_images(home_.path(), "t10k");
  const TrainingResult result = train(6);
  EXPECT_EQ(result.status, Status::kComplete);
  EXPECT_EQ(seen_, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6}));
  ASSERT_EQ(result.epochs.size(), 6U);
  for (const EpochResult& epoch : result.epochs) {
    EXPECT_EQ(epoch.training.samples, 48U);
    ASSERT_TRUE(epoch.validation.has_value());
    EXPECT_EQ(epoch.validation->samples, 48U);
    EXPECT_GE(epoch.wall_seconds, epoch.wait_seconds);
  }
  EXPECT_EQ(result.epochs[0].stages.front().name, "set-up");
  EXPECT_EQ(result.epochs[1].stages.front().name, "host waits");
  for (const EpochResult& epoch : result.epochs) {
    double sum = 0;
    for (const StageSummary& stage : epoch.stages) sum += stage.total_seconds;
    EXPECT_NEAR(sum, epoch.wall_seconds, 1e-6) << "which the stages share out";
  }
  EXPECT_LT(result.epochs.back().validation->loss(), 0.5 * result.epochs.front().training.loss());
  EXPECT_EQ(result.epochs.back().validation->correct, 48U);
  EXPECT_TRUE(result.compute_description.starts_with("lenet, "));
}

TEST_F(TrainTest, SaysWhyThereIsNoValidation) {
  write_images(home_.path(), "train");
  const TrainingResult result = train(1);
  EXPECT_EQ(result.status, Status::kComplete);
  EXPECT_EQ(result.validation_data, "");
  EXPECT_NE(result.why_no_validation.find("t10k-images-idx3-ubyte"), std::string::npos) << result.why_no_validation;
  EXPECT_FALSE(result.epochs.front().validation.has_value());
}

TEST_F(TrainTest, KeepsTheEpochsBeforeAStop) {
  write_images(home_.path(), "train");
  stop_after_ = 2;
  const TrainingResult result = train(50);
  EXPECT_EQ(result.status, Status::kPartial);
  EXPECT_EQ(result.epochs.size(), 2U);
}

}  // namespace
}  // namespace loadline
