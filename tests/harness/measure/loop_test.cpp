#include "harness/measure/loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "loaders/batch_pool.h"
#include "loaders/error.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;
using test::FakeClock;

constexpr std::size_t kBatchSize = 4;
constexpr std::size_t kSampleBytes = 100;

struct Step {
  Time wait{};  // how long next() takes on the fake clock
  std::size_t samples = kBatchSize;
};

// Delivers one batch per step of its script, then ends or, if `endless`, repeats its last step for ever.
class ScriptedFeed final : public Feed {
 public:
  ScriptedFeed(FakeClock& clock, std::vector<Step> script) : clock_(clock), script_(std::move(script)) {}

  Batch next() override {
    ++pulls;
    if (on_pull) on_pull();
    if (closed || (at_ == script_.size() && !endless)) return {};
    const Step step = script_[std::min(at_++, script_.size() - 1)];
    clock_.advance(step.wait);
    Batch batch = pool_.try_acquire();
    if (!batch) throw std::logic_error("the loop kept a batch");
    batch->count = step.samples;
    return batch;
  }
  void close() override { closed = true; }

  bool endless = false;
  bool closed = false;
  int pulls = 0;
  std::function<void()> on_pull;

 private:
  FakeClock& clock_;
  std::vector<Step> script_;
  std::size_t at_ = 0;
  BatchPool pool_{1, kBatchSize, kSampleBytes};
};

// Takes as long for each batch as its script says, and as long as the last step for all later ones.
class ScriptedSink final : public Sink {
 public:
  ScriptedSink(FakeClock& clock, std::vector<Time> script) : clock_(clock), script_(std::move(script)) {}

  void consume(Batch batch) override {
    clock_.advance(script_[std::min(consumed++, script_.size() - 1)]);
    if (on_consume) on_consume();
    batch.reset();
  }

  bool ended() const override { return consumed == ends_after; }

  std::size_t consumed = 0;
  std::size_t ends_after = 1000;
  std::function<void()> on_consume;

 private:
  FakeClock& clock_;
  std::vector<Time> script_;
};

TEST(RunLoop, CountsAndTimesToTheNanosecond) {
  FakeClock clock;
  ScriptedFeed feed(clock, {{10ns}, {0ns}, {100ns, 3}, {7ns}});
  ScriptedSink sink(clock, {50ns, 60ns, 1ns});
  const Stretch stretch = run_loop(feed, sink, clock, Batches{3}, {});
  EXPECT_TRUE(stretch.complete);
  EXPECT_EQ(stretch.wall, 10ns + 50ns + 0ns + 60ns + 100ns + 1ns);
  EXPECT_EQ(stretch.batches, 3U);
  EXPECT_EQ(stretch.samples, 11U);
  EXPECT_EQ(stretch.bytes, 1100U);
  EXPECT_EQ(stretch.waits.count(), 3U);
  EXPECT_EQ(stretch.waits.total(), 110ns);
  EXPECT_EQ(stretch.waits.largest(), 100ns);
  EXPECT_EQ(stretch.first_wait, 10ns);
  EXPECT_EQ(stretch.waits.percentile(0.5), 10ns);
  EXPECT_EQ(feed.pulls, 3);
  EXPECT_EQ(sink.consumed, 3U);
}

TEST(RunLoop, GoesOnWhereItStopped) {
  FakeClock clock;
  ScriptedFeed feed(clock, {{1ns}, {2ns}, {3ns}, {4ns}});
  ScriptedSink sink(clock, {10ns});
  EXPECT_EQ(run_loop(feed, sink, clock, Batches{1}, {}).wall, 11ns);
  clock.advance(1h);  // between the stretches, so part of neither
  EXPECT_EQ(run_loop(feed, sink, clock, Batches{3}, {}).wall, 39ns);
}

TEST(RunLoop, EndsWhenItsSinkEnds) {
  FakeClock clock;
  ScriptedFeed feed(clock, {{1ns}});
  feed.endless = true;
  ScriptedSink sink(clock, {10ns});
  sink.ends_after = 3;
  const Stretch stretch = run_loop(feed, sink, clock, Batches{9}, {});
  EXPECT_FALSE(stretch.complete) << "another rank has left its steps";
  EXPECT_EQ(stretch.batches, 3U);
}

TEST(RunLoop, DoesNotCountTheTimeOfAQuestionToOthersAsAWait) {
  FakeClock clock;
  ScriptedFeed feed(clock, {{1ns}});
  feed.endless = true;
  ScriptedSink sink(clock, {10ns});
  Length length = Time::max();
  length.enough_takes_time = true;
  length.enough = [&](const Stretch& so_far) {
    clock.advance(100ns);
    return so_far.batches == 2;
  };
  const Stretch stretch = run_loop(feed, sink, clock, length, {});
  EXPECT_TRUE(stretch.complete);
  EXPECT_EQ(stretch.waits.total(), 2ns);
  EXPECT_EQ(stretch.wall, 222ns) << "of two batches, and of the questions before them";
}

TEST(RunLoop, EndsWithTheFirstBatchAtOrAfterItsTime) {
  FakeClock clock;
  ScriptedFeed feed(clock, {{1ns}});
  feed.endless = true;
  ScriptedSink sink(clock, {9ns});
  const Stretch exactly = run_loop(feed, sink, clock, Time(100ns), {});
  EXPECT_TRUE(exactly.complete);
  EXPECT_EQ(exactly.batches, 10U);
  EXPECT_EQ(exactly.wall, 100ns);
  const Stretch beyond = run_loop(feed, sink, clock, Time(101ns), {});
  EXPECT_TRUE(beyond.complete);
  EXPECT_EQ(beyond.batches, 11U);
  EXPECT_EQ(beyond.wall, 110ns);
}

TEST(RunLoop, GoesOnToTheEndOfARound) {
  FakeClock clock;
  ScriptedFeed feed(clock, {{1ns}});
  feed.endless = true;
  ScriptedSink sink(clock, {9ns});
  Length time(Time(41ns));
  time.round = 4;
  EXPECT_EQ(run_loop(feed, sink, clock, time, {}).batches, 8U);
  Length batches(Batches{4});
  batches.round = 4;
  EXPECT_EQ(run_loop(feed, sink, clock, batches, {}).batches, 4U);
  batches.round = 3;
  EXPECT_EQ(run_loop(feed, sink, clock, batches, {}).batches, 6U);
}

TEST(RunLoop, OfLengthZeroPullsNothing) {
  FakeClock clock;
  ScriptedFeed feed(clock, {{1ns}});
  ScriptedSink sink(clock, {1ns});
  for (const Length& length : {Length(Batches{0}), Length(Time(0))}) {
    const Stretch stretch = run_loop(feed, sink, clock, length, {});
    EXPECT_TRUE(stretch.complete);
    EXPECT_EQ(stretch.batches, 0U);
    EXPECT_EQ(stretch.wall, 0ns);
  }
  EXPECT_EQ(feed.pulls, 0);
}

TEST(RunLoop, IsIncompleteWhenTheFeedEndsFirst) {
  for (const Length& length : {Length(Batches{3}), Length(Time(1h))}) {
    FakeClock clock;
    ScriptedFeed feed(clock, {{5ns}, {6ns, 1}});
    ScriptedSink sink(clock, {10ns});
    const Stretch stretch = run_loop(feed, sink, clock, length, {});
    EXPECT_FALSE(stretch.complete);
    EXPECT_EQ(stretch.batches, 2U);
    EXPECT_EQ(stretch.samples, kBatchSize + 1);
    EXPECT_EQ(stretch.wall, 31ns);
    EXPECT_EQ(stretch.waits.count(), 2U);
  }
}

TEST(RunLoop, DoesNotCountAWaitThatBroughtNoBatch) {
  FakeClock clock;
  ScriptedFeed feed(clock, {{5ns}});
  ScriptedSink sink(clock, {10ns});
  feed.on_pull = [&] {
    if (feed.pulls == 2) clock.advance(1h);
  };
  EXPECT_EQ(run_loop(feed, sink, clock, Batches{2}, {}).wall, 15ns);
}

TEST(RunLoop, EndsAfterTheBatchInHandWhenStopped) {
  FakeClock clock;
  std::stop_source source;
  ScriptedFeed feed(clock, {{5ns}});
  feed.endless = true;
  ScriptedSink sink(clock, {10ns});
  sink.on_consume = [&] {
    if (sink.consumed == 2) source.request_stop();
  };
  const Stretch stretch = run_loop(feed, sink, clock, Time(1h), source.get_token());
  EXPECT_FALSE(stretch.complete);
  EXPECT_EQ(stretch.batches, 2U);
  EXPECT_EQ(stretch.wall, 30ns);
  EXPECT_TRUE(feed.closed);
  EXPECT_EQ(feed.pulls, 2);
}

TEST(RunLoop, ClosesAFeedThatWaitsWhenStopped) {
  FakeClock clock;
  std::stop_source source;
  ScriptedFeed feed(clock, {{5ns}});
  feed.endless = true;
  feed.on_pull = [&] {
    if (feed.pulls == 2) source.request_stop();  // as another thread would while this one waits for its batch
  };
  ScriptedSink sink(clock, {10ns});
  const Stretch stretch = run_loop(feed, sink, clock, Batches{9}, source.get_token());
  EXPECT_FALSE(stretch.complete);
  EXPECT_EQ(stretch.batches, 1U);
  EXPECT_TRUE(feed.closed);
}

TEST(RunLoop, PullsNothingIfItIsAlreadyStopped) {
  FakeClock clock;
  std::stop_source source;
  source.request_stop();
  ScriptedFeed feed(clock, {{5ns}});
  ScriptedSink sink(clock, {10ns});
  const Stretch stretch = run_loop(feed, sink, clock, Batches{1}, source.get_token());
  EXPECT_FALSE(stretch.complete);
  EXPECT_EQ(stretch.batches, 0U);
  EXPECT_TRUE(feed.closed);
  EXPECT_EQ(feed.pulls, 0);
}

TEST(RunLoop, LeavesTheFeedOpenAtItsEnd) {
  FakeClock clock;
  std::stop_source source;
  ScriptedFeed feed(clock, {{5ns}});
  ScriptedSink sink(clock, {10ns});
  run_loop(feed, sink, clock, Batches{1}, source.get_token());
  source.request_stop();  // no longer concerns the loop
  EXPECT_FALSE(feed.closed);
}

TEST(RunLoop, PassesOnWhatTheFeedThrows) {
  FakeClock clock;
  ScriptedFeed feed(clock, {{5ns}});
  feed.on_pull = [] { throw Error("cannot read sample 3"); };
  ScriptedSink sink(clock, {10ns});
  EXPECT_THROW(run_loop(feed, sink, clock, Batches{1}, {}), Error);
  EXPECT_EQ(sink.consumed, 0U);
}

TEST(RunLoop, PassesOnWhatTheSinkThrows) {
  FakeClock clock;
  ScriptedFeed feed(clock, {{5ns}});
  feed.endless = true;
  ScriptedSink sink(clock, {10ns});
  sink.on_consume = [] { throw Error("cannot launch"); };
  EXPECT_THROW(run_loop(feed, sink, clock, Batches{1}, {}), Error);
  EXPECT_NE(feed.next(), nullptr) << "the batch in hand did not go home";
}

}  // namespace
}  // namespace loadline
