// Ranks as threads: what they agree on, and how they end when one of them is lost.
#include "harness/ranks/ranks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "tests/harness/ranks/local_messages.h"

namespace loadline {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

TEST(Ranks, AgreeInTheOrderOfTheirNumbers) {
  std::vector<std::string> got(3);
  on_all(3, kPatient, [&](Ranks& ranks, LocalWorld& /*world*/) {
    EXPECT_EQ(ranks.size(), 3U);
    EXPECT_EQ(ranks.name_of(2), "rank 2 on host2");
    got[ranks.rank()] =
        ranks.outer(std::to_string(ranks.rank()), joined) + ranks.broadcast(ranks.is_first() ? "x" : "y");
  });
  EXPECT_EQ(got, std::vector<std::string>(3, "012x"));
}

TEST(Ranks, LeaveAnInnerExchangeWhenOneHasGoneOn) {
  on_all(3, kPatient, [](Ranks& ranks, LocalWorld& /*world*/) {
    EXPECT_EQ(ranks.inner("a", joined), std::optional<std::string>("aaa"));
    if (ranks.rank() != 1) {
      EXPECT_EQ(ranks.inner("b", joined), std::nullopt) << ranks.rank();
    }
    EXPECT_EQ(ranks.outer("c", joined), "ccc");
    EXPECT_EQ(ranks.inner("d", joined), std::optional<std::string>("ddd")) << "it is as before";
  });
}

TEST(Ranks, LeaveAnInnerExchangeWhenTheFirstHasGoneOn) {
  on_all(2, kPatient, [](Ranks& ranks, LocalWorld& /*world*/) {
    if (ranks.rank() != 0) {
      EXPECT_EQ(ranks.inner("b", joined), std::nullopt);
    }
    EXPECT_EQ(ranks.outer("c", joined), "cc");
  });
}

TEST(Ranks, FailTogetherWithTheSentenceOfTheFirstFailure) {
  on_all(3, kPatient, [](Ranks& ranks, LocalWorld& /*world*/) {
    if (ranks.rank() == 2) ranks.fail("rank 2 on host2: no data");
    EXPECT_EQ(failure_of([&] { ranks.outer("", joined); }), "rank 2 on host2: no data");
    EXPECT_EQ(failure_of([&] { ranks.inner("", joined); }), "rank 2 on host2: no data") << "for good";
    ASSERT_TRUE(ranks.failure());
    EXPECT_EQ(ranks.failure()->of, 2U);
    EXPECT_TRUE(ranks.failure()->orderly);
  });
}

TEST(Ranks, NameTheOneThatIsLost) {
  std::latch all_there(2);
  on_all(2, {.silence_seconds = 3, .grace_seconds = 0.1}, [&](Ranks& ranks, LocalWorld& world) {
    all_there.arrive_and_wait();
    if (ranks.rank() == 1) return world.lose(1);
    EXPECT_EQ(failure_of([&] { ranks.outer("", joined, true); }), "rank 1 on host1 was silent for 3 s");
    EXPECT_FALSE(ranks.failure()->orderly);
  });
}

TEST(Ranks, NameTheOneWhoseProcessHasEnded) {
  std::latch all_there(2);
  on_all(2, {.silence_seconds = 600, .grace_seconds = 0.1}, [&](Ranks& ranks, LocalWorld& world) {
    all_there.arrive_and_wait();
    if (ranks.rank() == 1) return world.lose(1);
    ranks.watch_processes([](std::size_t rank) { return rank == 1; });
    EXPECT_EQ(failure_of([&] { ranks.outer("", joined, true); }), "rank 1 on host1 was killed or crashed");
    EXPECT_FALSE(ranks.failure()->orderly);
  });
}

TEST(Ranks, NameTheOneThatKeepsTheOthersWaiting) {
  std::latch told(2);
  on_all(2, {.silence_seconds = 3, .grace_seconds = 0.1}, [&](Ranks& ranks, LocalWorld& /*world*/) {
    if (ranks.rank() == 0) {
      EXPECT_EQ(failure_of([&] { ranks.outer("", joined); }),
                "rank 1 on host1 kept the others waiting for more than 3 s");
    }
    told.arrive_and_wait();
  });
}

// An end of the transport that breaks at some time: nothing arrives there any more.
class BreakingMessages final : public Messages {
 public:
  BreakingMessages(LocalWorld& world, std::size_t rank, const std::atomic<bool>& broken)
      : whole_(world, rank), broken_(broken) {}

  std::size_t rank() const override { return whole_.rank(); }
  std::size_t size() const override { return whole_.size(); }
  std::string description() const override { return whole_.description(); }
  void send(std::size_t to, std::string bytes) override { whole_.send(to, std::move(bytes)); }
  std::optional<Message> receive() override {
    if (broken_) throw Error("MPI_Improbe: the connection was reset");
    return whole_.receive();
  }
  void start_sum(std::span<float> numbers) override { whole_.start_sum(numbers); }
  bool sums_done() override { return whole_.sums_done(); }
  void finish() override { whole_.finish(); }
  void abort(int code) override { whole_.abort(code); }

 private:
  LocalMessages whole_;
  const std::atomic<bool>& broken_;
};

TEST(Ranks, FailTogetherWhenOneCannotReceive) {
  const std::string sentence = "rank 1 on b cannot receive messages: MPI_Improbe: the connection was reset";
  constexpr RankLimits kBrief{.silence_seconds = 600, .grace_seconds = 0.1};
  LocalWorld world(2);
  std::atomic<bool> broken{false};
  std::latch there(2);
  std::latch told(2);
  const auto check = [&](std::unique_ptr<Messages> messages, const std::string& host) {
    Ranks ranks(std::move(messages), host, kBrief, [](const std::string& /*sentence*/) {});
    there.arrive_and_wait();
    broken = true;
    const auto exchange_twice = [&] {
      ranks.outer("", joined);  // what was sent before may still suffice for rank 0
      ranks.outer("", joined);
    };
    EXPECT_EQ(failure_of(exchange_twice), sentence);
    told.arrive_and_wait();
  };
  std::jthread other([&] { check(std::make_unique<BreakingMessages>(world, 1, broken), "b"); });
  check(std::make_unique<LocalMessages>(world, 0), "a");
}

TEST(Ranks, StopAllWhenOneIsStopped) {
  on_all(3, kPatient, [](Ranks& ranks, LocalWorld& /*world*/) {
    std::stop_source interrupt;
    ranks.watch(interrupt.get_token(), [] { return 15; });
    if (ranks.rank() == 1) interrupt.request_stop();
    std::latch stopped(1);
    const std::stop_callback callback(ranks.stop_token(), [&] { stopped.count_down(); });
    stopped.wait();
    EXPECT_EQ(ranks.signal(), 15);
    EXPECT_FALSE(ranks.failure());
    ranks.outer("", joined);
  });
}

TEST(Ranks, FinishTheirMessagesAtTheOrderlyEnd) {
  LocalWorld world(2);
  {
    std::jthread other([&] {
      const Ranks ranks(std::make_unique<LocalMessages>(world, 1), "b", kPatient, [](const std::string&) {});
    });
    const Ranks ranks(std::make_unique<LocalMessages>(world, 0), "a", kPatient, [](const std::string&) {});
  }
  EXPECT_EQ(world.finished(), 2U);
}

}  // namespace
}  // namespace loadline
