#include "harness/machine/build_facts.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(BuildFacts, NameVersionCompilerAndLibraries) {
  const Build build = this_build();
  EXPECT_FALSE(build.version.empty());
  EXPECT_TRUE(build.compiler.has_value());
  EXPECT_FALSE(build.libraries.empty());
}

TEST(BuildFacts, HoldNoPlaceholders) {
  const Build build = this_build();
  for (const auto& fact : {build.build_type, build.compiler, build.sanitizer, build.git_revision}) {
    EXPECT_NE(fact, "");
    EXPECT_NE(fact, "none");
    EXPECT_NE(fact, "unknown");
  }
}

TEST(BuildFacts, CallATreeDirtyOrCleanOnlyWhenItsRevisionIsKnown) {
  const Build build = this_build();
  EXPECT_EQ(build.git_dirty.has_value(), build.git_revision.has_value());
}

}  // namespace
}  // namespace loadline
