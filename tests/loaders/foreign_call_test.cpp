#include "loaders/foreign_call.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline {
namespace {

TEST(ForeignCall, IsRecordedOnAWatchedThread) {
  Whereabouts whereabouts;
  watch_this_thread(&whereabouts);
  EXPECT_FALSE(whereabouts.away());
  {
    const ForeignCall call("next()");
    EXPECT_TRUE(whereabouts.away());
    EXPECT_EQ(whereabouts.call(), "next()");
  }
  watch_this_thread(nullptr);

  EXPECT_FALSE(whereabouts.away());
  EXPECT_EQ(whereabouts.calls(), 1U);
}

TEST(ForeignCall, MayTellWhoseItIs) {
  Whereabouts whereabouts;
  watch_this_thread(&whereabouts);
  { const ForeignCall call("make_step()", "compute train.py:make_step"); }
  EXPECT_EQ(whereabouts.owner(), "compute train.py:make_step");
  { const ForeignCall call("next()"); }
  EXPECT_EQ(whereabouts.owner(), "");
  watch_this_thread(nullptr);
}

TEST(ForeignCall, IsIgnoredOnAnUnwatchedThread) {
  const ForeignCall call("next()");

  EXPECT_EQ(watched_by(), nullptr);
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

TEST(Whereabouts, CannotBeWrittenOffAtHome) {
  Whereabouts whereabouts;

  EXPECT_FALSE(whereabouts.write_off());
}

}  // namespace
}  // namespace loadline
