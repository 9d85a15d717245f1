#include "synthetic/compute/gradient_sum.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <thread>

#include "loaders/batch_pool.h"
#include "synthetic/compute/device.h"
#include "tests/support/fake_clock.h"
#include "tests/synthetic/compute/local_sum.h"

namespace loadline {
namespace {

constexpr std::array<std::size_t, 3> kTensors{100, 10, 200};

// Runs `work` on one thread for each rank.
void on_ranks(test::SumWorld& world, const std::function<void(std::size_t rank, GradientSum& sum)>& work) {
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < world.size(); ++rank) {
    threads.emplace_back([&world, &work, rank] {
      test::LocalSum sum(world, rank);
      work(rank, sum);
    });
  }
}

bool sum_step(GradientBuckets& buckets, std::span<const float> gradients) {
  while (buckets.started() < buckets.count()) buckets.start(gradients);
  return buckets.finish();
}

TEST(GradientBuckets, FillFromTheEndLikeABackwardPass) {
  test::SumWorld alone(1);
  test::LocalSum sum(alone, 0);
  GradientBuckets buckets(sum, kTensors, 400);
  ASSERT_EQ(buckets.count(), 2U) << "200 values are more than 400 bytes, 110 are what is left";
  EXPECT_EQ(buckets.size_bytes(), 1240U);
  EXPECT_EQ(buckets.next_tensor(), 2U);
  buckets.start({});
  EXPECT_EQ(buckets.next_tensor(), 0U) << "the last bucket waits for the first tensor";
  buckets.start({});
  EXPECT_TRUE(buckets.finish());
  EXPECT_EQ(alone.lengths(), (std::vector<std::size_t>{200, 111})) << "and one value that says who leaves";
}

TEST(GradientBuckets, GiveEachRankTheMeanOfAll) {
  test::SumWorld world(3);
  std::array<std::vector<float>, 3> means;
  on_ranks(world, [&](std::size_t rank, GradientSum& sum) {
    GradientBuckets buckets(sum, kTensors, 4);
    std::vector<float> gradients(310, static_cast<float>(3 * rank));
    gradients[0] = 30;
    gradients[309] = -6;
    EXPECT_TRUE(sum_step(buckets, gradients));
    EXPECT_TRUE(sum_step(buckets, gradients)) << "and again";
    means[rank].assign(buckets.averages().begin(), buckets.averages().end());
  });
  for (const auto& mean : means) {
    ASSERT_EQ(mean.size(), 310U);
    EXPECT_FLOAT_EQ(mean[0], 30);
    EXPECT_FLOAT_EQ(mean[1], 3);
    EXPECT_FLOAT_EQ(mean[309], -6);
  }
}

TEST(GradientBuckets, ARankWithoutSamplesTakesPart) {
  test::SumWorld world(2);
  on_ranks(world, [&](std::size_t rank, GradientSum& sum) {
    GradientBuckets buckets(sum, kTensors, 400);
    EXPECT_TRUE(sum_step(buckets, std::vector<float>(310, 8)));
    if (rank == 0) buckets.start_without();
    EXPECT_TRUE(sum_step(buckets, std::vector<float>(310, 8)));
    EXPECT_FLOAT_EQ(buckets.averages()[0], 4);
    EXPECT_FLOAT_EQ(buckets.averages()[309], 4);
  });
}

TEST(GradientBuckets, ARankThatLeavesEndsTheStepsOfAll) {
  test::SumWorld world(3);
  std::array<int, 3> steps{};
  on_ranks(world, [&](std::size_t rank, GradientSum& sum) {
    GradientBuckets buckets(sum, kTensors, 400);
    const std::vector<float> gradients(310, 1);
    while (steps[rank] < 100 && sum_step(buckets, gradients)) {
      ++steps[rank];
      if (rank == 1 && steps[rank] == 5) return;
    }
    EXPECT_EQ(buckets.left(), true);
    EXPECT_FALSE(sum_step(buckets, gradients)) << "for good";
  });
  EXPECT_EQ(steps, (std::array<int, 3>{5, 5, 5}));
}

TEST(GradientBuckets, ARankThatLeavesDuringAStepLeavesNoOtherWaiting) {
  test::SumWorld world(2);
  on_ranks(world, [&](std::size_t rank, GradientSum& sum) {
    GradientBuckets buckets(sum, kTensors, 400);
    const std::vector<float> gradients(310, 1);
    if (rank == 0) return buckets.start(gradients);
    EXPECT_FALSE(sum_step(buckets, gradients));
  });
}

// Two devices that step together. One of them takes four times as long.
TEST(DevicesOfRanks, WaitForTheSlowestAfterEachStep) {
  test::SumWorld world(2);
  on_ranks(world, [&](std::size_t rank, GradientSum& sum) {
    SteadyClock clock;
    BatchPool pool(4, 8, 16);
    const auto device =
        make_device({.samples_per_second = rank == 0 ? 4000.0 : 1000.0, .depth = 0, .gradient_bytes = 4096},
                    {.clock = clock, .stop = {}, .gradients = &sum});
    ASSERT_TRUE(device->summed());
    EXPECT_EQ(device->summed()->step_bytes, 0U) << "the ring's time stands for the bytes";
    const Time begin = clock.now();
    for (int i = 0; i < 5; ++i) {
      Batch batch = pool.try_acquire();
      ASSERT_NE(batch, nullptr);
      batch->count = 8;
      device->consume(std::move(batch));
    }
    // The other rank may have begun its first step before.
    EXPECT_GE(seconds(clock.now() - begin), 4 * 0.008) << "rank " << rank << ": steps of the slower device";
    ASSERT_EQ(device->stages().back().name, "gradients");
    EXPECT_EQ(device->stages().back().hits, 5U);
    EXPECT_GT(seconds(device->stages().back().total), 0);
  });
}

TEST(DevicesOfRanks, ReallySumTheirBuckets) {
  test::SumWorld world(2);
  on_ranks(world, [&](std::size_t /*rank*/, GradientSum& sum) {
    SteadyClock clock;
    BatchPool pool(4, 8, 16);
    const auto device = make_device({.samples_per_second = 8000, .gradient_bytes = 4000, .bucket_bytes = 1500},
                                    {.clock = clock, .stop = {}, .gradients = &sum});
    EXPECT_EQ(device->summed()->step_bytes, 4000U);
    EXPECT_EQ(device->summed()->buckets, 3U);
    Batch batch = pool.try_acquire();
    batch->count = 8;
    device->consume(std::move(batch));
    EXPECT_FALSE(device->ended());
  });
}

TEST(DevicesOfRanks, StepAloneWithoutGradients) {
  test::SumWorld alone(1);
  test::LocalSum sum(alone, 0);
  test::FakeClock clock;
  EXPECT_FALSE(make_device({.samples_per_second = 1000}, {.clock = clock, .stop = {}, .gradients = &sum})->summed());
}

}  // namespace
}  // namespace loadline
