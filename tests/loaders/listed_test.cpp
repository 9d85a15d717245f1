#include "loaders/listed.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(Listed, JoinsTheLastNameByAConjunctionAndTheOthersByCommas) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"IO"}), "IO");
  EXPECT_EQ(listed({"IO", "FULL"}), "IO and FULL");
  EXPECT_EQ(listed({"IO", "SYNTHETIC", "FULL"}), "IO, SYNTHETIC and FULL");
  EXPECT_EQ(listed({"random", "consecutive", "documents"}, "or"), "random, consecutive or documents");
}

}  // namespace
}  // namespace loadline
