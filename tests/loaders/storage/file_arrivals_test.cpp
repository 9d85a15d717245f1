#include "loaders/storage/file_arrivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/loaders/support/allocations.h"
#include "tests/loaders/support/file_rings.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

TEST(ByteArena, LendsReturnedBytesAgainInWholePieces) {
  ByteArena arena(256, 4);
  const auto one = arena.lend(64);
  const auto two = arena.lend(65);
  const auto three = arena.lend(1);
  EXPECT_EQ(one.size() + two.size() + three.size(), 256U);
  EXPECT_TRUE(arena.lend(1).empty());
  arena.give_back(one);
  arena.give_back(three);
  EXPECT_TRUE(arena.lend(128).empty()) << "what is free does not lie together";
  arena.give_back(two);
  const auto all = arena.lend(256);
  EXPECT_EQ(all.size(), 256U);
  EXPECT_EQ(all.data(), one.data());
}

TEST(ByteArena, GivesNoByteTwice) {
  ByteArena arena(std::size_t{64} * 16, 16);
  std::vector<std::span<std::byte>> lent;
  for (std::size_t round = 0; round < 200; ++round) {
    if (const auto piece = arena.lend(64 * (1 + round * 7 % 5)); !piece.empty()) lent.push_back(piece);
    if (lent.size() > 3 || round % 3 == 0) {
      const auto gone = lent.begin() + static_cast<std::ptrdiff_t>(round % lent.size());
      arena.give_back(*gone);
      lent.erase(gone);
    }
    std::set<const std::byte*> lines;
    for (const auto& piece : lent) {
      for (std::size_t i = 0; i < piece.size(); i += 64) EXPECT_TRUE(lines.insert(piece.data() + i).second);
    }
    if (lent.empty()) lent.push_back(arena.lend(64));
  }
}

// Runs on the system's own ring or on a scripted one.
class Arrivals : public testing::TestWithParam<bool> {
 protected:
  static constexpr FileArrivalsOptions kOptions{
      .requests = 4, .bytes = 400'000, .most_bytes = 300'000, .most_files = 8};

  void SetUp() override {
    script_.opens_aside = true;
    // Containers often forbid io_uring.
    const auto refusal = test::thrown_by([&] { arrivals_ = make(kOptions); }).message;
    if (!arrivals_) {
      EXPECT_EQ(refusal.substr(0, 32), "cannot read files by io_uring: ");
      GTEST_SKIP() << refusal;
    }
  }

  std::unique_ptr<FileArrivals> make(const FileArrivalsOptions& options) {
    if (GetParam()) return std::make_unique<FileArrivals>(options);
    return std::make_unique<FileArrivals>(
        options, std::make_unique<test::ScriptedRing>(script_, FileArrivals::ring_places(options.requests)));
  }

  fs::path put(const std::string& name, const std::string& bytes) const { return test::write(home_ / name, bytes); }

  std::size_t arrival() {
    for (;;) {
      if (const auto one = arrivals_->arrived()) {
        tickets_.push_back(one->ticket);
        return one->place;
      }
      arrivals_->wait(std::chrono::seconds(1));
    }
  }
  // Returns the bytes of the next arrival.
  std::string next() {
    const std::size_t place = arrival();
    const auto bytes = arrivals_->bytes(place);
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    arrivals_->give_back(place);
    return text;
  }

  const test::TemporaryDirectory home_;
  test::RingScript script_;
  std::unique_ptr<FileArrivals> arrivals_;
  std::vector<std::size_t> tickets_;
};

INSTANTIATE_TEST_SUITE_P(Rings, Arrivals, testing::Bool(),
                         [](const auto& row) { return std::string(row.param ? "OfTheSystem" : "OfAScript"); });

TEST_P(Arrivals, BringEveryFileOnceWithItsTicket) {
  const fs::path files[] = {put("one", "first"), put("two", ""), put("three", std::string(100'000, 'x'))};
  for (std::size_t round = 0; round < 10; ++round) {
    tickets_.clear();
    for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(arrivals_->ask(files[i].native(), fs::file_size(files[i]), i));
    EXPECT_EQ(arrivals_->in_flight(), 3U);
    std::multiset<std::string> texts;
    for (int i = 0; i < 3; ++i) texts.insert(next());
    EXPECT_EQ(texts, (std::multiset<std::string>{"", "first", std::string(100'000, 'x')}));
    EXPECT_THAT(tickets_, testing::UnorderedElementsAre(0, 1, 2));
    EXPECT_EQ(arrivals_->in_flight(), 0U);
    EXPECT_FALSE(arrivals_->arrived());
  }
}

TEST_P(Arrivals, AreBoundedByRequestsAndByBytes) {
  const fs::path small = put("small", "small");
  const fs::path large = put("large", std::string(150'000, 'x'));
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(arrivals_->ask(small.native(), 5, 0));
  EXPECT_FALSE(arrivals_->ask(small.native(), 5, 0));
  EXPECT_FALSE(arrivals_->full()) << "requests are the bound";
  for (int i = 0; i < 4; ++i) EXPECT_EQ(next(), "small");
  ASSERT_TRUE(arrivals_->ask(large.native(), 150'000, 0));
  ASSERT_TRUE(arrivals_->ask(large.native(), 150'000, 0));
  EXPECT_FALSE(arrivals_->ask(large.native(), 150'000, 0));
  EXPECT_TRUE(arrivals_->full());
  const std::size_t place = arrival();
  EXPECT_FALSE(arrivals_->ask(large.native(), 150'000, 0)) << "it was not given back";
  arrivals_->give_back(place);
  EXPECT_TRUE(arrivals_->ask(large.native(), 150'000, 0));
}

TEST_P(Arrivals, AreBoundedByTheirNumber) {
  const fs::path small = put("small", "small");
  std::vector<std::size_t> held;
  for (int i = 0; i < 8; ++i) {
    // The system may still be closing the files before this one.
    while (!arrivals_->ask(small.native(), 5, 0)) EXPECT_FALSE(arrivals_->arrived());
    held.push_back(arrival());
  }
  EXPECT_FALSE(arrivals_->ask(small.native(), 5, 0));
  EXPECT_TRUE(arrivals_->full());
  for (const std::size_t place : held) arrivals_->give_back(place);
  EXPECT_TRUE(arrivals_->ask(small.native(), 5, 0));
}

TEST_P(Arrivals, NameTheFileThatCannotBeReadAndGoOn) {
  const fs::path missing = home_ / "missing";
  const fs::path directory = home_.path();
  const fs::path sound = put("sound", "sound");
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(arrivals_->ask(missing.native(), 10, 0));
    std::size_t place = arrival();
    EXPECT_EQ(test::thrown_by([&] { arrivals_->bytes(place); }),
              test::failed("cannot open " + missing.string() + ": No such file or directory"));
    arrivals_->give_back(place);
    ASSERT_TRUE(arrivals_->ask(directory.native(), 10, 0));
    place = arrival();
    EXPECT_EQ(test::thrown_by([&] { arrivals_->bytes(place); }),
              test::failed("cannot read " + directory.string() + ": Is a directory"));
    arrivals_->give_back(place);
    ASSERT_TRUE(arrivals_->ask(sound.native(), 5, 0));
    EXPECT_EQ(next(), "sound");
  }
}

TEST_P(Arrivals, HoldTheFileAsItIsNowWhateverItsLengthWas) {
  const fs::path file = put("one", "grown to a hundred bytes" + std::string(76, '.'));
  for (const std::size_t was : {0U, 99U, 101U, 5000U}) {
    ASSERT_TRUE(arrivals_->ask(file.native(), was, 0));
    EXPECT_EQ(next(), "grown to a hundred bytes" + std::string(76, '.')) << was;
  }
  const fs::path longest = put("long", std::string(5'000'000, 'a') + 'b');
  ASSERT_TRUE(arrivals_->ask(longest.native(), 300'000, 0));
  EXPECT_EQ(next(), std::string(5'000'000, 'a') + 'b');
}

TEST_P(Arrivals, CanBeDestroyedWhileFilesAreBeingRead) {
  const fs::path file = put("file", std::string(100'000, 'x'));
  for (int i = 0; i < 20; ++i) {
    const auto left = make(kOptions);
    for (int k = 0; k < i % 5; ++k) left->ask(file.native(), 100'000, 0);
  }
}

TEST_P(Arrivals, AllocateNothingWhileTheyRead) {
  const fs::path file = put("file", std::string(200'000, 'x'));
  for (int round = 0; round < 20; ++round) {
    const std::size_t before = test::allocations_so_far();
    ASSERT_TRUE(arrivals_->ask(file.native(), 200'000, 0));
    const std::size_t place = [&] {
      for (;;) {
        if (const auto one = arrivals_->arrived()) return one->place;
        arrivals_->wait(std::chrono::seconds(1));
      }
    }();
    EXPECT_EQ(arrivals_->bytes(place).size(), 200'000U);
    arrivals_->give_back(place);
    // The scripted ring itself allocates.
    if (GetParam()) {
      EXPECT_EQ(test::allocations_so_far(), before);
    }
  }
}

class ArrivalsOnAScript : public Arrivals {};
INSTANTIATE_TEST_SUITE_P(Rings, ArrivalsOnAScript, testing::Values(false));

TEST_P(ArrivalsOnAScript, ContinueAfterAShortRead) {
  const fs::path file = put("one", "a file of some length");
  for (const std::size_t most : {0U, 1U, 20U, 21U}) {
    script_.most_read_bytes = most;
    ASSERT_TRUE(arrivals_->ask(file.native(), 21, 0));
    EXPECT_EQ(next(), "a file of some length") << most << " bytes at a time";
  }
}

TEST_P(ArrivalsOnAScript, KeepNamingTheOperationThatTheSystemRefused) {
  const fs::path file = put("one", "first");
  ASSERT_TRUE(arrivals_->ask(file.native(), 5, 0));
  script_.submit_results = {-EBADF};
  const test::Thrown refusal = test::failed("cannot submit to io_uring: Bad file descriptor");
  EXPECT_EQ(test::thrown_by([&] { arrivals_->ask(file.native(), 5, 1); }), refusal);
  EXPECT_EQ(test::thrown_by([&] { arrivals_->arrived(); }), refusal);
  arrivals_.reset();
  EXPECT_EQ(script_.outstanding, 0U) << "the system may still write into memory that was given back";
  EXPECT_FALSE(script_.waited_for_nothing);
}

TEST_P(ArrivalsOnAScript, AreBusyUntilTheSystemHasClosedTheFiles) {
  script_.closes_late = true;
  const fs::path small = put("small", "small");
  std::size_t asked = 0;
  for (; arrivals_->ask(small.native(), 5, 0); ++asked) EXPECT_EQ(next(), "small");
  EXPECT_EQ(asked, FileArrivals::ring_places(4));
  EXPECT_EQ(arrivals_->in_flight(), 0U);
  EXPECT_FALSE(arrivals_->full());
  EXPECT_TRUE(arrivals_->busy());
  arrivals_->wait(std::chrono::seconds(1));
  EXPECT_FALSE(arrivals_->arrived());
  EXPECT_FALSE(arrivals_->busy());
  EXPECT_TRUE(arrivals_->ask(small.native(), 5, 0));
}

TEST_P(ArrivalsOnAScript, RetryWhileTheSystemHasNoRoom) {
  const fs::path file = put("one", "first");
  script_.submit_results = {-EINTR, -EAGAIN, -EBUSY};
  ASSERT_TRUE(arrivals_->ask(file.native(), 5, 0));
  EXPECT_EQ(next(), "first");
}

TEST_P(ArrivalsOnAScript, FailIfTheSystemAcceptsOnlySomeOfAFilesSteps) {
  const fs::path file = put("one", "first");
  script_.submit_results = {2};
  EXPECT_EQ(test::thrown_by([&] { arrivals_->ask(file.native(), 5, 0); }),
            test::failed("cannot submit to io_uring: the system accepted 2 of a file's 3 steps"));
}

TEST_P(ArrivalsOnAScript, EndThoughTheSystemReportsNothingMore) {
  const fs::path file = put("one", "first");
  ASSERT_TRUE(arrivals_->ask(file.native(), 5, 0));
  script_.wait_results = {-EBADF, -EBADF};
  EXPECT_EQ(test::thrown_by([&] { arrivals_->wait(std::chrono::seconds(1)); }),
            test::failed("cannot wait for io_uring: Bad file descriptor"));
  arrivals_.reset();
  EXPECT_FALSE(script_.waited_for_nothing);
}

}  // namespace
}  // namespace loadline
