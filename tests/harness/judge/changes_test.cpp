#include "harness/judge/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Cell cell(const std::string& loader, std::size_t workers) {
  return test::cell_result({.mode = Mode::kFull, .rates = {}, .loader = loader, .workers = workers}).cell;
}

TEST(Changes, AreNamedInTheOrderOfTheSettings) {
  const Cell base = cell("thread-pool", 1);
  Cell changed = cell("flow-graph", 2);
  changed.sampler.batch_size = 8;
  EXPECT_EQ(changes_text(changes_between(base, changed)),
            "loader thread-pool -> flow-graph, workers 1 -> 2, batch size 100 -> 8");
}

TEST(Changes, AreEmptyWhereOnlyPlaceOrMachineDiffer) {
  const Cell base = cell("thread-pool", 1);
  Cell changed = base;
  changed.data = "/elsewhere";
  changed.threads_in_force = 7;
  changed.placement.worker_cpus = {1};
  EXPECT_THAT(changes_between(base, changed), IsEmpty());
}

TEST(Changes, LeaveOutWhatFollowsFromTheLoader) {
  Cell changed = cell("hdf5-mmap", 2);
  changed.dataset.format = "hdf5";
  changed.dataset.hdf5_images = "train";
  EXPECT_THAT(changes_between(cell("thread-pool", 2), changed),
              ElementsAre(Difference{"loader", "thread-pool", "hdf5-mmap"}));
  // A converted copy is a change of its own where the loader stays the same.
  Cell copy = cell("thread-pool", 2);
  copy.dataset.format = "hdf5";
  Cell original = copy;
  original.dataset.format = "cifar10";
  EXPECT_EQ(changes_text(changes_between(original, copy)), "format cifar10 -> hdf5");
}

TEST(Changes, LeaveTheNameThatBothCellsShare) {
  Cell base = cell("thread-pool", 2);
  base.axes = {"dtype", "prefetch"};
  base.prefetch = 4;
  Cell changed = base;
  changed.transform.dtype = DType::kU8;
  const auto name_beside = [&](const Cell& other) { return shared_name(base, changes_between(base, other)); };
  EXPECT_EQ(name_beside(base), base.name());
  EXPECT_EQ(name_beside(changed), "mnist/FULL/thread-pool/workers:2/batch:100/prefetch:4");
  EXPECT_EQ(name_beside(cell("flow-graph", 1)), "mnist/FULL/batch:100/dtype:f32");
}

TEST(Changes, SayNoneForTheWorkersOfALoaderWithoutAny) {
  EXPECT_EQ(changes_text(changes_between(cell("serial", 0), cell("thread-pool", 2))),
            "loader serial -> thread-pool, workers none -> 2");
}

TEST(Changes, CallAnUnsetValueAuto) {
  const Cell base = cell("thread-pool", 2);
  Cell changed = base;
  changed.prefetch = 4;
  EXPECT_EQ(changes_text(changes_between(base, changed)), "prefetch auto -> 4");
}

TEST(Changes, LeaveOutTheNormalisationOfAFloatType) {
  Cell base = cell("thread-pool", 2);
  base.transform.dtype = DType::kU8;
  Cell changed = base;
  changed.transform.dtype = DType::kF32;
  changed.transform.mean = {0.5};
  changed.transform.stddev = {0.25};
  EXPECT_EQ(changes_text(changes_between(base, changed)), "dtype u8 -> f32");
}

}  // namespace
}  // namespace loadline
