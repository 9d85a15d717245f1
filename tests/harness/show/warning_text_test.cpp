#include "harness/show/warning_text.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(WarningText, HasALinePerWarning) {
  Judgement judgement;
  EXPECT_EQ(warning_text(judgement), "");
  judgement.warnings = {{"one", "first"}, {"two", "second"}};
  EXPECT_EQ(warning_text(judgement), "warning: first [one]\nwarning: second [two]\n");
}

}  // namespace
}  // namespace loadline
