#include "loaders/storage/file_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>

#include "tests/loaders/support/allocations.h"
#include "tests/loaders/support/file_rings.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string taken_from(FileQueue& queue) {
  return text(queue.take());
}

test::Thrown refusal_to_take(FileQueue& queue) {
  return test::thrown_by([&] { queue.take(); });
}

void push(FileQueue& queue, const fs::path& file) {
  queue.push(file.native(), fs::is_regular_file(file) ? fs::file_size(file) : 0);
}

// Runs on the system's own ring.
class Queue : public testing::Test {
 protected:
  Queue() {
    // Containers often forbid io_uring.
    const auto refusal = test::thrown_by([&] { queue_.emplace(kOptions); }).message;
    if (!refusal.empty()) {
      EXPECT_EQ(refusal.substr(0, 32), "cannot read files by io_uring: ");
      reason_ = refusal;
    }
  }
  void SetUp() override {
    if (!queue_) GTEST_SKIP() << reason_;
  }

  static constexpr FileQueueOptions kOptions{.capacity = 4, .most_bytes = 300'000};

  fs::path put(const std::string& name, const std::string& bytes) const { return test::write(home_ / name, bytes); }
  std::string take() { return taken_from(*queue_); }

  const test::TemporaryDirectory home_;
  std::optional<FileQueue> queue_;
  std::string reason_;
};

TEST_F(Queue, GivesWholeFilesInTheOrderOfTheRequests) {
  const fs::path files[] = {put("one", "first"), put("two", ""), put("three", std::string(100'000, 'x'))};
  for (int round = 0; round < 10; ++round) {
    for (const fs::path& file : files) push(*queue_, file);
    EXPECT_EQ(queue_->size(), 3U);
    EXPECT_EQ(take(), "first");
    EXPECT_EQ(take(), "");
    push(*queue_, files[0]);
    EXPECT_EQ(take(), std::string(100'000, 'x'));
    EXPECT_EQ(take(), "first");
    EXPECT_EQ(queue_->size(), 0U);
  }
}

TEST_F(Queue, KeepsTheLastTakenBytesWhileItIsFull) {
  const fs::path first = put("first", "the first");
  const fs::path other = put("other", "another");
  push(*queue_, first);
  const auto bytes = queue_->take();
  for (std::size_t i = 0; i < queue_->capacity(); ++i) push(*queue_, other);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "the first");
  for (std::size_t i = 0; i < queue_->capacity(); ++i) EXPECT_EQ(take(), "another");
}

TEST_F(Queue, ReadsAFileLongerThanAnyBefore) {
  for (const std::size_t size : {299'999U, 300'000U, 300'001U, 5'000'000U}) {
    const fs::path file = put("long", std::string(size - 1, 'a') + 'b');
    for (int round = 0; round < 6; ++round) {
      push(*queue_, file);
      EXPECT_EQ(take(), std::string(size - 1, 'a') + 'b');
    }
  }
}

TEST_F(Queue, NamesTheFileThatCannotBeReadAndGoesOn) {
  const fs::path missing = home_ / "missing";
  const fs::path directory = home_.path();
  const fs::path sound = put("sound", "sound");
  push(*queue_, missing);
  push(*queue_, directory);
  push(*queue_, sound);
  EXPECT_EQ(test::thrown_by([&] { queue_->take(); }),
            test::failed("cannot open " + missing.string() + ": No such file or directory"));
  EXPECT_EQ(test::thrown_by([&] { queue_->take(); }),
            test::failed("cannot read " + directory.string() + ": Is a directory"));
  EXPECT_EQ(take(), "sound");
}

TEST_F(Queue, CanBeDestroyedWhileFilesAreBeingRead) {
  const fs::path file = put("file", std::string(100'000, 'x'));
  for (int i = 0; i < 20; ++i) {
    FileQueue queue({.capacity = 8, .most_bytes = 100'000});
    for (int k = 0; k < i % 9; ++k) push(queue, file);
  }
}

TEST_F(Queue, GivesNewFilesAfterItIsCleared) {
  const fs::path one = put("one", "first");
  const fs::path two = put("two", "second");
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < queue_->capacity(); ++i) push(*queue_, one);
    EXPECT_EQ(take(), "first");
    queue_->clear();
    EXPECT_EQ(queue_->size(), 0U);
    for (std::size_t i = 0; i < queue_->capacity(); ++i) push(*queue_, two);
    for (std::size_t i = 0; i < queue_->capacity(); ++i) EXPECT_EQ(take(), "second");
  }
}

// Runs on a scripted ring.
class QueueOnAScript : public testing::Test {
 protected:
  std::unique_ptr<FileQueue> queue(std::size_t most_bytes = 100) {
    constexpr std::size_t kCapacity = 4;
    return std::make_unique<FileQueue>(FileQueueOptions{.capacity = kCapacity, .most_bytes = most_bytes},
                                       std::make_unique<test::ScriptedRing>(script_, kCapacity + 1));
  }
  fs::path put(const std::string& name, const std::string& bytes) const { return test::write(home_ / name, bytes); }
  void expect_that_nothing_is_left() const {
    EXPECT_EQ(script_.outstanding, 0U) << "the system may still write into memory that was given back";
    EXPECT_FALSE(script_.waited_for_nothing) << "it would have waited for ever";
  }

  const test::TemporaryDirectory home_;
  test::RingScript script_;
};

TEST_F(QueueOnAScript, GivesFilesInTheOrderOfTheRequestsWhicheverIsReadyFirst) {
  script_.latest_first = true;
  const fs::path files[] = {put("one", "first"), put("two", "second"), put("three", "third")};
  const auto asked = queue();
  for (const fs::path& file : files) push(*asked, file);
  EXPECT_EQ(taken_from(*asked), "first");
  EXPECT_EQ(taken_from(*asked), "second");
  EXPECT_EQ(taken_from(*asked), "third");
}

TEST_F(QueueOnAScript, RefusesMoreFilesThanItHasPlacesForAndKeepsTheOthers) {
  const fs::path file = put("one", "first");
  const fs::path other = put("two", "second");
  const auto full = queue();
  for (int i = 0; i < 4; ++i) push(*full, file);
  EXPECT_EQ(test::thrown_by([&] { push(*full, other); }),
            test::failed("cannot read " + other.string() + " ahead: 4 files are being read already"));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(taken_from(*full), "first");
  EXPECT_EQ(refusal_to_take(*full), test::failed("cannot take a file: none was requested"));
}

TEST_F(QueueOnAScript, WaitsForItsRequestsAndNothingElseHoweverManyAreLeft) {
  const fs::path file = put("one", "first");
  for (int asked = 0; asked <= 4; ++asked) {
    for (int taken = 0; taken <= asked; ++taken) {
      const auto left = queue();
      for (int i = 0; i < asked; ++i) push(*left, file);
      for (int i = 0; i < taken; ++i) EXPECT_EQ(taken_from(*left), "first");
    }
  }
  expect_that_nothing_is_left();
}

TEST_F(QueueOnAScript, ForgetsItsRequestsWhenItIsCleared) {
  const fs::path missing = home_ / "missing";
  const fs::path file = put("one", "first");
  const auto cleared = queue();
  for (int i = 0; i < 4; ++i) push(*cleared, i % 2 == 0 ? missing : file);
  cleared->clear();
  EXPECT_EQ(cleared->size(), 0U);
  expect_that_nothing_is_left();
  for (int i = 0; i < 4; ++i) push(*cleared, file);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(taken_from(*cleared), "first");
}

TEST_F(QueueOnAScript, ContinuesAfterAShortRead) {
  const fs::path file = put("one", "a file of some length");
  const auto interrupted = queue();
  for (const std::size_t most : {0U, 1U, 20U, 21U}) {
    script_.most_read_bytes = most;
    push(*interrupted, file);
    EXPECT_EQ(taken_from(*interrupted), "a file of some length") << most << " bytes at a time";
  }
}

TEST_F(QueueOnAScript, ReadsAFileAsItIsNowWhateverItsLengthWas) {
  const fs::path file = put("one", "grown to a hundred bytes" + std::string(76, '.'));
  const auto changed = queue();
  for (const std::size_t was : {0U, 99U, 101U, 5000U}) {
    changed->push(file.native(), was);
    EXPECT_EQ(taken_from(*changed), "grown to a hundred bytes" + std::string(76, '.')) << was;
  }
  put("one", std::string(1000, 'x'));
  changed->push(file.native(), 100);
  EXPECT_EQ(taken_from(*changed), std::string(1000, 'x')) << "longer than a place";
}

TEST_F(QueueOnAScript, RetriesAfterASignal) {
  const fs::path file = put("one", "first");
  script_.submit_results = {-EINTR, -EINTR};
  script_.wait_results = {-EINTR, 0, -EINTR, -EAGAIN};
  const auto interrupted = queue();
  push(*interrupted, file);
  EXPECT_EQ(taken_from(*interrupted), "first");
  expect_that_nothing_is_left();
}

TEST_F(QueueOnAScript, WaitsForAStepWhenTheSystemHasNoRoom) {
  const fs::path file = put("one", "first");
  const auto crowded = queue();
  push(*crowded, file);
  script_.submit_results = {-EBUSY, -EAGAIN};
  push(*crowded, file);
  EXPECT_EQ(script_.waits, 2U) << "for a step of the first file each time";
  EXPECT_EQ(taken_from(*crowded), "first");
  EXPECT_EQ(taken_from(*crowded), "first");
}

TEST_F(QueueOnAScript, GivesUpWhenTheSystemNeverHasRoom) {
  const fs::path file = put("one", "first");
  script_.submit_results.assign(1000, -EAGAIN);
  EXPECT_EQ(test::thrown_by([&] { push(*queue(), file); }),
            test::failed("cannot submit to io_uring: Resource temporarily unavailable"));
  expect_that_nothing_is_left();
}

TEST_F(QueueOnAScript, KeepsNamingTheOperationThatTheSystemRefused) {
  const fs::path file = put("one", "first");
  const test::Thrown refusal = test::failed("cannot submit to io_uring: Bad file descriptor");
  {
    const auto broken = queue();
    push(*broken, file);
    script_.submit_results = {-EBADF};
    EXPECT_EQ(test::thrown_by([&] { push(*broken, file); }), refusal);
    EXPECT_EQ(broken->size(), 1U) << "what was not taken is not asked for";
    EXPECT_EQ(test::thrown_by([&] { push(*broken, file); }), refusal);
    EXPECT_EQ(refusal_to_take(*broken), refusal);
    EXPECT_EQ(test::thrown_by([&] { broken->clear(); }), refusal);
  }
  expect_that_nothing_is_left();
}

TEST_F(QueueOnAScript, FailsIfTheSystemAcceptsOnlySomeOfAFilesSteps) {
  const fs::path file = put("one", "first");
  {
    const auto broken = queue();
    script_.submit_results = {2};
    EXPECT_EQ(test::thrown_by([&] { push(*broken, file); }),
              test::failed("cannot submit to io_uring: the system accepted 2 of a file's 3 steps"));
    EXPECT_EQ(script_.outstanding, 2U);
  }
  expect_that_nothing_is_left();
}

TEST_F(QueueOnAScript, EndsThoughTheSystemReportsNothingMore) {
  const fs::path file = put("one", "first");
  {
    const auto broken = queue();
    push(*broken, file);
    script_.wait_results = {-EBADF, -EBADF};
    EXPECT_EQ(refusal_to_take(*broken), test::failed("cannot wait for io_uring: Bad file descriptor"));
  }
  EXPECT_EQ(script_.waits, 2U) << "once more by the destructor";
  EXPECT_FALSE(script_.waited_for_nothing);
}

TEST_F(QueueOnAScript, NamesTheFileThatCannotBeReadAndGoesOn) {
  const fs::path missing = home_ / "missing";
  const fs::path file = put("one", "first");
  const auto asked = queue();
  push(*asked, missing);
  push(*asked, home_.path());
  push(*asked, file);
  EXPECT_EQ(refusal_to_take(*asked), test::failed("cannot open " + missing.string() + ": No such file or directory"));
  EXPECT_EQ(refusal_to_take(*asked), test::failed("cannot read " + home_.path().string() + ": Is a directory"));
  EXPECT_EQ(taken_from(*asked), "first");
}

TEST_F(Queue, AllocatesNothingWhileItReads) {
  const fs::path file = put("file", std::string(200'000, 'x'));
  const fs::path longest = put("longest", std::string(300'000, 'y'));
  const std::size_t before = test::allocations_so_far();
  for (int round = 0; round < 10; ++round) {
    queue_->push(file.native(), 200'000);
    queue_->push(longest.native(), 300'000);
    queue_->take();
    queue_->take();
  }
  EXPECT_EQ(test::allocations_so_far(), before);
}

}  // namespace
}  // namespace loadline
