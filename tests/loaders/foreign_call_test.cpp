#include "loaders/foreign_call.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline {
namespace {

TEST(ForeignCall, IsRecordedOnAWatchedThread) {
  WatchedThread thread;
  watch_this_thread(&thread);
  EXPECT_FALSE(thread.away());
  {
    const ForeignCall call("next()");
    EXPECT_TRUE(thread.away());
    EXPECT_EQ(thread.call(), "next()");
  }
  watch_this_thread(nullptr);

  EXPECT_FALSE(thread.away());
  EXPECT_EQ(thread.calls(), 1U);
}

TEST(ForeignCall, MayTellWhoseItIs) {
  WatchedThread thread;
  watch_this_thread(&thread);
  { const ForeignCall call("make_step()", "compute train.py:make_step"); }
  EXPECT_EQ(thread.owner(), "compute train.py:make_step");
  { const ForeignCall call("next()"); }
  EXPECT_EQ(thread.owner(), "");
  watch_this_thread(nullptr);
}

TEST(ForeignCall, IsIgnoredOnAnUnwatchedThread) {
  const ForeignCall call("next()");

  EXPECT_EQ(watched_thread(), nullptr);
}

TEST(ForeignCall, IsKnownOnItsThreadWhileItLasts) {
  EXPECT_EQ(foreign_call().call, nullptr);
  {
    const ForeignCall outer("make_step()", "compute train.py:make_step");
    { const ForeignCall inner("next()"); }
    EXPECT_STREQ(foreign_call().call, "make_step()");
    EXPECT_STREQ(foreign_call().owner, "compute train.py:make_step");
  }
  EXPECT_EQ(foreign_call().call, nullptr);
}

TEST(ForeignCall, MayBeNamedByTextsKeptForEver) {
  const char* const kept = kept_for_ever(std::string("loader ") + "mine");
  EXPECT_STREQ(kept, "loader mine");
  EXPECT_EQ(kept_for_ever("loader mine"), kept);
}

TEST(WatchedThread, CannotBeWrittenOffInOurCode) {
  WatchedThread thread;

  EXPECT_FALSE(thread.write_off());
}

}  // namespace
}  // namespace loadline
