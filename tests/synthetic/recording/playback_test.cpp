#include "synthetic/recording/playback.h"

#include <gtest/gtest.h>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

TEST(Playback, RepeatsItsBatchesInOrder) {
  Playback playback({.batches = 2,
                     .sequence = {.waits = {std::chrono::milliseconds(1), std::chrono::milliseconds(2)},
                                  .steps = {std::chrono::milliseconds(10), std::chrono::milliseconds(20)},
                                  .samples = {8, 4}}},
                    "job.json");
  for (int turn = 0; turn < 2; ++turn) {
    const Playback::Batch first = playback.next();
    EXPECT_EQ(first.wait, std::chrono::milliseconds(1));
    EXPECT_EQ(first.step, std::chrono::milliseconds(10));
    EXPECT_EQ(first.samples, 8);
    EXPECT_EQ(playback.next().step, std::chrono::milliseconds(20));
  }
}

TEST(Playback, DividesAnEntryEvenlyAmongItsBatchesEvenAShortLastOne) {
  Playback playback({.batches = 3,
                     .sequence = {.batches_per_entry = 2,
                                  .waits = {std::chrono::milliseconds(2), std::chrono::milliseconds(5)},
                                  .steps = {std::chrono::milliseconds(20), std::chrono::milliseconds(7)},
                                  .samples = {16, 3}}},
                    "job.json");
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(playback.next().step, std::chrono::milliseconds(10));
    EXPECT_EQ(playback.next().samples, 8);
    const Playback::Batch last = playback.next();
    EXPECT_EQ(last.wait, std::chrono::milliseconds(5));
    EXPECT_EQ(last.step, std::chrono::milliseconds(7));
    EXPECT_EQ(last.samples, 3);
  }
}

TEST(Playback, ScalesTimesWithTheSamplesIfTheyWereCounted) {
  EXPECT_EQ((Playback::Batch{.samples = 8}.scaled(std::chrono::milliseconds(10), 4)), std::chrono::milliseconds(5));
  EXPECT_EQ((Playback::Batch{.samples = 0}.scaled(std::chrono::milliseconds(10), 4)), std::chrono::milliseconds(10));
}

TEST(Playback, RefusesARecordingWithoutABatch) {
  EXPECT_EQ(test::thrown_by([] { Playback({}, "job.json"); }),
            test::failed("cannot play job.json: no batch was recorded"));
}

}  // namespace
}  // namespace loadline
