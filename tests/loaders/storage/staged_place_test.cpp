#include "loaders/storage/staged_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using testing::ElementsAre;

class StagedPlaceTest : public testing::Test {
 protected:
  static void write_copy(const fs::path& place, const std::string& data) {
    test::write(place / kCopyNote, "a copy");
    test::write(place / "a.bin", data);
  }
  // Commits a new copy as a process does that found `stale`, which may be null, in its place.
  void commit(const HeldFile* stale, const std::function<bool()>& is_there) const {
    AtomicDirectory fresh(place_, host_mark());
    write_copy(fresh.temporary(), "ours");
    commit_copy(fresh, place_, stale, is_there);
  }
  // Returns a check that finds no copy. Another node's copy appears right after it.
  std::function<bool()> then_another_comes() const {
    return [this, asked = false]() mutable {
      if (std::exchange(asked, true)) return true;
      fs::remove_all(place_);
      write_copy(place_, "theirs");
      return false;
    };
  }

  const test::TemporaryDirectory home_;
  const fs::path place_ = home_ / "copy";
};

TEST_F(StagedPlaceTest, GetsTheNewCopyInPlaceOfTheOldOne) {
  write_copy(place_, "old");
  const auto stale = HeldFile::alone(place_ / kCopyNote);
  commit(stale.get(), [] { return false; });
  EXPECT_EQ(bytes_of(place_ / "a.bin"), "ours");
  EXPECT_THAT(test::names_in(home_.path()), ElementsAre("copy"));
}

TEST_F(StagedPlaceTest, KeepsTheCopyThatAnotherNodePutThereFirst) {
  commit(nullptr, then_another_comes());
  EXPECT_EQ(bytes_of(place_ / "a.bin"), "theirs");
  EXPECT_THAT(test::names_in(home_.path()), ElementsAre("copy"));
}

TEST_F(StagedPlaceTest, KeepsTheCopyThatAnotherNodePutInPlaceOfTheOldOne) {
  write_copy(place_, "old");
  const auto stale = HeldFile::alone(place_ / kCopyNote);
  commit(stale.get(), then_another_comes());
  EXPECT_EQ(bytes_of(place_ / "a.bin"), "theirs");
  EXPECT_THAT(test::names_in(home_.path()), ElementsAre("copy"));
}

TEST_F(StagedPlaceTest, IsLeftAloneIfItHoldsAnotherCopy) {
  write_copy(place_, "something else");
  EXPECT_EQ(test::thrown_by([&] { commit(nullptr, [] { return false; }); }),
            test::failed("cannot create " + place_.string() + ": Directory not empty"));
  EXPECT_EQ(bytes_of(place_ / "a.bin"), "something else");
}

TEST_F(StagedPlaceTest, IsNotClearedIfItNoLongerHoldsTheOldCopy) {
  write_copy(place_, "old");
  const auto stale = HeldFile::alone(place_ / kCopyNote);
  fs::remove_all(place_);
  EXPECT_EQ(set_aside(place_, *stale), std::nullopt);
  write_copy(place_, "theirs");
  EXPECT_EQ(set_aside(place_, *stale), std::nullopt);
  EXPECT_EQ(bytes_of(place_ / "a.bin"), "theirs");
}

}  // namespace
}  // namespace loadline
