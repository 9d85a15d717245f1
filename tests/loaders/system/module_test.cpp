#include "loaders/system/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

TEST(Module, ThatIsMissingIsNamedWithItsPurpose) {
  const auto thrown = test::thrown_by([] { load_module("loadline_absent.so", "symbol", "decodes nothing"); });
  EXPECT_THAT(thrown.message,
              testing::StartsWith("cannot load loadline_absent.so, which decodes nothing: it is not in /"));
}

}  // namespace
}  // namespace loadline
