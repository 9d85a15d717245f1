#include "synthetic/convert/class_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/samples.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::sample_of;
using testing::ElementsAre;

TEST(InOrderOfClasses, SortsSamplesAndKeepsTheOrderWithinAClass) {
  const auto from = test::patterned_dataset(9);  // of the classes 0 to 6, 0 and 1
  const auto sorted = in_order_of_classes(*from);
  EXPECT_THAT(sorted->labels(), ElementsAre(0, 0, 1, 1, 2, 3, 4, 5, 6));
  EXPECT_EQ(sorted->info().samples, 9U);
  const SampleIndex places[] = {0, 7, 1, 8, 2, 3, 4, 5, 6};
  for (SampleIndex i = 0; i < 9; ++i) EXPECT_EQ(sample_of(*sorted, i), sample_of(*from, places[i])) << i;
  EXPECT_EQ(sorted->describe(1), "sample 7 of patterned");
}

TEST(InOrderOfClasses, PassesOnThatASampleCannotBeRead) {
  const auto from = test::patterned_dataset(9);
  const test::FailingDataset failing(*from, 7);
  const auto sorted = in_order_of_classes(failing);
  EXPECT_EQ(test::thrown_by([&] { sample_of(*sorted, 1); }), test::failed(test::FailingDataset::message(7)));
  sample_of(*sorted, 2);
}

}  // namespace
}  // namespace loadline
