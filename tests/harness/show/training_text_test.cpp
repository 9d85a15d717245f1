#include "harness/show/training_text.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TrainingResult result_of(double first_epoch_seconds) {
  TrainingResult result;
  result.status = Status::kComplete;
  result.cell.cell.workload = "mnist";
  result.cell.cell.loader = "thread-pool";
  result.cell.cell.workers = 2;
  result.compute_description = "lenet, 61706 weights, f32, fused, 2 threads, 8 reorders per step";
  result.classifies = true;
  result.validation_data = "/data/mnist";
  result.open_seconds = 0.03;
  result.loader_setup_seconds = 0.02;
  result.compute_setup_seconds = 0.2;
  result.epochs = {{.wall_seconds = first_epoch_seconds,
                    .wait_seconds = 0.15,
                    .first_batch_seconds = 0.1,
                    .training = {.samples = 60000, .loss_sum = 36000, .correct = 45000},
                    .validation = Score{.samples = 10000, .loss_sum = 5000, .correct = 8363}},
                   {.wall_seconds = 2,
                    .wait_seconds = 0.01,
                    .training = {.samples = 60000, .loss_sum = 24000, .correct = 50000},
                    .validation = Score{.samples = 10000, .loss_sum = 4000, .correct = 8600}}};
  return result;
}

TEST(TrainingText, HasALinePerEpoch) {
  EXPECT_EQ(training_text(result_of(2.05)),
            "mnist, thread-pool x 2: lenet, 61706 weights, f32, fused, 2 threads, 8 reorders per step\n"
            "\n"
            "epoch    time  samples/s  waiting for data  training loss  validation loss  accuracy\n"
            "    1  2.05 s       29 k             7.3 %         0.6000           0.5000   83.63 %\n"
            "    2  2.00 s       30 k             0.5 %         0.4000           0.4000   86.00 %\n");
}

TEST(TrainingText, SaysThatItWasStopped) {
  TrainingResult result = result_of(2.05);
  result.status = Status::kPartial;
  EXPECT_TRUE(training_text(result).ends_with("\nThe training was stopped before its last epoch.\n"));
}

TEST(TrainingText, LeavesOutWhatIsMissing) {
  TrainingResult result = result_of(2.05);
  result.validation_data = "";
  result.why_no_validation = "a volume has no test split";
  result.classifies = false;
  for (EpochResult& epoch : result.epochs) epoch.validation.reset();
  EXPECT_EQ(training_text(result),
            "mnist, thread-pool x 2: lenet, 61706 weights, f32, fused, 2 threads, 8 reorders per step\n"
            "\n"
            "epoch    time  samples/s  waiting for data  training loss\n"
            "    1  2.05 s       29 k             7.3 %         0.6000\n"
            "    2  2.00 s       30 k             0.5 %         0.4000\n"
            "\n"
            "no validation: a volume has no test split\n");
}

TEST(EpochText, ShowsTheLatestEpochOnOneLine) {
  EXPECT_EQ(epoch_text(result_of(3)),
            "epoch 2: 2.00 s, 30 k samples/s, loss 0.4000, validation loss 0.4000, accuracy 86.00 %");
}

TEST(FirstEpochText, SaysWhereTheTimeWent) {
  TrainingResult result = result_of(2.35);
  EXPECT_EQ(
      first_epoch_text(result),
      "Epoch 1 took 350 ms longer than those after it: 200 ms to generate kernels and draw weights, 50 ms to open "
      "the dataset and start the loader, 100 ms waiting for the first batch.");
  result.epochs[0].usage.device_read_bytes = 52 << 20;
  EXPECT_EQ(
      first_epoch_text(result),
      "Epoch 1 took 350 ms longer than those after it: 200 ms to generate kernels and draw weights, 50 ms to open "
      "the dataset and start the loader, 100 ms waiting for the first batch, and 52.0 MiB came from the device "
      "rather than from the page cache.");
}

TEST(FirstEpochText, AdmitsWhatItCannotExplain) {
  EXPECT_EQ(first_epoch_text(result_of(3)),
            "Epoch 1 took 1.0 s longer than those after it: 200 ms to generate kernels and draw weights, 50 ms to open "
            "the dataset and start the loader, 100 ms waiting for the first batch; 650 ms remain unexplained.");
}

TEST(FirstEpochText, IsSilentWhereThereIsNothingToExplain) {
  EXPECT_EQ(first_epoch_text(result_of(2.05)), "");
  TrainingResult one = result_of(3);
  one.epochs.pop_back();
  EXPECT_EQ(first_epoch_text(one), "");
}

}  // namespace
}  // namespace loadline
