#include "loaders/storage/file_queue.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

class Queue : public testing::Test {
 protected:
  Queue() {
    // Containers are often not allowed to.
    const auto refusal = test::thrown_by([&] { queue_.emplace(4); }).message;
    if (!refusal.empty()) {
      EXPECT_EQ(refusal.substr(0, 32), "cannot read files by io_uring: ");
      reason_ = refusal;
    }
  }
  void SetUp() override {
    if (!queue_) GTEST_SKIP() << reason_;
  }

  fs::path put(const std::string& name, const std::string& bytes) const { return test::write(home_ / name, bytes); }
  std::string take() {
    const auto bytes = queue_->take();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  const test::TemporaryDirectory home_;
  std::optional<FileQueue> queue_;
  std::string reason_;
};

TEST_F(Queue, GivesWholeFilesInTheOrderTheyWereAskedFor) {
  const fs::path files[] = {put("one", "first"), put("two", ""), put("three", std::string(100'000, 'x'))};
  for (int round = 0; round < 10; ++round) {
    for (const fs::path& file : files) queue_->push(file);
    EXPECT_EQ(queue_->size(), 3U);
    EXPECT_EQ(queue_->front(), files[0]);
    EXPECT_EQ(take(), "first");
    EXPECT_EQ(take(), "");
    queue_->push(files[0]);
    EXPECT_EQ(take(), std::string(100'000, 'x'));
    EXPECT_EQ(take(), "first");
    EXPECT_EQ(queue_->size(), 0U);
  }
}

TEST_F(Queue, KeepsTheBytesThatWereTakenLastWhileItIsFull) {
  const fs::path first = put("first", "the first");
  const fs::path other = put("other", "another");
  queue_->push(first);
  const auto bytes = queue_->take();
  for (std::size_t i = 0; i < queue_->capacity(); ++i) queue_->push(other);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "the first");
  for (std::size_t i = 0; i < queue_->capacity(); ++i) EXPECT_EQ(take(), "another");
}

TEST_F(Queue, ReadsFilesLongerThanIsUsual) {
  for (const std::size_t size : {262'143U, 262'144U, 262'145U, 5'000'000U}) {
    const fs::path file = put("long", std::string(size - 1, 'a') + 'b');
    for (int round = 0; round < 6; ++round) {
      queue_->push(file);
      EXPECT_EQ(take(), std::string(size - 1, 'a') + 'b');
    }
  }
}

TEST_F(Queue, NamesTheFileThatCannotBeReadAndGoesOn) {
  const fs::path missing = home_ / "missing";
  const fs::path directory = home_.path();
  const fs::path sound = put("sound", "sound");
  queue_->push(missing);
  queue_->push(directory);
  queue_->push(sound);
  EXPECT_EQ(test::thrown_by([&] { queue_->take(); }),
            test::failed("cannot open " + missing.string() + ": No such file or directory"));
  EXPECT_EQ(test::thrown_by([&] { queue_->take(); }),
            test::failed("cannot read " + directory.string() + ": Is a directory"));
  EXPECT_EQ(take(), "sound");
}

TEST_F(Queue, CanBeDestroyedWhileFilesAreBeingRead) {
  const fs::path file = put("file", std::string(100'000, 'x'));
  for (int i = 0; i < 20; ++i) {
    FileQueue queue(8);
    for (int k = 0; k < i % 9; ++k) queue.push(file);
  }
}

}  // namespace
}  // namespace loadline
