#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loaders/datasets/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

TEST(MadeUpFormat, ReadsSamplesAndRefusesOtherFiles) {
  const test::TemporaryDirectory home;
  const auto dataset = open_dataset(test::write(home / "a.made-up", "\2\1\2abcdefgh"), {});
  EXPECT_EQ(dataset->info().format, "made-up");
  EXPECT_THAT(dataset->labels(), testing::ElementsAre(1, 2));
  const auto cut = test::write(home / "cut.made-up", "\2\1\2abc");
  EXPECT_EQ(
      test::thrown_by([&] { open_dataset(cut, {}); }),
      test::failed("cannot open " + cut.string() + ": 6 bytes are not a number of samples, its labels and its pixels"));
  const auto high = test::write(home / "high.made-up", "\2\1\3abcdefgh");
  EXPECT_EQ(test::thrown_by([&] { open_dataset(high, {}); }),
            test::failed("cannot open " + high.string() + ": label 3 of sample 1 is out of range, want 0 to 2"));
}

}  // namespace
}  // namespace loadline
