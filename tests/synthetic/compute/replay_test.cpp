#include "synthetic/compute/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loaders/batch_pool.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

Recording job() {
  return {.hostname = "node1",
          .batches = 2,
          .step = {.total_seconds = 0.03},
          .sequence = {.waits = {{}, {}},
                       .steps = {std::chrono::milliseconds(10), std::chrono::milliseconds(20)},
                       .samples = {8, 8}}};
}

TEST(Replay, TakesTheTimesOfTheJobsStepsInOrder) {
  test::FakeClock clock;
  BatchPool pool(1, 8, 1);
  const auto replay = make_replay({job(), "job.json"}, Busy::kNone, {.clock = clock, .stop = {}});
  for (const int expected : {10, 20, 10, 20}) {
    Batch batch = pool.acquire();
    batch->count = 8;
    const Time before = clock.now();
    replay->consume(std::move(batch));
    EXPECT_EQ(clock.now() - before, std::chrono::milliseconds(expected));
  }
  ASSERT_EQ(replay->stages().size(), 1U);
  EXPECT_EQ(replay->stages()[0].hits, 4U);
  EXPECT_EQ(replay->stages()[0].total, std::chrono::milliseconds(60));
}

TEST(Replay, ScalesTheTimeForABatchOfAnotherSize) {
  test::FakeClock clock;
  BatchPool pool(1, 32, 1);
  const auto replay = make_replay({job(), "job.json"}, Busy::kNone, {.clock = clock, .stop = {}});
  Batch batch = pool.acquire();
  batch->count = 32;
  const Time before = clock.now();
  replay->consume(std::move(batch));
  EXPECT_EQ(clock.now() - before, std::chrono::milliseconds(40));
}

TEST(Replay, StartsAStepEarlierByTheLatenessOfItsOwnSleep) {
  test::FakeClock clock;
  clock.set_lateness(std::chrono::milliseconds(1));
  BatchPool pool(1, 8, 1);
  const auto replay = make_replay({job(), "job.json"}, Busy::kNone, {.clock = clock, .stop = {}});
  const Time before = clock.now();
  for (int i = 0; i < 100; ++i) {
    Batch batch = pool.acquire();
    batch->count = 8;
    replay->consume(std::move(batch));
  }
  EXPECT_EQ(clock.now() - before, std::chrono::milliseconds(1501)) << "the last one's is not made up for";
}

TEST(Replay, DescribesTheJobAndWhatIsUnknownAboutIt) {
  test::FakeClock clock;
  Recording on_gpu = job();
  EXPECT_EQ(make_replay({on_gpu, "job.json"}, Busy::kNone, {.clock = clock, .stop = {}})->description(),
            "2 steps of 15 ms on average, recorded on node1");
  on_gpu.asynchronous = true;
  EXPECT_EQ(make_replay({on_gpu, "job.json"}, Busy::kNone, {.clock = clock, .stop = {}})->description(),
            "2 steps of 15 ms on average, recorded on node1, whose accelerator may have continued after them");
}

TEST(Replay, IsAComputeNamedByItsFile) {
  EXPECT_EQ(kept_text(parse_compute("replay:file=a/b.json").values[0]), "a/b.json");
  EXPECT_EQ(test::thrown_by([] { parse_compute("replay"); }),
            test::usage("compute replay: it needs file, such as replay:file=job.json"));
  EXPECT_EQ(test::thrown_by([] { parse_compute("replay:file="); }), test::usage("compute replay: file= is empty"));
  const ComputeSpec spec = parse_compute("replay:file=/nowhere/job.json");
  EXPECT_THAT(test::thrown_by([&] { spec.memory_bytes({}); }).message, testing::HasSubstr("/nowhere/job.json"));
}

}  // namespace
}  // namespace loadline
