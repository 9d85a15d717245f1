#include "synthetic/recording/playback.h"

#include <gtest/gtest.h>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using std::chrono::milliseconds;

TEST(Playback, RepeatsItsBatchesInOrder) {
  Playback playback({.batches = 2,
                     .sequence = {.waits = {milliseconds(1), milliseconds(2)},
                                  .steps = {milliseconds(10), milliseconds(20)},
                                  .samples = {8, 4}}},
                    "job.json");
  for (int turn = 0; turn < 2; ++turn) {
    const Playback::Batch first = playback.next();
    EXPECT_EQ(first.wait, milliseconds(1));
    EXPECT_EQ(first.step, milliseconds(10));
    EXPECT_EQ(first.samples, 8);
    EXPECT_EQ(playback.next().step, milliseconds(20));
  }
}

TEST(Playback, DividesAnEntryEvenlyAmongItsBatchesEvenAShortLastOne) {
  Playback playback({.batches = 3,
                     .sequence = {.batches_per_entry = 2,
                                  .waits = {milliseconds(2), milliseconds(5)},
                                  .steps = {milliseconds(20), milliseconds(7)},
                                  .samples = {16, 3}}},
                    "job.json");
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(playback.next().step, milliseconds(10));
    EXPECT_EQ(playback.next().samples, 8);
    const Playback::Batch last = playback.next();
    EXPECT_EQ(last.wait, milliseconds(5));
    EXPECT_EQ(last.step, milliseconds(7));
    EXPECT_EQ(last.samples, 3);
  }
}

TEST(Playback, ScalesTimesWithTheSamplesIfTheyWereCounted) {
  EXPECT_EQ((Playback::Batch{.samples = 8}.scaled(milliseconds(10), 4)), milliseconds(5));
  EXPECT_EQ((Playback::Batch{.samples = 0}.scaled(milliseconds(10), 4)), milliseconds(10));
}

TEST(Playback, RefusesARecordingWithoutABatch) {
  EXPECT_EQ(test::thrown_by([] { Playback({}, "job.json"); }),
            test::failed("cannot play job.json: no batch was recorded"));
}

}  // namespace
}  // namespace loadline
