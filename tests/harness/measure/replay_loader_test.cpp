#include "harness/measure/replay_loader.h"

#include <gtest/gtest.h>

#include "loaders/batch_pool.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

// Delivers batches of eight samples at once and without end.
class Plenty final : public Feed {
 public:
  Batch next() override {
    Batch batch = pool_.acquire();
    batch->count = 8;
    return batch;
  }
  void close() override {}

 private:
  BatchPool pool_{4, 8, 1};
};

// A job that waited 5 ms for its first batch and not at all for its second.
Playback job() {
  return {{.batches = 2,
           .sequence = {.waits = {std::chrono::milliseconds(5), {}},
                        .steps = {std::chrono::milliseconds(10), std::chrono::milliseconds(20)},
                        .samples = {8, 8}}},
          "job.json"};
}

class Arrivals : public testing::Test {
 protected:
  // When the next batch arrives, in milliseconds from the beginning. The consumer then takes `step` for the batch.
  int comes(Time step = {}) {
    EXPECT_TRUE(feed_.next());
    const Time came = clock_.now() - begin_;
    clock_.advance(step);
    return static_cast<int>(came / std::chrono::milliseconds(1));
  }

  test::FakeClock clock_;
  const Time begin_ = clock_.now();
  ArrivalFeed feed_{std::make_unique<Plenty>(), 8, job(), 2, clock_};
};

TEST_F(Arrivals, AreThoseOfTheJobIfTheConsumerTakesNoTime) {
  EXPECT_EQ(comes(), 5);
  EXPECT_EQ(comes(), 15) << "when the step before it had ended";
  EXPECT_EQ(comes(), 40) << "and 5 ms behind the next";
  EXPECT_EQ(comes(), 50);
}

TEST_F(Arrivals, WaitUntilTheyAreTaken) {
  EXPECT_EQ(comes(std::chrono::milliseconds(1000)), 5);
  EXPECT_EQ(feed_.ready(), 2U) << "and not all that the job would have had by then";
  EXPECT_EQ(comes(), 1005);
  EXPECT_EQ(comes(), 1005);
  EXPECT_EQ(comes(), 1015) << "was begun when there was room for it";
}

TEST_F(Arrivals, ReportHowManyAreReady) {
  EXPECT_EQ(feed_.ready(), 0U);
  clock_.advance(std::chrono::milliseconds(5));
  EXPECT_EQ(feed_.ready(), 1U);
  clock_.advance(std::chrono::milliseconds(10));
  EXPECT_EQ(feed_.ready(), 2U);
}

TEST_F(Arrivals, EndWhenTheFeedIsClosed) {
  feed_.close();
  EXPECT_FALSE(feed_.next());
}

TEST(ArrivalQueue, IsAsLongAsThatOfTheJobsLoader) {
  EXPECT_EQ(queue_of({.workers = 4, .prefetch = 2}), 8U);
  EXPECT_EQ(queue_of({.workers = 0, .prefetch = std::nullopt}), 1U);
}

TEST(ReplayLoader, NamesTheFormThatItRequires) {
  const LoaderOpener opener = replay_loader_opener();
  EXPECT_TRUE(opener.recognises("replay:file=job.json"));
  EXPECT_FALSE(opener.recognises("train.py:make_loader"));
  EXPECT_EQ(test::thrown_by([&] { opener.open("replay:job.json"); }),
            test::usage("loader replay:job.json: want replay:file=JOB, a file that `loadline.record` wrote"));
  EXPECT_NE(test::thrown_by([&] { opener.open("replay:file=/nowhere"); }).message.find("/nowhere"), std::string::npos);
}

}  // namespace
}  // namespace loadline
